package terminaltest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is a program and the person before it.
type Terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	file *os.File // our end

	mu    sync.Mutex
	said  strings.Builder
	read  int // of it, by Expect
	more  chan struct{}
	ended chan struct{}
}

// Start runs cmd in a terminal of 80 columns. It is killed with the test.
func Start(t testing.TB, cmd *exec.Cmd) *Terminal {
	t.Helper()
	master, slave, err := open()
	if err != nil {
		t.Fatalf("no pseudo-terminal: %v", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	term := &Terminal{t: t, cmd: cmd, file: master, more: make(chan struct{}, 1), ended: make(chan struct{})}
	go term.listen()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-term.ended
		master.Close()
	})
	return term
}

func open() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	if err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	return master, slave, err
}

func (t *Terminal) listen() {
	defer close(t.ended)
	b := make([]byte, 4096)
	for {
		n, err := t.file.Read(b)
		t.mu.Lock()
		t.said.Write(b[:n])
		t.mu.Unlock()
		select {
		case t.more <- struct{}{}:
		default:
		}
		if err != nil { // the program, and all that it started, have ended
			t.cmd.Wait()
			return
		}
	}
}

// patience is how long a program may take to say what is expected.
const patience = 30 * time.Second

// Expect waits until the program says that, after what was expected before.
func (t *Terminal) Expect(text string) {
	t.t.Helper()
	late := time.After(patience)
	for ended := false; ; {
		t.mu.Lock()
		i := strings.Index(t.said.String()[t.read:], text)
		if i >= 0 {
			t.read += i + len(text)
		}
		t.mu.Unlock()
		switch {
		case i >= 0:
			return
		case ended:
			t.t.Fatalf("the program ended and did not say %q, but\n%s", text, t.Screen())
		}
		select {
		case <-t.more:
		case <-t.ended:
			ended = true
		case <-late:
			t.t.Fatalf("the program does not say %q, but\n%s", text, t.Screen())
		}
	}
}

// Type types.
func (t *Terminal) Type(text string) {
	t.t.Helper()
	if _, err := t.file.WriteString(text); err != nil {
		t.t.Fatal(err)
	}
}

// End waits for the end and returns the exit status.
func (t *Terminal) End() int {
	t.t.Helper()
	select {
	case <-t.ended:
	case <-time.After(patience):
		t.t.Fatalf("the program does not end; it said\n%s", t.Screen())
	}
	return t.cmd.ProcessState.ExitCode()
}

// Screen is all that was said and typed, with the ends of lines of a text.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ReplaceAll(t.said.String(), "\r\n", "\n")
}
