package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// site is one of the person's sites, with what to do there.
type site struct {
	Name  string   `json:"name"`
	URL   string   `json:"url"`
	Also  []string `json:"also,omitempty"` // further hosts that its pages lead to
	Steps []step   `json:"steps,omitempty"`
}

// step is one call.
type step struct {
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"args,omitempty"`
	Expect string         `json:"expect,omitempty"` // words for the person: what should happen
}

// looks are the steps that every site begins with.
func (s site) looks() []step {
	return []step{
		{"navigate", map[string]any{"url": s.URL}, "The page opens in a tab of the group, and your own tab stays in front."},
		{"auth_check", nil, "It says rightly whether you are logged in."},
		{"snapshot", map[string]any{"interactiveOnly": true}, "What you can press and fill in on the page is there, under its name."},
		{"read_as_markdown", nil, "It reads like the page."},
		{"screenshot", nil, "The picture shows the page as it is."},
	}
}

// hosts are the hosts that the site may use, with the port where there is one.
func (s site) hosts() []string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return s.Also
	}
	return append([]string{u.Host}, s.Also...)
}

// readTargets reads the person's file. A misspelt field would be a step left out.
func readTargets(path string) ([]site, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; copy test-targets.example.json there and write your own sites into it", path)
	}
	if err != nil {
		return nil, err
	}
	var file struct {
		Sites []site `json:"sites"`
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w; test-targets.example.json shows what it may hold", path, err)
	}
	if len(file.Sites) == 0 {
		return nil, fmt.Errorf("%s names no sites", path)
	}
	for _, s := range file.Sites {
		if err := s.valid(); err != nil {
			return nil, fmt.Errorf("%s: site %q: %w", path, s.Name, err)
		}
	}
	return file.Sites, nil
}

func (s site) valid() error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("url %q is no address of a web page", s.URL)
	}
	if i := slices.IndexFunc(s.Also, func(h string) bool { return strings.Contains(h, "*") }); i >= 0 {
		return fmt.Errorf("also %q: name each host; a check works on no others", s.Also[i])
	}
	for _, st := range s.Steps {
		if st.Tool == "" {
			return errors.New("a step names no tool")
		}
		if slices.Contains(opaque, st.Tool) {
			return fmt.Errorf("%s does not show what it would do; write single steps", st.Tool)
		}
	}
	return nil
}
