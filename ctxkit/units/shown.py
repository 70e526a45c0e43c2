"""One place of the code as the block shows it."""

from __future__ import annotations

from typing import NamedTuple

from ctxkit.safety.text import escape, escape_attribute, plain, visible


class Unit(NamedTuple):
    """One place of the code in the block; `text` is not yet escaped.

    `level` is 'code', 'excerpt', 'signature' or 'path'.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    why: str
    level: str
    text: str
    related: str = ''

    def to_xml(self) -> str:
        """The unit as an element; a path alone is one line."""
        lines = f'{self.start_line}-{self.end_line}'
        head = f'<unit path="{escape_attribute(self.path)}" lines="{lines}"'
        if self.symbol:
            head += f' symbol="{escape_attribute(self.symbol)}"'
        if self.why:
            head += f' why="{escape_attribute(self.why)}"'
        if self.related:
            head += f' related="{escape_attribute(self.related)}"'
        if self.level == 'path':
            return head + '/>'
        return f'{head}>\n{escape(self.text)}\n</unit>'

    def to_markdown(self) -> str:
        """The unit as a heading and a fenced block; the fence is longer than any inside it."""
        head = f'### {plain(self.path)}:{self.start_line}-{self.end_line} {plain(self.symbol)}'.rstrip()
        notes = '; '.join(part for part in (self.why, self.related) if part)
        if self.level == 'path':
            return f'- {head[4:]}' + (f' ({plain(notes)})' if notes else '')
        fence = '```'
        while fence in self.text:
            fence += '`'
        return head + (f'\n{plain(notes)}' if notes else '') + f'\n{fence}\n{visible(self.text)}\n{fence}'
