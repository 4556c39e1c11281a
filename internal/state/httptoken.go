package state

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// httpTokenName is the file with the token of clients over HTTP. It outlives servers,
// because it stands in clients' configurations.
const httpTokenName = "http-token"

// HTTPTokenPath is the file with the token that clients over HTTP present.
func (s *Store) HTTPTokenPath() string { return s.Path(httpTokenName) }

// HTTPToken returns that token, and makes it if there is none.
func (s *Store) HTTPToken() (token string, err error) {
	if err := s.Ensure(); err != nil {
		return "", err
	}
	err = s.locked(func() error {
		token, err = s.readHTTPToken()
		if errors.Is(err, os.ErrNotExist) {
			token = NewToken()
			err = writePrivate(s.HTTPTokenPath(), []byte(token+"\n"))
		}
		return err
	})
	return token, err
}

// RevokeHTTPToken replaces the token, if there is one. Servers notice at once.
func (s *Store) RevokeHTTPToken() (had bool, err error) {
	if _, err := os.Lstat(s.HTTPTokenPath()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return true, s.locked(func() error {
		return writePrivate(s.HTTPTokenPath(), []byte(NewToken()+"\n"))
	})
}

// readHTTPToken never quotes the file.
func (s *Store) readHTTPToken() (string, error) {
	b, err := readPrivate(s.HTTPTokenPath(), 1<<10)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if !validToken(token) {
		return "", fmt.Errorf("%s holds no token; delete it, and a new one is made", s.HTTPTokenPath())
	}
	return token, nil
}
