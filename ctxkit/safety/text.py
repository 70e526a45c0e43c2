"""Make untrusted text safe to show: in XML for agents, and on a person's terminal."""

from __future__ import annotations

import re
from functools import lru_cache

# C0 and C1 controls except tab and newline, soft hyphen, bidi and zero-width marks, fillers that show as nothing, BOM,
# surrogates, non-characters, tags and variation supplements: illegal in XML 1.0, or able to hide text or to make it
# look like something else (https://trojansource.codes).
UNSAFE = (
    '[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f'
    '\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff'
    '\U000e0000-\U000e0fff]'
)
ASCII_UNSAFE = re.compile('[\x00-\x08\x0b-\x1f\x7f]')  # the same for pure ASCII text
# Agents that import files with `@path` do so inside our block too, so a word-initial `@` is written as an entity
# whatever follows: agents differ in what they take for a path.
WORD_AT = re.compile(r'(?<!\w)@')


def visible(text: str) -> str:
    """`text` with unsafe characters written out as `\\xNN`, `\\uNNNN` or `\\UNNNNNNNN`; a CRLF becomes a newline."""
    unsafe = ASCII_UNSAFE if text.isascii() else _unsafe()
    return unsafe.sub(_spell, text.replace('\r\n', '\n'))


def escape(text: str) -> str:
    """`text` as XML character data: it can never close an element, nor import a file.

    Only what must be escaped is (`<`, `&`, the end of `]]>`): each entity costs the reader tokens.
    """
    text = visible(text).replace('&', '&amp;').replace('<', '&lt;').replace(']]>', ']]&gt;')
    return WORD_AT.sub('&#64;', text)


def escape_attribute(text: str) -> str:
    """`text` as an attribute value for double quotes, on one line."""
    return escape(printable(text)).replace('"', '&quot;').replace('>', '&gt;')


def printable(text: str) -> str:
    """`text` as one line for a terminal: newlines and tabs are written out as well."""
    return visible(text).replace('\n', '\\n').replace('\t', '\\t')


def plain(text: str) -> str:
    """`text` as one line of Markdown outside a fence, where an agent would follow `@path` too."""
    return WORD_AT.sub('&#64;', printable(text))


@lru_cache(maxsize=1)
def _unsafe() -> re.Pattern[str]:
    """Compile the pattern on first use: most processes never need it, and it takes a millisecond."""
    return re.compile(UNSAFE)


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > 0xFFFF:
        return f'\\U{code:08x}'
    return f'\\x{code:02x}' if code < 0x100 else f'\\u{code:04x}'
