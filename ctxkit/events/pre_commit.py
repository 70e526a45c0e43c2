"""Our entry in `.pre-commit-config.yaml`, only if the person asks for it: lines are added as text, comments kept."""

from __future__ import annotations

import re
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.safety.paths import is_link, write_whole

STAGES = ('post-commit', 'post-checkout', 'post-merge', 'post-rewrite')
# A local entry without a repository: it runs the installed ctxkit, and does nothing for people who have none.
MARK = 'repo: local  # ctxkit'
ENTRY = f"""\
-   {MARK}
    hooks:
    -   id: ctxkit-refresh
        name: refresh the context of coding agents
        entry: sh -c 'command -v ctxkit >/dev/null 2>&1 || exit 0; ctxkit hook refresh; exit 0'
        language: system
        stages: [{', '.join(STAGES)}]
        always_run: true
        pass_filenames: false
        require_serial: true
    -   id: ctxkit-check
        name: check what is staged below .ctx/
        entry: sh -c 'command -v ctxkit >/dev/null 2>&1 || exit 0; exec ctxkit check "$@"' ctxkit-check
        language: system
        stages: [pre-commit]
        files: (?i)^\\.ctx(/|$)
        require_serial: true
"""
OURS = re.compile(rf'(?m)^( *)-   {re.escape(MARK)}\n(?:\1 +.*\n?|\n(?=\1 ))*')
COMMAND = f'pre-commit install --allow-missing-config {" ".join(f"-t {stage}" for stage in ("pre-commit", *STAGES))}'


def add(root: Path) -> list[str]:
    """Add our entry at the end of `repos:`, making the file if it is missing; return what was done and what to do now.

    Raises CtxError if the file's form does not allow extending it as text; the message has the lines to add.
    """
    file = root / '.pre-commit-config.yaml'
    then = f'now run: {COMMAND}'
    if is_link(file):
        raise CtxError(f'{file} is a link', 'add the entry of docs/hooks.md there by hand')
    if not file.exists():
        write_whole(file, f'repos:\n{ENTRY}', 0o644)
        return [f'wrote {file}', then]
    content = file.read_bytes().decode('utf-8', 'surrogateescape')
    if 'ctxkit-refresh' in content:
        return [f'{file} already has ctxkit-refresh', then]
    extended = _extended(content)
    if extended is None:
        raise CtxError(
            f'{file} is not in a form that ctxkit can extend',
            'add this to its repos: ' + ' / '.join(line.strip() for line in ENTRY.splitlines()),
        )
    write_whole(file, extended)
    return [f'added ctxkit-refresh and ctxkit-check to {file}', then]


def remove(root: Path) -> list[str]:
    """Remove our entry, and the file if nothing else is in it."""
    file = root / '.pre-commit-config.yaml'
    if is_link(file) or not file.is_file():
        return []
    content = file.read_bytes().decode('utf-8', 'surrogateescape')
    found = OURS.search(content)
    if not found:
        return []
    left = content[: found.start()] + content[found.end() :]
    if left == 'repos:\n':
        file.unlink()
        return [f'removed {file}']
    write_whole(file, left)
    return [f'removed ctxkit from {file}; run pre-commit uninstall for the stages that nothing else needs']


def _extended(content: str) -> str | None:
    """The file with our entry after the last item of `repos:`, indented like it; None if there is no such list."""
    if '\r\n' in content or not content.endswith('\n'):
        return None
    lines = content.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if re.match(r'repos:\s*(#.*)?$', line)), None)
    if start is None:
        return None
    end, indent = start + 1, None
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if indent is None and (item := re.match(r'( *)-\s', line)):
            indent = item[1]
        if line.strip() and not line.startswith((' ', '-', '#')):
            break
        if line.strip() and not line.startswith('#'):
            end = number + 1
    ours = ''.join(f'{indent or ""}{line}\n' for line in ENTRY.splitlines())
    return ''.join(lines[:end]) + ours + ''.join(lines[end:])
