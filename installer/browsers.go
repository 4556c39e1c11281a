package installer

import "strings"

// Browser is one row of the table: where a browser keeps its native host manifests and
// how to see that it is there. Adding a browser is adding a row.
type Browser struct {
	Name     string // what --browser takes
	Title    string // what people call it
	Linux    Place
	Darwin   Place
	Windows  Place
	Policies Policies
	// Note is shown with the plan; {data} is the data folder.
	Note string
	// Refuse says why the browser cannot be served, with the way out. Nothing is written.
	Refuse string
}

// Policies is where whoever manages the machine says what the browser may do.
type Policies struct {
	Linux   string // folder of JSON files
	Darwin  string // preference domain
	Windows string // key below Software\Policies
}

// Place is a browser on one OS. The zero Place means that it does not exist there.
type Place struct {
	// Dir is the user data folder, below ~/.config, ~/Library/Application Support or
	// %LOCALAPPDATA%; one that starts with ~/ lies below the home folder.
	Dir string
	// Hosts are folders whose NativeMessagingHosts the browser reads, if not Dir's own.
	Hosts []string
	// Keys are registry keys below HKCU\Software, Windows only.
	Keys []string
	// Programs show that the browser is installed: names on PATH (Linux), bundles in
	// Applications (macOS), paths below the program folders (Windows).
	Programs []string
	// Unsure marks a place that nobody has verified: not used unless asked for by name.
	Unsure bool
}

func linux(dir string, programs ...string) Place { return Place{Dir: dir, Programs: programs} }
func mac(dir, app string) Place                  { return Place{Dir: dir, Programs: []string{app + ".app"}} }
func win(dir, exe string, keys ...string) Place {
	return Place{Dir: dir, Programs: []string{exe}, Keys: keys}
}
func unsure(p Place) Place                     { p.Unsure = true; return p }
func readsFrom(p Place, hosts ...string) Place { p.Hosts = hosts; return p }

const (
	keyChrome   = `Google\Chrome`
	keyChromium = `Chromium`
	keyEdge     = `Microsoft\Edge`
	keyBrave    = `BraveSoftware\Brave-Browser`
)

var (
	policiesChrome   = Policies{"/etc/opt/chrome/policies/managed", "com.google.Chrome", `Google\Chrome`}
	policiesChromium = Policies{"/etc/chromium/policies/managed", "org.chromium.Chromium", `Chromium`}
	policiesEdge     = Policies{"/etc/opt/edge/policies/managed", "com.microsoft.Edge", `Microsoft\Edge`}
	policiesBrave    = Policies{"/etc/brave/policies/managed", "com.brave.Browser", `BraveSoftware\Brave`}
)

const flatpakNote = "the browser's sandbox has to see the program: flatpak override --user --filesystem={data}:ro "

// Browsers is the table, in the order in which it is shown.
var Browsers = []Browser{
	{
		Name: "chrome", Title: "Google Chrome", Policies: policiesChrome,
		Linux:   linux("google-chrome", "google-chrome-stable", "google-chrome"),
		Darwin:  mac("Google/Chrome", "Google Chrome"),
		Windows: win(`Google\Chrome\User Data`, `Google\Chrome\Application\chrome.exe`, keyChrome),
	}, {
		Name: "chrome-beta", Title: "Google Chrome Beta", Policies: policiesChrome,
		Linux:   linux("google-chrome-beta", "google-chrome-beta"),
		Darwin:  mac("Google/Chrome Beta", "Google Chrome Beta"),
		Windows: win(`Google\Chrome Beta\User Data`, `Google\Chrome Beta\Application\chrome.exe`, keyChrome),
	}, {
		Name: "chrome-dev", Title: "Google Chrome Dev", Policies: policiesChrome,
		Linux:   linux("google-chrome-unstable", "google-chrome-unstable"),
		Darwin:  mac("Google/Chrome Dev", "Google Chrome Dev"),
		Windows: win(`Google\Chrome Dev\User Data`, `Google\Chrome Dev\Application\chrome.exe`, keyChrome),
	}, {
		Name: "chrome-canary", Title: "Google Chrome Canary", Policies: policiesChrome,
		Linux:   unsure(linux("google-chrome-canary", "google-chrome-canary")),
		Darwin:  mac("Google/Chrome Canary", "Google Chrome Canary"),
		Windows: win(`Google\Chrome SxS\User Data`, `Google\Chrome SxS\Application\chrome.exe`, keyChrome),
	}, {
		Name: "chrome-for-testing", Title: "Google Chrome for Testing",
		Linux:   unsure(linux("google-chrome-for-testing")),
		Darwin:  mac("Google/Chrome for Testing", "Google Chrome for Testing"),
		Windows: unsure(win(`Google\Chrome for Testing\User Data`, `Google\Chrome for Testing\Application\chrome.exe`, `Google\ChromeForTesting`)),
	}, {
		Name: "chromium", Title: "Chromium", Policies: policiesChromium,
		Linux:   linux("chromium", "chromium", "chromium-browser"),
		Darwin:  mac("Chromium", "Chromium"),
		Windows: win(`Chromium\User Data`, `Chromium\Application\chrome.exe`, keyChromium),
	}, {
		Name: "edge", Title: "Microsoft Edge", Policies: policiesEdge,
		Linux:   linux("microsoft-edge", "microsoft-edge-stable", "microsoft-edge"),
		Darwin:  mac("Microsoft Edge", "Microsoft Edge"),
		Windows: win(`Microsoft\Edge\User Data`, `Microsoft\Edge\Application\msedge.exe`, keyEdge),
	}, {
		Name: "edge-beta", Title: "Microsoft Edge Beta", Policies: policiesEdge,
		Linux:   linux("microsoft-edge-beta", "microsoft-edge-beta"),
		Darwin:  mac("Microsoft Edge Beta", "Microsoft Edge Beta"),
		Windows: win(`Microsoft\Edge Beta\User Data`, `Microsoft\Edge Beta\Application\msedge.exe`, keyEdge),
	}, {
		Name: "edge-dev", Title: "Microsoft Edge Dev", Policies: policiesEdge,
		Linux:   linux("microsoft-edge-dev", "microsoft-edge-dev"),
		Darwin:  mac("Microsoft Edge Dev", "Microsoft Edge Dev"),
		Windows: win(`Microsoft\Edge Dev\User Data`, `Microsoft\Edge Dev\Application\msedge.exe`, keyEdge),
	}, {
		Name: "brave", Title: "Brave", Policies: policiesBrave,
		Linux:   linux("BraveSoftware/Brave-Browser", "brave-browser", "brave-browser-stable", "brave"),
		Darwin:  mac("BraveSoftware/Brave-Browser", "Brave Browser"),
		Windows: win(`BraveSoftware\Brave-Browser\User Data`, `BraveSoftware\Brave-Browser\Application\brave.exe`, keyChrome, keyBrave),
	}, {
		Name: "brave-beta", Title: "Brave Beta", Policies: policiesBrave,
		Linux:   linux("BraveSoftware/Brave-Browser-Beta", "brave-browser-beta"),
		Darwin:  mac("BraveSoftware/Brave-Browser-Beta", "Brave Browser Beta"),
		Windows: win(`BraveSoftware\Brave-Browser-Beta\User Data`, `BraveSoftware\Brave-Browser-Beta\Application\brave.exe`, keyChrome, keyBrave),
	}, {
		Name: "brave-nightly", Title: "Brave Nightly", Policies: policiesBrave,
		Linux:   linux("BraveSoftware/Brave-Browser-Nightly", "brave-browser-nightly"),
		Darwin:  mac("BraveSoftware/Brave-Browser-Nightly", "Brave Browser Nightly"),
		Windows: win(`BraveSoftware\Brave-Browser-Nightly\User Data`, `BraveSoftware\Brave-Browser-Nightly\Application\brave.exe`, keyChrome, keyBrave),
	}, {
		Name: "brave-origin", Title: "Brave Origin", Policies: policiesBrave,
		Linux:   linux("BraveSoftware/Brave-Origin", "brave-origin"),
		Darwin:  mac("BraveSoftware/Brave-Origin", "Brave Origin"),
		Windows: win(`BraveSoftware\Brave-Origin\User Data`, `BraveSoftware\Brave-Origin\Application\brave.exe`, keyChrome, keyBrave),
	}, {
		Name: "vivaldi", Title: "Vivaldi",
		Linux:   linux("vivaldi", "vivaldi-stable", "vivaldi"),
		Darwin:  mac("Vivaldi", "Vivaldi"),
		Windows: win(`Vivaldi\User Data`, `Vivaldi\Application\vivaldi.exe`, keyChrome),
	}, {
		// Opera reads Chrome's folder; its own is unverified.
		Name: "opera", Title: "Opera",
		Linux:   readsFrom(linux("opera", "opera"), "google-chrome"),
		Darwin:  readsFrom(mac("com.operasoftware.Opera", "Opera"), "Google/Chrome"),
		Windows: win(`Opera Software\Opera Stable`, `Programs\Opera\opera.exe`, keyChrome),
	}, {
		Name: "arc", Title: "Arc",
		Darwin:  mac("Arc/User Data", "Arc"),
		Windows: unsure(win(`Arc\User Data`, `Microsoft\WindowsApps\Arc.exe`, keyChrome)),
	}, {
		Name: "yandex", Title: "Yandex Browser",
		Linux:   linux("yandex-browser", "yandex-browser-stable", "yandex-browser"),
		Darwin:  unsure(mac("Yandex/YandexBrowser", "Yandex")),
		Windows: unsure(win(`Yandex\YandexBrowser\User Data`, `Yandex\YandexBrowser\Application\browser.exe`, keyChrome)),
	}, {
		Name: "chrome-flatpak", Title: "Google Chrome (flatpak)", Note: flatpakNote + "com.google.Chrome",
		Linux: linux("~/.var/app/com.google.Chrome/config/google-chrome"),
	}, {
		Name: "chromium-flatpak", Title: "Chromium (flatpak)", Note: flatpakNote + "org.chromium.Chromium",
		Linux: linux("~/.var/app/org.chromium.Chromium/config/chromium"),
	}, {
		Name: "brave-flatpak", Title: "Brave (flatpak)", Note: flatpakNote + "com.brave.Browser",
		Linux: linux("~/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser"),
	}, {
		Name: "edge-flatpak", Title: "Microsoft Edge (flatpak)", Note: flatpakNote + "com.microsoft.Edge",
		Linux: linux("~/.var/app/com.microsoft.Edge/config/microsoft-edge"),
	}, {
		Name: "chromium-snap", Title: "Chromium (snap)",
		Linux:  linux("~/snap/chromium/common/chromium", snapProgram),
		Refuse: "a snap cannot start programs outside itself; install Chromium or Chrome from a package or flatpak and run `chrome-mcp install` again, or run the server with --backend cdp",
	},
}

// Flatpak is the browser's id if it is a flatpak, else "".
func (b Browser) Flatpak() string {
	rest, ok := strings.CutPrefix(b.Linux.Dir, "~/.var/app/")
	id, _, _ := strings.Cut(rest, "/")
	if !ok {
		return ""
	}
	return id
}

// snapProgram is how an installed snap shows itself. Distributions that ship Chromium
// as a snap put a script of the usual name on PATH, which proves nothing then.
const snapProgram = "/snap/bin/chromium"
