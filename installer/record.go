package installer

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"chrome-mcp/internal/state"
)

// RecordFile is the name of the record in the data folder.
const RecordFile = "install.json"

// Record is what install wrote, so that uninstall removes that and nothing else.
type Record struct {
	V       int           `json:"v"`
	Version string        `json:"version"`
	Time    time.Time     `json:"time"`
	Files   []File        `json:"files"`
	Keys    []Key         `json:"keys,omitempty"`
	Clients []ClientEntry `json:"clients,omitempty"`
	Dirs    []string      `json:"dirs"` // folders that did not exist before, parents first
}

// File is a file that was written.
type File struct {
	Kind   Kind     `json:"kind"`
	Path   string   `json:"path"`
	SHA256 string   `json:"sha256"`
	For    []string `json:"for,omitempty"`
	Kept   string   `json:"kept,omitempty"` // where the file that stood there before is
}

// Key is a registry key whose default value was set.
type Key struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	Kept  string `json:"kept,omitempty"` // the value before
}

// LoadRecord reads the record; the zero Record when nothing is installed.
func LoadRecord(data string) (Record, error) {
	var r Record
	err := state.Open(data).ReadRecord(RecordFile, &r)
	return r, err
}

func (r *Record) save(data string) error {
	r.V = 1
	r.Time = time.Now().UTC().Truncate(time.Second)
	return state.Open(data).WriteRecord(RecordFile, r)
}

func (r *Record) file(path string) *File {
	if i := slices.IndexFunc(r.Files, func(f File) bool { return f.Path == path }); i >= 0 {
		return &r.Files[i]
	}
	return nil
}

func (r *Record) key(path string) *Key {
	if i := slices.IndexFunc(r.Keys, func(k Key) bool { return k.Path == path }); i >= 0 {
		return &r.Keys[i]
	}
	return nil
}

// note adds a file or renews its entry; what stood there before us stays known.
func (r *Record) note(f File) {
	if old := r.file(f.Path); old != nil {
		if f.Kept == "" {
			f.Kept = old.Kept
		}
		for _, name := range old.For {
			if !slices.Contains(f.For, name) {
				f.For = append(f.For, name)
			}
		}
		*old = f
		return
	}
	r.Files = append(r.Files, f)
}

func (r *Record) noteKey(k Key) {
	if old := r.key(k.Path); old != nil {
		if k.Kept == "" {
			k.Kept = old.Kept
		}
		*old = k
		return
	}
	r.Keys = append(r.Keys, k)
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
