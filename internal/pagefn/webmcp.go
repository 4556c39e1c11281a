package pagefn

import "encoding/json"

// PageToolsArgs bounds the list of the tools that a page registered with the browser.
type PageToolsArgs struct {
	Max       int `json:"max"`       // tools
	MaxText   int `json:"maxText"`   // bytes of a name, a title, a description
	MaxSchema int `json:"maxSchema"` // characters of a schema; a larger one is left out
}

// PageTools is what the page offers. There is false where the browser has no WebMCP.
type PageTools struct {
	There bool       `json:"there"`
	Tools []PageTool `json:"tools"`
	Total int        `json:"total"`
}

// PageTool is one of them, in the page's own words.
type PageTool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description"`
	Schema      string `json:"schema,omitempty"`      // JSON Schema of the arguments
	SchemaBytes int    `json:"schemaBytes,omitempty"` // of one that was left out
	ReadOnly    bool   `json:"readOnly,omitempty"`    // so the page says
}

// PageToolArgs calls one. The gate judges Tool.
type PageToolArgs struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // JSON object
	TimeoutMS int             `json:"timeoutMs"`
	Max       int             `json:"max"` // bytes of the answer
}

// PageToolCalled is what came of it: a value, an error that the tool threw, or nothing
// in time.
type PageToolCalled struct {
	Value     string `json:"value,omitempty"` // JSON
	Bytes     int    `json:"bytes,omitempty"` // of the whole value
	Truncated bool   `json:"truncated,omitempty"`
	Error     string `json:"error,omitempty"`
	Late      bool   `json:"late,omitempty"`
}
