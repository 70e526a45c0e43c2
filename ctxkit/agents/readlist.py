"""The list `read` of aider's YAML settings: our path added and taken away, every other byte kept."""

from __future__ import annotations

import re
from typing import Any

from ctxkit.agents import marked
from ctxkit.errors import CtxError

PATH = '.ctx/context.xml'
KEY = re.compile(r'^read[ \t]*:[ \t]*(?P<value>[^\n#]*?)[ \t]*(?P<rest>#[^\n]*)?$', re.MULTILINE)
OUR_ITEM = re.compile(rf'^[ \t]*- {re.escape(PATH)} # ctxkit\r?\n', re.MULTILINE)
WAS_VALUE = re.compile(rf'^read: \[(?P<inner>.*), {re.escape(PATH)}\] # ctxkit, was: (?P<was>.*)$', re.MULTILINE)


def put(text: str, name: str) -> str:
    """`text` with our path in the list `read`. Raises CtxError where the file or its `read` is not understood."""
    before = _load(text, name)
    wanted = before.get('read', [])
    wanted = [wanted] if isinstance(wanted, str) else list(wanted or [])
    if PATH in wanted:
        return text
    found = KEY.search(text)
    if 'read' not in before:
        out = marked.put(text, 'aider', f'read:\n  - {PATH}', '#')
    elif found and not found['value']:
        newline = '\r\n' if '\r\n' in text else '\n'
        first = re.compile(r'\s*?^([ \t]*)- ', re.MULTILINE).search(text, found.end())
        line = f'{first[1] if first else "  "}- {PATH} # ctxkit{newline}'
        end = text.find('\n', found.end()) + 1
        out = text[:end] + line + text[end:] if end else text + newline + line
        wanted = [PATH, *wanted]
    elif found and not found['rest']:
        inner = ', '.join(_quoted(path) for path in wanted)
        line = f'read: [{inner}, {PATH}] # ctxkit, was: {found["value"]}'
        out = text[: found.start()] + line + text[found.end() :]
    else:
        raise CtxError(f'{name}: its list `read` was not understood', f'add {PATH} to it by hand')
    wanted = wanted if PATH in wanted else [*wanted, PATH]
    if _load(out, name) != {**before, 'read': wanted}:
        raise CtxError(f'{name}: its list `read` was not understood', f'add {PATH} to it by hand')
    return out


def take(text: str) -> str:
    """`text` as it was before `put`."""
    text = marked.take(text, 'aider', '', '#')
    text = OUR_ITEM.sub('', text)
    return WAS_VALUE.sub(lambda match: f'read: {match["was"]}', text)


def _quoted(path: str) -> str:
    return path if re.fullmatch(r'[\w./-]+', path) else "'" + path.replace("'", "''") + "'"


def _load(text: str, name: str) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise CtxError(f'{name} was left alone: it is not YAML', 'mend it, then run this again') from error
    if not isinstance(data, dict):
        raise CtxError(f'{name} was left alone: it is not a mapping', 'mend it, then run this again')
    return data
