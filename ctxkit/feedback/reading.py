"""Split an answer into prose, code spans in it, and fenced blocks with their language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

FENCE = re.compile(
    r'^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)\n'
    r'(?P<body>.*?)(?:^[ \t>]*(?P=mark)[`~]*[ \t]*$|\Z)',
    re.MULTILINE | re.DOTALL,
)
SPAN = re.compile(r'(?<!`)(`{1,2})(?!`)(?P<code>[^`\n]{1,300}?)\1(?!`)')
URL = re.compile(r'\b(?:https?|ftp|ssh|git|file)://[^\s)>\]]+|\bwww\.[^\s)>\]]+|[\w.+-]+@[\w-]+\.[\w.]+')
LINK = re.compile(r'\]\((?P<target>[^)\s]+)\)')
# No name is this long, and some patterns take time that grows with the square of a word's length.
LONG_WORD = re.compile(r'\S{300,}')
MAX_CHARS = 100_000
MAX_SPANS = 3000
SENTENCE_END = re.compile(r'(?:[.!?](?=\s|$)|[。！？]|\n\s*\n|\n\s*[-*#|\d])')


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language tag in lower case ('' for none) and its text."""

    language: str
    body: str


@dataclass(frozen=True)
class Span:
    """Something in the prose that may be a name, with the text before and after it in its sentence."""

    text: str
    before: str
    after: str


@dataclass(frozen=True)
class Answer:
    """A split answer: `text` is without fences, `prose` also without code spans; `spans` are those and link targets."""

    prose: str
    text: str
    spans: tuple[Span, ...]
    fences: tuple[Fence, ...]


def read(answer: str) -> Answer:
    """Split an answer; only the first MAX_CHARS characters are read. An unclosed fence goes to the end."""
    fences: list[Fence] = []

    def keep(match: re.Match[str]) -> str:
        info = match['info'].strip().lower()
        fences.append(Fence(re.split(r'[\s{,:]', info)[0] if info else '', match['body']))
        return '\n\n'

    text = FENCE.sub(keep, LONG_WORD.sub(' ', answer[:MAX_CHARS]).replace('\r\n', '\n'))
    text = LINK.sub(_link, text)
    text = URL.sub(lambda match: ' ' * len(match[0]), text)
    found = islice(SPAN.finditer(text), MAX_SPANS)
    spans = [Span(match['code'].strip(), *around(text, *match.span())) for match in found]
    prose = SPAN.sub(lambda match: ' ' * len(match[0]), text)
    return Answer(prose, text, tuple(spans), tuple(fences))


def _link(match: re.Match[str]) -> str:
    """A link's target as a code span; a target outside the repository is dropped."""
    return '] ' if URL.match(match['target']) else f'] `{match["target"].partition("#")[0]}` '


def around(text: str, start: int, end: int) -> tuple[str, str]:
    """The text before [start, end) and after it in the same sentence, at most 160 characters each."""
    before = text[max(0, start - 160) : start]
    return SENTENCE_END.split(before)[-1], SENTENCE_END.split(text[end : end + 160])[0]
