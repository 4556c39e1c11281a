package cdpfallback

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scribe is a browser that answers every command with nothing, or refuses it, and writes
// down which there were.
type scribe struct {
	refuse  bool
	answers chan []byte // nil is the end
	mu      sync.Mutex
	heard   []string
}

func (s *scribe) send(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	s.mu.Lock()
	s.heard = append(s.heard, strings.TrimSuffix(strings.TrimPrefix(m.Method, "Page."), "Screencast"))
	s.mu.Unlock()
	answer := `"result":{}`
	if s.refuse {
		answer = `"error":{"code":-32000,"message":"Not attached to an active page"}`
	}
	s.answers <- fmt.Appendf(nil, `{"id":%d,"sessionId":%q,%s}`, m.ID, m.Session, answer)
	return nil
}

func (s *scribe) receive() ([]byte, error) {
	if m := <-s.answers; m != nil {
		return m, nil
	}
	return nil, io.EOF
}

func (s *scribe) close() error { return nil }

// TestRecorder: a tab is recorded while it is used and for a while after, and not while
// it loads.
func TestRecorder(t *testing.T) {
	for _, test := range []struct {
		name   string
		refuse bool
		do     func(r *recorder)
		want   []string
	}{
		{"used again and again", false, func(r *recorder) {
			for range 3 {
				r.use()()
				time.Sleep(awakeTime - time.Second)
			}
		}, []string{"start"}},
		{"left alone", false, func(r *recorder) {
			r.use()()
			time.Sleep(awakeTime + time.Second)
		}, []string{"start", "stop"}},
		{"used for long", false, func(r *recorder) {
			done := r.use()
			time.Sleep(4*awakeTime + time.Second)
			done()
			time.Sleep(awakeTime - time.Second)
		}, []string{"start"}},
		{"it loads", false, func(r *recorder) {
			r.use()()
			r.rest()
			r.rest()
			time.Sleep(time.Hour)
		}, []string{"start", "stop"}},
		{"another document came", false, func(r *recorder) {
			r.use()()
			r.left()
			r.use()()
			r.use()()
		}, []string{"start", "stop", "start"}},
		{"no page yet", true, func(r *recorder) {
			r.use()()
			synctest.Wait()
			r.use()()
		}, []string{"start", "stop", "start"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scribe{refuse: test.refuse, answers: make(chan []byte, 16)}
				c := newConn(s, func(string, string, json.RawMessage) {})
				ended := make(chan struct{})
				go func() { c.read(); close(ended) }()
				r := &recorder{conn: c, session: "S"}
				test.do(r)
				synctest.Wait()
				s.mu.Lock()
				if !slices.Equal(s.heard, test.want) {
					t.Errorf("the browser was told %v, want %v", s.heard, test.want)
				}
				s.mu.Unlock()
				time.Sleep(time.Minute) // the recording ends
				s.answers <- nil
				<-ended
			})
		})
	}
}
