package doctor

import (
	"context"
	"fmt"
	"slices"

	"chrome-mcp/extension"
	"chrome-mcp/installer"
)

// managed is what whoever manages the machine says of a browser, as far as it touches us.
type managed struct {
	HostBlocklist []string `json:"NativeMessagingBlocklist"`
	HostAllowlist []string `json:"NativeMessagingAllowlist"`
	UserHosts     *bool    `json:"NativeMessagingUserLevelHosts"`
	ExtBlocklist  []string `json:"ExtensionInstallBlocklist"`
	ExtAllowlist  []string `json:"ExtensionInstallAllowlist"`
	DevTools      int      `json:"DeveloperToolsAvailability"`     // 2 is off
	DevMode       int      `json:"ExtensionDeveloperModeSettings"` // 1 is off
}

// policies looks whether the browser is forbidden to start the host or to load the
// extension. Browsers show all of them at chrome://policy.
func (e *exam) policies(ctx context.Context, v installer.View) {
	m, from := e.managedBy(ctx, v.Row.Policies)
	host := e.Options.Host
	ask := "ask who manages this computer; chrome://policy shows it: "
	blocked := func(list, but []string, name string) bool {
		return (slices.Contains(list, "*") || slices.Contains(list, name)) && !slices.Contains(but, name)
	}
	switch {
	case blocked(m.HostBlocklist, m.HostAllowlist, host):
		e.fail("policy.host", v.Title+" is forbidden to start the host", fmt.Sprintf("NativeMessagingBlocklist %q in %s", m.HostBlocklist, from), ask+"add "+host+" to NativeMessagingAllowlist")
	case m.UserHosts != nil && !*m.UserHosts:
		e.fail("policy.user-hosts", v.Title+" is forbidden to start hosts that a user installed", "NativeMessagingUserLevelHosts is false in "+from, ask+"set it to true")
	}
	switch {
	case blocked(m.ExtBlocklist, m.ExtAllowlist, extension.ID):
		e.fail("policy.extension", v.Title+" is forbidden to load the extension", fmt.Sprintf("ExtensionInstallBlocklist %q in %s", m.ExtBlocklist, from), ask+"add "+extension.ID+" to ExtensionInstallAllowlist")
	case m.DevTools == 2 || m.DevMode == 1:
		e.fail("policy.developer-mode", v.Title+" is forbidden to load unpacked extensions", "DeveloperToolsAvailability or ExtensionDeveloperModeSettings in "+from, ask+"allow developer mode")
	}
}
