# Everything a contributor runs. `make help` lists it.
GO       ?= go
FUZZTIME ?= 20s
UNIT     = $$($(GO) list ./... | grep -v '/e2e')
# Tests of pages in a real browser have deadlines that the race detector's tenfold cost
# breaks; the queues they rest on are raced in mcpserver and bridge.
RACED    = $$($(GO) list ./... | grep -v -e '/e2e' -e '/internal/page$$')
# The race detector needs a C compiler; without one the tests still run.
RACE     = $$(command -v cc >/dev/null && echo -race)

.DEFAULT_GOAL := help
.PHONY: help build demo release hitl test short e2e conformance bench tokens fuzz generate golden types ts-test lint check setup

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  \033[1m%-11s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build the binary ./chrome-mcp, extension inside
	$(GO) build -trimpath -o chrome-mcp ./cmd/chrome-mcp

demo: ## Do the whole job once in a browser of its own, and show it
	@.ci/setup demo
	@$(MAKE) --no-print-directory build
	./chrome-mcp demo --yes

release: ## Build all that a release publishes in build/release; REPO=https://github.com/… names its repository
	GOTOOLCHAIN=go$$(sed -n 's/^go //p' go.mod) $(GO) run ./internal/release $(if $(REPO),-repo $(REPO))

hitl: build ## Check it yourself, in your own Chrome, on the sites in test-targets.json; ARGS=--include-mutating
	@$(GO) run ./internal/hitl $(ARGS)

# Tests that wait more than they work run four at a time. What is large is done by one
# goroutine, and the race detector would make it ten times as long.
test: setup ts-test ## Run every test, those in real browsers too
	$(GO) test $(RACE) -timeout 10m -skip '^TestLarge' $(RACED)
	$(GO) test -run '^TestLarge' ./mcpserver
	$(GO) test -count=1 -timeout 30m -parallel 4 ./internal/page ./e2e/...

short: setup ts-test ## Run the tests of single packages
	$(GO) test -short $(UNIT)

e2e: setup ## Run the tests of the whole, with every tool and fault
	$(GO) test -count=1 -timeout 30m -v ./e2e/...

conformance: setup ## Run the protocol's own conformance suite against the server
	$(GO) test -count=1 -v ./e2e/conformance

bench: setup ## Measure p50 and p95 from the MCP client's side
	$(GO) test -count=1 -timeout 20m -run '^$$' -bench . -benchtime 1x ./e2e

tokens: setup ## Measure what the tools and snapshots cost a model, into docs/tokens.md
	$(GO) test -count=1 -run '^TestTokens$$' ./e2e -update

fuzz: ## Fuzz every parser for FUZZTIME each
	@grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
			echo "$$(dirname "$$file") $$name"; \
			$(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
		done; \
	done

# The extension comes last: it holds what the others generate.
generate: ## Build again what is generated: wire types, page bundle, extension
	$(GO) generate $$($(GO) list ./... | grep -v '/extension$$')
	$(GO) generate ./extension

golden: ## Write the golden files again; look at the diff
	$(GO) test $$(grep -rl --include='*_test.go' '"update"' . | xargs -n1 dirname | sort -u) -short -update

types: extension/node_modules/.package-lock.json ## Check the TypeScript types
	cd extension && npm run -s types

ts-test: ## Run the TypeScript tests
	@.ci/ts-test

lint: ## gofmt, go vet for three systems, staticcheck
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	for os in linux darwin windows; do CGO_ENABLED=0 GOOS=$$os $(GO) vet ./... || exit 1; done
	$(GO) tool staticcheck ./...

check: lint types short generate ## All that must hold before a commit
	git diff --exit-code

setup: ## Install what the tests need, where it is missing (Debian, Ubuntu)
	@.ci/setup test

extension/node_modules/.package-lock.json: extension/package-lock.json
	@.ci/setup types
	cd extension && npm ci --silent && touch node_modules/.package-lock.json
