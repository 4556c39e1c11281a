package state

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// tempPrefix starts the names of files that are being written.
const tempPrefix = ".tmp-"

// writePrivate replaces a file by temp file and rename, and makes sure that nobody but
// the user can read it: before the content is written, and again under its final name.
func writePrivate(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*") // 0600 from the start
	if err != nil {
		return fmt.Errorf("cannot write %s: %w; check the folder's free space and rights", path, err)
	}
	tmp := f.Name()
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(tmp)
		}
	}()
	if err := makeFilePrivate(f); err != nil {
		return fmt.Errorf("%s cannot be made private: %w; set %s to a folder on a file system with permissions", path, err, DataEnv)
	}
	if _, err := f.Write(b); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if _, err := readPrivate(path, int64(len(b))); err != nil {
		os.Remove(path)
		return fmt.Errorf("cannot keep a private file: %w; set %s to a folder on a file system with permissions", err, DataEnv)
	}
	return nil
}

// readPrivate reads a regular file of at most max bytes that belongs to the user and
// that nobody else can read. A missing file answers os.ErrNotExist, all else *FileError.
func readPrivate(path string, max int64) ([]byte, error) {
	f, err := openPrivate(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, &FileError{Path: path, Fault: FaultUnreadable, Detail: "cannot be read", Err: err}
	}
	if int64(len(b)) > max {
		return nil, &FileError{Path: path, Fault: FaultSize, Detail: fmt.Sprintf("is larger than %d bytes", max)}
	}
	return b, nil
}

// locked runs fn while this process, and no other, holds the folder's lock. The OS
// drops the lock when a process dies.
func (s *Store) locked(fn func() error) error {
	f, err := os.OpenFile(s.Path(".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("cannot lock the data folder: %w; set %s to a folder that you can write", err, DataEnv)
	}
	defer f.Close()
	if err := lockFile(f); err != nil {
		return fmt.Errorf("cannot lock %s: %w", f.Name(), err)
	}
	return fn()
}
