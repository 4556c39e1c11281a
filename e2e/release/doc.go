// Package release checks what a release publishes, as those who take it do: the official
// packer of bundles, the published schemas, a client that starts what it unpacked.
package release
