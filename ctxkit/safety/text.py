"""Untrusted text made safe to show: in XML for agents, and on a person's terminal."""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline, bidi and zero-width marks, BOM, surrogates, non-characters: illegal in XML
# 1.0, or able to make text look like something else (https://trojansource.codes).
UNSAFE = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff'
                    '\ud800-\udfff\ufdd0-\ufdef\ufff9-\uffff]')
# Agents that import files with `@path` follow it inside our block too, so a word-initial `@` is written as an entity.
WORD_AT = re.compile(r'(?<![\w.])@(?=[\w./~"\'\\])')


def visible(text: str) -> str:
    """The text with each unsafe character written out as `\\xNN` or `\\uNNNN`; a CRLF becomes a newline."""
    return UNSAFE.sub(_spell, text.replace('\r\n', '\n'))


def escape(text: str) -> str:
    """The text as XML character data: it can never close an element, nor import a file.

    Only what must be is escaped (`<`, `&`, the end of `]]>`): each entity costs the reader tokens.
    """
    text = visible(text).replace('&', '&amp;').replace('<', '&lt;').replace(']]>', ']]&gt;')
    return WORD_AT.sub('&#64;', text)


def escape_attribute(text: str) -> str:
    """The text as an attribute value in double quotes, on one line."""
    return escape(printable(text)).replace('"', '&quot;').replace('>', '&gt;')


def printable(text: str) -> str:
    """One line for a terminal: newlines and tabs are written out as well."""
    return visible(text).replace('\n', '\\n').replace('\t', '\\t')


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f'\\x{code:02x}' if code < 0x100 else f'\\u{code:04x}'
