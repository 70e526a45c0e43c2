"""Shorten a message to few tokens: remove markup and injected text, then first drop sentences that name nothing.

Names, paths, numbers and error lines cannot be guessed by a later answer, so they stay as long as the limit allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ctxkit.sessions.words import named

Count = Callable[[str], int]
MAX_READ = 20_000  # characters read of a message
# Blocks that programs put into a person's message: nobody said their content.
_INJECTED = re.compile(
    r'<(system-reminder|command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|task-notification'
    r'|persisted-output|user_info|environment_(?:details|context|snapshot)|session_(?:context|state)|durable_memory'
    r'|web_context|semantic_units|preamble|turn_aborted|untrusted_context|ctxkit|thinking)\b'
    r'[^<>]*>.*?(?:</\1\s*>|\Z)',
    re.DOTALL,
)
_TAG = re.compile(
    r'</?(?:[a-z]+(?:[-_][a-z]+)+|a|b|i|u|p|br|hr|em|ul|ol|li|h[1-6]|div|span|strong|code|pre|table|tr|td'
    r'|th|img|details|summary|script|style|html|body|head|form|input|button)\b(?:\s[^<>]*)?/?>'
)
_DATA = re.compile(r'\b(data:[\w.+-]{1,40}/[\w.+-]{1,80})(?:;[\w=.+-]{1,40}){0,4};base64,[\w+/=%-]*')
_COMMENT = re.compile(r'<!--.*?(?:-->|\Z)', re.DOTALL)
_FENCE = re.compile(r'^[ \t]*(?:```|~~~)[^\n]*$', re.MULTILINE)
_HEADING = re.compile(r'^[ \t]*(?:#{1,6}|>+|[-*+•]|\d+[.)])[ \t]+', re.MULTILINE)
_RULE = re.compile(r'^[ \t]*[-=_*]{3,}[ \t]*$', re.MULTILINE)
# Searches for an optional end are bounded: otherwise a text of nothing but beginnings would take minutes.
_EMPHASIS = re.compile(r'(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\1')
_LINK = re.compile(r'!?\[([^\[\]\n]*)\]\(([^)\s]{0,600})(?:[ \t][^)\n]{0,200})?\)')
_ENDS = re.compile(r'(?<=[.!?;])\s+|(?<=[。！？；])|\n+')
ERROR = re.compile(
    r'\b(?:error|exception|traceback|failed|failure|fatal|panic|denied|refused|not found|errore|fehler'
    r'|erreur|ошибка)\b|错误|失败|\w+(?:Error|Exception)\b',
    re.IGNORECASE,
)
_CLAUSE = 240  # characters before a sentence is cut at a comma or a blank; fewer for a small limit


def clean(text: str) -> str:
    """`text` without injected blocks, tags, pasted bytes and Markdown's marks; blanks collapsed, no empty lines."""
    text = _DATA.sub(r'\1', text)
    if len(text) > MAX_READ:
        text = f'{text[: MAX_READ * 3 // 5]}\n…\n{text[-MAX_READ * 2 // 5 :]}'
    text = _COMMENT.sub(' ', _INJECTED.sub(' ', text))
    for pattern, put in ((_TAG, ' '), (_FENCE, ''), (_RULE, ''), (_HEADING, ''), (_EMPHASIS, r'\2'), (_LINK, r'\1 \2')):
        text = pattern.sub(put, text)
    lines = (' '.join(line.split()) for line in text.splitlines())
    return '\n'.join(line for line in lines if line)


def compress(text: str, limit: int, count: Count) -> str:
    """`clean` text on one line within `limit` tokens by `count`; '' if nothing fits.

    Sentences are chosen by how many names they hold for each token, error lines first, and keep their order; the names
    in those left out are added at the end.
    """
    whole = ' '.join(text.split('\n'))
    if count(whole) <= limit:
        return whole
    pieces = list(dict.fromkeys(_pieces(text, min(_CLAUSE, max(30, limit)))))
    costs = [count(piece) for piece in pieces]
    order = sorted(range(len(pieces)), key=lambda number: _worth(pieces, number, costs[number]))
    chosen: list[int] = []
    left = limit
    for number in order:
        if costs[number] + 2 <= left:  # a blank and the mark of an omission
            chosen.append(number)
            left -= costs[number] + 2
    while chosen and count(_joined(pieces, chosen)) > limit:
        chosen.pop()
    return _fullest(pieces, chosen, named(text), limit, count)


def _fullest(pieces: list[str], chosen: list[int], names: list[str], limit: int, count: Count) -> str:
    """The chosen pieces with the names of the others; the least valuable piece is dropped if more names then fit.

    Sentences keep half of the limit, because names alone would say nothing.
    """
    best, most = '', -1
    while True:
        said = _joined(pieces, chosen)
        said = _with_names(said, [name for name in names if name not in said], limit, count)
        kept = sum(name in said for name in names)
        if kept > most:
            best, most = said, kept
        chosen = chosen[:-1]
        if not chosen or kept == len(names) or count(_joined(pieces, chosen)) < limit // 2:
            return best


def _pieces(text: str, clause: int) -> list[str]:
    out = []
    for sentence in filter(None, map(str.strip, _ENDS.split(text))):
        while len(sentence) > clause:
            cut = max(sentence.rfind(mark, clause // 2, clause) for mark in (', ', '，', ' ')) + 1
            cut = cut or clause
            out.append(sentence[:cut].strip())
            sentence = sentence[cut:].strip()
        out.append(sentence)
    return out


def _worth(pieces: list[str], number: int, cost: int) -> tuple[int, float]:
    """Sort key: errors, then names for each token; the first and last piece and a question count as one name more."""
    piece = pieces[number]
    named_here = len(named(piece)) + (number in (0, len(pieces) - 1)) + piece.endswith(('?', '？'))
    return (0 if ERROR.search(piece) else 1), -named_here / (cost + 2)


def _joined(pieces: list[str], chosen: list[int]) -> str:
    """The chosen pieces in their order, with a mark for each omission."""
    out: list[str] = []
    previous = -1
    for number in sorted(chosen):
        if number != previous + 1:
            out.append('…')
        out.append(pieces[number])
        previous = number
    if chosen and previous != len(pieces) - 1:
        out.append('…')
    return ' '.join(out)


def _with_names(said: str, lost: list[str], limit: int, count: Count) -> str:
    """`said` with as many of the `lost` names as fit; bare numbers come last, because they say least on their own."""
    lost = sorted(lost, key=str.isdigit)
    left = limit - count(said) - 2
    kept = []
    for name in lost:
        left -= count(name) + 1
        if left < 0:
            break
        kept.append(name)
    while kept and count(line := f'{said} [{", ".join(kept)}]'.strip()) > limit:
        kept.pop()
    return line if kept else said
