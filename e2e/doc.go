// Package e2e holds the tests of the whole: the real binary, the real extension in a
// real Chromium, paired through the real native messaging host, and a real MCP client.
//
// Nothing here is simulated but the pages. A missing browser fails the tests.
package e2e
