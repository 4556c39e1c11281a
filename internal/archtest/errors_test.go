package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// carried are messages whose last part, which comes from elsewhere, says what to do.
var carried = map[string]string{
	"%s":                              "the gate's reason, or a problem that says it",
	"%v":                              "an error of package task or policy, which says it",
	"%s: %s":                          "the words for what Chrome said",
	"%s: %v":                          "the error of the connection, which is followed by a new one",
	"fields[%d]: %s":                  "the field's own error",
	"unknown tool%s":                  "a suggestion, or the names there are",
	"no such tool%s":                  "a suggestion, or the names there are",
	"no extension offers %q%s":        "a suggestion, or the names there are",
	"no browser %q is connected%s":    "the names of those that are",
	"there is no file %s%s":           "the names of those there are",
	"nothing was run: %s%s":           "the error of each op",
	"no browser was started: %s":      "the reason, which says it",
	"%s did not start: %s":            "the browser's words, or the remedy for them",
	"no browser at %s: %s":            "the words for the kind of failure",
	"--cdp-endpoint: %v":              "what is wrong with it",
	"%s could not be opened: %s (%s)": "a row of netErrors",
	"%s was not done: %s":             "the user's word",
	"arguments %v":                    "what is wrong with them",
	"port %s is open already":         "told to another extension's programmer",
	"this server is shutting down":    "nothing can be done",
}

// inCare are packages that add what to do behind the message.
var inCare = map[string]string{"internal/provider/failure.go": "adds whether to call again"}

// TestErrorsEndInTheNextStep reads the messages of all errors that reach an agent: each
// says what to do, behind a semicolon, or is itself a request.
func TestErrorsEndInTheNextStep(t *testing.T) {
	seen := 0
	for name, data := range files(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || inCare[name] != "" {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			message, at := errorMessage(n)
			if message == "" {
				return true
			}
			seen++
			if !saysWhatToDo(message) && carried[message] == "" {
				t.Errorf("%v: %q does not say what to do", fset.Position(at), message)
			}
			return true
		})
	}
	if seen < 200 {
		t.Errorf("only %d messages were found", seen)
	}
}

// errorMessage is the format of a call of browser.Errorf, "" for everything else.
func errorMessage(n ast.Node) (string, token.Pos) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", 0
	}
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || fn.Sel.Name != "Errorf" {
		return "", 0
	}
	if pkg, ok := fn.X.(*ast.Ident); !ok || pkg.Name != "browser" {
		return "", 0
	}
	literal, ok := call.Args[1].(*ast.BasicLit)
	if !ok {
		return "", 0
	}
	message, err := strconv.Unquote(literal.Value)
	if err != nil {
		return "", 0
	}
	return message, literal.Pos()
}

func saysWhatToDo(message string) bool {
	if strings.Contains(message, "; ") {
		return true
	}
	for _, request := range []string{"give ", "say ", "no target: give "} {
		if strings.HasPrefix(message, request) {
			return true
		}
	}
	return strings.Contains(message, ": open one with ") || strings.Contains(message, "needs both") || strings.Contains(message, "its value is ")
}
