"""Names that are real in every repository: built-ins and standard libraries, by language, and products."""

from __future__ import annotations

import builtins
import keyword
import sys
from functools import cache
from importlib import resources

# The list for each file extension; a list is read only for languages that the tree has.
LISTS = {
    'py': 'python',
    'pyi': 'python',
    'ipynb': 'python',
    'js': 'javascript',
    'jsx': 'javascript',
    'mjs': 'javascript',
    'cjs': 'javascript',
    'ts': 'javascript',
    'tsx': 'javascript',
    'mts': 'javascript',
    'vue': 'javascript',
    'svelte': 'javascript',
    'go': 'go',
    'rs': 'rust',
    'java': 'java',
    'kt': 'java',
    'kts': 'java',
    'scala': 'java',
    'c': 'c',
    'h': 'c',
    'cc': 'c',
    'cpp': 'c',
    'cxx': 'c',
    'hpp': 'c',
    'cs': 'csharp',
    'rb': 'ruby',
    'php': 'php',
}
# Imported name -> installed name, where the two differ.
ALIASES = {
    'np': 'numpy',
    'pd': 'pandas',
    'plt': 'matplotlib',
    'tf': 'tensorflow',
    'nx': 'networkx',
    'sns': 'seaborn',
    'sklearn': 'scikit-learn',
    'yaml': 'pyyaml',
    'cv2': 'opencv-python',
    'PIL': 'pillow',
    'bs4': 'beautifulsoup4',
    'sp': 'sympy',
    'sa': 'sqlalchemy',
}
GENERATED = frozenset(
    (
        'node_modules',
        'dist',
        'build',
        '__pycache__',
        '.venv',
        'venv',
        'target',
        'vendor',
        '.git',
        '.env',
        '.github',
        '.vscode',
        '.idea',
        'package-lock.json',
        'yarn.lock',
        'pnpm-lock.yaml',
        'poetry.lock',
        'uv.lock',
        'Cargo.lock',
        'go.sum',
        'site-packages',
        'coverage.xml',
        '.coverage',
    )
)


@cache
def words(languages: frozenset[str]) -> frozenset[str]:
    """The words of the built-ins and standard libraries in these lists, and of the list for all languages."""
    found: set[str] = set()
    for name in (*languages, 'common'):
        found.update(resources.files('ctxkit.feedback').joinpath('known', f'{name}.txt').read_text('utf-8').split())
    if 'python' in languages:
        found.update(dir(builtins), keyword.kwlist, keyword.softkwlist, sys.stdlib_module_names)
        for kind in (
            str,
            bytes,
            bytearray,
            list,
            tuple,
            dict,
            set,
            frozenset,
            int,
            float,
            complex,
            BaseException,
            type,
            property,
            memoryview,
            range,
            slice,
            OSError,
            type(words),
            type(sys),
        ):
            found.update(dir(kind))
        for name in ('sys', 'os', 'time', 'math', 'itertools', 'functools', 'collections', 're', 'io'):
            found.update(dir(sys.modules.get(name, sys)))
    return frozenset(found)


def languages(extensions: frozenset[str]) -> frozenset[str]:
    """The lists for a tree whose files have these extensions."""
    return frozenset(LISTS[extension] for extension in extensions if extension in LISTS)
