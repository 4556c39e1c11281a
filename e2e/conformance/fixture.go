//lint:file-ignore SA1019 the suite asks for what the newest revision deprecates

// Package conformance runs the protocol's own conformance suite against our servers.
//
// The suite wants tools, prompts and resources of certain names. They are here, on top of
// the real server, and nowhere in the product.
package conformance

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Extend is mcpserver.Config.Extend: it offers what the suite asks for.
func Extend(o *mcp.ServerOptions) func(*mcp.Server) {
	o.Capabilities.Tools = &mcp.ToolCapabilities{ListChanged: true}
	o.Capabilities.Prompts = &mcp.PromptCapabilities{ListChanged: true}
	o.Capabilities.Resources = &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true}
	o.Capabilities.Completions = &mcp.CompletionCapabilities{}
	o.Capabilities.Logging = &mcp.LoggingCapabilities{}
	o.CompletionHandler = complete
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	return func(m *mcp.Server) {
		addTools(m)
		addAskingTools(m)
		addPrompts(m)
		addResources(m)
	}
}

func complete(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{"paris", "park", "party"}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

// redDot is a picture of one pixel.
var redDot = func() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.RGBA{R: 0xff, A: 0xff})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}()

// silence is a WAV file without samples: 8 bits, mono, 8 kHz.
var silence = []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func picture() *mcp.ImageContent { return &mcp.ImageContent{Data: redDot, MIMEType: "image/png"} }

func embedded(uri, mime, s string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: mime, Text: s}}
}
