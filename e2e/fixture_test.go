package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// site serves the pages that the tests drive, on 127.0.0.1 and ::1 with one port, so
// that 127.0.0.1 and localhost are two sites.
type site struct {
	base string // http://127.0.0.1:port
	alt  string // http://localhost:port
	dir  string // folder of the cases
	hits atomic.Int64
	v4   net.Listener
	v6   net.Listener
}

func newSite(dir string) (*site, error) {
	s := &site{dir: dir}
	var err error
	if s.v4, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(s.v4.Addr().String())
	s.base, s.alt = "http://127.0.0.1:"+port, "http://localhost:"+port
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(s.v4) }()
	// A machine without IPv6 resolves localhost to 127.0.0.1.
	if s.v6, err = net.Listen("tcp6", "[::1]:"+port); err == nil {
		go func() { _ = server.Serve(s.v6) }()
	}
	return s, nil
}

func (s *site) close() {
	_ = s.v4.Close()
	if s.v6 != nil {
		_ = s.v6.Close()
	}
}

// page is the address of a page with that markup.
func (s *site) page(markup string) string { return s.base + "/html?" + url.QueryEscape(markup) }

// altPage is the same on the other site.
func (s *site) altPage(markup string) string { return s.alt + "/html?" + url.QueryEscape(markup) }

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	switch p := r.URL.Path; {
	case strings.HasPrefix(p, "/pages/"):
		s.file(w, path.Base(p))
	case strings.HasPrefix(p, "/attach/"):
		w.Header().Set("Content-Type", "text/csv")
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(path.Base(p)))
		_, _ = w.Write([]byte("a,b\n1,2\n"))
	case isWeb(p):
		s.web(w, r)
	case p == "/nocontent", p == "/favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	case p == "/sse":
		events(w, r)
	case p == "/poll":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ok":true}`))
	case p == "/script":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, r.URL.Query().Get("code"))
	case p == "/hang":
		<-r.Context().Done()
	case p == "/redir":
		to := r.URL.Query().Get("to")
		if to == "" {
			to = "/"
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	case p == "/json":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "trk=SETCOOKIE-345; Path=/")
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "hop": r.URL.Query().Get("hop"), "api_key": "BODYTOKEN-664"})
	case p == "/bin":
		w.Header().Set("Content-Type", "application/octet-stream")
		b := make([]byte, 2048)
		for i := range b {
			b[i] = byte(i)
		}
		_, _ = w.Write(b)
	default:
		s.own(w, r)
	}
}

// own are the routes that the cases do not prescribe.
func (s *site) own(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/html":
		markup, err := url.QueryUnescape(r.URL.RawQuery)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprint(w, "<!doctype html>", strings.NewReplacer("{base}", s.base, "{alt}", s.alt).Replace(markup))
	case "/hit":
		fmt.Fprint(w, s.hits.Add(1))
	case "/form":
		_, _ = fmt.Fprint(w, formPage)
	case "/big":
		_, _ = fmt.Fprint(w, bigPage(5000))
	case "/table":
		_, _ = fmt.Fprint(w, tablePage(500))
	case "/article":
		_, _ = fmt.Fprint(w, articlePage(30_000))
	default:
		http.NotFound(w, r)
	}
}

func (s *site) file(w http.ResponseWriter, name string) {
	b, err := os.ReadFile(filepath.Join(s.dir, "pages", name))
	if err != nil {
		http.Error(w, "no page", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if name == "storage-sandboxed.html" {
		w.Header().Set("Set-Cookie", "sid=HTTPONLY-SESSION-551; HttpOnly; SameSite=Lax; Path=/")
	}
	_, _ = w.Write(b)
}

// events is a stream that never ends.
func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := 1; ; i++ {
		if _, err := fmt.Fprintf(w, "data: %d\n\n", i); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

const formPage = `<!doctype html><title>Form</title><h1>Order</h1>
<form onsubmit="event.preventDefault(); document.querySelector('#out').textContent = 'sent ' + new URLSearchParams(new FormData(this))">
<label>Name <input name=name id=name></label>
<label>City <input name=city id=city></label>
<label>Size <select name=size id=size><option value=s>Small</option><option value=l>Large</option></select></label>
<label><input type=checkbox name=gift id=gift> Gift</label>
<button id=send>Send</button></form>
<button id=count type=button onclick="this.textContent = 'Count ' + (++window.n)">Count 0</button><script>n = 0</script>
<p id=out></p>`

// bigPage is a page of about n elements, 300 of 5,000 of which can be acted on: cards
// of 17 elements with one button or link each, and a menu.
func bigPage(n int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Shop</title><style>main{display:grid;grid-template-columns:repeat(4,1fr)}</style><h1>Shop</h1><nav>")
	for i := range 20 {
		fmt.Fprintf(&b, `<a href="#s%d">Aisle %d</a> `, i, i)
	}
	b.WriteString("</nav><main>")
	for i := range (n - 25) / 18 {
		act := fmt.Sprintf(`<button>Buy %d</button>`, i)
		if i%2 == 0 {
			act = fmt.Sprintf(`<a href="/item/%d">Details %d</a>`, i, i)
		}
		fmt.Fprintf(&b, `<article><div><div><h3>Item %d</h3><span>new</span><span>green</span></div><p><b>Made of wood and felt</b> <i>by hand</i></p><ul><li><span>light</span></li><li><span>strong</span></li></ul><div><span><em>%d</em></span><span><em>%d</em></span></div></div>%s</article>`, i, i, i*2, act)
	}
	b.WriteString("</main>")
	return b.String()
}

// tablePage is a page with a table of so many rows, each with a link.
func tablePage(rows int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Orders</title><h1>Orders</h1><table border=1><thead><tr><th>Id<th>Name<th>Email<th>Amount<th>Status<th>Link</tr></thead><tbody>")
	for i := 1; i <= rows; i++ {
		status := "open"
		if i%2 == 0 {
			status = "paid"
		}
		fmt.Fprintf(&b, `<tr><td>%d<td>Harbour group %d<td>user%d@example.test<td>%d.%02d<td>%s<td><a href="/form?n=%d">View %d</a></tr>`, i, i*7%100, i, i*37%1000, i*13%100, status, i, i)
	}
	b.WriteString("</tbody></table>")
	return b.String()
}

// articlePage is a page of about so many bytes of text.
func articlePage(size int) string {
	const words = "The harbour lay quiet in the early light and the boats moved a little with the tide. "
	var b strings.Builder
	b.WriteString("<!doctype html><title>Article</title><article><h1>Harbour</h1>")
	for b.Len() < size {
		b.WriteString("<p>" + html.EscapeString(strings.Repeat(words, 4)) + "</p>")
	}
	b.WriteString("</article>")
	return b.String()
}
