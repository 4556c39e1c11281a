package installer

import (
	"chrome-mcp/internal/conf"
)

// ServerKey is the name under which clients know us.
const ServerKey = "chrome"

// Client is one row of the table of MCP clients: where a client keeps its list of servers
// and how an entry of it looks. Adding a client is adding a row.
type Client struct {
	Name  string // what --client takes
	Title string // what people call it

	// Files are the client's configuration, of the user. The first that exists is used,
	// else the first whose folder exists, else the first.
	Linux, Darwin, Windows Files
	// Home is a variable that replaces the folder of the first file.
	Home string

	Format conf.Format
	Under  []string // path of the object that holds the servers
	Entry  Shape

	// Signs show that the client is installed, besides the folder of a file and its own
	// command: programs, as in a browser's Place.
	Signs Signs
	CLI   CLI
	// CLIOnly marks a file that the running client writes all the time: it is read, and
	// never written by us.
	CLIOnly bool
}

// Files are paths that begin with ~/ (home folder), ~config/ (~/.config, ~/Library/
// Application Support or %APPDATA%) or ~local/ (%LOCALAPPDATA%). A * stands for any name.
type Files []string

// Signs are names of applications: bundles on macOS, paths below the program folders on
// Windows. On Linux the folder of the configuration is the sign.
type Signs struct{ Darwin, Windows string }

// Shape is what a client wants an entry to be.
type Shape int

// The shapes of an entry.
const (
	Plain      Shape = iota // command, args
	TypedStdio              // the same with type "stdio"
	TypedLocal              // the same with type "local" and all tools on
	OneCommand              // command and arguments in one array
	GooseShape              // cmd, args and what Goose's own dialog writes
)

// CLI is a client's own command for adding a server, and whether it wants JSON or a
// command line. The zero CLI means that it has none that we use.
type CLI struct {
	Program string
	Places  Files    // where it is too, if not on PATH
	Add     []string // arguments; {json} is the entry with its name, {command} the program with its arguments
	Remove  []string
	Restore []string // puts {json} back, an entry that was there before
	Dashes  string   // stands between program and arguments in {command}, if there are any
}

// Clients is the table, in the order in which it is shown.
var Clients = []Client{
	{
		Name: "claude-code", Title: "Claude Code",
		Linux: Files{"~/.claude.json"}, Darwin: Files{"~/.claude.json"}, Windows: Files{"~/.claude.json"},
		Home:   "CLAUDE_CONFIG_DIR",
		Format: conf.JSON, Under: []string{"mcpServers"}, Entry: TypedStdio,
		CLI: CLI{
			Program: "claude", Places: Files{"~/.local/bin/claude", "~/.claude/local/claude"},
			Add:     []string{"mcp", "add", "--scope", "user", ServerKey, "--", "{command}"},
			Remove:  []string{"mcp", "remove", "--scope", "user", ServerKey},
			Restore: []string{"mcp", "add-json", "--scope", "user", ServerKey, "{json}"},
		},
		CLIOnly: true,
	}, {
		Name: "claude-desktop", Title: "Claude Desktop",
		Linux:  Files{"~config/Claude/claude_desktop_config.json"},
		Darwin: Files{"~config/Claude/claude_desktop_config.json"},
		// The Store's version keeps its files in a place of its own.
		Windows: Files{"~local/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json", "~config/Claude/claude_desktop_config.json"},
		Format:  conf.JSON, Under: []string{"mcpServers"},
		Signs: Signs{Darwin: "Claude.app", Windows: `AnthropicClaude\claude.exe`},
	}, {
		Name: "cursor", Title: "Cursor",
		Linux: Files{"~/.cursor/mcp.json"}, Darwin: Files{"~/.cursor/mcp.json"}, Windows: Files{"~/.cursor/mcp.json"},
		Format: conf.JSON, Under: []string{"mcpServers"},
		Signs: Signs{Darwin: "Cursor.app", Windows: `Programs\cursor\Cursor.exe`},
	}, {
		Name: "vscode", Title: "VS Code",
		Linux: Files{"~config/Code/User/mcp.json"}, Darwin: Files{"~config/Code/User/mcp.json"}, Windows: Files{"~config/Code/User/mcp.json"},
		Format: conf.JSON, Under: []string{"servers"}, Entry: TypedStdio,
		Signs: Signs{Darwin: "Visual Studio Code.app", Windows: `Programs\Microsoft VS Code\Code.exe`},
		CLI:   CLI{Program: "code", Add: []string{"--add-mcp", "{json}"}},
	}, {
		Name: "copilot", Title: "GitHub Copilot CLI",
		Linux: Files{"~/.copilot/mcp-config.json"}, Darwin: Files{"~/.copilot/mcp-config.json"}, Windows: Files{"~/.copilot/mcp-config.json"},
		Format: conf.JSON, Under: []string{"mcpServers"}, Entry: TypedLocal,
	}, {
		Name: "codex", Title: "Codex",
		Linux: Files{"~/.codex/config.toml"}, Darwin: Files{"~/.codex/config.toml"}, Windows: Files{"~/.codex/config.toml"},
		Home:   "CODEX_HOME",
		Format: conf.TOML, Under: []string{"mcp_servers"},
		CLI: CLI{Program: "codex", Add: []string{"mcp", "add", ServerKey, "--", "{command}"}, Remove: []string{"mcp", "remove", ServerKey}},
	}, {
		Name: "gemini", Title: "Gemini CLI",
		Linux: Files{"~/.gemini/settings.json"}, Darwin: Files{"~/.gemini/settings.json"}, Windows: Files{"~/.gemini/settings.json"},
		Format: conf.JSON, Under: []string{"mcpServers"},
		CLI: CLI{
			Program: "gemini", Dashes: "--", // or it takes our arguments for its own
			Add:    []string{"mcp", "add", "--scope", "user", ServerKey, "{command}"},
			Remove: []string{"mcp", "remove", "--scope", "user", ServerKey},
		},
	}, {
		Name: "windsurf", Title: "Windsurf",
		Linux:   Files{"~/.codeium/windsurf/mcp_config.json"},
		Darwin:  Files{"~/.codeium/windsurf/mcp_config.json"},
		Windows: Files{"~/.codeium/windsurf/mcp_config.json"},
		Format:  conf.JSON, Under: []string{"mcpServers"},
		Signs: Signs{Darwin: "Windsurf.app", Windows: `Programs\Windsurf\Windsurf.exe`},
	}, {
		Name: "zed", Title: "Zed",
		Linux: Files{"~config/zed/settings.json"}, Darwin: Files{"~/.config/zed/settings.json"}, Windows: Files{"~config/Zed/settings.json"},
		Format: conf.JSON, Under: []string{"context_servers"},
		Signs: Signs{Darwin: "Zed.app", Windows: `Programs\Zed\Zed.exe`},
	}, {
		Name: "junie", Title: "JetBrains Junie",
		Linux: Files{"~/.junie/mcp/mcp.json"}, Darwin: Files{"~/.junie/mcp/mcp.json"}, Windows: Files{"~/.junie/mcp/mcp.json"},
		Format: conf.JSON, Under: []string{"mcpServers"},
	}, {
		Name: "goose", Title: "Goose",
		Linux:   Files{"~config/goose/config.yaml"},
		Darwin:  Files{"~/.config/goose/config.yaml"},
		Windows: Files{"~config/Block/goose/config/config.yaml"},
		Format:  conf.YAML, Under: []string{"extensions"}, Entry: GooseShape,
		Signs: Signs{Darwin: "Goose.app"},
	}, {
		// Since version 4 Cline has a folder of its own; before, it kept files in VS Code's.
		Name: "cline", Title: "Cline",
		Linux:   Files{clineFile, clineBefore},
		Darwin:  Files{clineFile, clineBefore},
		Windows: Files{clineFile, clineBefore},
		Format:  conf.JSON, Under: []string{"mcpServers"}, Entry: TypedStdio,
	}, {
		Name: "opencode", Title: "opencode",
		Linux:   Files{"~config/opencode/opencode.json", "~config/opencode/opencode.jsonc"},
		Darwin:  Files{"~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"},
		Windows: Files{"~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"},
		Format:  conf.JSON, Under: []string{"mcp"}, Entry: OneCommand,
	},
}

const (
	clineFile   = "~/.cline/data/settings/cline_mcp_settings.json"
	clineBefore = "~config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
)
