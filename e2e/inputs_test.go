package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"chrome-mcp/internal/policy"
)

// inputs run the vectors of the cases that are no page against what ships.
var inputs = map[string]func(t *testing.T, raw []byte){
	"in-ext-foreign-iframe":          extensionErrors,
	"in-filename-traversal":          fileNames,
	"in-filename-windows":            fileNames,
	"in-json-lone-surrogates":        loneSurrogates,
	"in-mcp-crlf":                    mcpLines,
	"in-mcp-huge-line":               mcpHugeLines,
	"in-mcp-schema-lint":             schemaLint,
	"in-mcp-stdout-clean":            stdoutClean,
	"in-nm-bogus-length":             bogusLength,
	"in-nm-host-collision":           hostCollision,
	"in-nm-manifest-fields":          manifestFields,
	"in-nm-oversize-out":             oversizeOut,
	"in-nm-second-instance":          secondInstance,
	"in-policy-backslash-whitespace": policyDecisions,
	"in-policy-ip-forms":             policyDecisions,
	"in-policy-schemes":              policyDecisions,
	"in-policy-trailing-dot":         policyDecisions,
	"in-policy-userinfo":             policyDecisions,
}

// runInput plays a case of kind input. It returns why it cannot be decided, if so.
func runInput(t *testing.T, c fieldCase) (pending string) {
	play := inputs[c.ID]
	if play == nil {
		t.Fatalf("the runner does not know the input case %s", c.ID)
	}
	raw, err := os.ReadFile(filepath.Join(casesDir(), filepath.FromSlash(c.File)))
	if err != nil {
		t.Fatal(err)
	}
	play(t, raw)
	return ""
}

// vectors decodes an input file.
func vectors[T any](t *testing.T, raw []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// policyDecisions holds the gate to the vectors. Where a vector allows, refusing what is
// spelled oddly is no fault; allowing what should be denied always is.
func policyDecisions(t *testing.T, raw []byte) {
	file := vectors[struct {
		ID          string
		Allow, Deny []string
		Vectors     []struct{ URL, Want, Why string }
	}](t, raw)
	p := policy.Policy{AllowDomains: file.Allow, DenyDomains: file.Deny}
	for _, v := range file.Vectors {
		d := policy.Evaluate(v.URL, "", policy.Read, p)
		if d.Allow && v.Want != "allow" {
			t.Errorf("%q is allowed by rule %q, want deny (%s)", v.URL, d.Rule, v.Why)
		}
		strict := file.ID == "in-policy-userinfo" || file.ID == "in-policy-trailing-dot" || file.ID == "in-policy-ip-forms"
		if !d.Allow && v.Want == "allow" && strict {
			t.Errorf("%q is denied (%s), want allow (%s)", v.URL, d.Reason, v.Why)
		}
	}
}
