package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"chrome-mcp/internal/browser"
)

// extensionErrors runs the extension's own mapping of Chrome's sentences, built from its
// source, in a page of the browser.
func extensionErrors(t *testing.T, raw []byte) {
	file := vectors[struct {
		Vectors []struct {
			Error    string
			OnDetach string `json:"onDetach"`
			Want     string
		}
	}](t, raw)
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"../extension/src/failure.ts"}, Bundle: true, Format: api.FormatIIFE, GlobalName: "failure",
	})
	if len(built.Errors) > 0 {
		t.Fatal(built.Errors)
	}
	// What each wanted outcome means in codes and words.
	want := map[string]struct{ code, says string }{
		"Cannot access a chrome-extension:// URL of different extension": {"DETACHED", `extension.*frame|frame.*extension`},
		"Cannot access a chrome:// URL":                                  {"POLICY_DENIED", `browser itself.*cannot be driven`},
		"Cannot attach to this target.":                                  {"POLICY_DENIED", `Web Store`},
		"Another debugger is already attached to the tab with id: 12.":   {"DEVTOOLS_OPEN", `DevTools.*again`},
		"Debugger is not attached to the tab with id: 12.":               {"DETACHED", `again`},
		"No tab with given id 12.":                                       {"TAB_NOT_FOUND", `closed`},
		"Detached while handling command.":                               {"DETACHED", `not known`},
		"canceled_by_user":                                               {"DETACHED", `user stopped.*Resume`},
		"target_closed":                                                  {"TAB_NOT_FOUND", `closed`},
	}
	seat := &seat{browser: paired(t, false)}
	for _, v := range file.Vectors {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		make := fmt.Sprintf(`failure.fromChrome(new Error(%q), {tab: 12, method: 'Input.dispatchMouseEvent', acts: true})`, v.Error)
		key := v.Error
		switch v.OnDetach {
		case "canceled_by_user":
			make, key = `failure.halted()`, v.OnDetach
		case "target_closed":
			make, key = `failure.tabGone(12)`, v.OnDetach
		}
		var said browser.Error
		var got json.RawMessage
		if err := seat.blank(ctx, string(built.OutputFiles[0].Contents)+`;failure.toWire(`+make+`)`, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &said); err != nil {
			t.Fatal(err)
		}
		w, known := want[key]
		if !known {
			t.Errorf("%q is new: decide what it has to say (%s)", key, v.Want)
			continue
		}
		if string(said.Code) != w.code || !regexp.MustCompile(w.says).MatchString(said.Message) {
			t.Errorf("%q became %v, want %s saying %s (%s)", key, &said, w.code, w.says, v.Want)
		}
		if key == "Detached while handling command." && !said.Unknown {
			t.Errorf("%q: the outcome is unknown and must be said to be", key)
		}
	}
}
