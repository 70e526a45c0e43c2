"""The manual page, made from the commands' own help: `python -m ctxkit.cli.manual > ctxkit.1`."""

from __future__ import annotations

import sys

import click

from ctxkit import __version__
from ctxkit.cli import cli


def page() -> str:
    """The manual page in roff, the language of man."""
    context = click.Context(cli, info_name='ctxkit')
    out = [
        f'.TH CTXKIT 1 "" "ctxkit {__version__}" "User Commands"',
        '.SH NAME',
        'ctxkit \\- context for coding agents',
        '.SH SYNOPSIS',
        '.B ctxkit',
        '.I COMMAND',
        '[OPTIONS] [ARGS]',
        '.SH DESCRIPTION',
        _text(cli.help or ''),
        '.SH COMMANDS',
    ]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if command is not None:
            out += _command(command, context, name)
    out += [
        '.SH ENVIRONMENT',
        '.TP',
        '.B CTXKIT_DISABLE=1',
        'Hooks do nothing.',
        '.TP',
        '.B CTXKIT_CONFIG',
        'Your settings file.',
        '.TP',
        '.B CTXKIT_SECTION_KEY',
        'Any setting, such as CTXKIT_BUDGET_UNITS.',
        '.SH EXIT STATUS',
        '0: done, or nothing to do. 1: an expected failure. 2: wrong usage. 3: a bug.',
        '.SH FILES',
        '\\&.ctx/context.xml, .ctx/units.jsonl, .ctx/memory.json, .ctx/config.yaml',
    ]
    return '\n'.join(out) + '\n'


def _command(command: click.Command, parent: click.Context, name: str) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent)
    usage = ' '.join(command.collect_usage_pieces(context))
    out = ['.SS ' + _text(f'{name} {usage}'), _text(command.help or '')]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            out += ['.TP', '.B ' + _text(record[0]), _text(record[1]) or '.br']
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                out += ['.TP', '.B ' + _text(f'{name} {child}'), _text(found.get_short_help_str(200)) or '.br']
    return out


def _text(text: str) -> str:
    """`text` without anything that roff would take for a request: no blank line, no leading dot, backslashes and dashes
    escaped."""
    lines = [' '.join(line.split()) for line in text.replace('\\', '\\e').replace('-', '\\-').splitlines()]
    return '\n'.join('\\&' + line if line[:1] in ".'" else line for line in lines if line and line != '\x08')


if __name__ == '__main__':
    sys.stdout.write(page())
