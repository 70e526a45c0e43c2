"""How many of the functions, methods and classes that universal-ctags finds are chunks with the same name and line.

    python benchmarks/slicing/ctags.py CLONE...  [--show N] [--language NAME]

Target: 98 % for each language. What differs is listed (the first N of each language), to be judged by eye: ctags reads
with patterns and is wrong at times. A nested function shorter than `NESTED_LINES` is counted as missing.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from ctxkit.slicing import language_of, slice_file
from ctxkit.slicing.languages import grammar

if TYPE_CHECKING:
    from tree_sitter import Tree

# ctags language -> (our languages, the kinds that are functions, methods and classes)
KINDS = {
    'Python': ({'python'}, {'class', 'function', 'member'}),
    'JavaScript': ({'javascript'}, {'class', 'function', 'generator', 'method', 'getter', 'setter'}),
    'TypeScript': ({'typescript', 'tsx'}, {'class', 'function', 'generator', 'method', 'interface', 'enum'}),
    'Go': ({'go'}, {'func', 'struct', 'interface', 'type'}),
    'Rust': ({'rust'}, {'function', 'method', 'struct', 'enum', 'interface', 'macro'}),
    'Java': ({'java'}, {'class', 'interface', 'enum', 'method', 'annotation'}),
    'C': ({'c', 'cpp'}, {'function', 'struct', 'union', 'enum'}),
    'C++': ({'c', 'cpp'}, {'function', 'class', 'struct', 'union', 'enum'}),
    'C#': ({'csharp'}, {'class', 'struct', 'interface', 'enum', 'method'}),
    'Ruby': ({'ruby'}, {'class', 'module', 'method', 'singletonMethod'}),
    'PHP': ({'php'}, {'class', 'interface', 'trait', 'function'}),
    'Lua': ({'lua'}, {'function'}),
    'Elixir': ({'elixir'}, {'module', 'function', 'macro', 'protocol', 'guard', 'delegate'}),
    'Kotlin': ({'kotlin'}, {'class', 'interface', 'method', 'object'}),
    'Sh': ({'bash'}, {'function'}),
    'swift': ({'swift'}, set()),
    'scala': ({'scala'}, set()),
}

# universal-ctags 5.9 knows neither Swift nor Scala: the heads of definitions at the start of a line stand in for it.
_SWIFT = r'(?:(?:public|private|internal|open|fileprivate|final|static|class|override|mutating|indirect|@\w+) )*'
HEADS = {
    'swift': re.compile(
        rf'^[ \t]*{_SWIFT}(func|class|struct|enum|protocol|actor) +(?!func|var|let|init|subscript)(`\w+`|\w+)',
    ),
    'scala': re.compile(
        r'^[ \t]*(?:(?:private|protected|override|final|implicit|sealed|abstract|case|inline|lazy)(?:\[\w+\])? +)*'
        r'(def|class|object|trait|enum) +([A-Za-z_]\w*)',
    ),
}


def tags(clone: Path, files: list[str]) -> dict[str, list[tuple[str, str, int, str]]]:
    """File -> (ctags language, name, line, kind) of what ctags finds."""
    command = ['--output-format=json', '--fields=+nlKzS', '--sort=no', '-L', '-', '-f', '-']
    done = subprocess.run(
        [shutil.which('ctags') or 'ctags', *command],
        input='\n'.join(files),
        capture_output=True,
        text=True,
        check=True,
        cwd=clone,
        errors='replace',
    )
    found = defaultdict(list)
    for row in done.stdout.splitlines():
        tag = json.loads(row)
        if tag.get('_type') == 'tag' and tag['language'] in KINDS and tag['kind'] in KINDS[tag['language']][1]:
            found[tag['path']].append((tag['language'], tag['name'], tag['line'], tag['kind']))
    for name in files:
        head = HEADS.get(language_of(name))
        path = clone / name
        if head and path.is_file() and not path.is_symlink():
            for line, row in enumerate(path.read_text('utf-8', 'replace').split('\n'), 1):
                if match := head.match(row):
                    found[name].append((language_of(name), match.group(2), line, match.group(1)))
    return found


def plain(name: str) -> str:
    """A name as both sides write it: without owner, quotes and spaces."""
    if re.match(r'operator\b(?!\.)', name):
        return name.replace(' ', '')
    return re.split(r'[.:](?=\w)', re.sub(r'[\s"\'\[\]#~]', '', name))[-1]


class Wrong:
    """Why a tag is no definition, told by the syntax tree: made up by ctags, or in a comment or a string."""

    def __init__(self, language: str, source: bytes) -> None:
        self.source, self.language = source, language
        self.tree: Tree | None = None

    def reason(self, tag: str, line: int, kind: str) -> str:
        """The reason in words; '' if the tag may well be a definition."""
        if re.match(r'__anon|Anonymous(Function|Class)|anonymous|end\]|\w+=$|<', tag):
            return 'names made up'
        if self.tree is None:
            self.tree = grammar(self.language).parser.parse(self.source)
            self.rows = self.source.split(b'\n')
        column = max(0, self.rows[line - 1].find(tag.rpartition('.')[2].encode()))
        node = self.tree.root_node.descendant_for_point_range((line - 1, column), (line - 1, column))
        row = self.rows[line - 1]
        if tag.encode() not in row:
            return 'names made up'
        if reason := self.by_the_row(tag, line, kind, row):
            return reason
        if node is not None and re.search('identifier|string|number', node.type) and node.parent is not None:
            bound = node.parent.child_by_field_name('value') or node.parent.child_by_field_name('right')
            if bound is not None and bound.type in ('object', 'array', 'string', 'number', 'call_expression'):
                return 'values of other expressions'
        called = node
        while called is not None and re.search('identifier|generic_name|member_access', called.type):
            called = called.parent
        if self.language == 'csharp' and called is not None and called.type == 'invocation_expression':
            return 'calls'
        while node is not None and node.parent is not None:
            if re.search('comment|string|heredoc|quoted_content|regex|sigil|text', node.type):
                return 'in comments or strings'
            node = node.parent
        return ''

    def by_the_row(self, tag: str, line: int, kind: str, row: bytes) -> str:
        """The reason that the text alone gives."""
        if self.language == 'javascript' and kind == 'class':
            if not re.search(rb'\bclass\b|\bfunction\b', row):
                return 'values of other expressions'
            if re.search(rb'\.prototype\b', row):
                return 'methods taken for classes'
        if self.language == 'javascript' and re.search(rb'[=:]\s*\(function\b', row):
            return 'values of other expressions'
        if (
            kind == 'function'
            and tag.isupper()
            and self.language in ('c', 'cpp')
            and self.bodiless(line, max(0, row.find(tag.encode())))
        ):
            return 'calls of macros'
        if self.language == 'csharp':
            if tag in ('extension', 'typeof', 'when', 'where'):
                return 'names made up'
            if kind in ('class', 'interface') and not re.search(rb'(?:class|interface|record)\s+' + tag.encode(), row):
                return 'constraints taken for classes'
        if self.language == 'kotlin':
            head = rb'\bfun\b[^={]*[\s.`]' if kind == 'method' else rb'\b(?:class|interface|object)\b.*'
            if not re.search(head + re.escape(tag.strip('`').encode()) + rb'\b', row):
                return 'values of other expressions'
        if self.language == 'lua' and not re.search(rb'function\s+[\w.:]+|=\s*function\b', row):
            return 'values of other expressions'
        return ''

    def bodiless(self, line: int, column: int) -> bool:
        """Whether the brackets that open after a name are followed by anything but a body."""
        text = b'\n'.join(self.rows[line - 1 : line + 20])[column:]
        depth = 0
        for mark in re.finditer(rb'[()]', text):
            depth += 1 if mark.group() == b'(' else -1
            if depth <= 0:
                return not re.match(rb'\s*(?://[^\n]*\s*)*\{', text[mark.end() :])
        return True


def main() -> int:
    """Print found and missing by language; 1 if a language with 100 tags or more is below the target."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('clones', nargs='+', type=Path)
    options.add_argument('--show', type=int, default=10)
    options.add_argument('--language', default='')
    wanted = options.parse_args()
    total: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    excused: dict[str, Counter[str]] = defaultdict(Counter)
    missing: dict[str, list[str]] = defaultdict(list)
    for clone in wanted.clones:
        listed = subprocess.run(['git', 'ls-files', '-z'], cwd=clone, capture_output=True, check=True).stdout
        files = [name for name in listed.decode('utf-8', 'replace').split('\0') if name and '\n' not in name]
        for name, found in tags(clone, files).items():
            path = clone / name
            if path.is_symlink() or not path.is_file():
                continue
            source = path.read_bytes()
            sliced = slice_file(name, source)
            if sliced.skipped:
                continue
            have = {(plain(chunk.name), chunk.line) for chunk in sliced.chunks}
            wrong = Wrong(sliced.language, source)
            for language, tag, line, kind in found:
                if sliced.language not in KINDS[language][0] or (wanted.language and language != wanted.language):
                    continue
                total[language] += 1
                if (plain(tag), line) in have:
                    hits[language] += 1
                elif reason := wrong.reason(tag, line, kind):
                    excused[language][reason] += 1
                else:
                    missing[language].append(f'{clone.name}/{name}:{line} {kind} {tag}')
    failed = False
    for language, count in sorted(total.items()):
        real = count - excused[language].total()
        share = hits[language] / max(1, real)
        failed |= share < 0.98 and count >= 100
        reasons = ', '.join(f'{number} {reason}' for reason, number in excused[language].most_common())
        raw = hits[language] / count
        print(f'{language:12} {hits[language]:6} of {real:6} {share:7.2%} (target 98 %); raw {raw:7.2%} of {count}')
        if reasons:
            print(f'    not counted: {reasons}')
        step = max(1, len(missing[language]) // max(1, wanted.show))
        for row in missing[language][::step][: wanted.show]:
            print(f'    {row}')
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
