package state

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// tokenBytes is the entropy of a token: 256 bits.
const tokenBytes = 32

// NewToken returns a fresh token: 32 random bytes, base64url without padding.
func NewToken() string {
	var b [tokenBytes]byte
	rand.Read(b[:]) // never fails; the runtime ends the process if the OS has no randomness
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// TokenEqual compares in constant time. Hashing first hides the lengths too.
func TokenEqual(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func validToken(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == tokenBytes
}
