package manifests

import (
	"fmt"
	"net/url"
	"strings"
)

// Registry is the server.json by which the MCP registry lists a server.
type Registry struct {
	Schema      string             `json:"$schema"`
	Name        string             `json:"name"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Repository  RegistryRepository `json:"repository"`
	Version     string             `json:"version"`
	Packages    []RegistryPackage  `json:"packages"`
}

// RegistryRepository is where the source is.
type RegistryRepository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

// RegistryPackage is one bundle. The registry takes no version here: the address has it.
type RegistryPackage struct {
	RegistryType string            `json:"registryType"`
	Identifier   string            `json:"identifier"` // address of the file
	SHA256       string            `json:"fileSha256"`
	Transport    RegistryTransport `json:"transport"`
}

// RegistryTransport is how the server is talked to.
type RegistryTransport struct {
	Type string `json:"type"`
}

// File is a published file and its hash, in hexadecimal.
type File struct{ Name, SHA256 string }

// RegistrySchema is what server.json is written to.
const RegistrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// NewRegistry lists the bundles of a release in the repository, which is on GitHub or
// GitLab: the registry takes bundles from no other host.
func NewRegistry(version, repo string, bundles []File) (Registry, error) {
	host, owner, err := splitRepo(repo)
	if err != nil {
		return Registry{}, err
	}
	source := strings.TrimSuffix(host, ".com")
	r := Registry{
		Schema: RegistrySchema, Name: "io." + source + "." + owner + "/" + name, Title: title,
		Description: description, Repository: RegistryRepository{repo, source}, Version: version,
	}
	for _, b := range bundles {
		r.Packages = append(r.Packages, RegistryPackage{
			RegistryType: "mcpb", Identifier: downloadURL(repo, version, b.Name), SHA256: b.SHA256,
			Transport: RegistryTransport{"stdio"},
		})
	}
	return r, nil
}

// Encode returns the file's bytes.
func (r Registry) Encode() ([]byte, error) { return encode("server.json", r) }

func splitRepo(repo string) (host, owner string, err error) {
	u, err := url.Parse(repo)
	if err == nil && u.Scheme == "https" && (u.Host == "github.com" || u.Host == "gitlab.com") {
		if parts := strings.Split(strings.Trim(u.Path, "/"), "/"); len(parts) == 2 && parts[0] != "" {
			return u.Host, parts[0], nil
		}
	}
	return "", "", fmt.Errorf("repository %q is not like https://github.com/OWNER/NAME, the place that the MCP registry takes bundles from", repo)
}

// downloadURL is where a release's file can be fetched.
func downloadURL(repo, version, file string) string {
	path := "/releases/download/v" + version + "/"
	if strings.HasPrefix(repo, "https://gitlab.com/") {
		path = "/-/releases/v" + version + "/downloads/"
	}
	return repo + path + file
}
