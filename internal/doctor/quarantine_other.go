//go:build !darwin

package doctor

func quarantined(string) string { return "" }
