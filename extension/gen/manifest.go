package main

import (
	"chrome-mcp/extension"
	"chrome-mcp/internal/version"
)

// manifest is the part of Chrome's extension manifest, version 3, that we use.
type manifest struct {
	ManifestVersion      int               `json:"manifest_version"`
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	Key                  string            `json:"key"`
	MinimumChromeVersion string            `json:"minimum_chrome_version"`
	Icons                map[string]string `json:"icons"`
	Permissions          []string          `json:"permissions"`
	Background           background        `json:"background"`
	Action               action            `json:"action"`
	OptionsPage          string            `json:"options_page"`
	CSP                  csp               `json:"content_security_policy"`
	Connectable          connectable       `json:"externally_connectable"`
	Incognito            string            `json:"incognito"`
}

type background struct {
	ServiceWorker string `json:"service_worker"`
	Type          string `json:"type"`
}

type action struct {
	DefaultTitle string            `json:"default_title"`
	DefaultPopup string            `json:"default_popup"`
	DefaultIcon  map[string]string `json:"default_icon"`
}

// connectable says who may send the extension messages. Without matches no web page can.
type connectable struct {
	IDs []string `json:"ids"`
}

type csp struct {
	ExtensionPages string `json:"extension_pages"`
}

// minimumChrome: chrome.debugger reaches the targets of cross-origin frames through
// flat child sessions (DebuggerSession.sessionId) since 125. All else we use is
// older: a native port keeps the worker alive since 105, storage.session 102.
const minimumChrome = "125"

// pageCSP lets the extension's own code run and dial loopback, and nothing else:
// no inline script, no eval, nothing fetched, shown or sent to outside. 'self' in
// connect-src is for the worker, which reads the page bundle from its own folder.
const pageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self' ws://127.0.0.1:*; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func newManifest() manifest {
	icons := map[string]string{"16": "icons/16.png", "32": "icons/32.png", "48": "icons/48.png", "128": "icons/128.png"}
	return manifest{
		ManifestVersion:      3,
		Name:                 "chrome-mcp",
		Version:              version.Version,
		Description:          "Lets an AI agent you started work in this browser, on the sites you allow.",
		Key:                  extension.Key,
		MinimumChromeVersion: minimumChrome,
		Icons:                icons,
		// No host permissions: pages are reached through debugger only, and only past
		// the gate. tabs shows the URL that the gate judges; webNavigation tells which
		// page opened a tab, and whose frames are in a page; downloads saves files; declarativeNetRequest stops
		// navigations of sessions' tabs, and reads no request.
		Permissions: []string{"alarms", "debugger", "declarativeNetRequest", "downloads", "nativeMessaging", "storage", "tabGroups", "tabs", "webNavigation"},
		Background:  background{ServiceWorker: "worker.js", Type: "module"},
		Action:      action{DefaultTitle: "chrome-mcp", DefaultPopup: "popup.html", DefaultIcon: icons},
		OptionsPage: "options.html",
		CSP:         csp{ExtensionPages: pageCSP},
		// Every extension may ask; whether it gets anything the user says. The id of one
		// that is loaded unpacked changes, so there is no list to keep.
		Connectable: connectable{IDs: []string{"*"}},
		Incognito:   "not_allowed",
	}
}
