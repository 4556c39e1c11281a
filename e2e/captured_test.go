package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chrome-mcp/bridge"
	"chrome-mcp/extension"
	"chrome-mcp/internal/browser"
	"chrome-mcp/internal/page/bundle"
	"chrome-mcp/internal/policy"
)

// TestCapturedServer is a server in wrong hands: it knows the token and sends what it
// likes. Everything is switched on, on one site; a frame of another, in the same
// process, has what it is after.
func TestCapturedServer(t *testing.T) {
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>secret</title><input id=i value=SECRET><input type=file id=f>`))
	}))
	t.Cleanup(secret.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := pairedAlone(t, chromeOptions{})
	uploads := t.TempDir()
	file := filepath.Join(uploads, "a.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(rig.site.base, "http://")
	b := bridge.New(bridge.Config{
		DataDir: c.data, Port: -1, BundleHash: bundle.Hash, ExtensionID: extension.ID, SessionID: "captured",
		Policy: policy.Policy{
			AllowDomains: []string{host}, Mutations: true, Eval: true, Uploads: true, UploadsDir: uploads, Observers: true,
		},
	})
	if err := b.Start(ctx, "captured"); err != nil {
		t.Fatal(err)
	}
	defer b.Shutdown(context.Background())
	ctx = browser.WithCaller(ctx, browser.Caller{Session: "captured", Tool: "any"})

	url := rig.site.page(`<title>front</title><input id=mine><iframe src="` + secret.URL + `/"></iframe>`)
	own, err := c.open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background(), own.ID())
	if err := c.eval(ctx, own, "document.readyState === 'complete' || new Promise(done => addEventListener('load', () => done(true)))", nil); err != nil {
		t.Fatal(err)
	}
	tab := tabAt(ctx, t, b, url)
	input, upload := nodesOf(ctx, t, own, secret.URL)
	frames, err := tab.Frames(ctx)
	if err != nil || len(frames) != 2 || frames[1].Process {
		t.Fatalf("the frames are %+v, %v; the test needs two of one process", frames, err)
	}
	inner := frames[1].ID

	refused := func(what string, err error) {
		t.Helper()
		switch browser.CodeOf(err) {
		case browser.PolicyDenied, browser.RefExpired, browser.TargetGone:
		default:
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, frame := range []browser.FrameID{"", inner} {
		refused("a node's box", tab.Call(ctx, frame, "DOM.getBoxModel", args{"backendNodeId": input}, nil))
		refused("a file for another's input", tab.Call(ctx, frame, "DOM.setFileInputFiles", args{"files": []string{file}, "backendNodeId": upload}, nil))
		for _, fn := range []string{"files", "frameOwner", "fileInput"} {
			var got json.RawMessage
			_, err := tab.Run(ctx, browser.RunRequest{Frame: frame, Fn: fn, Args: args{}, Nodes: []int64{upload}}, &got)
			refused(fn, err)
		}
		for _, method := range []string{"DOM.describeNode", "DOM.resolveNode", "DOM.getOuterHTML", "Accessibility.getPartialAXTree", "Runtime.getProperties", "Page.createIsolatedWorld"} {
			refused(method, tab.Call(ctx, frame, method, args{"backendNodeId": input}, nil))
		}
	}
	refused("the owner of what is no child", tab.Call(ctx, inner, "DOM.getFrameOwner", args{"frameId": inner}, nil))
	refused("code in the frame", tab.Call(ctx, inner, "Runtime.evaluate", args{"expression": "1"}, nil))
	for id := range 40 {
		var got json.RawMessage
		_ = tab.Call(ctx, "", "Runtime.evaluate", args{"expression": "document.title", "contextId": id, "returnByValue": true}, &got)
		if strings.Contains(string(got), "secret") {
			t.Fatalf("code ran in the frame's context %d: %s", id, got)
		}
	}
	if err := tab.Call(ctx, "", "Network.enable", args{}, nil); err != nil {
		t.Error(err)
	}
	refused("cookies", tab.Call(ctx, "", "Network.getCookies", args{"urls": []string{secret.URL}}, nil))
	// What is its own it may have: its page's frame, where that is, and its own input.
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if err := tab.Call(ctx, "", "DOM.getFrameOwner", args{"frameId": inner}, &owner); err != nil || owner.Node == 0 {
		t.Fatal(err)
	}
	if err := tab.Call(ctx, "", "DOM.getBoxModel", args{"backendNodeId": owner.Node}, nil); err != nil {
		t.Error(err)
	}
	// And it cannot grant itself anything: no frame says so.
	for _, method := range []string{"grant", "grants", "revoke"} {
		if err := tab.Call(ctx, "", method, args{"site": "a.test"}, nil); err == nil {
			t.Errorf("%s was done", method)
		}
	}
}

func tabAt(ctx context.Context, t *testing.T, b *bridge.Bridge, url string) browser.Tab {
	t.Helper()
	b.AwaitGrants(ctx)
	list, err := b.Tabs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range list {
		if info.URL == url {
			tab, err := b.Tab(info.ID)
			if err != nil {
				t.Fatal(err)
			}
			return tab
		}
	}
	t.Fatalf("no tab at %s in %+v", url, list)
	return nil
}

// nodesOf are the numbers of the two inputs in the frame, by the browser's own tools.
func nodesOf(ctx context.Context, t *testing.T, tab browser.Tab, at string) (input, upload int64) {
	t.Helper()
	type node struct {
		ID       int64    `json:"backendNodeId"`
		Attrs    []string `json:"attributes"`
		Children []*node  `json:"children"`
		Content  *node    `json:"contentDocument"`
	}
	var doc struct{ Root *node }
	if err := tab.Call(ctx, "", "DOM.getDocument", args{"depth": -1, "pierce": true}, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(*node)
	walk = func(n *node) {
		if n == nil {
			return
		}
		for i := 0; i+1 < len(n.Attrs); i += 2 {
			switch n.Attrs[i] + "=" + n.Attrs[i+1] {
			case "id=i":
				input = n.ID
			case "id=f":
				upload = n.ID
			}
		}
		for _, child := range n.Children {
			walk(child)
		}
		walk(n.Content)
	}
	walk(doc.Root)
	if input == 0 || upload == 0 {
		t.Fatalf("the frame at %s shows no inputs", at)
	}
	return input, upload
}
