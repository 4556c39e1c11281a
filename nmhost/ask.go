package nmhost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"chrome-mcp/internal/state"
	"chrome-mcp/internal/wire"
)

// RefusedError is a host's answer to a hello that it did not like.
type RefusedError struct {
	Code    wire.NativeCode
	Message string
}

func (e *RefusedError) Error() string { return string(e.Code) + ": " + e.Message }

// Ask starts the program as a browser does, says hello as the extension would, and
// returns what the host answers. The host notes nothing of it. An error that is no
// *RefusedError holds what the program said on its standard error.
func Ask(ctx context.Context, program string, ext wire.NativeExt) (wire.NativeReady, error) {
	ext.Probe = true
	var ready wire.NativeReady
	cmd := exec.CommandContext(ctx, program, "chrome-extension://"+ext.ID+"/")
	cmd.Env = browserEnv()
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return ready, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return ready, err
	}
	if err := cmd.Start(); err != nil {
		return ready, err
	}
	b, err := exchange(&frameWriter{w: in}, out, wire.NativeHello{Header: header(wire.NativeHelloType), Ext: ext})
	in.Close()
	ended := cmd.Wait()
	if ctx.Err() != nil {
		return ready, fmt.Errorf("it did not answer in time: %w", ctx.Err())
	}
	if err != nil {
		words := strings.TrimSpace(clip(said.String(), 500))
		return ready, errors.Join(err, ended, errors.New(words))
	}
	return ready, read(b, &ready)
}

// exchange sends one message and reads the answer.
func exchange(w *frameWriter, r io.Reader, message any) ([]byte, error) {
	b, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if err := w.write(b); err != nil {
		return nil, err
	}
	return readFrame(r)
}

// read decodes the answer: ready, or a refusal.
func read(b []byte, ready *wire.NativeReady) error {
	var refused wire.NativeError
	if err := json.Unmarshal(b, &refused); err != nil {
		return fmt.Errorf("its answer is no message of the host: %w", err)
	}
	switch refused.Type {
	case wire.NativeErrorType:
		return &RefusedError{refused.Code, refused.Message}
	case wire.NativeReadyType:
		return json.Unmarshal(b, ready)
	}
	return fmt.Errorf("its answer is no message of the host, but %q", clip(refused.Type, 64))
}

// browserEnv is the environment without what a terminal may add to a browser's: where
// the host finds the data folder must not depend on it.
func browserEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, state.DataEnv+"=") {
			env = append(env, e)
		}
	}
	return env
}
