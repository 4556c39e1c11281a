package page

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"

	"chrome-mcp/internal/browser"
)

// maxParts bounds the objects in the value of an expression.
const maxParts = 200_000

//go:embed evalvalue.js
var readValue string

// valueOf fetches the value of an object and lets the object go.
func (t *Tab) valueOf(ctx context.Context, res evaluateResult) (evaluated, error) {
	id := res.Result.ObjectID
	defer func() {
		_ = t.call(ctx, "", "Runtime.releaseObject", map[string]any{"objectId": id}, nil)
	}()
	var got evaluateResult
	err := t.call(ctx, "", "Runtime.callFunctionOn", map[string]any{
		"objectId": id, "functionDeclaration": readValue, "arguments": []any{map[string]int{"value": maxParts}}, "returnByValue": true}, &got)
	if err != nil && browser.CodeOf(err) != browser.CDPError {
		return evaluated{}, err
	}
	var said struct {
		Value json.RawMessage `json:"value"`
		Note  string          `json:"note"`
	}
	value, bad := json.RawMessage(nil), err
	if bad == nil {
		bad = json.Unmarshal(got.Result.Value, &said)
	}
	if bad == nil {
		value, bad = unfolded(said.Value)
	}
	if bad != nil || got.Exception != nil {
		v := res.read()
		v.Note = "the value has no JSON form; return the parts you need"
		return v, nil
	}
	if string(value) == "{}" && res.Result.ClassName != "Object" {
		return res.read(), nil // nothing of it is its own, as of most objects of the browser
	}
	res.Result.Value = value
	v := res.read()
	v.Note = said.Note
	return v, nil
}

// unfolded makes JSON of what evalvalue.js returned.
func unfolded(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := unfold(dec, enc, &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func unfold(dec *json.Decoder, enc *json.Encoder, out *bytes.Buffer) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		err = enc.Encode(token)
		out.Truncate(out.Len() - 1) // the encoder ends a line
		return err
	}
	kind, err := dec.Token()
	if err != nil {
		return err
	}
	marks := map[any]string{json.Number("0"): "[]", json.Number("1"): "{}"}[kind]
	if marks == "" {
		return errors.New("neither a list nor an object")
	}
	out.WriteByte(marks[0])
	for n := 0; dec.More(); n++ {
		switch {
		case n == 0:
		case marks == "{}" && n%2 == 1:
			out.WriteByte(':')
		default:
			out.WriteByte(',')
		}
		if err := unfold(dec, enc, out); err != nil {
			return err
		}
	}
	out.WriteByte(marks[1])
	_, err = dec.Token()
	return err
}
