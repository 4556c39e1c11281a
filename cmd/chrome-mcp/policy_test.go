package main

import (
	"fmt"
	"testing"
)

// TestSites reads what people write into the one field that a client has for all sites.
func TestSites(t *testing.T) {
	inv, err := parse([]string{"--allow-domain=", "--allow-domain", "a.test, *.b.test,c.test", "--deny-domain=a.test,", "--enable-mutations=false"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := buildPolicy(inv)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.AllowDomains, p.DenyDomains, p.Mutations); got != "[a.test *.b.test c.test] [a.test] false" {
		t.Error(got)
	}
}
