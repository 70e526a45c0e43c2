"""The list `read` in aider's YAML settings: add our path and remove it again, keeping every other byte."""

from __future__ import annotations

import re
from typing import Any

from ctxkit.agents import marked
from ctxkit.errors import CtxError

PATH = '.ctx/context.xml'
KEY = re.compile(r'^read[ \t]*:[ \t]*(?P<value>[^\r\n#]*?)[ \t]*(?P<rest>#[^\r\n]*)?(?=\r?$)', re.MULTILINE)
OUR_ITEM = re.compile(
    rf'^[ \t]*- {re.escape(PATH)} # ctxkit\r?\n|\r?\n[ \t]*- {re.escape(PATH)} # ctxkit\Z', re.MULTILINE
)
WAS_VALUE = re.compile(rf'^read: \[(?:.*, )?{re.escape(PATH)}\] # ctxkit, was: (?P<was>.*)$', re.MULTILINE)


def put(text: str, name: str) -> str:
    """`text` with our path in the list `read`. Raises CtxError where the file or its `read` is not understood."""
    before = _load(text)
    if before is None:
        raise CtxError(f'{name} was left alone: it is not a YAML mapping', 'repair it, then run this again')
    listed = before.get('read') or []
    wanted = [listed] if isinstance(listed, str) else listed
    strange = CtxError(f'{name}: its list `read` cannot be parsed', f'add {PATH} to it by hand')
    if not isinstance(wanted, list) or not all(isinstance(path, str) for path in wanted):
        raise strange
    if PATH in wanted:
        return text
    found = KEY.search(text)
    if 'read' not in before:
        out = marked.put(text, 'aider', f'read:\n  - {PATH}', '#')
    elif found and not found['value']:
        newline = '\r\n' if '\r\n' in text else '\n'
        first = re.compile(r'\s*?^([ \t]*)- ', re.MULTILINE).search(text, found.end())
        line = f'{first[1] if first else "  "}- {PATH} # ctxkit'
        end = text.find('\n', found.end()) + 1
        out = text[:end] + line + newline + text[end:] if end else text + newline + line
        wanted = [PATH, *wanted]
    elif found and not found['rest']:
        inner = ', '.join([*map(_quoted, wanted), PATH])
        line = f'read: [{inner}] # ctxkit, was: {found["value"]}'
        out = text[: found.start()] + line + text[found.end() :]
    else:
        raise strange
    wanted = wanted if PATH in wanted else [*wanted, PATH]
    if _load(out) != {**before, 'read': wanted}:
        raise strange
    return out


def take(text: str) -> str:
    """`text` as it was before `put`."""
    text = marked.take(text, 'aider', '', '#')
    text = OUR_ITEM.sub('', text)
    return WAS_VALUE.sub(lambda match: f'read: {match["was"]}', text)


def _quoted(path: str) -> str:
    return path if re.fullmatch(r'[\w./-]+', path) else "'" + path.replace("'", "''") + "'"


def _load(text: str) -> dict[str, Any] | None:
    """The mapping in `text`; None for anything else, such as invalid YAML (an invalid date raises ValueError)."""
    import yaml

    try:
        data = yaml.safe_load(text) or {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
