package page

import (
	"context"
	"fmt"

	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/pagefn"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/redact"
)

// StorageArgs are those of storage.
type StorageArgs struct {
	TabArg
	Op      string  `json:"op" enum:"get,set,remove,clear" required:"true"`
	Key     *string `json:"key,omitempty"`
	Value   *string `json:"value,omitempty" desc:"For set."`
	Session bool    `json:"session,omitempty" desc:"sessionStorage instead of localStorage."`
}

// Sizes of what storage shows. A value asked for by its key comes whole, up to a limit.
const (
	storedEntries = 200
	storedPreview = 200     // bytes of a value in a list
	storedValue   = 200_000 // bytes of one value
)

// stored is storage's structured content.
type stored struct {
	Area      string                `json:"area"`
	Origin    string                `json:"origin"`
	Entries   []pagefn.StorageEntry `json:"entries"`
	Total     int                   `json:"total"` // entries there are
	Bytes     int                   `json:"bytes"` // of all of them
	Truncated bool                  `json:"truncated,omitempty"`
	Note      string                `json:"note,omitempty"`
}

// Storage is storage.
func Storage(ctx context.Context, t *Tab, a StorageArgs) (*Result, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	f, err := t.frame(ctx, "")
	if err != nil {
		return nil, err
	}
	var v pagefn.Storage
	var answer browser.Answer
	if a.Op == "get" {
		args := pagefn.StorageArgs{Session: a.Session, Key: a.Key, MaxValue: storedPreview, Max: storedEntries}
		if a.Key != nil {
			args.MaxValue = storedValue
		}
		v, answer, err = askFrame[pagefn.Storage](ctx, t, f, "storage", args)
	} else {
		// Not asked again when the document goes away: what was set may be set.
		if err := t.judgeFrame(f, policy.Act); err != nil {
			return nil, err
		}
		v, answer, err = run[pagefn.Storage](ctx, t, browser.RunRequest{Frame: f.ID, Fn: "setStorage", Args: a.change()})
	}
	if err != nil {
		return nil, err
	}
	if p := t.s.cfg.Policy; p.Redact || len(p.RedactPatterns) > 0 {
		maskNamed(v.Entries)
	}
	return &Result{Data: a.result(v, answer), Origin: answer.Origin, URL: answer.URL}, nil
}

// maskNamed hides the values whose key says that they are secret. Those that look like
// secrets are masked in every result.
func maskNamed(entries []pagefn.StorageEntry) {
	for i := range entries {
		if e := &entries[i]; e.Value != "" && redact.Secret(e.Key) {
			e.Value, e.Cut = redact.Mask, false
		}
	}
}

func (a StorageArgs) check() error {
	switch {
	case (a.Op == "set" || a.Op == "remove") && a.Key == nil:
		return browser.Errorf(browser.BadArgs, "op %s needs key; name the entry", a.Op)
	case a.Op == "set" && a.Value == nil:
		return browser.Errorf(browser.BadArgs, "op set needs value; to take the entry away use op remove")
	case a.Op != "set" && a.Value != nil:
		return browser.Errorf(browser.BadArgs, "value goes with op set, not with %s; leave it out", a.Op)
	case a.Op == "clear" && a.Key != nil:
		return browser.Errorf(browser.BadArgs, "op clear takes everything away; for one key use op remove")
	}
	return nil
}

func (a StorageArgs) change() pagefn.SetStorageArgs {
	args := pagefn.SetStorageArgs{Session: a.Session, Op: a.Op}
	if a.Key != nil {
		args.Key = *a.Key
	}
	if a.Value != nil {
		args.Value = *a.Value
	}
	return args
}

func (a StorageArgs) result(v pagefn.Storage, answer browser.Answer) stored {
	s := stored{Area: "localStorage", Origin: answer.Origin, Entries: v.Entries, Total: v.Total, Bytes: v.Bytes}
	if a.Session {
		s.Area = "sessionStorage"
	}
	if s.Entries == nil {
		s.Entries = []pagefn.StorageEntry{}
	}
	cut := 0
	for _, e := range v.Entries {
		if e.Cut {
			cut++
		}
	}
	switch missing := v.Total - len(v.Entries); {
	case a.Op == "get" && a.Key != nil && len(v.Entries) == 0:
		s.Note = fmt.Sprintf("there is no entry %s", quote(*a.Key, 80))
	case a.Op == "get" && a.Key == nil && missing > 0:
		s.Truncated, s.Note = true, fmt.Sprintf("%d more entries; give a key for one of them", missing)
	case a.Op == "get" && cut > 0:
		s.Truncated, s.Note = true, "values that are cut: give the key for a whole one"
	}
	return s
}
