package cdpfallback

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// transport carries whole DevTools messages. Send may be called concurrently;
// receive is called by one goroutine.
type transport interface {
	send(message []byte) error
	receive() ([]byte, error)
	close() error
}

// socket is the transport of --remote-debugging-port.
type socket struct{ conn *websocket.Conn }

// maxMessage bounds one message of a browser: a full-page picture fits.
const maxMessage = 256 << 20

// refusedError is an HTTP answer in place of a socket.
type refusedError struct {
	res  *http.Response
	body []byte
}

func (e *refusedError) Error() string { return "the server answered " + e.res.Status }

func dial(ctx context.Context, url string, header http.Header) (*socket, error) {
	o := &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled, HTTPHeader: header, Host: header.Get("Host")}
	conn, res, err := websocket.Dial(ctx, url, o)
	if err != nil {
		if res != nil && res.StatusCode != http.StatusSwitchingProtocols {
			body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
			return nil, &refusedError{res, body}
		}
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	return &socket{conn}, nil
}

func isCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	return errors.As(err, &unknown) || errors.As(err, &name) || errors.As(err, &invalid) || errors.As(err, &record)
}

// Contexts end a coder/websocket connection when they end, so a message is never
// bound to the context of the call that it belongs to.
func (s *socket) send(message []byte) error {
	return s.conn.Write(context.Background(), websocket.MessageText, message)
}

func (s *socket) receive() ([]byte, error) {
	_, message, err := s.conn.Read(context.Background())
	return message, err
}

func (s *socket) close() error { return s.conn.CloseNow() }
