package pagefn

// FileInputArgs asks which file input a target leads to: itself, the one that it labels,
// or the only one in it. With nodes[0] it describes that input, which may be detached.
// The answer points at the input; see browser.Answer.Node.
type FileInputArgs struct {
	Target    *Locator `json:"target,omitempty"`
	TimeoutMS int      `json:"timeoutMs,omitempty"` // wait for the target
}

// FileInput describes a file input. Found is false when the target leads to none by
// itself: then a click on it may open a file chooser.
type FileInput struct {
	Found     bool   `json:"found,omitempty"`
	Label     string `json:"label,omitempty"` // role and name, of the target if there is no input
	Multiple  bool   `json:"multiple,omitempty"`
	Directory bool   `json:"directory,omitempty"`
	Accept    string `json:"accept,omitempty"`
	Disabled  bool   `json:"disabled,omitempty"`
	Inputs    int    `json:"inputs,omitempty"` // file inputs in the document, when not found
}

// SetFilesArgs hands over files piece by piece; the call with Files sets them on the
// input nodes[0], with input and change events. It is for browsers that let nobody name
// files by their path.
type SetFilesArgs struct {
	Transfer string     `json:"transfer"`       // the same for all pieces of one upload
	File     int        `json:"file,omitempty"` // index of the file that Data belongs to
	Data     string     `json:"data,omitempty"` // base64, appended
	Files    []FileMeta `json:"files,omitempty"`
	Drop     bool       `json:"drop,omitempty"` // drop them on an element that is no input
}

// FileMeta describes a file whose bytes were handed over.
type FileMeta struct {
	Name     string `json:"name"`
	Type     string `json:"type,omitempty"`
	Modified int64  `json:"modified,omitempty"` // milliseconds since the epoch
}

// FilesArgs asks what the file input nodes[0] holds.
type FilesArgs struct{}

// Files is what a file input holds.
type Files struct {
	Files []FileEntry `json:"files"`
}

// FileEntry is one file of an input.
type FileEntry struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Path  string `json:"path,omitempty"` // within a directory that was chosen
}

// BytesArgs asks for bytes of a blob: URL of the document, from Offset on.
type BytesArgs struct {
	URL    string `json:"url"`
	Offset int64  `json:"offset,omitempty"`
	Max    int    `json:"max,omitempty"`
}

// Bytes are a piece of a blob.
type Bytes struct {
	Data  string `json:"data"` // base64
	Total int64  `json:"total"`
	Type  string `json:"type,omitempty"`
}

// VeilArgs hides the frames whose owner elements are the nodes, or shows all again, so
// that a page can be printed without what may not be read.
type VeilArgs struct {
	On bool `json:"on,omitempty"`
}

// Veiled says how many frames are hidden.
type Veiled struct {
	Count int `json:"count"`
}
