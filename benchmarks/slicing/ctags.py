"""How many of the functions, methods and classes that universal-ctags finds are chunks with the same name and line.

    python benchmarks/slicing/ctags.py CLONE...  [--show N] [--language NAME]

Target: 98 % for each language. What differs is listed (the first N of each language), to be judged by eye: ctags reads
with patterns and is wrong at times. A nested function shorter than `NESTED_LINES` is counted as missing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from ctxkit.slicing import slice_file

# ctags language -> (our languages, the kinds that are functions, methods and classes)
KINDS = {
    'Python': ({'python'}, {'class', 'function', 'member'}),
    'JavaScript': ({'javascript'}, {'class', 'function', 'generator', 'method', 'getter', 'setter'}),
    'TypeScript': ({'typescript', 'tsx'}, {'class', 'function', 'generator', 'method', 'interface', 'enum'}),
    'Go': ({'go'}, {'func', 'struct', 'interface', 'type'}),
    'Rust': ({'rust'}, {'function', 'method', 'struct', 'enum', 'interface', 'typedef', 'macro'}),
    'Java': ({'java'}, {'class', 'interface', 'enum', 'method', 'annotation'}),
    'C': ({'c', 'cpp'}, {'function', 'struct', 'union', 'enum'}),
    'C++': ({'c', 'cpp'}, {'function', 'class', 'struct', 'union', 'enum'}),
    'C#': ({'csharp'}, {'class', 'struct', 'interface', 'enum', 'method'}),
    'Ruby': ({'ruby'}, {'class', 'module', 'method', 'singletonMethod'}),
    'PHP': ({'php'}, {'class', 'interface', 'trait', 'function'}),
    'Lua': ({'lua'}, {'function'}),
    'Elixir': ({'elixir'}, {'module', 'function', 'macro', 'protocol', 'guard', 'delegate'}),
    'Sh': ({'bash'}, {'function'}),
}


def tags(clone: Path, files: list[str]) -> dict[str, list[tuple[str, str, int, str]]]:
    """File -> (ctags language, name, line, kind) of what ctags finds."""
    done = subprocess.run(
        [shutil.which('ctags') or 'ctags', '--output-format=json', '--fields=+nlKzS', '--sort=no', '-L', '-', '-f', '-'],
        input='\n'.join(files), capture_output=True, text=True, check=True, cwd=clone, errors='replace',
    )
    found = defaultdict(list)
    for row in done.stdout.splitlines():
        tag = json.loads(row)
        if tag.get('_type') == 'tag' and tag['language'] in KINDS and tag['kind'] in KINDS[tag['language']][1]:
            found[tag['path']].append((tag['language'], tag['name'], tag['line'], tag['kind']))
    return found


def main() -> int:
    """Print found and missing by language; 1 if a language with 100 tags or more is below the target."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('clones', nargs='+', type=Path)
    options.add_argument('--show', type=int, default=10)
    options.add_argument('--language', default='')
    wanted = options.parse_args()
    total: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    missing: dict[str, list[str]] = defaultdict(list)
    for clone in wanted.clones:
        listed = subprocess.run(['git', 'ls-files', '-z'], cwd=clone, capture_output=True, check=True).stdout
        files = [name for name in listed.decode('utf-8', 'replace').split('\0') if name and '\n' not in name]
        for name, found in tags(clone, files).items():
            path = clone / name
            if path.is_symlink() or not path.is_file():
                continue
            sliced = slice_file(name, path.read_bytes())
            if sliced.skipped:
                continue
            have = {(chunk.name.rpartition('.')[2] if sliced.language == 'elixir' else chunk.name, chunk.line)
                    for chunk in sliced.chunks}
            for language, tag, line, kind in found:
                if sliced.language not in KINDS[language][0] or (wanted.language and language != wanted.language):
                    continue
                total[language] += 1
                last = tag.rpartition('.')[2] if sliced.language == 'elixir' else tag
                if (tag, line) in have or (last, line) in have:
                    hits[language] += 1
                else:
                    missing[language].append(f'{clone.name}/{name}:{line} {kind} {tag}')
    failed = False
    for language, count in sorted(total.items()):
        share = hits[language] / count
        failed |= share < 0.98 and count >= 100
        print(f'{language:12} {hits[language]:6} of {count:6}  {share:7.2%}  (target 98 %)')
        step = max(1, len(missing[language]) // max(1, wanted.show))
        for row in missing[language][::step][:wanted.show]:
            print(f'    {row}')
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
