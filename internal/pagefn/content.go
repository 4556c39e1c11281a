package pagefn

// ContentArgs asks for what the document or one element shows, as clean HTML.
type ContentArgs struct {
	Target    *Locator `json:"target,omitempty"`
	TimeoutMS int      `json:"timeoutMs,omitempty"` // wait for the target
	MaxBytes  int      `json:"maxBytes,omitempty"`
}

// Content is rendered content in a small vocabulary of HTML that needs no parser's
// mending: every element is closed (but br, hr, img, input and frame), attributes are
// quoted, only & < > and " are escaped. Shadow roots and slots are flattened, what is
// hidden is left out, addresses are absolute. <frame n="2"> stands where the frame is
// that Node.Frame gives this number; <math> holds TeX; <pre lang="go"> holds code.
type Content struct {
	HTML  string `json:"html"`
	Title string `json:"title,omitempty"` // of the document
	Cut   bool   `json:"cut,omitempty"`
}

// LinksArgs asks for the links in the document or in one element.
type LinksArgs struct {
	Target    *Locator `json:"target,omitempty"`
	TimeoutMS int      `json:"timeoutMs,omitempty"` // wait for the target
	Max       int      `json:"max,omitempty"`       // 0 is 20,000
}

// Links are the links that a person can see, in document order.
type Links struct {
	Links  []Link `json:"links"`
	More   int    `json:"more,omitempty"`   // beyond Max
	Hidden int    `json:"hidden,omitempty"` // not shown now, as in closed menus
}

// Link is one link. Addresses that only mean something inside the page (javascript:,
// data:, blob:) are left out.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
	Rel  string `json:"rel,omitempty"` // without noopener and noreferrer, which say nothing
}

// SignInArgs asks for what tells a page that wants its visitor to sign in.
type SignInArgs struct{}

// SignIn is what a document shows of signing in or up. What it means is judged in Go.
type SignIn struct {
	Password    int      `json:"password,omitempty"`    // visible fields for the password one has
	NewPassword int      `json:"newPassword,omitempty"` // and for one that is chosen
	User        int      `json:"user,omitempty"`        // visible fields for a user name or e-mail address
	Code        int      `json:"code,omitempty"`        // visible fields for a one-time code
	Fields      int      `json:"fields,omitempty"`      // visible fields for text of any kind
	Form        string   `json:"form,omitempty"`        // path of the action, id, name and classes of the form with these fields
	Title       string   `json:"title,omitempty"`
	Headings    []string `json:"headings,omitempty"` // visible, the first few
	Buttons     []string `json:"buttons,omitempty"`  // names of buttons and button-like links, the first few
	Words       int      `json:"words,omitempty"`    // visible words outside of the form
}

// StorageArgs asks for entries of localStorage or sessionStorage.
type StorageArgs struct {
	Session  bool    `json:"session,omitempty"`
	Key      *string `json:"key,omitempty"`      // only this one
	MaxValue int     `json:"maxValue,omitempty"` // bytes of each value; 0 is all
	Max      int     `json:"max,omitempty"`      // entries; 0 is all
}

// Storage is what was asked for, keys in order.
type Storage struct {
	Entries []StorageEntry `json:"entries"`
	Total   int            `json:"total"` // entries there are
	Bytes   int            `json:"bytes"` // of all keys and values
}

// StorageEntry is one entry; Bytes is the size of the whole value.
type StorageEntry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Bytes int    `json:"bytes"`
	Cut   bool   `json:"cut,omitempty"`
}

// SetStorageArgs changes storage; the result is Storage with what the key holds then.
type SetStorageArgs struct {
	Session bool   `json:"session,omitempty"`
	Op      string `json:"op"` // "set", "remove" or "clear"
	Key     string `json:"key,omitempty"`
	Value   string `json:"value,omitempty"`
}
