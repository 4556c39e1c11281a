// Package bundle holds the page bundle: all code of ours that runs in pages, as one
// script. It is built from the TypeScript beside it and runs in an isolated world,
// where pages cannot tamper with it. The package holds no Go logic.
package bundle

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

//go:generate go tool esbuild main.ts --bundle --format=iife --target=chrome120 --charset=utf8 --outfile=bundle.gen.js --log-level=warning

// Source is the script. Run in a world, it defines globalThis.__chromeMcp there.
//
//go:embed bundle.gen.js
var Source string

// Hash is the hex SHA-256 of Source. Extension and server must agree on it.
var Hash = func() string {
	h := sha256.Sum256([]byte(Source))
	return hex.EncodeToString(h[:])
}()

// World is the name of the isolated world that the bundle runs in.
const World = "chrome-mcp"
