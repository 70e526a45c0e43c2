// Where calls lead, by TypeScript's language service: {root, files, calls} on stdin, a line [inside, elsewhere] each.
'use strict'
const fs = require('fs')
const path = require('path')
const ts = require('typescript')

const { root, files, calls } = JSON.parse(fs.readFileSync(0, 'utf8'))
const absolute = (file) => path.join(root, file)
const sources = files.filter((file) => !file.endsWith('.json')).map(absolute)
const known = new Set(sources)
const settings = {
  allowJs: true, jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, maxNodeModuleJsDepth: 0, skipLibCheck: true, types: [],
  allowImportingTsExtensions: true, noEmit: true, experimentalDecorators: true,
}

// The packages that the repository itself holds, and the paths that its tsconfig.json files name.
const packages = new Map()
const configured = new Map()
for (const file of files) {
  if (path.basename(file) === 'package.json') {
    try {
      const { name, types, main, source } = JSON.parse(fs.readFileSync(absolute(file), 'utf8'))
      const starts = [source, 'src/index', 'src', types, main, '.']
      if (name) packages.set(name, { folder: path.dirname(absolute(file)), starts, main })
    } catch { /* a fixture that is no JSON */ }
  } else if (path.basename(file) === 'tsconfig.json') {
    const read = ts.readConfigFile(absolute(file), ts.sys.readFile)
    const folder = path.dirname(absolute(file))
    if (read.config) {
      const { options } = ts.parseJsonConfigFileContent({ ...read.config, files: [], include: [] }, ts.sys, folder)
      if (options.paths || options.baseUrl) {
        const { paths, baseUrl, pathsBasePath } = options
        configured.set(folder, { ...settings, paths, baseUrl, pathsBasePath })
      }
    }
  }
}

function optionsFor (file) {
  for (let folder = path.dirname(file); folder.length >= root.length; folder = path.dirname(folder)) {
    if (configured.has(folder)) return configured.get(folder)
  }
  return settings
}

function resolveModule (name, from) {
  const found = ts.resolveModuleName(name, from, optionsFor(from), ts.sys).resolvedModule
  const code = found && withoutDeclarations(found)
  if (code && /\.d\.[cm]?ts$/.test(code.resolvedFileName) && name.startsWith('.') && /\.[cm]?jsx?$/.test(from)) {
    // A folder whose package.json tells of types, too: what runs is its `main`.
    const folder = path.resolve(path.dirname(from), name)
    const own = [...packages.values()].find((each) => each.folder === folder)
    const main = own?.main && path.resolve(folder, own.main)
    if (known.has(main)) return withoutDeclarations({ resolvedFileName: main, extension: path.extname(main) })
  }
  if (code) return code
  const parts = name.split('/')
  const scoped = name.startsWith('@') ? 2 : 1
  const own = packages.get(parts.slice(0, scoped).join('/'))
  if (!own) return undefined
  const rest = parts.slice(scoped).join('/')
  for (const start of rest ? [rest, `src/${rest}`] : own.starts.filter(Boolean)) {
    const beside = path.join(own.folder, 'index.ts')
    const inside = ts.resolveModuleName('./' + start, beside, settings, ts.sys).resolvedModule
    if (inside) return withoutDeclarations(inside)
  }
}

// `lib.d.ts` beside `lib.js` only says what is in there.
function withoutDeclarations (module) {
  const file = module.resolvedFileName.replace(/\.d\.([cm]?)ts$/, '.$1js')
  if (!known.has(file)) return module
  return { resolvedFileName: file, extension: path.extname(file), isExternalLibraryImport: false }
}

const service = ts.createLanguageService({
  getCompilationSettings: () => settings,
  getScriptFileNames: () => sources,
  getScriptVersion: () => '1',
  getScriptSnapshot: (file) => {
    const text = ts.sys.readFile(file)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  resolveModuleNameLiterals: (literals, from) =>
    literals.map(({ text }) => ({ resolvedModule: resolveModule(text, from) })),
}, ts.createDocumentRegistry())
const program = service.getProgram()
const checker = program.getTypeChecker()

const kinds = (...names) => new Set(names.map((name) => ts.SyntaxKind[name]))
const MADE = kinds('FunctionDeclaration', 'FunctionExpression', 'ArrowFunction', 'MethodDeclaration', 'MethodSignature',
  'Constructor', 'ConstructSignature', 'CallSignature', 'ClassDeclaration', 'ClassExpression', 'InterfaceDeclaration',
  'EnumDeclaration', 'TypeAliasDeclaration', 'GetAccessor', 'SetAccessor')
const VALUES = kinds('VariableDeclaration', 'PropertyAssignment', 'PropertyDeclaration', 'BinaryExpression',
  'ShorthandPropertyAssignment', 'Parameter', 'PropertySignature', 'ExportAssignment')
const IMPORTS = kinds('ImportSpecifier', 'ImportClause', 'NamespaceImport')

function tokenAt (source, position) {
  let found = source
  const visit = (node) => {
    if (node.getStart(source) <= position && position < node.getEnd()) {
      found = node
      ts.forEachChild(node, visit)
    }
  }
  ts.forEachChild(source, visit)
  return found
}

function placeOf (source, position) {
  const relative = path.relative(root, source.fileName)
  const file = relative.startsWith('..') ? source.fileName : relative.split(path.sep).join('/')
  return [file, source.getLineAndCharacterOfPosition(position).line + 1]
}

// What a definition's name stands for: a function or a type, or the name of another one to go on with.
function valueOf (declaration) {
  let value = declaration.initializer
  if (ts.isBinaryExpression(declaration)) value = declaration.right
  if (ts.isExportAssignment(declaration)) value = declaration.expression
  const assigned = () => ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.EqualsToken
  while (value && (ts.isAsExpression(value) || ts.isParenthesizedExpression(value) || assigned())) {
    value = assigned() ? value.right : value.expression
  }
  return value
}

function follow (file, position, depth, inside, elsewhere) {
  for (const one of service.getDefinitionAtPosition(file, position) || []) {
    const source = program.getSourceFile(one.fileName)
    if (!source) continue
    const start = one.textSpan.start
    const place = placeOf(source, start)
    if (!known.has(one.fileName)) {
      elsewhere.push(place)
      continue
    }
    const name = tokenAt(source, start)
    let declaration = name
    if (IMPORTS.has(name.parent?.kind)) continue // what is imported was not found
    while (!MADE.has(declaration.kind) && !VALUES.has(declaration.kind) && !ts.isSourceFile(declaration.parent)) {
      declaration = declaration.parent
    }
    if (MADE.has(declaration.kind)) {
      inside.push(place)
      for (const also of siblings(declaration)) inside.push(also)
      continue
    }
    const value = valueOf(declaration)
    const parts = value && ts.isCallExpression(value) ? value.arguments : value ? [value] : []
    if (parts.some((part) => MADE.has(part.kind))) {
      inside.push(place)
      if (value.name) inside.push(placeOf(source, value.name.getStart(source)))
    } else if (depth && value && (ts.isIdentifier(value) || ts.isPropertyAccessExpression(value))) {
      elsewhere.push(place)
      follow(one.fileName, (value.name || value).getStart(source), depth - 1, inside, elsewhere)
    } else if (depth && ts.isShorthandPropertyAssignment(declaration)) {
      const symbol = checker.getShorthandAssignmentValueSymbol(declaration)
      const first = symbol?.declarations?.find((each) => each.name)
      elsewhere.push(place)
      if (first) follow(first.getSourceFile().fileName, first.name.getStart(), depth - 1, inside, elsewhere)
    } else {
      elsewhere.push(place)
    }
  }
}

// A class with its constructors, a function with its overloads.
function siblings (declaration) {
  const owner = ts.isConstructorDeclaration(declaration) ? declaration.parent : declaration
  const symbol = owner.symbol
  const all = [owner, ...(symbol?.declarations || [])]
  for (const each of [...all]) {
    for (const member of each.members || []) if (ts.isConstructorDeclaration(member)) all.push(member)
  }
  return all.filter((each) => known.has(each.getSourceFile().fileName)).map((each) =>
    placeOf(each.getSourceFile(), (each.name || each).getStart()))
}

for (const [file, line, column] of calls) {
  const inside = []
  const elsewhere = []
  try {
    const source = program.getSourceFile(absolute(file))
    if (source) follow(source.fileName, source.getPositionOfLineAndCharacter(line - 1, column), 5, inside, elsewhere)
  } catch (error) { // the checker can fail on code that is none
    inside.length = elsewhere.length = 0
  }
  // Blocking, so nobody works ahead of who reads.
  fs.writeSync(1, JSON.stringify([inside, elsewhere]) + '\n')
}
