package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a running chrome-mcp with an MCP client on its standard input and output.
type server struct {
	*mcp.ClientSession
	cmd    *exec.Cmd
	tools  map[string]*mcp.Tool
	exited chan struct{}
	// changed gets a word each time the server says that its list of tools has changed.
	changed chan struct{}
}

// allowAll are the flags with which nothing is off.
func allowAll() []string { return append(capabilities(), "--unsafe-all-domains") }

// allowHosts are the flags with which every capability is on, but on these hosts only.
func allowHosts(hosts ...string) []string {
	flags := capabilities()
	for _, h := range hosts {
		flags = append(flags, "--allow-domain", h)
	}
	return flags
}

func capabilities() []string {
	return []string{"--enable-mutations", "--unsafe-enable-eval", "--enable-downloads", "--enable-uploads", "--uploads-dir", uploadsDir(), "--enable-observers"}
}

// environment is the one of a program with that data folder.
func environment(data string) []string {
	return append(os.Environ(), "CHROME_MCP_DATA="+data)
}

// startServer starts the program and shakes hands. Whoever calls it stops it.
func startServer(ctx context.Context, data, client string, flags ...string) (*server, error) {
	s := &server{exited: make(chan struct{}), changed: make(chan struct{}, 64)}
	s.cmd = exec.Command(rig.bin, flags...)
	s.cmd.Env = environment(data)
	s.cmd.Dir = rig.dir
	s.cmd.Stderr = rig.log.writer(client + " stderr")
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	transport := &mcp.IOTransport{Reader: tee{out, rig.log.writer(client + " stdout")}, Writer: in}
	c := mcp.NewClient(&mcp.Implementation{Name: client, Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { s.changed <- struct{}{} },
	})
	if s.ClientSession, err = c.Connect(ctx, transport, nil); err != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		return nil, fmt.Errorf("shake hands with chrome-mcp %s: %w\n%s", strings.Join(flags, " "), err, rig.log.of(client+" stderr"))
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	return s, s.listTools(ctx)
}

func (s *server) listTools(ctx context.Context) error {
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	s.tools = map[string]*mcp.Tool{}
	for _, t := range list.Tools {
		s.tools[t.Name] = t
	}
	return nil
}

// stop ends the server as a client does, and kills it if that does not help.
func (s *server) stop() {
	_ = s.Close()
	select {
	case <-s.exited:
	case <-time.After(3 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}

// kill ends the server without a chance to clean up.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.exited
	_ = s.Close()
}

// serve starts a server for one test.
func (c *chrome) serve(t testing.TB, flags ...string) *server {
	t.Helper()
	if flags == nil {
		flags = allowAll()
	}
	s, err := startServer(t.Context(), c.data, t.Name(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// result is a tool's answer.
type result struct {
	text   string // all text blocks
	failed bool
	data   map[string]any // structured content
	images []*mcp.ImageContent
	took   time.Duration
}

// do calls a tool. An error of the protocol is a failed result too.
func (s *server) do(ctx context.Context, tool string, args map[string]any) result {
	if args == nil {
		args = map[string]any{}
	}
	begin := time.Now()
	answer, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	r := result{took: time.Since(begin)}
	if err != nil {
		r.text, r.failed = err.Error(), true
		return r
	}
	r.failed = answer.IsError
	var texts []string
	for _, c := range answer.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			r.images = append(r.images, c)
		}
	}
	r.text = strings.Join(texts, "\n")
	// Structured content that does not say all that the text says is kept from models.
	structured := answer.StructuredContent
	if structured == nil {
		structured = answer.Meta["chrome-mcp/data"]
	}
	if raw, err := json.Marshal(structured); err == nil {
		_ = json.Unmarshal(raw, &r.data)
	}
	return r
}

// call calls a tool that has to work.
func (s *server) call(t testing.TB, tool string, args map[string]any) result {
	t.Helper()
	r := s.do(t.Context(), tool, args)
	if r.failed {
		t.Fatalf("%s %v failed after %v:\n%s", tool, args, r.took, r.text)
	}
	return r
}

// refuse calls a tool that has to fail with words that contain all of these.
func (s *server) refuse(t testing.TB, tool string, args map[string]any, words ...string) result {
	t.Helper()
	r := s.do(t.Context(), tool, args)
	if !r.failed {
		t.Errorf("%s %v worked, want a failure with %q:\n%s", tool, args, words, r.text)
	}
	for _, w := range words {
		if !strings.Contains(r.text, w) {
			t.Errorf("%s %v: the failure does not say %q:\n%s", tool, args, w, r.text)
		}
	}
	return r
}

// args are tool arguments.
type args = map[string]any

// record keeps what programs said, for failures and for the search for the token.
type record struct {
	mu   sync.Mutex
	said map[string]*bytes.Buffer
}

func (r *record) add(who, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.said == nil {
		r.said = map[string]*bytes.Buffer{}
	}
	if r.said[who] == nil {
		r.said[who] = &bytes.Buffer{}
	}
	r.said[who].WriteString(text)
}

// of returns what one of them said.
func (r *record) of(who string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.said[who]; b != nil {
		return b.String()
	}
	return ""
}

// find names who said the text.
func (r *record) find(text string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var who []string
	for name, b := range r.said {
		if bytes.Contains(b.Bytes(), []byte(text)) {
			who = append(who, name)
		}
	}
	return who
}

func (r *record) writer(who string) io.Writer { return voice{r, who} }

type voice struct {
	r   *record
	who string
}

func (v voice) Write(b []byte) (int, error) {
	v.r.add(v.who, string(b))
	return len(b), nil
}

// tee copies what is read.
type tee struct {
	io.ReadCloser
	copy io.Writer
}

func (t tee) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	_, _ = t.copy.Write(b[:n])
	return n, err
}
