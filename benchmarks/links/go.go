// Says what the names of a repository of Go mean: reads lines `path TAB line TAB column` (the line from 1 on, the column
// from 0 on, in characters), answers each with `kind TAB path TAB line` of the definition: kind is function or type, or
// other for what is none (a variable, a method of an interface, a built-in), or - where nothing is known.
//
// Type errors are passed over: the modules that the repository depends on are not there, and need not be.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	root     string
	fset     = token.NewFileSet()
	info     = types.Info{Uses: map[*ast.Ident]types.Object{}}
	standard = importer.ForCompiler(fset, "source", nil)
	modules  = map[string]string{}         // the path of a module -> its folder
	imported = map[string]*types.Package{} // folder -> package; nil while it is checked
	tested   = map[string]bool{}           // folders whose tests have been checked
	names    = map[string]map[int]*ast.Ident{}
	module   = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)
)

func main() {
	root, _ = filepath.Abs(os.Args[1])
	build.Default.CgoEnabled = true
	filepath.Walk(root, func(path string, _ os.FileInfo, err error) error {
		if err == nil && filepath.Base(path) == "go.mod" {
			text, _ := os.ReadFile(path)
			if found := module.FindSubmatch(text); found != nil {
				modules[string(found[1])] = filepath.Dir(path)
			}
		}
		return nil
	})
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		fields := strings.Split(asked.Text(), "\t")
		line, _ := strconv.Atoi(fields[1])
		column, _ := strconv.Atoi(fields[2])
		fmt.Println(meaning(filepath.Join(root, fields[0]), line, column))
	}
}

func meaning(path string, line, column int) string {
	folder := filepath.Dir(path)
	if strings.HasSuffix(path, "_test.go") {
		if !tested[folder] {
			tested[folder] = true
			check(folder, "", true, false)
			check(folder, "_test", true, false)
		}
	} else {
		local(folder)
	}
	name := names[path][offset(path, line, column)]
	if name == nil || info.Uses[name] == nil {
		return "-"
	}
	object := info.Uses[name]
	at, kind := fset.Position(object.Pos()), "other"
	switch one := object.(type) {
	case *types.Func:
		receiver := one.Type().(*types.Signature).Recv()
		if receiver == nil || !types.IsInterface(receiver.Type()) {
			kind = "function"
		}
	case *types.TypeName:
		if _, is := one.Type().(*types.TypeParam); !is {
			kind = "type"
		}
	}
	file, err := filepath.Rel(root, at.Filename)
	if strings.HasPrefix(file, "vendor/") {
		kind = "other"
	} else if err != nil || at.Filename == "" || strings.HasPrefix(file, "..") {
		kind, file = "other", at.Filename
	}
	return fmt.Sprintf("%s\t%s\t%d", kind, file, at.Line)
}

// local is the package in a folder of the repository; nil where there is none, or it imports itself.
func local(folder string) *types.Package {
	known, is := imported[folder]
	if !is {
		imported[folder] = nil
		known = check(folder, "", false, strings.HasPrefix(folder, filepath.Join(root, "vendor")))
		imported[folder] = known
	}
	return known
}

// check reads and checks one package of a folder: the one whose name ends with `ending`, with its tests or without.
func check(folder, ending string, tests, outline bool) *types.Package {
	entries, _ := os.ReadDir(folder)
	var files []*ast.File
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		test := strings.HasSuffix(path, "_test.go")
		if fits, _ := build.Default.MatchFile(folder, entry.Name()); !fits || !strings.HasSuffix(path, ".go") || test && !tests {
			continue
		}
		file, _ := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if file == nil || strings.HasSuffix(file.Name.Name, "_test") != (ending != "") {
			continue
		}
		files = append(files, file)
		if test == tests {
			names[path] = map[int]*ast.Ident{}
			ast.Inspect(file, func(node ast.Node) bool {
				if one, is := node.(*ast.Ident); is {
					names[path][fset.Position(one.Pos()).Offset] = one
				}
				return true
			})
		}
	}
	if files == nil {
		return nil
	}
	config := types.Config{
		Importer: source{}, FakeImportC: true, IgnoreFuncBodies: outline, DisableUnusedImportCheck: true, Error: func(error) {},
	}
	checked, _ := config.Check(folder, fset, files, &info)
	return checked
}

type source struct{}

// Import finds a package in the repository, in its vendor folder, or in the standard library.
func (source) Import(path string) (*types.Package, error) {
	for name, folder := range modules {
		if path == name || strings.HasPrefix(path, name+"/") {
			if found := local(filepath.Join(folder, strings.TrimPrefix(path, name))); found != nil {
				return found, nil
			}
		}
	}
	if found := local(filepath.Join(root, "vendor", path)); found != nil {
		return found, nil
	}
	if strings.Contains(strings.Split(path, "/")[0], ".") {
		return nil, fmt.Errorf("not here: %s", path)
	}
	return standard.Import(path)
}

func offset(path string, line, column int) int {
	text, _ := os.ReadFile(path)
	rows := strings.SplitAfter(string(text), "\n")
	at := 0
	for _, row := range rows[:line-1] {
		at += len(row)
	}
	for index := range rows[line-1] {
		if column == 0 {
			return at + index
		}
		column--
	}
	return -1
}
