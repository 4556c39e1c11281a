//go:build !windows

package installer

import (
	"errors"
	"maps"
	"path/filepath"
	"testing"
)

// memory is a registry on a system that has none.
type memory map[string]string

func (m memory) get(key string) (string, bool, error) { v, ok := m[key]; return v, ok, nil }
func (m memory) set(key, value string) error          { m[key] = value; return nil }
func (m memory) remove(key string) error              { delete(m, key); return nil }

func TestRegistryKeys(t *testing.T) {
	const ours, other = `Software\Google\Chrome\NativeMessagingHosts\x`, `Software\Other\x`
	data := filepath.Join(t.TempDir(), "data")
	plan := func(force bool) *Plan {
		return &Plan{
			System:  testSystem("linux"),
			Options: Options{Data: data, Host: "x", Force: force},
			Steps:   []Step{{Kind: SetKey, Path: ours, Value: `C:\ours.json`}},
		}
	}
	reg := memory{other: "untouched", ours: `C:\foreign.json`}
	before := maps.Clone(reg)

	var foreign *ForeignError
	if err := apply(plan(false), "", reg); !errors.As(err, &foreign) || foreign.Points != `C:\foreign.json` {
		t.Fatalf("error %v; want a ForeignError", err)
	}
	if !maps.Equal(reg, before) {
		t.Errorf("the refused install wrote: %v", reg)
	}
	for range 2 { // the second time is our own
		if err := apply(plan(true), "", reg); err != nil {
			t.Fatal(err)
		}
	}
	if reg[ours] != `C:\ours.json` {
		t.Errorf("key is %q", reg[ours])
	}
	if err := apply(plan(false), "", reg); err != nil {
		t.Errorf("our own key is taken for foreign: %v", err)
	}
	got, err := undo(data, false, reg)
	if err != nil || len(got.Removed) == 0 {
		t.Errorf("undo: %+v, %v", got, err)
	}
	if !maps.Equal(reg, before) {
		t.Errorf("after undo: %v; want %v", reg, before)
	}

	delete(reg, ours)
	if err := apply(plan(false), "", reg); err != nil {
		t.Fatal(err)
	}
	reg[ours] = "changed since"
	got, err = undo(data, false, reg)
	if err != nil || len(got.Left) != 1 || reg[ours] != "changed since" {
		t.Errorf("undo of a changed key: %+v, %v, %q", got, err, reg[ours])
	}
}
