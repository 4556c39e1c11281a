package page

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is an argument that only its receiver knows: a JSON object, kept as it was
// written. Agents put one into a string at times; that is taken too.
type Object struct{ raw json.RawMessage }

// UnmarshalJSON takes an object, or a string that holds one.
func (o *Object) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil && text != "" {
		b = []byte(text)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return fmt.Errorf(`must be a JSON object, as {"item": 3}`)
	}
	o.raw = bytes.Clone(b)
	return nil
}

// JSON is the object; none and null are the empty one.
func (o *Object) JSON() json.RawMessage {
	if o == nil || len(o.raw) == 0 || string(o.raw) == "null" {
		return json.RawMessage("{}")
	}
	return o.raw
}
