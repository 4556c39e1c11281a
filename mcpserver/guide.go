package mcpserver

import (
	"context"
	"embed"
	"strings"

	"chrome-mcp/internal/page"
)

//go:embed guide/*.md
var guideFiles embed.FS

// guideTopics are the parts of the guide in their order; the enum of GuideArgs repeats them.
var guideTopics = []string{"overview", "targets", "input", "reading", "pages", "dialogs", "files", "observing", "batch", "extensions", "permissions", "errors"}

// GuideArgs are those of guide.
type GuideArgs struct {
	Topic string `json:"topic,omitempty" desc:"Default: all of it." enum:"overview,targets,input,reading,pages,dialogs,files,observing,batch,extensions,permissions,errors"`
}

// Guide returns one topic of the operating guide, or all of it for "".
func Guide(topic string) string {
	topics := guideTopics
	if topic != "" {
		topics = []string{topic}
	}
	var b strings.Builder
	for i, t := range topics {
		if i > 0 {
			b.WriteByte('\n')
		}
		text, _ := guideFiles.ReadFile("guide/" + t + ".md") // the topics are checked by a test
		b.Write(text)
	}
	return b.String()
}

func guide(_ context.Context, _ *session, a GuideArgs) (*page.Result, error) {
	return &page.Result{Text: Guide(a.Topic)}, nil
}
