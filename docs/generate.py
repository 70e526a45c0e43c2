"""Write what the documentation takes from the code: the table of settings and the help of every command.

python docs/generate.py            rewrite docs/configuration.md and docs/commands.md
python docs/generate.py --check    fail if they are not what the code says
"""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

import click

from ctxkit.cli import COMMANDS, cli
from ctxkit.settings import Settings

DOCS = Path(__file__).parent
BEGIN, END = '<!-- begin generated -->', '<!-- end generated -->'


def settings_table() -> str:
    """One row a setting: key, default, who may set it, what it means."""
    rows = ['| key | default | set by | meaning |', '| --- | --- | --- | --- |']
    for section in fields(Settings):
        for item in fields(getattr(Settings(), section.name)):
            default = item.default if item.default not in ('', ()) else '(empty)'
            who = 'you, repository' if item.metadata['shared'] else 'you'
            shown = str(default).lower() if isinstance(default, bool) else default
            rows.append(f'| `{section.name}.{item.name}` | {shown} | {who} | {item.metadata["doc"]} |')
    return '\n'.join(rows)


def commands() -> str:
    """The help of every command and sub-command."""
    root = cli.make_context('ctxkit', [], resilient_parsing=True, max_content_width=100, terminal_width=100)
    out = [f'## ctxkit\n\n```text\n{cli.get_help(root)}\n```']
    for name in COMMANDS:
        command = cli.get_command(root, name)
        if command is not None:
            out += _help(command, name, root)
    return '\n\n'.join(out)


def _help(command: click.Command, name: str, parent: click.Context) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    out = [f'## {context.command_path}\n\n```text\n{command.get_help(context)}\n```']
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            inner = command.get_command(context, child)
            if inner is not None and not inner.hidden:
                out += _help(inner, child, context)
    return out


def main() -> int:
    """Rewrite or check both pages; returns the exit code."""
    stale = 0
    for name, text in (('configuration.md', settings_table()), ('commands.md', commands())):
        page = DOCS / name
        before = page.read_text('utf-8')
        head, _, rest = before.partition(BEGIN)
        after = f'{head}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}'
        if after != before:
            stale += 1
            if '--check' not in sys.argv:
                page.write_text(after, 'utf-8', newline='\n')
    if stale and '--check' in sys.argv:
        sys.stderr.write(f'{stale} pages are not what the code says; run python docs/generate.py\n')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
