package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shop is the page that the demo works on.
type shop struct{ server *httptest.Server }

func openShop() *shop {
	return &shop{httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, shopPage)
	}))}
}

func (s *shop) close() { s.server.Close() }

func (s *shop) host() string {
	host, _, _ := net.SplitHostPort(s.server.Listener.Addr().String())
	return host
}

const shopPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tea shop</title>
<style>
body{font:18px/1.6 system-ui,sans-serif;margin:0;color:#2b3a2f;background:#f3f1e7}
main{max-width:34rem;margin:3rem auto;padding:2rem 2.5rem;background:#fff;border-radius:14px;box-shadow:0 8px 30px #0001}
h1{margin:0 0 .3rem}label{display:block;margin:1rem 0}input:not([type=checkbox]),select{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;border:1px solid #bcc4b6;border-radius:8px}
button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:8px;background:#2f6b43;color:#fff}#thanks{font-weight:600;color:#2f6b43}
</style>
<main><h1>Tea shop</h1><p>Fresh leaves, sent tomorrow.</p>
<form onsubmit="event.preventDefault();const f=new FormData(this);document.querySelector('#thanks').textContent='Thank you, '+f.get('name')+': '+f.get('tea')+(f.get('gift')?', wrapped as a gift':'')+'.'">
<label>Your name <input name="name" autocomplete="off"></label>
<label>Tea <select name="tea"><option>Black tea</option><option>Green tea</option><option>Mint tea</option></select></label>
<label><input type="checkbox" name="gift"> Wrap it as a gift</label>
<button>Place order</button></form><p id="thanks" role="status"></p></main></html>`

// call calls a tool as an agent would and returns its text.
func (d *demo) call(ctx context.Context, tool string, args map[string]any) (string, *mcp.CallToolResult, error) {
	r, err := d.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", nil, err
	}
	var text strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text + "\n")
		}
	}
	if r.IsError {
		return "", nil, fmt.Errorf("%s", strings.TrimSpace(text.String()))
	}
	return text.String(), r, nil
}

func (d *demo) navigate(ctx context.Context) (string, error) {
	text, _, err := d.call(ctx, "navigate", map[string]any{"url": d.shop.server.URL})
	if err == nil && !strings.Contains(text, "Tea shop") {
		err = fmt.Errorf("the page is not the tea shop: %s", text)
	}
	return d.shop.server.URL + " in a background tab: Tea shop", err
}

// controls are the lines of the snapshot that can be acted on.
var controls = regexp.MustCompile(`(?m)^\s*((?:textbox|combobox|checkbox|button) "([^"]*)".*?\[(e\d+)\].*)$`)

func (d *demo) snapshot(ctx context.Context) (string, error) {
	text, _, err := d.call(ctx, "snapshot", nil)
	if err != nil {
		return "", err
	}
	d.form = map[string]string{}
	var shown []string
	for _, m := range controls.FindAllStringSubmatch(text, -1) {
		d.form[m[2]] = m[3]
		shown = append(shown, strings.TrimSpace(m[1]))
	}
	if len(shown) < 4 {
		return "", fmt.Errorf("the snapshot does not show the form:\n%s", text)
	}
	return "what the agent sees of the form:\n" + strings.Join(shown, "\n"), nil
}

func (d *demo) fill(ctx context.Context) (string, error) {
	_, _, err := d.call(ctx, "fill_form", map[string]any{"fields": []map[string]any{
		{"ref": d.form["Your name"], "value": "Ada"},
		{"ref": d.form["Tea"], "value": "Green tea"},
		{"ref": d.form["Wrap it as a gift"], "value": true},
	}})
	return `name "Ada", tea "Green tea", gift on`, err
}

func (d *demo) click(ctx context.Context) (string, error) {
	_, _, err := d.call(ctx, "click", map[string]any{"ref": d.form["Place order"]})
	return `button "Place order", with trusted input`, err
}

func (d *demo) read(ctx context.Context) (string, error) {
	const want = "Thank you, Ada: Green tea, wrapped as a gift."
	text, _, err := d.call(ctx, "get_text", map[string]any{"selector": "#thanks"})
	if err == nil && !strings.Contains(text, want) {
		err = fmt.Errorf("the page does not say %q:\n%s", want, text)
	}
	return "the page says: " + want, err
}

func (d *demo) screenshot(ctx context.Context) (string, error) {
	_, r, err := d.call(ctx, "screenshot", nil)
	if err != nil {
		return "", err
	}
	for _, c := range r.Content {
		img, ok := c.(*mcp.ImageContent)
		if !ok {
			continue
		}
		size, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
		if err != nil {
			return "", fmt.Errorf("the screenshot is no picture: %w", err)
		}
		path, err := filepath.Abs(d.picture)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(path, img.Data, 0o644); err != nil {
			return "", fmt.Errorf("save the screenshot: %w; name another file with --screenshot", err)
		}
		return fmt.Sprintf("%s, %d × %d, %d KB", path, size.Width, size.Height, len(img.Data)/1024), nil
	}
	return "", fmt.Errorf("there is no picture in the answer")
}
