"""Names in an answer's fenced code: what it imports, calls and refers to, without what it defines itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ctxkit.feedback.names import DOTTED, SEPARATOR, SOURCE_END, Name, path_name, symbol_name
from ctxkit.feedback.reading import Fence

# Languages that count as code; data, output and configuration name too much that is nowhere in the repository.
CODE = frozenset(
    'py python python3 pycon js javascript jsx mjs cjs ts typescript tsx vue svelte go golang rust rs java kotlin kt '
    'scala swift c h cpp c++ cc objc cs csharp c# rb ruby php lua elixir ex exs dart zig julia'.split()
) | {''}
SHELL = frozenset('sh bash shell zsh fish console powershell ps1 bat cmd shell-session'.split())
STRINGS = re.compile(
    r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|'
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`'
)
COMMENTS = re.compile(r'/\*(?:.|\n)*?(?:\*/|\Z)|(?<![:\w"\'])//[^\n]*|(?<![\w$&"\'])#(?![\[!])[^\n]*|--\s[^\n]*')
# The text between two marks is bounded in these patterns, or a block of prose of 100 KB would take an hour.
# `def name`, `func (s *Server) name`, `const name`.
DEFINES = re.compile(
    r'\b(?:def|class|function\*?|func(?:\s*\([^)]{0,300}\))?|fn|fun|const|let|var|val|type|interface|struct|enum|'
    r'trait|protocol|module|namespace|record|object|defmodule|defp?|mod|macro_rules!|sub)\s+([A-Za-z_$][\w$]*)'
)
# `name = `, `name, other := `, `name: list[int] = `.
ASSIGNED = re.compile(
    r'(?<![\w.$>])([A-Za-z_$][\w$]*)\s*(?:,\s*[A-Za-z_$][\w$]*\s*){0,30}'
    r'(?::\s*[\w\[\], .|<>?]{1,300})?(?:=(?!=)|:=)'
)
# `one, two = `, `for key, value in `.
LISTED = re.compile(r'(?<![\w.$])((?:[A-Za-z_$][\w$]*\s*,\s*){1,30}[A-Za-z_$][\w$]*)\s*(?:=(?!=)|:=|\bin\b)')
# `def f(a, b)`, `(a, b) =>`, `a =>`, `|a, b|`.
PARAMETERS = re.compile(
    r'\b(?:def|function|func|fn|fun|lambda|catch|for|with|as|foreach)\b([^\n{;]*)|'
    r'\(([^()\n]*)\)\s*=>|(\w+)\s*=>|\|([^|\n]*)\|'
)
OWN = re.compile(r'\b(?:self|this)\.(\w+)\s*(?:=(?!=)|:)')
WORD = re.compile(r'[A-Za-z_$][\w$]*')
FROM = re.compile(r'^[ \t>]*from\s+([\w.]+)\s+import\s+(\([^)]{0,4000}\)|[^\n]+)', re.MULTILINE)
IMPORT = re.compile(
    r'^[ \t>]*import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)[ \t]*;?$', re.MULTILINE
)
# `import { a, b as c } from 'module'`, `= require('module')`.
JS_IMPORT = re.compile(
    r'\b(?:import|export)\s+(?P<names>[\w${},*\s]{1,2000}?)\s+from\s+[\'"](?P<module>[^\'"\n]+)[\'"]|'
    r'=\s*require\(\s*[\'"](?P<required>[^\'"\n]+)[\'"]'
)
BOUND = re.compile(r'[\w${},\s:]*$')
TREE_LINE = re.compile(r'^[ \t│|]*[├└`+|]?[─-]{2,}\s*([\w.+-]+\.\w+)', re.MULTILINE)
DIFF_FILES = re.compile(r'^--- (?:a/)?(\S+)[^\n]*\n\+\+\+ (?:b/)?(\S+)', re.MULTILINE)
PATH_WORD = re.compile(r'(?<![\w/.-])(?:[\w.+-]+/)+[\w.+-]+\.\w+')
# Commands that make or fetch what they name: `mkdir src/new`, `cat > src/new.py`.
WRITES = re.compile(
    r'(?:^|[|;&]\s*)\s*(?:\$ )?(?:touch|mkdir|tee|curl|wget|cp|mv|git clone|pip|npm|npx|docker)\b|>\s*\S+'
)


def from_fences(fences: Sequence[Fence]) -> tuple[list[Name], set[str]]:
    """The names that the blocks use, and those that they define, to which the answer may then refer."""
    names: list[Name] = []
    defined: set[str] = set()
    for fence in fences:
        body, language = fence.body, fence.language
        if language in SHELL:
            names += _shell(body)
        elif re.search('[├└]──', body):
            names += [Name(match, 'path') for match in TREE_LINE.findall(body)]
        elif language == 'diff' or (not language and re.search(r'^@@ ', body, re.MULTILINE)):
            pairs = DIFF_FILES.findall(body)
            names += [Name(path, 'path') for pair in pairs if '/dev/null' not in pair for path in pair]
            added = '\n'.join(line[1:] for line in body.splitlines() if line[:1] in '+ ' and line[:3] != '+++')
            _code(added, names, defined)
        elif language in CODE and (language or re.search(r'[(=;]', body)) and 'Traceback (most' not in body:
            _code(body, names, defined)
    return names, defined


def _shell(body: str) -> list[Name]:
    found = []
    for line in body.splitlines():
        if not WRITES.search(line):
            found += [name for word in PATH_WORD.findall(line) if (name := path_name(word)) and SOURCE_END.search(word)]
    return found


@dataclass
class _Imports:
    """What a block imports: full module paths and names, the full path of each bound name, all bound names, files."""

    whole: list[tuple[str, ...]] = field(default_factory=list)
    origin: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)


def _imports(body: str) -> _Imports:
    found = _Imports()
    for module, listed in FROM.findall(body):
        items = re.sub(r'#[^\n]*', '', listed).strip('()').replace('\n', ' ').split(',')
        for item in filter(None, map(str.strip, items)):
            name, _, alias = (part.strip() for part in item.partition(' as '))
            found.bound.add(alias or name)
            if not module.startswith('.'):
                whole = (*module.split('.'), *([name] if name != '*' else []))
                found.origin[alias or name] = whole
                found.whole += [tuple(module.split('.')), whole]
    for listed in IMPORT.findall(body):
        for item in listed.split(','):
            module, _, alias = (part.strip() for part in item.partition(' as '))
            found.whole.append(tuple(module.split('.')))
            found.bound.add(alias or module.split('.')[0])
    for match in JS_IMPORT.finditer(body):
        module = match['module'] or match['required']
        left = match['names'] or BOUND.search(body[max(0, match.start() - 400) : match.start()])[0]  # type: ignore[index]
        bound_to = re.sub(r'\b(?:as|type|const|let|var|default|import)\b', ' ', left)
        found.bound |= set(WORD.findall(bound_to))
        if module.startswith('.'):
            found.paths.append(re.sub(r'^(?:\.{1,2}/)+', '', module))
    return found


def _code(body: str, names: list[Name], defined: set[str]) -> None:
    imports = _imports(body)
    names += [Name(path, 'path') for path in imports.paths]
    text = COMMENTS.sub(' ', STRINGS.sub(' "" ', body))
    made = set(DEFINES.findall(text))
    local = imports.bound | made | set(ASSIGNED.findall(text))
    for listed in LISTED.findall(text):
        local |= set(WORD.findall(listed))
    for groups in PARAMETERS.findall(text):
        local |= {word for group in groups for word in WORD.findall(group.partition('=>')[0].split('.')[0])}
    defined |= made
    own = set(OWN.findall(text))
    names += [Name('.'.join(parts), 'import', parts) for parts in imports.whole if all(len(part) > 1 for part in parts)]
    leads = {parts[0] for parts in imports.whole}
    for match in DOTTED.finditer(text):
        parts = tuple(part for part in SEPARATOR.split(match[0]) if part)
        if parts[0] in ('self', 'this', 'cls', 'super') and len(parts) > 1:
            parts = parts[1:]
            if len(parts) == 1 and (parts[0] in local or parts[0] in own):
                continue
        elif parts[0] in local:
            if parts[0] in imports.origin and len(parts) > 1:
                parts = (*imports.origin[parts[0]], *parts[1:])
            elif parts[0] not in leads:
                parts = parts[1:]
        name = symbol_name('.'.join(parts), text[match.end() : match.end() + 1] == '(') if parts else None
        if name and name.strong and not (len(name.parts) == 1 and name.parts[0] in local):
            names.append(Name(name.text, 'import', name.parts) if name.parts[0] in leads else name)
