"""What reached the model: the texts of a request, and the block and the pointer found in them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

BLOCK = re.compile(r'<ctxkit version=.*?</ctxkit>', re.DOTALL)
OPENING = '<ctxkit version='
CODE = re.compile(r'<ctxkit for="prompt" .*?</ctxkit>', re.DOTALL)
POINTER = 'Repository context: `.ctx/context.xml`'


@dataclass(frozen=True)
class Seen:
    """Of the request that carried the prompt: how often block, pointer and the prompt's code stand in it, the block."""

    blocks: int
    whole: bool
    block: str
    pointers: int
    codes: int = 0


def texts(value: Any) -> list[str]:
    """All strings of a request's body."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return []


def look(requests: list[tuple[str, str]], prompt: str) -> Seen | None:
    """What stood beside `prompt`; None where no request carried it. Side requests (titles, classifiers) are not asked:
    the longest request with the prompt is the turn itself."""
    bodies = [body for _, body in requests if prompt in '\n'.join(texts(_load(body)))]
    if not bodies:
        return None
    found = texts(_load(max(bodies, key=len)))
    blocks = [match[0] for text in found for match in BLOCK.finditer(text)]
    openings = sum(text.count(OPENING) for text in found)
    return Seen(
        openings,
        openings == len(blocks) and all(map(_parses, blocks)),
        max(blocks, key=len, default=''),
        sum(text.count(POINTER) for text in found),
        sum(_parses(match[0]) for text in found for match in CODE.finditer(text)),
    )


def _load(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body


def _parses(block: str) -> bool:
    try:
        ElementTree.fromstring(block)  # our own block, from our own process
    except ElementTree.ParseError:
        return False
    return True
