// Package version holds the one version of chrome-mcp. Server, host and extension
// are released together and compare it exactly; nothing else may spell it out.
package version

// Version is the release, in semantic versioning without a leading v.
const Version = "0.1.0"
