package doctor

import (
	"context"

	"golang.org/x/sys/windows/registry"

	"chrome-mcp/installer"
)

// managedBy reads the policies' keys, the machine's over the user's.
func (e *exam) managedBy(_ context.Context, p installer.Policies) (m managed, from string) {
	if p.Windows == "" {
		return m, ""
	}
	path := `Software\Policies\` + p.Windows
	for _, root := range []registry.Key{registry.CURRENT_USER, registry.LOCAL_MACHINE} {
		merge(root, path, &m)
	}
	return m, `HKLM\` + path
}

func merge(root registry.Key, path string, m *managed) {
	for name, list := range map[string]*[]string{
		"NativeMessagingBlocklist": &m.HostBlocklist, "NativeMessagingAllowlist": &m.HostAllowlist,
		"ExtensionInstallBlocklist": &m.ExtBlocklist, "ExtensionInstallAllowlist": &m.ExtAllowlist,
	} {
		if values := listOf(root, path+`\`+name); values != nil {
			*list = values
		}
	}
	k, err := registry.OpenKey(root, path, registry.QUERY_VALUE)
	if err != nil {
		return
	}
	defer k.Close()
	if n, _, err := k.GetIntegerValue("NativeMessagingUserLevelHosts"); err == nil {
		yes := n != 0
		m.UserHosts = &yes
	}
	if n, _, err := k.GetIntegerValue("DeveloperToolsAvailability"); err == nil {
		m.DevTools = int(n)
	}
	if n, _, err := k.GetIntegerValue("ExtensionDeveloperModeSettings"); err == nil {
		m.DevMode = int(n)
	}
}

// listOf reads a list: values named 1, 2, 3 …
func listOf(root registry.Key, path string) (list []string) {
	k, err := registry.OpenKey(root, path, registry.QUERY_VALUE)
	if err != nil {
		return nil
	}
	defer k.Close()
	names, err := k.ReadValueNames(0)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if s, _, err := k.GetStringValue(name); err == nil {
			list = append(list, s)
		}
	}
	return list
}
