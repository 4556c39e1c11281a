//lint:file-ignore SA1019 the suite asks for what the newest revision deprecates

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pause is between the notifications of a tool, as the suite has it.
const pause = 50 * time.Millisecond

var noArguments = json.RawMessage(`{"type":"object"}`)

// dialect has words of JSON Schema 2020-12 that a server must hand on as they are.
var dialect = json.RawMessage(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
}`)

// mirrored has an argument that clients repeat in a header.
var mirrored = json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)

func addTools(m *mcp.Server) {
	says := func(name, description string, content ...mcp.Content) {
		add(m, name, description, noArguments, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	says("test_simple_text", "Answers with text.", text("This is a simple text response for testing."))
	says("test_image_content", "Answers with a picture.", picture())
	says("test_audio_content", "Answers with a sound.", &mcp.AudioContent{Data: silence, MIMEType: "audio/wav"})
	says("test_embedded_resource", "Answers with a resource.", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	says("test_multiple_content_types", "Answers with several kinds.",
		text("Multiple content types test:"), picture(), embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	says("test_streaming_elicitation", "Answers on the stream of its call.", text("nothing but the answer is on this stream"))

	add(m, "json_schema_2020_12_tool", "Takes what JSON Schema 2020-12 can say.", dialect, echo)
	add(m, "test_x_mcp_header", "Takes an argument that is repeated in a header.", mirrored, echo)
	add(m, "test_error_handling", "Always fails.", noArguments, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var res mcp.CallToolResult
		res.SetError(errors.New("this tool fails on purpose"))
		return &res, nil
	})
	add(m, "test_tool_with_logging", "Logs while it works.", noArguments, logging)
	add(m, "test_logging_tool", "Logs, for those who asked for it.", noArguments, logging)
	add(m, "test_tool_with_progress", "Tells how far it is.", noArguments, progressing)
	add(m, "test_missing_capability", "Needs a client that samples.", noArguments, needsSampling)
	addTriggers(m)
}

func add(m *mcp.Server, name, description string, schema json.RawMessage, h mcp.ToolHandler) {
	m.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: schema}, h)
}

func echo(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{text("called with " + string(r.Params.Arguments))}}, nil
}

func logging(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {

		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{text("logged")}}, nil
}

func progressing(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, done := range []float64{0, 50, 100} {
		if token := r.Params.GetProgressToken(); token != nil {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
				return nil, err
			}
		}
		time.Sleep(pause)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{text("done")}}, nil
}

func needsSampling(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{text("the client samples")}}, nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client must declare sampling", Data: data}
}

// addTriggers adds tools that change what the server offers, back and forth.
func addTriggers(m *mcp.Server) {
	done := &mcp.CallToolResult{Content: []mcp.Content{text("changed")}}
	var tool, prompt atomic.Bool
	add(m, "test_trigger_tool_change", "Adds or removes a tool.", noArguments, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if tool.Swap(!tool.Load()) {
			m.RemoveTools("test_extra_tool")
		} else {
			add(m, "test_extra_tool", "Comes and goes.", noArguments, echo)
		}
		return done, nil
	})
	add(m, "test_trigger_prompt_change", "Adds or removes a prompt.", noArguments, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if prompt.Swap(!prompt.Load()) {
			m.RemovePrompts("test_extra_prompt")
		} else {
			m.AddPrompt(&mcp.Prompt{Name: "test_extra_prompt", Description: "Comes and goes."}, prompting(text("extra")))
		}
		return done, nil
	})
}
