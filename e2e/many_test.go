package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyServersAndProfiles has three servers and two browsers of two profiles work at
// once, each server in tabs of its own, and kills one of them.
func TestManyServersAndProfiles(t *testing.T) {
	one := newChrome(t, chromeOptions{})
	servers := []*server{one.serve(t), one.serve(t), one.serve(t)}
	if _, err := one.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	two := newChrome(t, chromeOptions{data: one.data})
	if _, err := two.pair(t.Context()); err != nil {
		t.Fatal(err)
	}
	var tabs [3]string
	var all sync.WaitGroup
	for i, s := range servers {
		all.Add(1)
		go func() {
			defer all.Done()
			tabs[i] = workAlone(t, s, fmt.Sprintf("Server %d", i))
		}()
	}
	all.Wait()
	if t.Failed() {
		return
	}
	t.Run("both browsers are listed", func(t *testing.T) {
		for _, s := range servers {
			if r := s.call(t, "chrome_status", nil); strings.Count(r.text, "\nbrowser ") != 2 {
				t.Errorf("the status does not list two browsers:\n%s", r.text)
			}
		}
	})
	t.Run("another's tab", func(t *testing.T) {
		for _, tool := range []string{"click", "get_text", "tab_close", "navigate", "eval", "screenshot"} {
			a := args{"tabId": tabs[0]}
			switch tool {
			case "click":
				a["selector"] = "body"
			case "navigate":
				a["url"] = rig.site.base + "/form"
			case "eval":
				a["expression"] = "1"
			}
			servers[1].refuse(t, tool, a, "TAB_OWNED")
		}
		servers[0].wantValue(t, "document.title", "Server 0")
	})
	t.Run("one is killed", func(t *testing.T) {
		servers[0].kill()
		for i := 1; i < 3; i++ {
			servers[i].wantValue(t, "document.title", fmt.Sprintf("Server %d", i))
		}
		begin := time.Now()
		again := one.serve(t)
		again.call(t, "tabs_list", nil)
		if took := time.Since(begin); took > 2*firstTime {
			t.Errorf("the restarted server was dialled after %v", took)
		}
		// The other profile may have dialled first.
		for late := time.Now().Add(5 * time.Second); !strings.Contains(again.call(t, "tabs_list", nil).text, tabs[0]); {
			if time.Now().After(late) {
				t.Fatal("the browser of the killed server did not come to the new one")
			}
			wait(t.Context(), 20*time.Millisecond)
		}
		// Its tabs belong to nobody now.
		again.call(t, "get_text", args{"tabId": tabs[0]})
	})
}

// workAlone fills the form in a tab of the server's own and says which that was.
func workAlone(t *testing.T, s *server, title string) (tab string) {
	tab = s.open(t, "<title>"+title+"</title><input id=i><button onclick=\"window.n = (window.n ?? 0) + 1\">Add</button>")
	for i := range 5 {
		s.call(t, "type", args{"selector": "#i", "text": fmt.Sprint(i), "clear": true})
		s.call(t, "click", args{"selector": "button"})
	}
	s.wantValue(t, "document.title + window.n + document.querySelector('#i').value", title+"54")
	if own := s.ownTabs(t); len(own) != 1 || own[0] != tab {
		t.Errorf("%s owns the tabs %v, want %s", title, own, tab)
	}
	return tab
}

// TestUsersTab works in a tab that the user opened, when it is named.
func TestUsersTab(t *testing.T) {
	c := paired(t, false)
	a, b := c.serve(t), c.serve(t)
	tab, err := c.open(t.Context(), rig.site.page("<title>Mine</title><p>the user's words"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context(), tab.ID())
	id := ""
	for _, info := range a.tabs(t) {
		if info["title"] == "Mine" {
			id = str(info["tabId"])
		}
	}
	if r := a.call(t, "get_text", args{"tabId": id}); !strings.Contains(r.text, "the user's words") {
		t.Errorf("the text is %s", r.text)
	}
	// Reading leaves it the user's; acting makes it the session's until that ends.
	b.call(t, "get_text", args{"tabId": id})
	a.call(t, "click", args{"tabId": id, "selector": "p"})
	b.refuse(t, "get_text", args{"tabId": id}, "TAB_OWNED")
	a.stop()
	b.call(t, "click", args{"tabId": id, "selector": "p"})
}
