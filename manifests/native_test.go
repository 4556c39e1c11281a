package manifests

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

const testOrigin = "chrome-extension://knldjmfmopnpolahpmmgbagdohdnhkik/"

func TestEncodeGolden(t *testing.T) {
	for file, path := range map[string]string{
		"linux.json":   "/home/two words/.local/share/chrome-mcp/bin/chrome-mcp",
		"darwin.json":  "/Users/u&v/Library/Application Support/chrome-mcp/bin/chrome-mcp",
		"windows.json": `C:\Users\Two Words\AppData\Local\chrome-mcp\bin\chrome-mcp.exe`,
	} {
		got, err := NewNativeHost("com.x.host", path, testOrigin).Encode()
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", file)
		if *update {
			os.WriteFile(golden, got, 0o644)
		}
		if want, err := os.ReadFile(golden); err != nil || string(got) != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s (%v)", file, got, want, err)
		}
		back, err := ParseNativeHost(append([]byte("\ufeff"), got...))
		if err != nil || back.Path != path {
			t.Errorf("read back %+v, %v", back, err)
		}
	}
}

// The faults people met in the field, each with words of ours that name it.
func TestFieldFaults(t *testing.T) {
	words := map[string]string{ // from the vector's wish to our text
		"valid":                                  "",
		"invalid: origin needs a trailing slash": "needs a trailing slash",
		"invalid on Linux/macOS: path must be absolute":   "must be absolute",
		"invalid name (lower case, digits, _ and . only)": "is no host name",
		"invalid: no wildcards":                           "wildcards are not allowed",
		"warn: file missing or not executable":            "file missing",
		"wrapper must quote its own paths":                "must quote its own paths",
		"file name must equal name":                       "is called com.x.other.json",
		"warn: temporary path":                            "temporary or build folder",
	}
	b, err := os.ReadFile("testdata/fields.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			FileName string `json:"file_name"`
			Manifest NativeHost
			Want     string
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	present := func(path string) (fs.FileInfo, error) {
		if strings.Contains(path, "missing") {
			return nil, fs.ErrNotExist
		}
		return os.Stat(os.Args[0])
	}
	for _, v := range file.Vectors {
		want, known := words[v.Want]
		if !known {
			t.Errorf("no expectation for %q", v.Want)
		}
		var all []string
		for _, f := range Check(v.Manifest, v.FileName, "linux", present) {
			all = append(all, f.String())
			if strings.Contains(f.Text, want) && want != "" && f.Warn != (strings.HasPrefix(v.Want, "warn") || strings.HasPrefix(v.Want, "wrapper")) {
				t.Errorf("%s: Warn = %v", v.Want, f.Warn)
			}
		}
		text := strings.Join(all, "\n")
		if want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("%s: found %q", v.Want, text)
		}
	}
}

// What we write has no fault, and each single change of it has one.
func TestCheckNamesEachFault(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "exe")
	plain := filepath.Join(t.TempDir(), "plain")
	os.WriteFile(exe, nil, 0o755)
	os.WriteFile(plain, nil, 0o644)
	present := func(path string) (fs.FileInfo, error) {
		return os.Stat(map[string]string{"/opt/exe": exe, "/opt/plain": plain, "/opt": t.TempDir(), `C:\x\chrome-mcp.exe`: exe}[path])
	}
	good := NewNativeHost("com.x.host", "/opt/exe", testOrigin)
	if got := Check(good, "/a/com.x.host.json", "linux", present); len(got) != 0 {
		t.Fatalf("a good manifest: %v", got)
	}
	cases := map[string]func(*NativeHost){
		"name":            func(n *NativeHost) { n.Name = "com..host" },
		"type":            func(n *NativeHost) { n.Type = "pipe" },
		"allowed_origins": func(n *NativeHost) { n.AllowedOrigins = nil },
		"path":            func(n *NativeHost) { n.Path = "/opt/plain" },
		"path ":           func(n *NativeHost) { n.Path = "/opt" },
		"path  ":          func(n *NativeHost) { n.Path = "" },
		"path   ":         func(n *NativeHost) { n.Path = `C:\x\chrome-mcp.exe` },
	}
	for field, change := range cases {
		n := good
		change(&n)
		if got := Check(n, "", "linux", present); len(got) != 1 || got[0].Field != strings.TrimSpace(field) {
			t.Errorf("%s: found %v", field, got)
		}
	}
	good.Path = `C:\x\chrome-mcp.exe`
	if got := Check(good, "", "windows", present); len(got) != 0 {
		t.Errorf("on Windows: %v", got)
	}
}
