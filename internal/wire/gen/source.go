package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// source is what the generator reads: the packages' syntax for order and comments,
// their types for the values of constants.
type source struct {
	root  string
	fset  *token.FileSet
	pkgs  map[string]*packages.Package
	files map[string][]*ast.File
}

var sourcePackages = []string{"wire", "browser", "policy", "pagefn", "extproto"}

func load() (*source, error) {
	paths := make([]string, len(sourcePackages))
	for i, p := range sourcePackages {
		paths[i] = "chrome-mcp/internal/" + p
	}
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports | packages.NeedModule | packages.NeedFiles,
		Fset: fset,
	}, paths...)
	if err != nil {
		return nil, err
	}
	s := &source{fset: fset, pkgs: map[string]*packages.Package{}, files: map[string][]*ast.File{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s does not compile; mend that first: %w", p.PkgPath, p.Errors[0])
		}
		if p.Module == nil {
			return nil, errors.New("no module found; run inside the repository")
		}
		s.root = p.Module.Dir
		s.pkgs[p.Name], s.files[p.Name] = p, p.Syntax
	}
	return s, nil
}

// structType is one struct declaration.
type structType struct {
	name string
	doc  *ast.CommentGroup
	node *ast.StructType
}

// structs lists a package's exported structs in the order of their declaration.
func (s *source) structs(pkg string) []structType {
	var out []structType
	for _, f := range s.files[pkg] {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				t := spec.(*ast.TypeSpec)
				st, ok := t.Type.(*ast.StructType)
				if ok && t.Name.IsExported() {
					out = append(out, structType{t.Name.Name, first(t.Doc, g.Doc), st})
				}
			}
		}
	}
	return out
}

// constDecl is one constant declaration with its value.
type constDecl struct {
	name    string
	comment *ast.CommentGroup
	value   *types.Const
}

// constants lists a package's exported constants whose type is typ ("" is untyped or
// a basic type), in the order of their declaration.
func (s *source) constants(pkg, typ string) []constDecl {
	scope := s.pkgs[pkg].Types.Scope()
	var out []constDecl
	for _, f := range s.files[pkg] {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				for _, n := range v.Names {
					c, ok := scope.Lookup(n.Name).(*types.Const)
					if ok && n.IsExported() && typeName(c.Type()) == typ {
						out = append(out, constDecl{n.Name, v.Comment, c})
					}
				}
			}
		}
	}
	return out
}

func typeName(t types.Type) string {
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

func (s *source) typeDoc(pkg, name string) *ast.CommentGroup {
	for _, f := range s.files[pkg] {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					if t := spec.(*ast.TypeSpec); t.Name.Name == name {
						return first(t.Doc, g.Doc)
					}
				}
			}
		}
	}
	return nil
}

func first(groups ...*ast.CommentGroup) *ast.CommentGroup {
	for _, g := range groups {
		if g != nil {
			return g
		}
	}
	return nil
}
