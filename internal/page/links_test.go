package page_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"chrome-mcp/internal/page"
	"chrome-mcp/internal/policy"
)

// linksOf are the links as "text address", with what else the result says.
func linksOf(o open, a page.ExtractLinksArgs) (lines []string, rest map[string]any) {
	o.Helper()
	raw, err := json.Marshal(must(o, page.ExtractLinks, a).Data)
	if err != nil {
		o.Fatal(err)
	}
	var list struct {
		Links []struct{ Text, URL, Rel string }
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		o.Fatal(err)
	}
	for _, l := range list.Links {
		lines = append(lines, strings.TrimSpace(l.Text+" "+strings.ReplaceAll(l.URL, shared.base, "")+" "+l.Rel))
	}
	_ = json.Unmarshal(raw, &rest)
	return lines, rest
}

func TestExtractLinks(t *testing.T) {
	o := visit(t, html(`<a href="/one"><img src=x alt="Picture"></a><a href="/one">One</a> <a href="two?q=1#f" rel="nofollow noopener"> Two
		words</a><a href="javascript:x()">js</a><a href="data:,x">data</a><a>none</a><a href="/menu" hidden>Menu</a><a href="mailto:a@b.test">Mail</a><a href="https://other.test/x">Other</a>
		<x-h></x-h><script>document.querySelector('x-h').attachShadow({mode:'closed'}).innerHTML='<a href=/shadow>Shadow</a>'</script>
		<iframe srcdoc='<a href="/framed">Framed</a>'></iframe><svg width=90 height=20><a href="/svg"><text y=9>Svg</text></a></svg>`))
	waitText(o, "Framed")
	tests := []struct {
		args page.ExtractLinksArgs
		want []string
	}{
		{page.ExtractLinksArgs{}, []string{"Picture /one", "Two words /two?q=1#f nofollow", "Mail mailto:a@b.test", "Other https://other.test/x", "Svg /svg", "Shadow /shadow", "Framed /framed"}},
		{page.ExtractLinksArgs{SameOriginOnly: true}, []string{"Picture /one", "Two words /two?q=1#f nofollow", "Svg /svg", "Shadow /shadow", "Framed /framed"}},
		{page.ExtractLinksArgs{Include: page.Strings{"/one", "*.test/*"}, Exclude: page.Strings{"MAILTO:"}}, []string{"Picture /one", "Other https://other.test/x"}},
		{page.ExtractLinksArgs{Selector: "svg"}, []string{"Svg /svg"}},
	}
	for _, tt := range tests {
		if got, _ := linksOf(o, tt.args); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%+v\n got %q\nwant %q", tt.args, got, tt.want)
		}
	}
	all := false
	if got, _ := linksOf(o, page.ExtractLinksArgs{Dedupe: &all, Include: page.Strings{"/one"}}); len(got) != 2 {
		t.Errorf("without dedupe: %q", got)
	}
	got, rest := linksOf(o, page.ExtractLinksArgs{Limit: 2})
	if len(got) != 2 || rest["total"] != 7.0 || rest["truncated"] != true || rest["hidden"] != 1.0 || !strings.Contains(fmt.Sprint(rest["note"]), "2 of 7") {
		t.Errorf("with a limit: %q %v", got, rest)
	}
}

func TestLinksOfDeniedFrames(t *testing.T) {
	o := session(t, policy.Policy{AllowDomains: []string{"127.0.0.1"}})
	o.navigate(html(`<a href="/ours">Ours</a><iframe src="{alt}/t?html=` + escape(`<a href=/secret>Secret</a>`) + `"></iframe>`))
	got, rest := linksOf(o, page.ExtractLinksArgs{})
	if fmt.Sprint(got) != "[Ours /ours]" || !strings.Contains(fmt.Sprint(rest["note"]), "not allowed: 1") {
		t.Errorf("%q %v", got, rest)
	}
}
