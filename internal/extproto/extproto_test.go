package extproto

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestExtensionIDs reads the vectors that the extension's own test reads too.
func TestExtensionIDs(t *testing.T) {
	text, err := os.ReadFile("testdata/ids.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		ID string
		OK bool
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if IsExtensionID(v.ID) != v.OK {
			t.Errorf("IsExtensionID(%q) is %v", v.ID, !v.OK)
		}
	}
}

func TestNames(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		ns, tool string
		wrong    string // what the complaint says; "" for none
	}{
		{"scripts", "run", ""},
		{x(16), x(40), ""},
		{x(17), "run", "17 characters, at most 16"},
		{"scripts", x(41), "41 characters, at most 40"},
		{"", "run", "not of letters"},
		{"a b", "run", "not of letters"},
		{"scripts", "run it", "not of letters"},
		{"scripts", "", "not of letters"},
		{"scripts", "ru\u043f", "not of letters"},
	}
	for _, test := range tests {
		err := CheckNamespace(test.ns)
		if err == nil {
			err = CheckTool(test.ns, test.tool)
		}
		if (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%s %s: %v, want %q", test.ns, test.tool, err, test.wrong)
		}
	}
	for _, ns := range []string{"browser", "page", "file", "network", "devtools", "webmcp", "ext"} {
		if CheckNamespace(ns) == nil {
			t.Errorf("%s is not reserved", ns)
		}
	}
	// The whole is 57 where the parts are at their most, and never more.
	if n := len(ToolName(x(MaxNamespace), x(MaxTool))); n != MaxName {
		t.Errorf("the longest name has %d characters", n)
	}
	if err := CheckTool(x(17), x(40)); err == nil || !strings.Contains(err.Error(), "58 characters with its namespace, at most 57") {
		t.Error("58 characters are taken:", err)
	}
	if CheckNamespace(ServiceNamespace) != nil {
		t.Error("our own namespace is not allowed")
	}
}

// TestStates holds every row of the table by the answer that leads to it.
func TestStates(t *testing.T) {
	const service = `"service":{"namespace":"s","name":"S","version":"1"}`
	tests := []struct {
		name  string
		p     Probed
		row   RowID
		state State
		words string
	}{
		{"rejected", Probed{Problem: "Could not establish connection. Receiving end does not exist."}, Absent, Failed, "not installed, or it serves no agent endpoint"},
		{"late", Probed{Problem: LateText(), Late: true}, Late, Failed, "no answer to the probe within 1500 ms"},
		{"fault", answer(`{"ok":false,"error":{"code":"BAD_VERSION","message":"version 2 only"}}`), Fault, Failed, "version 2 only"},
		{"fault as text", answer(`{"ok":false,"error":"no"}`), Fault, Failed, "no"},
		{"fault without words", answer(`{"ok":false}`), Fault, Failed, "the provider refused the probe and gives no reason"},
		{"no service", answer(`{"ok":true,"status":{"enabled":true,"authorized":true,"ready":true}}`), Incomplete, Failed, "probe response is incomplete"},
		{"no status", answer(`{"ok":true,` + service + `}`), Incomplete, Failed, "probe response is incomplete"},
		{"no object", answer(`"ok"`), Incomplete, Failed, "probe response is incomplete"},
		{"nothing", answer(``), Incomplete, Failed, "probe response is incomplete"},
		{"off", answer(`{"ok":true,` + service + `,"status":{"enabled":false,"authorized":false,"ready":true}}`), Off, Failed, "agent access is switched off in the provider"},
		{"pending", answer(`{"ok":true,` + service + `,"status":{"enabled":true,"authorized":false,"ready":true,"pendingApproval":true}}`), Pending, Failed, "waiting for your approval in the provider"},
		{"denied", answer(`{"ok":true,` + service + `,"status":{"enabled":true,"authorized":false,"ready":true}}`), Denied, Failed, "this caller is not on the allowlist"},
		{"unready", answer(`{"ok":true,` + service + `,"status":{"enabled":true,"authorized":true,"ready":false,"reason":"switch user scripts on"}}`), Unready, Failed, "switch user scripts on"},
		{"usable", answer(`{"ok":true,` + service + `,"status":{"enabled":true,"authorized":true,"ready":true}}`), Usable, Connected, ""},
	}
	seen := map[RowID]bool{}
	for _, test := range tests {
		v := Judge(test.p)
		if v.Row != test.row || v.State != test.state || v.Words != test.words {
			t.Errorf("%s: %+v", test.name, v)
		}
		seen[v.Row] = true
	}
	for _, r := range Rows {
		if !seen[r.ID] {
			t.Errorf("no answer leads to the row %s", r.ID)
		}
	}
}

func answer(text string) Probed { return Probed{Answer: json.RawMessage(text)} }

func TestWindowSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWindow(WriteLimit, WriteWindow)
		for i := range WriteLimit {
			if _, ok := w.Take(); !ok {
				t.Fatalf("write %d is refused", i+1)
			}
			time.Sleep(time.Second)
		}
		// 30 s have passed; the first falls out in another 30.
		if wait, ok := w.Take(); ok || wait != 30*time.Second {
			t.Fatalf("write 31: %v %v", wait, ok)
		}
		time.Sleep(30*time.Second - time.Nanosecond)
		if _, ok := w.Take(); ok {
			t.Fatal("the window is shorter than 60 s")
		}
		time.Sleep(time.Nanosecond)
		if _, ok := w.Take(); !ok {
			t.Fatal("the window does not slide")
		}
		if _, ok := w.Take(); ok {
			t.Fatal("one that fell out makes room for two")
		}
		time.Sleep(WriteWindow)
		if !w.Idle() {
			t.Fatal("nothing is forgotten")
		}
	})
}
