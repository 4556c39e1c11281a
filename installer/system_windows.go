package installer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/windows/registry"
)

// moveOver renames. Windows lets nobody overwrite a program that runs, but rename it:
// the old one steps aside and is removed by a later install.
func moveOver(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	if aside := stepAside(to); aside != nil {
		return errors.Join(err, aside)
	}
	return os.Rename(from, to)
}

func stepAside(path string) error {
	old := filepath.Base(path) + ".old-"
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), old) {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name())) // fails while it runs
		}
	}
	return os.Rename(path, path+".old-"+strconv.FormatInt(time.Now().UnixNano(), 36))
}

// removeProgram removes a file; one that runs steps aside.
func removeProgram(path string) error {
	err := os.Remove(path)
	if err != nil && stepAside(path) == nil {
		return nil
	}
	return err
}

func userRegistry() keys { return hkcu{} }

// hkcu is HKEY_CURRENT_USER.
type hkcu struct{}

func (hkcu) get(key string) (string, bool, error) {
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf(`cannot read HKCU\%s: %w`, key, err)
	}
	defer k.Close()
	value, _, err := k.GetStringValue("")
	if errors.Is(err, registry.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf(`cannot read HKCU\%s: %w`, key, err)
	}
	return value, true, nil
}

func (hkcu) set(key, value string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, key, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf(`cannot write HKCU\%s: %w`, key, err)
	}
	defer k.Close()
	if err := k.SetStringValue("", value); err != nil {
		return fmt.Errorf(`cannot write HKCU\%s: %w`, key, err)
	}
	return nil
}

func (hkcu) remove(key string) error {
	err := registry.DeleteKey(registry.CURRENT_USER, key)
	if err != nil && !errors.Is(err, registry.ErrNotExist) {
		return fmt.Errorf(`cannot remove HKCU\%s: %w`, key, err)
	}
	return nil
}
