"""Our own lines in a file that belongs to the person: put between marks, and removed with nothing else changed."""

from __future__ import annotations

import re


def marks(style: str) -> re.Pattern[str]:
    """The pattern of our block in a file with comments of `style` ('html' or '#')."""
    before, after = map(re.escape, ('<!-- ', ' -->') if style == 'html' else ('# ', ''))
    # The body ends at the next begin mark: otherwise a file with many begin marks and no end would take minutes.
    return re.compile(
        rf'(?:(?<=\n)(?P<gap>\r?\n))?^{before}ctxkit:begin(?P<names>(?: [\w-]+)*)(?P<joined> \+)?{after}\r?\n'
        rf'(?P<body>(?:(?!{before}ctxkit:begin)[^\n]*\n)*?){before}ctxkit:end{after}(?:\r?\n|\Z)',
        re.MULTILINE,
    )


def owners(text: str, style: str = 'html') -> list[str]:
    """The agents that our block in `text` names."""
    found = marks(style).search(text)
    return found['names'].split() if found else []


def put(text: str, agent: str, body: str, style: str = 'html') -> str:
    """`text` with our block naming `agent` too; an existing block is updated in its place."""
    newline = '\r\n' if '\r\n' in text else '\n'
    found = marks(style).search(text)
    names = sorted({*owners(text, style), agent})
    if found:
        block = _block(names, body, style, newline, bool(found['joined']))
        return text[: found.start()] + (found['gap'] or '') + block + text[found.end() :]
    # ` +` records that the file's last line had no line break, so that `take` can restore that.
    joined = bool(text) and not text.endswith('\n')
    gap = newline if text else ''
    return text + (newline if joined else '') + gap + _block(names, body, style, newline, joined)


def take(text: str, agent: str, body: str, style: str = 'html') -> str:
    """`text` without our block for `agent`; while other agents use the block, only the name is removed."""
    found = marks(style).search(text)
    if not found or agent not in found['names'].split():
        return text
    names = [name for name in found['names'].split() if name != agent]
    newline = '\r\n' if '\r\n' in text else '\n'
    if names:
        block = _block(names, body, style, newline, bool(found['joined']))
        return text[: found.start()] + (found['gap'] or '') + block + text[found.end() :]
    before, after = text[: found.start()], text[found.end() :]
    if found['joined'] and not after:
        before = before.removesuffix('\n').removesuffix('\r')
    return before + after


def _block(names: list[str], body: str, style: str, newline: str, joined: bool) -> str:
    begin, end = ('<!-- ', ' -->') if style == 'html' else ('# ', '')
    lines = [
        f'{begin}ctxkit:begin {" ".join(names)}{" +" if joined else ""}{end}',
        *body.strip('\n').split('\n'),
        f'{begin}ctxkit:end{end}',
    ]
    return newline.join(lines) + newline
