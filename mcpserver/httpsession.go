package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/oklog/ulid/v2"
)

const (
	idleAfter   = 30 * time.Minute // without a request
	maxSessions = 64
	settled     = time.Minute      // idle for so long, a session makes room for another
	lostAfter   = 15 * time.Second // for a client whose stream broke to come back
	giveBack    = 5 * time.Second  // for giving the tabs back while the server goes on
	answerGrace = 400 * time.Millisecond
)

// clientHeader tells clients of the stateless revision apart that are the same program.
const clientHeader = "Chrome-Mcp-Session"

// httpKey names a session: by its Mcp-Session-Id, or by the identity of a client of the
// stateless revision.
type httpKey struct {
	stateless bool
	id        string
}

// newHTTPKey is the key of a new session with a handshake. The id is no secret: each
// request needs the token as well.
func newHTTPKey() httpKey { return httpKey{id: rand.Text()} }

// identity is whose browser session a request without a handshake belongs to. All who
// get so far know the one token, connections come and go within one client's work, and
// the revision has no session of its own. So it is the client by its name and version,
// on one machine, and two copies of a program share their tabs unless each sends a name
// of its own in Chrome-Mcp-Session.
func identity(r *http.Request, m message) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	c, sum := m.Params.Meta.Client, sha256.New()
	for _, part := range []string{host, r.Header.Get(clientHeader), c.Name, c.Version} {
		digest := sha256.Sum256([]byte(part))
		sum.Write(digest[:])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// httpSession is a session of a client over HTTP.
type httpSession struct {
	*session
	key   httpKey
	end   context.CancelCauseFunc
	mute  context.CancelFunc // ends the streams, when the calls are answered
	muted context.Context
	ready sync.Once // builds the SDK's server

	// What follows belongs to httpSessions.mu.
	requests, streams int
	lost              bool      // its last stream broke, and nothing came since
	since             time.Time // nothing is open
	timer             *time.Timer
	quiet             chan struct{} // closed when no request runs any more; nil unless someone waits
	ended             bool
	gone              chan struct{} // closed when its tabs are given back
}

// httpSessions are those of one HTTP.
type httpSessions struct {
	h    *HTTP
	idle time.Duration
	most int

	mu    sync.Mutex
	byKey map[httpKey]*httpSession
}

func (l *httpSessions) init(h *HTTP) {
	l.h, l.byKey = h, map[httpKey]*httpSession{}
	l.idle, l.most = cmp.Or(h.cfg.Idle, idleAfter), cmp.Or(h.cfg.Sessions, maxSessions)
}

// refusal is an answer in place of the SDK's.
type refusal struct {
	status int
	code   int64
	text   string
}

func (r *refusal) write(w http.ResponseWriter) { refuse(w, r.status, r.code, r.text) }

var (
	errNoSession = &refusal{http.StatusNotFound, jsonrpc.CodeInvalidRequest, "there is no such session, or it has ended; begin a new one with initialize"}
	errSessions  = &refusal{http.StatusServiceUnavailable, codeOverload, "there are too many sessions; end one with DELETE and try again"}
	errCalls     = &refusal{http.StatusServiceUnavailable, codeOverload, "too many calls of this session are running; wait for some of them"}
)

// enter counts a request in, or a stream. Each that entered has to leave. fresh makes
// the session if there is none.
func (l *httpSessions) enter(key httpKey, fresh, stream bool) (*httpSession, *refusal) {
	l.mu.Lock()
	s := l.byKey[key]
	if s == nil && fresh {
		s = l.add(key)
		if s == nil {
			l.mu.Unlock()
			return nil, errSessions
		}
	}
	switch {
	case s == nil:
		l.mu.Unlock()
		return nil, errNoSession
	case s.requests >= maxPending:
		l.mu.Unlock()
		return nil, errCalls
	}
	s.timer.Stop()
	s.lost = false
	if stream {
		s.streams++
	} else {
		s.requests++
	}
	l.mu.Unlock()
	s.ready.Do(func() { s.server() })
	return s, nil
}

// add makes a session, if there is room. l.mu is held.
func (l *httpSessions) add(key httpKey) *httpSession {
	if l.h.life.Err() != nil || len(l.byKey) >= l.most && !l.makeRoom() {
		return nil
	}
	life, end := context.WithCancelCause(l.h.life)
	s := &httpSession{key: key, end: end, gone: make(chan struct{})}
	s.muted, s.mute = context.WithCancel(context.Background())
	s.session = newSession(l.h.srv, ulid.Make().String(), life, newTurns())
	s.httpID = key.id
	s.timer = time.AfterFunc(l.idle, func() { l.expire(s) })
	l.byKey[key] = s
	return s
}

// makeRoom ends the session that has been idle longest. l.mu is held.
func (l *httpSessions) makeRoom() bool {
	var oldest *httpSession
	for _, s := range l.byKey {
		if !s.busy() && (oldest == nil || s.since.Before(oldest.since)) {
			oldest = s
		}
	}
	if oldest == nil || time.Since(oldest.since) < settled {
		return false
	}
	delete(l.byKey, oldest.key)
	go l.finish(oldest, errors.New("the session was idle, and another needed its place"), giveBack)
	return true
}

// leave counts a request or a stream out.
func (l *httpSessions) leave(s *httpSession, stream bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stream {
		s.streams--
		s.lost = s.streams == 0 && !s.key.stateless // which several clients may share
	} else {
		s.requests--
	}
	if s.requests == 0 && s.quiet != nil {
		close(s.quiet)
		s.quiet = nil
	}
	if !s.busy() && !s.ended {
		s.since = time.Now()
		s.timer.Reset(s.patience(l))
	}
}

func (s *httpSession) busy() bool { return s.requests+s.streams > 0 }

// patience is how long the session lives when nothing more comes. A client that has held
// a stream, and does not open it again, has most likely died.
func (s *httpSession) patience(l *httpSessions) time.Duration {
	if s.lost {
		return min(lostAfter, l.idle)
	}
	return l.idle
}

// expire ends a session to which nobody came back.
func (l *httpSessions) expire(s *httpSession) {
	l.mu.Lock()
	early := s.ended || s.busy() || time.Since(s.since) < s.patience(l)
	cause := errors.New("the session was idle for too long")
	if s.lost {
		cause = errors.New("the client is gone")
	}
	l.mu.Unlock()
	if !early {
		l.finish(s, cause, giveBack)
	}
}

func (l *httpSessions) find(key httpKey) *httpSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byKey[key]
}

// finish ends a session: its calls are cancelled and answered, its streams end, its tabs
// are given back. It returns when that is done.
func (l *httpSessions) finish(s *httpSession, cause error, tabs time.Duration) {
	l.mu.Lock()
	if s.ended {
		l.mu.Unlock()
		<-s.gone
		return
	}
	s.ended = true
	if l.byKey[s.key] == s {
		delete(l.byKey, s.key)
	}
	s.timer.Stop()
	quiet := make(chan struct{})
	if s.requests == 0 {
		close(quiet)
	} else {
		s.quiet = quiet
	}
	l.mu.Unlock()
	defer close(s.gone)
	s.end(cause)
	select { // the SDK answers nothing once its session is closed
	case <-quiet:
	case <-time.After(answerGrace):
		l.h.log.Warn("a call did not end when it was cancelled")
	}
	// Some clients drop what they still wait for when their stream ends.
	s.mute()
	s.ready.Do(func() {}) // it is built, or never will be
	if s.mcp != nil {
		for ss := range s.mcp.Sessions() {
			go ss.Close() // waits for calls that do not end
		}
	}
	s.session.close(tabs)
}

// finishAll ends all sessions at once.
func (l *httpSessions) finishAll(cause error, tabs time.Duration) {
	l.mu.Lock()
	all := slices.Collect(maps.Values(l.byKey))
	l.mu.Unlock()
	var group sync.WaitGroup
	for _, s := range all {
		group.Go(func() { l.finish(s, cause, tabs) })
	}
	group.Wait()
}

// shook says whether a client has shaken hands.
func (s *httpSession) shook() bool {
	for ss := range s.mcp.Sessions() {
		if ss.InitializeParams() != nil {
			return true
		}
	}
	return false
}
