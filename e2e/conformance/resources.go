package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addResources(m *mcp.Server) {
	static := func(name string, c mcp.ResourceContents) {
		m.AddResource(&mcp.Resource{URI: c.URI, Name: name, Description: "A resource of the suite.", MIMEType: c.MIMEType},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
			})
	}
	static("static text", mcp.ResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	static("static binary", mcp.ResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: redDot})
	static("watched", mcp.ResourceContents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "watched"})
	m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"}, readTemplate)
}

func readTemplate(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json",
		Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}}, nil
}

func addPrompts(m *mcp.Server) {
	add := func(name string, h mcp.PromptHandler, arguments ...string) {
		p := &mcp.Prompt{Name: name, Description: "A prompt of the suite."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "An argument.", Required: true})
		}
		m.AddPrompt(p, h)
	}
	add("test_simple_prompt", prompting(text("This is a simple prompt for testing.")))
	add("test_prompt_with_image", prompting(picture(), text("Please analyze the image above.")))
	add("test_prompt_with_arguments", func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		a := r.Params.Arguments
		return prompting(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))(ctx, r)
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompting(
			embedded(r.Params.Arguments["resourceUri"], "text/plain", "Embedded resource content for testing."),
			text("Please process the embedded resource above."))(ctx, r)
	}, "resourceUri")
	add("test_input_required_result_prompt", askingPrompt)
}

// prompting answers with one message for each content.
func prompting(content ...mcp.Content) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		var res mcp.GetPromptResult
		for _, c := range content {
			res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return &res, nil
	}
}
