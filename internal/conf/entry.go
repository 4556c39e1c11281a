package conf

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// plain is the entry as a parser returns it.
func (e Entry) plain() map[string]any {
	m := make(map[string]any, len(e))
	for _, f := range e {
		m[f.Key] = f.Value
	}
	return m
}

// With returns the entry with those keys of another, decoded one that it does not set,
// sorted and behind its own.
func (e Entry) With(other map[string]any) Entry {
	var more Entry
	for k, v := range other {
		if !slices.ContainsFunc(e, func(f Field) bool { return f.Key == k }) {
			more = append(more, Field{k, v})
		}
	}
	slices.SortFunc(more, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
	return append(e[:len(e):len(e)], more...)
}

// same compares values of different parsers, and ours.
func same(a, b any) bool { return reflect.DeepEqual(neutral(a), neutral(b)) }

// neutral brings a value to the form that encoding/json decodes to, whichever parser or
// package it comes from.
func neutral(v any) any {
	b, err := json.Marshal(plainly(v))
	if err != nil {
		return v
	}
	var out any
	if json.Unmarshal(b, &out) != nil {
		return v
	}
	return out
}

func plainly(v any) any {
	switch v := v.(type) {
	case Entry:
		return plainly(v.plain())
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, inner := range v {
			m[k] = plainly(inner)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = plainly(inner)
		}
		return list
	}
	return v
}

// fields lists a value's keys in the order to write them; ok is false for no object.
func fields(v any) (list Entry, ok bool) {
	switch v := v.(type) {
	case Entry:
		return v, true
	case map[string]any:
		return Entry(nil).With(v), true
	}
	return nil, false
}

// items lists the elements of an array; ok is false for none.
func items(v any) (list []any, ok bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		for _, s := range v {
			list = append(list, s)
		}
		return list, true
	}
	return nil, false
}

// nest wraps the entry in objects of the given names.
func nest(names []string, e Entry) any {
	var v any = e
	for _, name := range slices.Backward(names) {
		v = Entry{{name, v}}
	}
	return v
}

// Line is the entry as JSON on one line.
func (e Entry) Line() string { return jsonWriter{inline: true, tight: true}.value(e, "") }
