"""The secret filter: everything that ctxkit writes under .ctx/, streams or shows passes `redact` first.

Two kinds of rules, both tables in `secret_rules`: a *prefix* rule recognizes a token by how it begins, a *context* rule
recognizes a value by its surroundings. Each rule has a literal anchor that is looked up with `str.find`; its regular
expression is compiled and tried only where the anchor is found. So clean text costs a few substring searches, the cost
grows only with the length of the text, and a process that meets no secret compiles nothing. Text need not be scanned in
pieces, so no token can lie across a border.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.safety.secret_rules import CONTEXT, PREFIX, Context, Prefix
from ctxkit.safety.secret_values import compiled

if TYPE_CHECKING:
    from pathlib import Path

MARK = '[REDACTED:'
FILLED = '\ue000'
MARKS = r'\[REDACTED:[a-z0-9-]{1,40}\]'
# A letter may directly precede a token where it ends a JSON escape (`\n`) or a terminal's colour code.
ESCAPE = r'(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;]{0,12}[A-Za-z])$'
# `ghp_xxxxxxxx` and `sk-ant-...` in documentation.
FILLER = frozenset('xX.*-_0…')
MARGIN = 4000  # bytes of context searched around a piece


class Finding(NamedTuple):
    """A secret in a text: which rule found it, and its [start, end) in characters."""

    rule: str
    start: int
    end: int


def find(text: str, known: frozenset[str] = frozenset()) -> list[Finding]:
    """All secrets in `text`, in order, not overlapping. `known` holds further exact values to find, from .env files."""
    marks = [match.span() for match in compiled(MARKS).finditer(text)] if MARK in text else []
    if marks:  # a mark's own words must not act as context, so that redacting twice changes nothing
        text = compiled(MARKS).sub(lambda match: FILLED * len(match[0]), text)
    found = [*_known(text, known)]
    for rule in PREFIX:
        if rule.anchor in text:
            found += _prefixed(text, rule)
    lower = _lower(text)
    for context in CONTEXT:
        if context.anchor in lower:
            found += _in_context(text, lower, context)
    return _merged(found, marks) if found else []


def redact(text: str, known: frozenset[str] = frozenset()) -> str:
    """`text` with each secret replaced by `[REDACTED:rule]`. Idempotent."""
    out, last = [], 0
    for finding in find(text, known):
        out += [text[last : finding.start], f'{MARK}{finding.rule}]']
        last = finding.end
    return ''.join([*out, text[last:]]) if out else text


def redact_part(source: bytes, start: int, end: int, known: frozenset[str] = frozenset()) -> str:
    """source[start:end] as text without its part of any secret, even of one that begins before or ends after it.

    This is for pieces cut by size: the second half of a key has no anchor of its own.
    """
    first, last = max(0, start - MARGIN), min(len(source), end + MARGIN)
    begin = source.rfind(b'-----BEGIN', 0, start)
    if begin >= 0 and source.find(b'-----END', begin, start) < 0:
        first = min(first, begin)
    before, inside, after = (
        source[a:b].decode('utf-8', 'replace') for a, b in ((first, start), (start, end), (end, last))
    )
    text, at, stop = before + inside + after, len(before), len(before) + len(inside)
    out = []
    for finding in find(text, known):
        if finding.end > at and finding.start < stop:
            out += [text[at : max(at, finding.start)], f'{MARK}{finding.rule}]']
            at = finding.end
    return ''.join([*out, text[at:stop]])


def env_values(root: Path) -> frozenset[str]:
    """The secret values of the `.env*` files in a work tree's top folder, to pass as `known`."""
    from ctxkit.safety.env_files import env_values as read

    return read(root)


def _lower(text: str) -> str:
    """`text` with only ASCII letters in lower case: `str.lower` can change the length (U+0130) and shift positions."""
    if text.isascii():
        return text.lower()
    return text.encode('utf-8', 'surrogatepass').lower().decode('utf-8', 'surrogatepass')


def _places(text: str, anchor: str) -> Iterator[int]:
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + 1)


def _known(text: str, known: frozenset[str]) -> Iterator[Finding]:
    for value in known:
        import json

        for form in {value, json.dumps(value)[1:-1]}:
            for at in _places(text, form):
                yield Finding('env', at, at + len(form))


def _prefixed(text: str, rule: Prefix) -> Iterator[Finding]:
    pattern, end = compiled(rule.pattern), 0
    for at in _places(text, rule.anchor):
        if at < end or rule.near and text.find(rule.near, at, at + 700) < 0:
            continue
        start = at
        if rule.before:
            behind = compiled(rule.before).search(text[max(0, at - 24) : at])
            if not behind:
                continue
            start -= len(behind[1])
        elif rule.before is not None and not _border(text, at):
            continue
        match = pattern.match(text, at)
        if match and not FILLER.issuperset(match[0][len(rule.anchor) :]) and (not rule.random or _random(match[0])):
            end = match.end()
            yield Finding(rule.name, start, end)


def _border(text: str, at: int) -> bool:
    if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
        return True
    behind = text[max(0, at - 16) : at]
    return ('\\' in behind or '\x1b' in behind) and compiled(ESCAPE).search(behind) is not None


def _random(token: str) -> bool:
    """Whether digits and letters are mixed as no identifier or file name has them."""
    return sum(char.isdigit() for char in token) >= 2 and any(char.isupper() for char in token)


def _in_context(text: str, lower: str, rule: Context) -> Iterator[Finding]:
    pattern, end = compiled(rule.pattern), 0
    for at in _places(lower, rule.anchor):
        if at < end:
            continue
        match = pattern.match(text, at)
        if not match or rule.line and not _has_word(lower, at, rule.line):
            continue
        if rule.accept(text, match):
            end = match.end('value')
            yield Finding(rule.name, match.start('value'), end)


def _has_word(lower: str, at: int, words: tuple[str, ...]) -> bool:
    """Whether one of `words` precedes `at` on the same line."""
    start = max(0, at - 300)
    line = lower[start:at].rpartition('\n')[2]
    return any(word in line for word in words)


def _merged(found: list[Finding], marks: list[tuple[int, int]]) -> list[Finding]:
    """The findings in order, overlapping ones joined under the first's name, without those that overlap a mark."""
    out: list[Finding] = []
    ahead = 0  # the first mark that ends after the finding begins; both are in order
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        while ahead < len(marks) and marks[ahead][1] <= item.start:
            ahead += 1
        if ahead < len(marks) and marks[ahead][0] < item.end:
            continue
        if out and item.start < out[-1].end:
            out[-1] = out[-1]._replace(end=max(out[-1].end, item.end))
        else:
            out.append(item)
    return out
