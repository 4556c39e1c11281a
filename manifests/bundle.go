package manifests

// Words that stores and clients show for chrome-mcp, one set for all of them.
const (
	name        = "chrome-mcp"
	title       = "Chrome"
	description = "Lets an AI agent work in the Chrome you are logged in to, on the sites you allow."
	license     = "Apache-2.0"
)

// Bundle is the manifest.json of an .mcpb bundle: what a desktop client needs to run the
// binary that lies in the same archive, and what it asks its user first.
type Bundle struct {
	ManifestVersion string                  `json:"manifest_version"`
	Name            string                  `json:"name"`
	DisplayName     string                  `json:"display_name"`
	Version         string                  `json:"version"`
	Description     string                  `json:"description"`
	LongDescription string                  `json:"long_description"`
	Author          BundleAuthor            `json:"author"`
	Homepage        string                  `json:"homepage"`
	Icon            string                  `json:"icon"`
	Server          BundleServer            `json:"server"`
	ToolsGenerated  bool                    `json:"tools_generated"` // which tools there are depends on what is permitted
	Keywords        []string                `json:"keywords"`
	License         string                  `json:"license"`
	Compatibility   BundleCompatibility     `json:"compatibility"`
	UserConfig      map[string]BundleOption `json:"user_config"`
}

// BundleAuthor is who made it.
type BundleAuthor struct {
	Name string `json:"name"`
}

// BundleServer says how the server is started.
type BundleServer struct {
	Type       string       `json:"type"`
	EntryPoint string       `json:"entry_point"` // in the archive
	Config     BundleConfig `json:"mcp_config"`
}

// BundleConfig is the command line; the client fills in ${…}.
type BundleConfig struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// BundleCompatibility names systems as Node.js does: darwin, linux, win32.
type BundleCompatibility struct {
	Platforms []string `json:"platforms"`
}

// BundleOption is one question to the user.
type BundleOption struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Default     any    `json:"default"`
	Required    bool   `json:"required"`
}

// Names inside of a bundle.
const (
	BundleManifest = "manifest.json"
	BundleIcon     = "icon.png"
)

// NewBundle describes a bundle for one system, a GOOS value. repo is the address of the
// repository. The format has no word for the processor; the file's name says it.
func NewBundle(version, goos, repo string) Bundle {
	entry, platform := "server/"+Program(goos), goos
	if goos == "windows" {
		platform = "win32"
	}
	return Bundle{
		ManifestVersion: "0.3", Name: name, DisplayName: title, Version: version, Description: description,
		LongDescription: "An agent reads pages, clicks, types and fills forms in tabs of its own, in the background, with your logins. " +
			"You decide on which sites, here or in the browser when it asks.\n\n" +
			"The browser's half is an extension. Until it is installed with `chrome-mcp install` (see the homepage), " +
			"the agent works in a browser of its own.",
		Author: BundleAuthor{"The chrome-mcp authors"}, Homepage: repo, Icon: BundleIcon,
		Server: BundleServer{Type: "binary", EntryPoint: entry, Config: BundleConfig{
			Command: "${__dirname}/" + entry,
			Args: []string{
				"--allow-domain=${user_config.sites}", "--enable-mutations=${user_config.act}",
				"--enable-downloads=${user_config.download}", "--enable-observers=${user_config.observe}",
			},
		}},
		ToolsGenerated: true, License: license,
		Keywords:      []string{"chrome", "browser", "automation", "web"},
		Compatibility: BundleCompatibility{[]string{platform}},
		UserConfig: map[string]BundleOption{
			"sites":    {"string", "Sites", "Sites that the agent may use, separated by commas: example.com, *.example.com. Others can be allowed in the browser when the agent asks.", "", false},
			"act":      {"boolean", "Click and type", "Let the agent act on these sites, not only read them.", false, false},
			"download": {"boolean", "Download files", "Let the agent download files from these sites.", false, false},
			"observe":  {"boolean", "Console and network", "Let the agent read what these sites log and request.", false, false},
		},
	}
}

// Encode returns the file's bytes.
func (b Bundle) Encode() ([]byte, error) { return encode("bundle manifest", b) }

// Program is the name of the program's file on a system, a GOOS value.
func Program(goos string) string {
	if goos == "windows" {
		return name + ".exe"
	}
	return name
}
