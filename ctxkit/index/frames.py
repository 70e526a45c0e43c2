"""Find the lines of files that a request names (as stack traces and compilers do), and the files of the tree they mean.

A trace also runs through other people's code with files named like ours: `site-packages/x/utils.py` is not `utils.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

MOST = 400  # named lines that are kept of a request
MEANT_MOST = 3  # files that one name may mean
# Patterns are compiled when first used (3 ms), for most requests name no line.
# `app.py:12`, `File "app.py", line 12`, `App.cs:line 12`, `app.c(12)`, `app.php on line 12`, `blob/main/app.py#L12`
_PLACE = (
    r'(?<![\w./\\@+~-])((?:node:)?[\w./\\@+~-]*\w\.[A-Za-z]\w{0,4})'
    r'(?::(?:line |\[)?|", line | on line |\(|#L)(\d{1,6})\b'
)
# `at org.jar.Lid.open(Lid.java:12)`: the package is the folder.
_PACKAGE = r'(?m)^[ \t]*at (?:[\w.@-]*/)*((?:[\w$]+\.)+)[\w$]+\.[\w$<>]+\((\w+\.\w{1,6}:\d{1,6})\)'
# A file on a line of its own, followed by lines like `  12:5  error  …` (eslint).
_LISTED = r'(?m)^([^\s:]*\w\.[A-Za-z]\w{0,4})\n((?:[ \t]+\d{1,6}:\d+[ \t].*\n?)+)'
_ROW = r'(?m)^[ \t]+(\d{1,6}):'
# Folders of other people's code; after them comes the package's name, often with a version.
_OTHERS = (
    r'^node:|^/_/|.*/(?:site-packages|dist-packages|node_modules|registry/src/[^/]+|checkouts/[^/]+|gems|go/src|pkg/mod'
    r'|rustc/[0-9a-f]+|vendor|lib/ruby|lib/python[\d.]+|usr/(?:local/)?(?:lib|include|share))/'
)
_VERSION = r'(?:@v?|-v?)\d[^/]*(?=/)'


def places(text: str) -> tuple[tuple[str, int], ...]:
    """(file, line) for each line of a file that a text names, in order; paths use `/`, and can be another machine's."""
    if not re.search(r'\d', text):
        return ()
    text = re.sub(_PACKAGE, lambda found: f'at {found[1].replace(".", "/")}{found[2]}', text)
    found = [(name, int(line)) for name, line in re.findall(_PLACE, text)]
    for name, rows in re.findall(_LISTED, text):
        found += [(name, int(line)) for line in re.findall(_ROW, rows)]
    return tuple(dict.fromkeys((name.removeprefix('@').replace('\\', '/'), line) for name, line in found))[:MOST]


def by_file_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """File name -> the paths of a tree that end with it."""
    out: dict[str, list[str]] = {}
    for path in paths:
        out.setdefault(path.rpartition('/')[2], []).append(path)
    return out


def files_meant(named: Mapping[str, Sequence[str]], name: str, project: str) -> list[str]:
    """The files of a tree that the path `name`, of this or another machine, means; [] if more than MEANT_MOST.

    `named` are the tree's paths from `by_file_name`. `project` is the name of the tree's folder, which can occur in the
    path as that of an installed package.
    """
    parts = name.split('/')
    shared = {path: _common_suffix(path.split('/'), parts) for path in named.get(parts[-1], ())}
    whole = [path for path, same in shared.items() if same == path.count('/') + 1]  # `name` ends with the whole path
    others = re.match(_OTHERS, name)
    if others:
        inside = re.sub(_VERSION, '', name[others.end() :]).split('/')
        shared = {path: same for path, same in shared.items() if _is_ours(path.split('/'), inside, project)}
    elif '//' in name or len(parts) > 2 and parts[0] not in ('', '~', '.', '..'):  # a URL, or relative to its own root
        shared = {path: same for path, same in shared.items() if same > 1 or path in whole}
    most = max(shared.values(), default=0)
    meant = [path for path, same in shared.items() if same == most]
    return meant if len(meant) <= MEANT_MOST else []


def _is_ours(path: Sequence[str], inside: Sequence[str], project: str) -> bool:
    """Whether a file `inside` a package is `path` of the tree, which vendors the package or is the package itself."""
    if len(inside) > 1 and path[-len(inside) :] == inside:
        return True
    return any(part.lower() == project.lower() and path == inside[at + 1 :] for at, part in enumerate(inside[:-1]))


def _common_suffix(one: Sequence[str], other: Sequence[str]) -> int:
    same = 0
    for ours, theirs in zip(reversed(one), reversed(other), strict=False):
        if ours != theirs:
            break
        same += 1
    return same
