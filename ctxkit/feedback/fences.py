"""Names in an answer's fenced code: what it imports, calls and refers to, without what it defines itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxkit.feedback.names import DOTTED, SEPARATOR, SOURCE_END, Name, path_name, symbol_name
from ctxkit.feedback.reading import Fence

# Data, output and shell sessions name too much that is not code of the repository.
NOT_CODE = frozenset('text txt plain console output log traceback json jsonc yaml yml toml ini cfg xml html css scss sql dockerfile mermaid '
                     'svg csv http env properties markdown md rst latex tex diff-stat makefile make'.split())
SHELL = frozenset('sh bash shell zsh fish console powershell ps1 bat cmd shell-session'.split())
STRINGS = re.compile(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`')
COMMENTS = re.compile(r'/\*(?:.|\n)*?\*/|(?<![:\w"\'])//[^\n]*|(?<![\w$&"\'])#(?![\[!])[^\n]*|--\s[^\n]*')
DEFINES = re.compile(r'\b(?:def|class|function\*?|func(?:\s*\([^)]*\))?|fn|fun|const|let|var|val|type|interface|struct|enum|trait|protocol|module|'
                     r'namespace|record|object|defmodule|defp?|mod|macro_rules!|sub)\s+([A-Za-z_$][\w$]*)')
ASSIGNED = re.compile(r'(?<![\w.$>])([A-Za-z_$][\w$]*)\s*(?:,\s*[A-Za-z_$][\w$]*\s*)*(?::\s*[\w\[\], .|<>?]+)?(?:=(?!=)|:=)')
LISTED = re.compile(r'(?<![\w.$])((?:[A-Za-z_$][\w$]*\s*,\s*)+[A-Za-z_$][\w$]*)\s*(?:=(?!=)|:=|\bin\b)')
PARAMETERS = re.compile(r'\b(?:def|function|func|fn|fun|lambda|catch|for|with|as|foreach)\b([^\n{;]*)|\(([^()\n]*)\)\s*=>|(\w+)\s*=>|\|([^|\n]*)\|')
WORD = re.compile(r'[A-Za-z_$][\w$]*')
FROM = re.compile(r'^[ \t>]*from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)', re.MULTILINE)
IMPORT = re.compile(r'^[ \t>]*import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)[ \t]*;?$', re.MULTILINE)
JS_IMPORT = re.compile(r'(?:import|export)\s+(?P<names>[\w${},*\s]+?)\s+from\s+[\'"](?P<module>[^\'"\n]+)[\'"]|'
                       r'(?P<left>[\w${},\s:]+?)=\s*require\(\s*[\'"](?P<required>[^\'"\n]+)[\'"]')
TREE_LINE = re.compile(r'^[ \t│|]*[├└`+|]?[─-]{2,}\s*([\w.+-]+\.\w+)', re.MULTILINE)
DIFF_FILES = re.compile(r'^--- (?:a/)?(\S+)[^\n]*\n\+\+\+ (?:b/)?(\S+)', re.MULTILINE)
PATH_WORD = re.compile(r'(?<![\w/.-])(?:[\w.+-]+/)+[\w.+-]+\.\w+')
WRITES = re.compile(r'(?:^|[|;&]\s*)\s*(?:\$ )?(?:touch|mkdir|tee|curl|wget|cp|mv|git clone|pip|npm|npx|docker)\b|>\s*\S+')


def from_fences(fences: Sequence[Fence]) -> tuple[list[Name], set[str]]:
    """The names that the blocks use, and the names that they define (which the answer may then speak of)."""
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
        elif language not in NOT_CODE and (language or re.search(r'[(=;]', body)) and 'Traceback (most' not in body:
            _code(body, names, defined)
    return names, defined


def _shell(body: str) -> list[Name]:
    found = []
    for line in body.splitlines():
        if not WRITES.search(line):
            found += [name for word in PATH_WORD.findall(line) if (name := path_name(word)) and SOURCE_END.search(word)]
    return found


def _code(body: str, names: list[Name], defined: set[str]) -> None:
    local, imports = set(), []
    for module, listed in FROM.findall(body):
        bound = [part.strip() for part in re.sub(r'#[^\n]*', '', listed).strip('()').replace('\n', ' ').split(',') if part.strip()]
        if not module.startswith('.'):
            imports.append(tuple(module.split('.')))
            imports += [(*module.split('.'), item.split(' as ')[0].strip()) for item in bound if item[:1].isidentifier()]
        local |= {item.split(' as ')[-1].strip() for item in bound}
    for listed in IMPORT.findall(body):
        for item in listed.split(','):
            module = item.split(' as ')[0].strip()
            imports.append(tuple(module.split('.')))
            local.add(item.split(' as ')[1].strip() if ' as ' in item else module.split('.')[0])
    for match in JS_IMPORT.finditer(body):
        module = match['module'] or match['required']
        bound = WORD.findall(re.sub(r'\b(?:as|type|const|let|var|default|import)\b', ' ', match['names'] or match['left'] or ''))
        local |= set(bound)
        if module.startswith('.'):
            names.append(Name(re.sub(r'^(?:\.{1,2}/)+', '', module), 'path', (), True))
    text = COMMENTS.sub(' ', STRINGS.sub(' "" ', body))
    made = set(DEFINES.findall(text))
    local |= made | set(ASSIGNED.findall(text))
    for listed in LISTED.findall(text):
        local |= set(WORD.findall(listed))
    for groups in PARAMETERS.findall(text):
        local |= {word for group in groups for word in WORD.findall(group.partition('=>')[0].split('.')[0])}
    defined |= made
    names += [Name('.'.join(parts), 'symbol', parts) for parts in imports if all(len(part) > 1 for part in parts)]
    for match in DOTTED.finditer(text):
        parts = tuple(part for part in SEPARATOR.split(match[0]) if part)
        if parts[0] in ('self', 'this', 'cls', 'super') and len(parts) > 1:
            parts = parts[1:]
            if len(parts) == 1 and (parts[0] in local or re.search(rf'\b(?:self|this)\.{re.escape(parts[0])}\s*(?:=(?!=)|:)', text)):
                continue
        elif parts[0] in local:
            parts = parts[1:] if parts[0] not in {path[0] for path in imports} else parts
        name = symbol_name('.'.join(parts), text[match.end():match.end() + 1] == '(') if parts else None
        if name and name.strong and not (len(name.parts) == 1 and name.parts[0] in local):
            names.append(name)
