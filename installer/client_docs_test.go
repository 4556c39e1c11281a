package installer

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestClientDocs writes the table of clients as people read it.
func TestClientDocs(t *testing.T) {
	const path = "../docs/clients.md"
	var b strings.Builder
	b.WriteString(`# MCP clients

Written from the table in ` + "`installer/clients.go`" + ` by its test. ` + "`chrome-mcp install --client NAME`" + `
puts one entry, ` + "`" + ServerKey + "`" + `, into the configuration of the client, of the user; flags of ` + "`serve`" + `
behind it go into the entry. ` + "`chrome-mcp config NAME`" + ` prints the entry. ` + "`~`" + ` is the home folder.

| client | ` + "`--client`" + ` | file | below | how |
| --- | --- | --- | --- | --- |
`)
	for _, c := range Clients {
		var files []string
		for _, goos := range []string{"linux", "darwin", "windows"} {
			s := System{OS: goos, Home: "~", Config: "~/.config", Exists: func(string) bool { return false }}
			switch goos {
			case "darwin":
				s.Config = "~/Library/Application Support"
			case "windows":
				s.Config, s.Roaming = "%LOCALAPPDATA%", "%APPDATA%"
			}
			file := strings.ReplaceAll(s.clientFile(c), `~\`, "~/")
			if strings.HasPrefix(file, "~/") {
				file = strings.ReplaceAll(file, `\`, "/")
			}
			name := map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}[goos]
			if n := len(files); n > 0 && strings.HasSuffix(files[n-1], " `"+file+"`") {
				files[n-1] = strings.Replace(files[n-1], ":", ", "+name+":", 1)
			} else {
				files = append(files, name+": `"+file+"`")
			}
		}
		if len(files) == 1 {
			_, files[0], _ = strings.Cut(files[0], ": ")
		}
		if c.Home != "" {
			files = append(files, "or in `$"+c.Home+"`")
		}
		how := "the file"
		switch line := "`" + strings.Join(append([]string{c.CLI.Program}, c.CLI.Add[:min(2, len(c.CLI.Add))]...), " ") + "`"; {
		case c.CLIOnly:
			how = line + " only; the file belongs to the running client"
		case c.CLI.Program == "code":
			how = "`code --add-mcp`, else the file"
		case c.CLI.Program != "":
			how = line + ", else the file"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | `%s` | %s |\n", c.Title, c.Name, strings.Join(files, "<br>"), strings.Join(c.Under, "."), how)
	}
	b.WriteString("\nThe entry, by what the client wants it to be:\n")
	seen := map[string]bool{}
	o := Options{Data: "/home/me/.local/share/chrome-mcp", Args: []string{"--allow-domain", "example.com"}}
	for _, c := range Clients {
		text := c.Snippet(System{OS: "linux"}, o)
		if seen[text] {
			continue
		}
		seen[text] = true
		var same []string
		for _, other := range Clients {
			if other.Snippet(System{OS: "linux"}, o) == text {
				same = append(same, other.Title)
			}
		}
		fmt.Fprintf(&b, "\n%s:\n\n```%s\n%s```\n", strings.Join(same, ", "), strings.ToLower(string(c.Format)), text)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != b.String() {
		t.Errorf("%s is stale (%v); run with -update", path, err)
	}
}
