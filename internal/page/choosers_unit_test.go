package page

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chrome-mcp/internal/browser"
)

// chooserTab notes where file choosers are given back.
type chooserTab struct {
	browser.Tab
	mu   sync.Mutex
	back []browser.FrameID
}

func (c *chooserTab) Call(_ context.Context, f browser.FrameID, method string, _, _ any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if method == interceptChoosers {
		c.back = append(c.back, f)
	}
	return nil
}

// File choosers are the user's again soon after the last action, and not before it.
func TestFileChoosersAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &chooserTab{}
		tab := &Tab{s: NewSession(Config{}), bt: fake}
		first, over := tab.catchChoosers("A")
		again, over2 := tab.catchChoosers("A")
		other, over3 := tab.catchChoosers("")
		if len(first) != 1 || again != nil || len(other) != 1 {
			t.Errorf("sent are %v, %v, %v", first, again, other)
		}
		over()
		over2()
		time.Sleep(2 * chooserTail)
		if synctest.Wait(); fake.back != nil {
			t.Errorf("given back during an action: %v", fake.back)
		}
		over3()
		over3()
		time.Sleep(chooserTail - time.Second)
		_, over = tab.catchChoosers("A")
		time.Sleep(2 * chooserTail)
		if synctest.Wait(); fake.back != nil {
			t.Errorf("given back although another action came: %v", fake.back)
		}
		over()
		time.Sleep(chooserTail)
		synctest.Wait()
		if slices.Sort(fake.back); !slices.Equal(fake.back, []browser.FrameID{"", "A"}) {
			t.Errorf("given back are %q", fake.back)
		}
		if first, over := tab.catchChoosers("A"); len(first) != 1 {
			t.Error("not caught anew")
		} else {
			over()
		}
	})
}
