//lint:file-ignore SA1019 the suite asks for what the newest revision deprecates

package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is one round of a tool that needs something of the client. To clients of the
// older revision the SDK puts it as a request of its own.
type question struct {
	asks  mcp.InputRequestMap
	state string // carried by the client, signed; "" carries none
}

func (q question) put() *mcp.CallToolResult {
	res := &mcp.CallToolResult{InputRequests: q.asks}
	if q.state != "" {
		res.RequestState = sign(q.state)
	}
	return res
}

// answered says whether all that was asked has an answer of the right kind.
func (q question) answered(got mcp.InputResponseMap) bool {
	for id, ask := range q.asks {
		var ok bool
		switch ask.(type) {
		case *mcp.ElicitParams:
			_, ok = got[id].(*mcp.ElicitResult)
		case *mcp.CreateMessageParams:
			_, ok = got[id].(*mcp.CreateMessageWithToolsResult)
		case *mcp.ListRootsParams:
			_, ok = got[id].(*mcp.ListRootsResult)
		}
		if !ok {
			return false
		}
	}
	return true
}

// asking is a tool that puts its questions one after the other, and then answers.
func asking(finish func(mcp.InputResponseMap) string, rounds ...question) mcp.ToolHandler {
	return func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		at, err := round(rounds, r.Params.RequestState)
		if err != nil {
			return nil, err
		}
		got := r.Params.InputResponses
		if !rounds[at].answered(got) {
			return rounds[at].put(), nil
		}
		if at+1 < len(rounds) {
			return rounds[at+1].put(), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text(finish(got))}}, nil
	}
}

// round finds the question that a state belongs to.
func round(rounds []question, state string) (int, error) {
	if state == "" {
		return 0, nil
	}
	plain, ok := verify(state)
	for i, q := range rounds {
		if ok && q.state == plain {
			return i, nil
		}
	}
	return 0, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not one that was given out"}
}

var key = []byte(rand.Text())

func sign(plain string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(plain))
	return plain + "." + hex.EncodeToString(m.Sum(nil))
}

func verify(state string) (plain string, ok bool) {
	plain, _, _ = strings.Cut(state, ".")
	return plain, hmac.Equal([]byte(state), []byte(sign(plain)))
}

func form(message string, properties string, required ...string) *mcp.ElicitParams {
	schema := map[string]any{"type": "object", "properties": json.RawMessage(properties)}
	if required != nil {
		schema["required"] = required
	}
	return &mcp.ElicitParams{Message: message, RequestedSchema: schema}
}

func field(message, name, kind string) *mcp.ElicitParams {
	return form(message, fmt.Sprintf(`{%q:{"type":%q}}`, name, kind), name)
}

func sampling(prompt string, tokens int64) mcp.InputRequest {
	return &mcp.CreateMessageParams{MaxTokens: tokens, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(prompt)}}}
}

func roots() mcp.InputRequest { return &mcp.ListRootsParams{} }

const (
	defaults = `{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`
	enums = `{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}`
)

func addAskingTools(m *mcp.Server) {
	once := func(name string, finish func(mcp.InputResponseMap) string, state string, asks mcp.InputRequestMap) {
		add(m, name, "Asks the client before it answers.", noArguments, asking(finish, question{asks, state}))
	}
	once("test_input_required_result_elicitation", func(got mcp.InputResponseMap) string {
		return fmt.Sprintf("Hello, %v!", got["user_name"].(*mcp.ElicitResult).Content["name"])
	}, "", mcp.InputRequestMap{"user_name": field("What is your name?", "name", "string")})
	once("test_input_required_result_sampling", sampled("capital_question"), "", mcp.InputRequestMap{"capital_question": sampling("What is the capital of France?", 100)})
	once("test_input_required_result_list_roots", all, "", mcp.InputRequestMap{"client_roots": roots()})
	for _, name := range []string{"test_input_required_result_request_state", "test_input_required_result_tampered_state"} {
		once(name, func(mcp.InputResponseMap) string { return "state-ok" }, "confirm", mcp.InputRequestMap{"confirm": field("Please confirm", "ok", "boolean")})
	}
	once("test_input_required_result_multiple_inputs", all, "several", mcp.InputRequestMap{
		"user_name": field("What is your name?", "name", "string"), "greeting": sampling("Generate a greeting", 50), "client_roots": roots()})
	once("test_elicitation_sep1034_defaults", elicited("Elicitation completed", "values"), "", mcp.InputRequestMap{"values": form("Change what is not right.", defaults)})
	once("test_elicitation_sep1330_enums", elicited("Elicitation completed", "values"), "", mcp.InputRequestMap{"values": form("Choose.", enums)})
	add(m, "test_input_required_result_multi_round", "Asks twice.", noArguments, asking(all,
		question{mcp.InputRequestMap{"step1": field("Step 1: What is your name?", "name", "string")}, "first"},
		question{mcp.InputRequestMap{"step2": field("Step 2: What is your favorite color?", "color", "string")}, "second"}))

	add(m, "test_sampling", "Asks the client's model.", json.RawMessage(`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`),
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return asking(sampled("answer"), question{asks: mcp.InputRequestMap{"answer": sampling(argument(r, "prompt"), 100)}})(ctx, r)
		})
	add(m, "test_elicitation", "Asks the client's user.", json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`),
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			who := form(argument(r, "message"), `{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}}`, "username", "email")
			return asking(elicited("User response", "who"), question{asks: mcp.InputRequestMap{"who": who}})(ctx, r)
		})
	add(m, "test_input_required_result_capabilities", "Asks only what the client can answer.", noArguments,
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return asking(all, question{asks: possible(r.ClientCapabilities())})(ctx, r)
		})
}

// possible is what a client can be asked.
func possible(c *mcp.ClientCapabilities) mcp.InputRequestMap {
	asks := mcp.InputRequestMap{}
	if c != nil && c.Elicitation != nil {
		asks["name"] = field("What is your name?", "name", "string")
	}
	if c != nil && c.Sampling != nil {
		asks["greeting"] = sampling("Generate a greeting", 50)
	}
	return asks
}

func argument(r *mcp.CallToolRequest, name string) string {
	var args map[string]any
	_ = json.Unmarshal(r.Params.Arguments, &args)
	s, _ := args[name].(string)
	return s
}

func elicited(what, id string) func(mcp.InputResponseMap) string {
	return func(got mcp.InputResponseMap) string {
		r := got[id].(*mcp.ElicitResult)
		return fmt.Sprintf("%s: action=%s, content=%v", what, r.Action, r.Content)
	}
}

func sampled(id string) func(mcp.InputResponseMap) string {
	return func(got mcp.InputResponseMap) string {
		said, _ := json.Marshal(got[id])
		return "LLM response: " + string(said)
	}
}

// all tells everything that was answered.
func all(got mcp.InputResponseMap) string {
	said, _ := json.Marshal(got)
	return string(said)
}

func askingPrompt(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	q := question{asks: mcp.InputRequestMap{"user_context": field("What context should the prompt use?", "context", "string")}}
	if !q.answered(r.Params.InputResponses) {
		return &mcp.GetPromptResult{InputRequests: q.asks}, nil
	}
	return prompting(text(all(r.Params.InputResponses)))(ctx, r)
}
