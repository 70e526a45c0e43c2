"""Extract all names from an answer: from its prose, its code spans and its fenced code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ctxkit.feedback import phrases
from ctxkit.feedback.fences import from_fences
from ctxkit.feedback.names import BARE_CALL, BARE_PATH, CAMEL_WORD, DOTTED, Name, classify, path_name, symbol_name
from ctxkit.feedback.reading import Answer, Span, around, read


def extract(answer: str) -> list[Name]:
    """The names of an answer, each once. A name that is excused in one place and used in another counts as not excused,
    unless it was proposed first."""
    parsed = read(answer)
    proposed = {match['new'].strip('()') for match in phrases.RENAME.finditer(parsed.text)}
    found: dict[tuple[str, str], Name] = {}
    code_names, defined = from_fences(parsed.fences)
    for name in [*_from_spans(parsed), *_from_prose(parsed), *code_names]:
        last = name.parts[-1] if name.parts else name.text
        if name.text in proposed or last in proposed or name.text in defined or last in defined:
            name = replace(name, excused=True)
        key = (name.kind, name.text)
        if key not in found or (name.strong and not found[key].strong):
            found[key] = name
        if name.excused:
            proposed.add(name.text)
    return list(found.values())


def _from_spans(parsed: Answer) -> Iterator[Name]:
    for span in parsed.spans:
        excused = _excused(span)
        for name in classify(span.text, _is_next_to_noun(span)):
            yield replace(name, excused=excused)


def _from_prose(parsed: Answer) -> Iterator[Name]:
    prose = parsed.prose
    used = bytearray(len(prose))  # 1 for each character that belongs to a found name
    for pattern in (BARE_PATH, BARE_CALL, CAMEL_WORD, DOTTED):
        for match in pattern.finditer(prose):
            text = match[0]
            if 1 in used[match.start() : match.end()] or (pattern is DOTTED and not _is_snake_case(text)):
                continue
            name = path_name(text) if pattern is BARE_PATH else symbol_name(text, True)
            if name is not None:
                used[match.start() : match.end()] = b'\1' * len(text)
                yield replace(name, excused=_excused(Span(text, *around(prose, *match.span()))))


def _is_snake_case(text: str) -> bool:
    return '_' in text.strip('_') and re.search('[A-Za-z]{2}', text) is not None


def _excused(span: Span) -> bool:
    """Whether the sentence proposes the name or says that it is missing."""
    before = span.before
    if phrases.ABSENT.search(before[-70:]) or phrases.ABSENT.search(span.after[:50]):
        return True
    made = list(phrases.CREATE.finditer(before))
    if not made or len(before) - made[-1].end() > 60:
        return False
    return not phrases.PLACE.search(before[made[-1].end() :])


def _is_next_to_noun(span: Span) -> bool:
    return bool(phrases.NOUN_BEFORE.search(span.before) or phrases.NOUN_AFTER.match(span.after))
