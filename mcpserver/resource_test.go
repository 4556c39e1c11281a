package mcpserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
	"chrome-mcp/internal/task"
)

// keepArgs are those of a test's tool that keeps a file.
type keepArgs struct {
	Name string `json:"name" required:"true"`
	Size int    `json:"size,omitempty"`
	Text string `json:"text,omitempty"`
}

// keepTool keeps a file as download_file does.
func keepTool() *tool {
	return onServer("keep", "A test's tool.", func(_ context.Context, s *session, a keepArgs) (*page.Result, error) {
		b := []byte(a.Text)
		if a.Size > 0 {
			b = bytes.Repeat([]byte("äx0"), a.Size/4+1)[:a.Size]
		}
		if strings.HasSuffix(a.Name, ".png") {
			b = make([]byte, a.Size)
		}
		f, err := s.tasks().Save(task.Downloads, a.Name, b)
		if err != nil {
			return nil, err
		}
		return &page.Result{Text: "kept " + f.Path, Files: []string{f.Path}}, nil
	})
}

func serveFiles(t *testing.T, cfg Config, version string) *client {
	t.Helper()
	if cfg.DataDir == "" {
		cfg.DataDir = filepath.Join(t.TempDir(), "data")
	}
	c := serve(t, newTestServer(t, cfg, keepTool(), batchTool()))
	c.initialize(version)
	return c
}

// keep makes a file and returns its link and the text about it.
func (c *client) keep(args string) (link map[string]any, said string) {
	c.t.Helper()
	c.call(1, "keep", args)
	m := c.answer()
	said, failed := text(m)
	if failed {
		c.t.Fatal(said)
	}
	for _, b := range m["result"].(map[string]any)["content"].([]any) {
		if b := b.(map[string]any); b["type"] == "resource_link" {
			link = b
		}
	}
	return link, said
}

// read reads a resource; an error of the protocol is returned as its message.
func (c *client) read(uri string) (contents map[string]any, problem string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":%q}}`, uri)
	m := c.answer()
	if e, failed := m["error"].(map[string]any); failed {
		return nil, e["message"].(string)
	}
	return m["result"].(map[string]any)["contents"].([]any)[0].(map[string]any), ""
}

func (c *client) list() (uris []string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/list"}`)
	for _, r := range c.answer()["result"].(map[string]any)["resources"].([]any) {
		uris = append(uris, r.(map[string]any)["uri"].(string))
	}
	return uris
}

func TestFilesAreResources(t *testing.T) {
	dir := t.TempDir()
	cfg := testConfig()
	cfg.Audit = policy.NewAudit(dir, "S")
	c := serveFiles(t, cfg, "2025-11-25")
	guides := c.list()
	if len(guides) != 1+len(guideTopics) {
		t.Errorf("before the first file %v are listed", guides)
	}
	c.call(1, "keep", `{"name":"one.txt","text":"first"}`)
	for answered, told := false, false; !answered || !told; { // it is told of soon, before or behind the answer
		m := c.next()
		answered = answered || m["id"] != nil
		told = told || m["method"] == "notifications/resources/list_changed"
	}
	link, said := c.keep(`{"name":"Zwei (ü).csv","text":"a,b"}`)
	if !strings.Contains(said, "Zwei (ü).csv") || link["mimeType"] != "text/csv" || link["size"] != 3.0 || link["name"] != "Zwei (ü).csv" {
		t.Errorf("%s, link %v", said, link)
	}
	uri := link["uri"].(string)
	if _, err := parseArtifact(uri); err != nil || !strings.HasPrefix(uri, "chrome-mcp://task/") || strings.ContainsAny(uri, " ()ü") {
		t.Errorf("the link is %s: %v", uri, err)
	}
	if list := c.list(); len(list) != 2+len(guides) || list[0] != uri || !strings.HasSuffix(list[1], "/downloads/one.txt") {
		t.Errorf("listed are %v", list)
	}
	if got, problem := c.read(uri); got["text"] != "a,b" || got["mimeType"] != "text/csv" || problem != "" {
		t.Errorf("%v %s", got, problem)
	}
	link, _ = c.keep(`{"name":"bits.bin","text":"\u0000\u0001"}`)
	empty, _ := c.keep(`{"name":"empty.txt"}`)
	if got, problem := c.read(empty["uri"].(string)); got["blob"] != "" {
		t.Errorf("an empty file is %v %s", got, problem)
	}
	if got, _ := c.read(link["uri"].(string)); got["blob"] != base64.StdEncoding.EncodeToString([]byte{0, 1}) || got["text"] != nil {
		t.Errorf("%v", got)
	}
	last := readAudit(t, dir)
	if line := last[len(last)-1]; !strings.Contains(line, `"tool":"resources/read"`) || strings.Contains(line, "bits") {
		t.Errorf("the audit says %s", line)
	}
}

func TestLargeFilesAreReadInParts(t *testing.T) {
	c := serveFiles(t, testConfig(), "2025-11-25")
	const size = mostRead + 100_000
	link, said := c.keep(fmt.Sprintf(`{"name":"long.txt","size":%d}`, size))
	path := strings.TrimPrefix(said, "kept ")
	uri := link["uri"].(string)
	if _, problem := c.read(uri); !strings.Contains(problem, path) || !strings.Contains(problem, uri+"?offset=0&bytes=") {
		t.Errorf("the whole: %s", problem)
	}
	var got strings.Builder
	parts := 0
	for next := uri + "?offset=0&bytes=500001"; next != ""; parts++ {
		part, problem := c.read(next)
		if problem != "" {
			t.Fatal(problem)
		}
		got.WriteString(part["text"].(string))
		r := part["_meta"].(map[string]any)[metaRange].(map[string]any)
		if r["total"] != float64(size) {
			t.Errorf("the range is %v", r)
		}
		next, _ = r["next"].(string)
	}
	want, err := os.ReadFile(path)
	if err != nil || got.String() != string(want) || parts < 5 {
		t.Errorf("%d parts, %d bytes of %d: %v", parts, got.Len(), len(want), err)
	}
	if _, problem := c.read(uri + "?offset=99999999&bytes=5"); !strings.Contains(problem, "ends at byte") {
		t.Errorf("behind the end: %s", problem)
	}
	// What grows in JSON still fits into a message.
	link, _ = c.keep(fmt.Sprintf(`{"name":"quotes.txt","text":%q}`, strings.Repeat("<", 900_000)))
	if _, problem := c.read(link["uri"].(string)); !strings.Contains(problem, "in parts") {
		t.Errorf("what grows: %s", problem)
	}
	part, problem := c.read(link["uri"].(string) + "?offset=0&bytes=900000")
	if n := len(fmt.Sprint(part["text"])); n != 450_000 || problem != "" {
		t.Errorf("a part of what grows has %d bytes: %s", n, problem)
	}
	link, _ = c.keep(fmt.Sprintf(`{"name":"large.png","size":%d}`, 1_900_000))
	if got, problem := c.read(link["uri"].(string)); len(fmt.Sprint(got["blob"])) < 2_500_000 {
		t.Errorf("%d characters: %s", len(fmt.Sprint(got["blob"])), problem)
	}
}

func TestOnlyTheSessionsOwnFiles(t *testing.T) {
	cfg := testConfig()
	cfg.DataDir = filepath.Join(t.TempDir(), "data")
	mine, other := serveFiles(t, cfg, "2025-11-25"), serveFiles(t, cfg, "2025-11-25")
	link, said := mine.keep(`{"name":"mine.txt","text":"mine"}`)
	uri := link["uri"].(string)
	if _, problem := other.read(uri); !strings.Contains(problem, "no file of this session") {
		t.Errorf("another session reads it: %s", problem)
	}
	if list := other.list(); len(list) != 1+len(guideTopics) {
		t.Errorf("another session lists %v", list)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(strings.TrimPrefix(said, "kept "))
	if err := os.Symlink(secret, filepath.Join(folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(uri, "downloads/mine.txt")
	for _, bad := range []string{
		base + "downloads/link.txt", base + "downloads/none.txt", base + "downloads/..", base + "downloads/%2E%2E%2Fhistory.jsonl",
		base + "history.jsonl", base + "downloads/../history.jsonl", base + "./history.jsonl", base + "%2E/history.jsonl", base + "downloads/", base,
		"chrome-mcp://task/..%2F..%2F/etc/passwd", "file:///etc/passwd", "chrome-mcp://task//downloads/mine.txt", uri + "/x", uri + "?offset=-1&bytes=1", uri + "?x=1",
	} {
		if got, problem := mine.read(bad); problem == "" {
			t.Errorf("%s is read: %v", bad, got)
		}
	}
	if got, problem := mine.read(uri); got["text"] != "mine" {
		t.Errorf("%v %s", got, problem)
	}
}

// Another extension gets what it may have as answers, not as files.
func TestNoFilesForCallers(t *testing.T) {
	cfg := testConfig()
	cfg.DataDir = t.TempDir()
	s := newSession(newTestServer(t, cfg), "test", t.Context(), nil)
	if s.caller = nil; !s.shows() || !s.resourcesCapability().ListChanged {
		t.Error("a client does not see its files")
	}
	if s.caller = new(caller); s.shows() || s.resourcesCapability().ListChanged {
		t.Error("another extension sees files")
	}
}

// A client of before there were links gets none, and a text all the same.
func TestLinksAreForClientsThatKnowThem(t *testing.T) {
	for version, want := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
		c := serveFiles(t, testConfig(), version)
		link, said := c.keep(`{"name":"a.txt","text":"a"}`)
		if (link != nil) != want || !strings.Contains(said, "a.txt") {
			t.Errorf("%s: %v, %s", version, link, said)
		}
		c.call(4, "batch", `{"ops":[{"tool":"keep","args":{"name":"b.txt"}},{"tool":"keep","args":{"name":"c.txt"}}]}`)
		var kinds []string
		for _, b := range c.answer()["result"].(map[string]any)["content"].([]any) {
			kinds = append(kinds, b.(map[string]any)["type"].(string))
		}
		if got := strings.Join(kinds, " "); got != map[bool]string{true: "text resource_link text resource_link", false: "text text"}[want] {
			t.Errorf("%s: the batch's answer is %s", version, got)
		}
	}
}

// Over HTTP, each client has its own files, in both revisions.
func TestFilesOverHTTP(t *testing.T) {
	cfg := testConfig()
	cfg.DataDir = filepath.Join(t.TempDir(), "data")
	w := serveHTTP(t, cfg, HTTPConfig{}, false, keepTool())
	ask := func(method, params string, change func(*http.Request)) string {
		t.Helper()
		return w.do(w.request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s}}`, method, params), change)).raw
	}
	mine, other := w.initialize(), w.initialize()
	kept := ask("tools/call", `"name":"keep","arguments":{"name":"a.txt","text":"mine"}`, inSession(mine))
	found := regexp.MustCompile(`"uri":"(chrome-mcp:[^"]*)"`).FindStringSubmatch(kept)
	if found == nil {
		t.Fatalf("no link in %s", kept)
	}
	read := fmt.Sprintf(`"uri":%q`, found[1])
	if got := ask("resources/read", read, inSession(mine)); !strings.Contains(got, `"text":"mine"`) {
		t.Errorf("its own: %s", got)
	}
	if got := ask("resources/read", read, inSession(other)); !strings.Contains(got, "no file of this session") {
		t.Errorf("another's: %s", got)
	}
	if got := ask("resources/list", "", inSession(other)); strings.Contains(got, "chrome-mcp://") || !strings.Contains(got, "guide://all") {
		t.Errorf("another's list: %s", got)
	}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	without := func(method, name string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", method)
			r.Header.Set("Mcp-Name", name)
		}
	}
	kept = ask("tools/call", `"name":"keep","arguments":{"name":"b.txt","text":"new"},`+meta, without("tools/call", "keep"))
	if found = regexp.MustCompile(`"uri":"(chrome-mcp:[^"]*)"`).FindStringSubmatch(kept); found == nil {
		t.Fatalf("no link in %s", kept)
	}
	got := ask("resources/read", fmt.Sprintf(`"uri":%q,`, found[1])+meta, without("resources/read", found[1]))
	if !strings.Contains(got, `"text":"new"`) {
		t.Errorf("without a handshake: %s", got)
	}
}

func TestGuideIsAResource(t *testing.T) {
	c := serve(t, newTestServer(t, testConfig()))
	c.initialize("2025-11-25")
	for _, topic := range append([]string{""}, guideTopics...) {
		if got, problem := c.read(guideURI(topic)); got["text"] != Guide(topic) || got["mimeType"] != "text/markdown" {
			t.Errorf("%s: %.80v %s", guideURI(topic), got, problem)
		}
	}
	if _, problem := c.read("guide://none"); problem == "" {
		t.Error("a topic that does not exist was read")
	}
	if list := c.list(); len(list) != 1+len(guideTopics) || list[0] != "guide://all" {
		t.Errorf("%v", list)
	}
}

func TestMaskedFilesAreMaskedAsResources(t *testing.T) {
	secret := "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"
	cfg := testConfig()
	cfg.Policy.Redact = true
	c := serveFiles(t, cfg, "2025-11-25")
	link, _ := c.keep(fmt.Sprintf(`{"name":"a.txt","text":"it is %s."}`, secret))
	uri := link["uri"].(string)
	if got, _ := c.read(uri); got["text"] != "it is [masked]." {
		t.Errorf("%v", got)
	}
	if got, problem := c.read(uri + "?offset=0&bytes=20"); !strings.Contains(problem, "masked") {
		t.Errorf("%v %s", got, problem)
	}
}

// FuzzParseArtifact holds that what is read from an address is names, and that writing it
// and reading it again gives the same.
func FuzzParseArtifact(f *testing.F) {
	for _, uri := range []string{
		"chrome-mcp://task/2026-11-30%2003.55.00%20project/downloads/report%20%282%29.pdf", "chrome-mcp://task/a/results/b?offset=1&bytes=2",
		"chrome-mcp://task/../../etc/passwd", "chrome-mcp://task/a/b/%2e%2e", "chrome-mcp://task/a/b/c%00", "chrome-mcp://task/a/b/c?bytes=0", "guide://all", "",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		a, err := parseArtifact(uri)
		if err != nil {
			return
		}
		for _, name := range []string{a.task, string(a.kind), a.name} {
			if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") || filepath.Base(name) != name {
				t.Errorf("%q has the name %q", uri, name)
			}
		}
		if a.offset < 0 || a.bytes < 0 {
			t.Errorf("%q has the part %d+%d", uri, a.offset, a.bytes)
		}
		again, err := parseArtifact(a.String())
		if err != nil || again != a {
			t.Errorf("%q is %+v and then %+v: %v", uri, a, again, err)
		}
	})
}
