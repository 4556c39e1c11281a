package manifests

import (
	"fmt"
	"strings"
	"text/template"
)

// Formula is a Homebrew formula, which installs the archive of the user's system.
type Formula struct {
	Version  string
	Homepage string
	Archives []FormulaArchive
}

// FormulaArchive is the archive for one system.
type FormulaArchive struct {
	GOOS, GOARCH string
	URL, SHA256  string
}

// NewFormula describes a release's archives. The name of one is looked up by GOOS and
// GOARCH; Homebrew has macOS and Linux.
func NewFormula(version, repo string, archive func(goos, goarch string) (File, bool)) Formula {
	f := Formula{Version: version, Homepage: repo}
	for _, goos := range []string{"darwin", "linux"} {
		for _, goarch := range []string{"amd64", "arm64"} {
			if a, ok := archive(goos, goarch); ok {
				f.Archives = append(f.Archives, FormulaArchive{goos, goarch, downloadURL(repo, version, a.Name), a.SHA256})
			}
		}
	}
	return f
}

// Of returns the archives for one system.
func (f Formula) Of(goos string) (list []FormulaArchive) {
	for _, a := range f.Archives {
		if a.GOOS == goos {
			list = append(list, a)
		}
	}
	return list
}

// Description is what Homebrew shows; its rules want no full stop.
func (Formula) Description() string { return strings.TrimSuffix(description, ".") }

// License is an SPDX identifier.
func (Formula) License() string { return license }

// CPU is Homebrew's word for a processor.
func (a FormulaArchive) CPU() string {
	if a.GOARCH == "arm64" {
		return "arm"
	}
	return "intel"
}

var formula = template.Must(template.New("formula").Parse(`class ChromeMcp < Formula
  desc "{{.Description}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "{{.License}}"
{{range $system, $goos := .Systems}}{{with $.Of $goos}}
  on_{{$system}} do
{{- range .}}
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{end}}{{end}}
  def install
    bin.install "chrome-mcp"
    man1.install "man/chrome-mcp.1"
    bash_completion.install "completions/chrome-mcp.bash" => "chrome-mcp"
    zsh_completion.install "completions/_chrome-mcp"
    fish_completion.install "completions/chrome-mcp.fish"
  end

  def caveats
    <<~EOS
      To use it with your browser, run:
        chrome-mcp install
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/chrome-mcp version")
  end
end
`))

// Systems maps Homebrew's words to GOOS values; a template walks it in order of the words.
func (Formula) Systems() map[string]string {
	return map[string]string{"macos": "darwin", "linux": "linux"}
}

// Encode returns the formula's text.
func (f Formula) Encode() ([]byte, error) {
	var b strings.Builder
	if err := formula.Execute(&b, f); err != nil {
		return nil, fmt.Errorf("formula: %w", err)
	}
	return []byte(b.String()), nil
}
