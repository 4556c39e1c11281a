package cdpfallback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"chrome-mcp/internal/browser"
)

// portFile is where a browser names its debugging address, in its user data folder.
const portFile = "DevToolsActivePort"

// dialTime bounds the way to an endpoint.
const dialTime = 10 * time.Second

// endpoint is a browser to attach to, found.
type endpoint struct {
	name   string // for people: no credentials
	socket string // WebSocket address
	header http.Header
}

// CheckEndpoint says what is wrong with the form of an endpoint. It opens nothing.
func CheckEndpoint(text string) error {
	_, _, err := parseEndpoint(text)
	return err
}

// parseEndpoint returns the folder or the URL that an endpoint names.
func parseEndpoint(text string) (dir string, u *url.URL, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil, errors.New("the endpoint is empty; give an address such as http://127.0.0.1:9222")
	}
	if fi, err := os.Stat(text); err == nil {
		if !fi.IsDir() {
			text = filepath.Dir(text)
		}
		return text, nil, nil
	}
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		text = "127.0.0.1:" + text
	}
	if !strings.Contains(text, "://") {
		if _, _, err := net.SplitHostPort(text); err != nil || strings.ContainsAny(text, `/\`) && !strings.Contains(text, ":") {
			return "", nil, fmt.Errorf("%q is neither an address nor a folder that exists; give http://HOST:PORT, ws://… or a browser's user data folder", text)
		}
		text = "http://" + text
	}
	u, err = url.Parse(text)
	if err != nil || u.Host == "" {
		return "", nil, errors.New("the endpoint is no valid address; give one such as http://127.0.0.1:9222")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch u.Scheme {
	case "http", "https", "ws", "wss":
		return "", u, nil
	}
	return "", nil, fmt.Errorf("an endpoint of %s:// cannot be used; give http, https, ws or wss", u.Scheme)
}

// resolve finds the WebSocket address of an endpoint.
func resolve(ctx context.Context, text string, header http.Header) (endpoint, error) {
	dir, u, err := parseEndpoint(text)
	if err != nil {
		return endpoint{}, browser.Errorf(browser.NoBackend, "--cdp-endpoint: %v", err)
	}
	if dir != "" {
		socket, err := readPortFile(filepath.Join(dir, portFile))
		if err != nil {
			return endpoint{}, browser.Errorf(browser.NoBackend, "no browser with the user data folder %s lets itself be driven (%v); start it with --remote-debugging-port=0, or allow remote debugging at chrome://inspect in it", dir, err)
		}
		return endpoint{name: dir, socket: socket}, nil
	}
	e := endpoint{name: u.Host, socket: u.String(), header: header}
	switch {
	case strings.Contains(u.Path, "/devtools/page/"):
		return e, browser.Errorf(browser.NoBackend, "%s is the endpoint of one page; name the browser's, as http://%s or its /devtools/browser/ address", e.name, u.Host)
	case strings.HasPrefix(u.Scheme, "ws"):
		return e, nil
	}
	e.socket, err = ask(ctx, u, header)
	return e, err
}

// readPortFile reads the address that a browser wrote into its user data folder.
func readPortFile(file string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	port, path, ok := strings.Cut(strings.TrimSpace(string(raw)), "\n")
	if !ok {
		return "", fmt.Errorf("%s is not complete", file)
	}
	return "ws://127.0.0.1:" + strings.TrimSpace(port) + strings.TrimSpace(path), nil
}

// ask asks an HTTP endpoint for its WebSocket address.
func ask(ctx context.Context, base *url.URL, header http.Header) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	u := base.JoinPath("json", "version")
	u.RawQuery = base.RawQuery
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", notDevTools(base.Host, err.Error())
	}
	addHeader(req, header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", unreachable(ctx, base.Host, err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	var version struct {
		Socket string `json:"webSocketDebuggerUrl"`
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &version) != nil || version.Socket == "" {
		return "", refusedBy(base.Host, res, body, header != nil)
	}
	socket, err := url.Parse(version.Socket)
	if err != nil {
		return "", notDevTools(base.Host, "it names an address that is none")
	}
	return through(base, socket).String(), nil
}

// through makes the WebSocket address reachable the way that the endpoint was: a browser
// behind a tunnel or a proxy names an address of its own side.
func through(base, socket *url.URL) *url.URL {
	s := *socket
	if s.Host == "" || isLoopback(s.Hostname()) {
		s.Host = base.Host
		s.User = base.User
	}
	s.Scheme = "ws"
	if base.Scheme == "https" || socket.Scheme == "wss" && s.Host == socket.Host {
		s.Scheme = "wss"
	}
	if s.RawQuery == "" {
		s.RawQuery = base.RawQuery
	}
	return &s
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// addHeader copies the user's header. Host is not one of a request's header fields.
func addHeader(req *http.Request, header http.Header) {
	for name, values := range header {
		if strings.EqualFold(name, "Host") && len(values) > 0 {
			req.Host = values[0]
			continue
		}
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
}

// dial connects to the endpoint. One that answers a browser's socket at no path is asked
// for the right one.
func (e endpoint) dial(ctx context.Context) (transport, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	s, err := dial(ctx, e.socket, e.header)
	if err == nil {
		return s, nil
	}
	u, _ := url.Parse(e.socket)
	var refused *refusedError
	if u != nil && strings.Trim(u.Path, "/") == "" && errors.As(err, &refused) && refused.res.StatusCode == http.StatusNotFound {
		base := *u
		base.Scheme = strings.Replace(u.Scheme, "ws", "http", 1)
		socket, askErr := ask(ctx, &base, e.header)
		if askErr != nil {
			return nil, askErr
		}
		if s, err = dial(ctx, socket, e.header); err == nil {
			return s, nil
		}
	}
	if errors.As(err, &refused) {
		return nil, refusedBy(e.name, refused.res, refused.body, e.header != nil)
	}
	return nil, unreachable(ctx, e.name, err)
}

// explain says why an endpoint that took the connection cannot be used.
func (e endpoint) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil || browser.CodeOf(err) == browser.Timeout {
		return browser.Errorf(browser.NoBackend, "%s took the connection and does not answer; look at that browser: it may ask whether it may be driven", e.name)
	}
	return notDevTools(e.name, "it took the connection, but "+err.Error())
}

func notDevTools(name, why string) error {
	return browser.Errorf(browser.NoBackend, "%s is no DevTools endpoint of a browser: %s; give the address of a browser started with --remote-debugging-port", name, why)
}

// unreachable says why there was no answer at all. The text of the error may hold the
// address with its credentials, so it is not used.
func unreachable(ctx context.Context, name string, err error) error {
	var dns *net.DNSError
	var op *net.OpError
	why := "it cannot be reached"
	switch {
	case errors.As(err, &dns):
		why = "there is no such host"
	case ctx.Err() != nil:
		why = "it did not answer in time; if it is a browser on this computer, it may ask whether it may be driven: look at it"
	case isCertificate(err):
		why = "its certificate is not valid"
	case errors.As(err, &op) && op.Op == "dial":
		why = fmt.Sprintf("nothing listens there (%v); start that browser with --remote-debugging-port, or correct --cdp-endpoint", op.Err)
	}
	return browser.Errorf(browser.NoBackend, "no browser at %s: %s", name, why)
}

// refusedBy says what an HTTP answer means that is not the one that was wanted.
func refusedBy(name string, res *http.Response, body []byte, hadHeader bool) error {
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusProxyAuthRequired:
		remedy := "give its credentials with --cdp-header 'Authorization: …'"
		if hadHeader {
			remedy = "it did not accept what --cdp-header says: correct that"
		}
		if strings.Contains(string(body), "--remote-allow-origins") {
			remedy = "leave Origin out of --cdp-header"
		}
		return browser.Errorf(browser.NoBackend, "%s refused us (%s); %s", name, res.Status, remedy)
	case strings.Contains(string(body), "Host header is specified"):
		return browser.Errorf(browser.NoBackend, "%s answers only to an IP address or localhost; name it by its IP address in --cdp-endpoint, or add --cdp-header 'Host: localhost'", name)
	case res.StatusCode == http.StatusNotFound:
		return notDevTools(name, "it answers, but not to /json/version (404); a Chrome that allows remote debugging at chrome://inspect is named by its user data folder instead")
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500:
		return browser.Errorf(browser.NoBackend, "%s has no browser for us now (%s); try again later", name, res.Status)
	}
	return notDevTools(name, fmt.Sprintf("it answered %s, %s", res.Status, res.Header.Get("Content-Type")))
}
