package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chrome-mcp/cdpfallback"
)

// publication is a page that others published, with a task to do on it by role and name.
type publication struct {
	name  string
	url   string
	ready string // is true when the page has built itself
	prose bool   // most of it is running text, which every snapshot gives word by word
	task  func(t *testing.T, s *server)
}

func publications() []publication {
	npm := rig.site.base + "/npm/"
	return []publication{
		{"swagger-ui", rig.site.base + "/web/swagger.html", `document.querySelector('.opblock')`, false, func(t *testing.T, s *server) {
			s.call(t, "click", args{"role": "button", "name": "GET /pet/{petId} Find pet by ID"})
			s.call(t, "click", args{"role": "button", "name": "Try it out"})
			s.call(t, "type", args{"role": "textbox", "name": "petId", "text": "7"})
			s.call(t, "click", args{"role": "button", "name": "Execute"})
			s.wantTrue(t, `document.querySelector('.request-url')?.textContent.includes('/pet/7')`)
		}},
		{"sb-admin-2", npm + "startbootstrap-sb-admin-2/tables.html", `document.querySelector('.dataTables_info')`, false, func(t *testing.T, s *server) {
			s.call(t, "type", args{"role": "searchbox", "name": "Search:", "text": "Tokyo"})
			s.call(t, "click", args{"role": "columnheader", "name": "Age: activate to sort column ascending"})
			s.wantTrue(t, `document.querySelector('th[aria-sort=ascending]').innerText === 'Age' && Array.from(document.querySelectorAll('tbody tr')).every(r => r.innerText.includes('Tokyo'))`)
		}},
		{"gentelella users", rig.site.base + "/production/user_management.html", `document.querySelector('tbody tr')`, false, func(t *testing.T, s *server) {
			s.call(t, "type", args{"role": "textbox", "name": "Search users", "text": "emily"})
			s.call(t, "select_option", args{"role": "combobox", "name": "Filter by role", "values": []string{"Editor"}})
			s.wantTrue(t, `Array.from(document.querySelectorAll('tbody tr')).filter(r => r.checkVisibility()).map(r => r.innerText).join().match(/@/g).length === 1`)
		}},
		{"gentelella inbox", rig.site.base + "/production/inbox.html", `document.querySelector('main button')`, false, func(t *testing.T, s *server) {
			s.call(t, "type", args{"role": "textbox", "name": "Search messages", "text": "Stripe"})
			s.wantTrue(t, `document.querySelectorAll('main [role=option]').length === 1`)
			s.call(t, "click", args{"role": "button", "name": "Star"})
			s.wantTrue(t, `document.querySelector('main [role=option] button').getAttribute('aria-pressed') === 'true'`)
		}},
		{"trace viewer", npm + "playwright-core/lib/vite/traceViewer/", `document.querySelector('button')`, false, func(t *testing.T, s *server) {
			// The rest of the viewer is inert until it has a trace.
			s.refuse(t, "click", args{"role": "button", "name": "Settings"}, "NOT_ACTIONABLE")
			file := filepath.Join(uploadsDir(), "a.txt")
			s.call(t, "upload_file", args{"role": "button", "name": "Select file", "files": []string{file}})
			s.wantTrue(t, `new URLSearchParams(location.search).get('trace')?.startsWith('blob:')`)
		}},
		{"jquery-ui", npm + "jquery-ui-dist/", `document.querySelector('.ui-datepicker')`, true, func(t *testing.T, s *server) {
			s.call(t, "click", args{"role": "combobox", "name": "Compact car"})
			s.call(t, "click", args{"role": "option", "name": "SUV"})
			s.wantTrue(t, `document.querySelector('#car-type').value === 'SUV'`)
			s.call(t, "click", args{"role": "button", "name": "Open Dialog"})
			s.call(t, "click", args{"role": "button", "name": "Ok"})
			s.wantTrue(t, `!document.querySelector('.ui-dialog').checkVisibility()`)
		}},
		{"docsify", rig.site.base + "/web/docsify.html", `document.querySelector('.sidebar-nav a')`, true, func(t *testing.T, s *server) {
			s.call(t, "type", args{"role": "searchbox", "name": "Type to search", "text": "sandbox"})
			s.call(t, "wait_for", args{"selector": ".results-panel a"})
		}},
	}
}

// wantTrue waits until an expression is true in the page.
func (s *server) wantTrue(t testing.TB, expression string) {
	t.Helper()
	s.wantValue(t, "new Promise((done, fail) => { setTimeout(() => fail(new Error(document.body.innerText)), 8000); (function look() { ("+expression+") ? done(true) : setTimeout(look, 20) })() })", true)
}

func TestPublications(t *testing.T) {
	published(t)
	theirs := playwright(t, publications())
	onBackends(t, func(t *testing.T, s *server) {
		for i, p := range publications() {
			t.Run(p.name, func(t *testing.T) {
				r := s.call(t, "tab_new", args{"url": p.url})
				defer s.call(t, "tab_close", args{"tabId": r.data["tabId"]})
				s.wantTrue(t, p.ready)
				ours := s.call(t, "snapshot", nil).text
				t.Logf("snapshot %d bytes, Playwright's %d", len(ours), len(theirs[i]))
				if !p.prose && 2*len(ours) > len(theirs[i]) {
					t.Errorf("the snapshot has %d bytes, more than half of Playwright's %d", len(ours), len(theirs[i]))
				}
				s.holdsAll(t, ours)
				p.task(t, s)
			})
		}
	})
}

// playwright takes Playwright's snapshots of the same pages, in a browser of its own.
func playwright(t *testing.T, pages []publication) (snapshots []string) {
	t.Helper()
	chromium, err := cdpfallback.FindChromium()
	if err != nil {
		t.Fatal(err)
	}
	list := []args{}
	for _, p := range pages {
		list = append(list, args{"url": p.url, "ready": p.ready})
	}
	what, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(webDir, "aria.cjs"), chromium, string(what))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("Playwright: %v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	if err := json.Unmarshal(out, &snapshots); err != nil {
		t.Fatal(err)
	}
	return snapshots
}

// interactive asks the document itself, without our bundle, for what a user can act on.
const interactive = `(() => {
	const roleOf = e => e.getAttribute('role')?.split(' ')[0] || ({
		A: 'link', BUTTON: 'button', TEXTAREA: 'textbox', SUMMARY: 'button', SELECT: e.multiple || e.size > 1 ? 'listbox' : 'combobox',
	})[e.tagName] || ({
		checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
		button: 'button', submit: 'button', reset: 'button', image: 'button',
	})[e.type] || 'textbox';
	const roles = ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'option', 'slider', 'spinbutton', 'combobox', 'textbox', 'searchbox'];
	const query = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true]' + roles.map(r => ', [role=' + r + ']').join('');
	const seen = e => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[aria-hidden=true], [inert]') &&
		Array.from(e.getClientRects()).some(r => r.width > 1 && r.height > 1);
	return Array.from(document.querySelectorAll(query)).filter(seen).map(e => ({
		role: roleOf(e), html: e.outerHTML.slice(0, 200),
		name: (e.getAttribute('aria-label') || (e.tagName === 'A' || e.tagName === 'BUTTON' ? e.innerText : '')).trim().split('\n')[0],
	}));
})()`

var snapshotLine = regexp.MustCompile(`(?m)^\s*(\w+)(.*)\[e\d+\]`)

// holdsAll checks that a snapshot has a line with a ref for everything interactive.
func (s *server) holdsAll(t *testing.T, snapshot string) {
	t.Helper()
	lines := snapshotLine.FindAllStringSubmatch(snapshot, -1)
	elements, _ := s.call(t, "eval", args{"expression": interactive}).data["value"].([]any)
	if len(elements) == 0 {
		t.Error("the page has nothing interactive")
	}
	for _, e := range elements {
		e := e.(map[string]any)
		found := false
		for i, l := range lines {
			if l != nil && l[1] == e["role"] && strings.Contains(bare(l[2]), bare(str(e["name"]))) {
				lines[i], found = nil, true
				break
			}
		}
		if !found {
			t.Errorf("the snapshot has no %s %q for %s", e["role"], e["name"], e["html"])
		}
	}
}

// bare is a name without what styles change: case and spaces.
func bare(s string) string {
	return strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "\u200b", ""))
}
