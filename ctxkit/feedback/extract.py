"""All names of an answer: from its prose, its code spans and its fenced code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxkit.feedback import phrases
from ctxkit.feedback.fences import from_fences
from ctxkit.feedback.names import BARE_CALL, BARE_PATH, CAMEL_WORD, DOTTED, Name, classify, path_name, symbol_name
from ctxkit.feedback.reading import Answer, Span, around, read


def extract(answer: str) -> list[Name]:
    """The names of an answer, each once; a name that is excused in one place and used in another is not excused
    unless it was proposed first."""
    taken = read(answer)
    proposed = {match['new'].strip('()') for match in phrases.RENAME.finditer(taken.text)}
    found: dict[tuple[str, str], Name] = {}
    code_names, defined = from_fences(taken.fences)
    for name in [*_from_spans(taken), *_from_prose(taken), *code_names]:
        last = name.parts[-1] if name.parts else name.text
        if name.text in proposed or last in proposed or name.text in defined or last in defined:
            name = Name(name.text, name.kind, name.parts, name.strong, True)
        key = (name.kind, name.text)
        if key not in found or (name.strong and not found[key].strong):
            found[key] = name
        if name.excused:
            proposed.add(name.text)
    return list(found.values())


def _from_spans(taken: Answer) -> Iterator[Name]:
    for span in taken.spans:
        excused = _excused(span)
        for name in classify(span.text, _beside_noun(span)):
            yield Name(name.text, name.kind, name.parts, name.strong, excused)


def _from_prose(taken: Answer) -> Iterator[Name]:
    prose = taken.prose
    used = bytearray(len(prose))  # 1 for each character of a name that was found
    for pattern, kind in ((BARE_PATH, 'path'), (BARE_CALL, 'symbol'), (CAMEL_WORD, 'symbol'), (DOTTED, 'dotted')):
        for match in pattern.finditer(prose):
            if 1 in used[match.start() : match.end()]:
                continue
            text = match[0]
            name: Name | None = None
            if kind == 'path':
                name = path_name(text)
            elif kind == 'dotted' and ('_' in text.strip('_') and re.search(r'[A-Za-z]{2}', text)):
                name = symbol_name(text, True)
            elif kind == 'symbol':
                name = symbol_name(text, True)
            if name is None:
                continue
            used[match.start() : match.end()] = b'\1' * len(text)
            excused = _excused(Span(text, *around(prose, *match.span())))
            yield Name(name.text, name.kind, name.parts, name.strong, excused)


def _excused(span: Span) -> bool:
    """Whether the sentence proposes the name or says that it is missing."""
    before = span.before
    if phrases.ABSENT.search(before[-70:]) or phrases.ABSENT.search(span.after[:50]):
        return True
    made = list(phrases.CREATE.finditer(before))
    if not made or len(before) - made[-1].end() > 60:
        return False
    return not phrases.PLACE.search(before[made[-1].end() :])


def _beside_noun(span: Span) -> bool:
    return bool(phrases.NOUN_BEFORE.search(span.before) or phrases.NOUN_AFTER.match(span.after))
