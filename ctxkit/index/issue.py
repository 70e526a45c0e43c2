"""Read requests that are issues: a title, a blank line, and what else the person wrote or a template asked for.

The title says what is wanted. The rest describes the machine, reproduces and quotes: for 103 issues of 45 projects, the
whole text found fewer of the functions that fixed them than the title alone.
"""

from __future__ import annotations

import re

from ctxkit.index.terms import STOP, WORD, split

MOST = 200  # characters of a title
READ = 20_000  # characters among which a title is looked for: it comes first
LEAST = 200  # characters of a body; a sentence or two below a line merely continue it
WORDS = 2  # telling words that a title has at least
# Words of a line that only introduces what follows: `Hi, please look into this failure:`.
_LEADING_ON = frozenset(
    'hi hello hey all team everyone there please thanks look looking into investigate check see solve resolve debug '
    'help need want get getting got give take work task ticket report reported github following below above here '
    'attached pasted error problem fail fails failing failure out about am let lets using just still again'.split()
)
# Words of the headings of issue templates: an issue pasted without its title begins with such a heading.
_HEADINGS = frozenset(
    'current actual expected observed behavior behaviour result results steps reproduce reproduction feature request '
    'related describe description details summary overview background motivation proposal proposed solution '
    'alternatives considered acceptance criteria happened happens dr bug like tell'.split()
)
# Parts of a template that say nothing about the code: their headings end like this, or ask for a version.
_MACHINE = frozenset(
    'environment configuration os platform desktop checklist prerequisites screenshot screenshots'.split()
    + ['operating system', 'system info', 'system information', 'additional information', 'additional context']
)
_VERSION = frozenset({'version', 'versions'})
# Compiled when first used, for most requests are one line.
_COMMENT = r'(?s)<!--.*?(?:-->|\Z)'
# Not part of a title: pictures, checkboxes, URLs, the key of a ticket.
_NO_TITLE = r'!\[[^\]\n]*\]\([^)\n]*\)|https?://\S+|^[*-] \[[ xX]\].*|^\W*[A-Z][A-Z0-9]+-\d+\W*$'
_NEXT_SENTENCE = r'[a-z)][.!?] [A-Z]'
_HEADING = r'[ ]{0,3}(?:#{1,6}[ \t]|\*\*[^*\n]{2,70}\*\*:?[ \t\r]*$)'
_FENCE = r'[ \t]*(`{3,}|~{3,})'
_CODE = r'(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`'


def title_of(text: str) -> str:
    """The line of a text that is the title of the rest; '' if there is none.

    It is alone in its paragraph, and only lines without telling words (greetings, headings) stand before it.
    """
    if len(text) < LEAST:
        return ''
    left = re.sub(_COMMENT, '', text).strip()[:READ]
    while True:
        line, _, rest = left.partition('\n')
        if len(line) > MOST or len(rest) < LEAST or rest.partition('\n')[0].strip():
            return ''
        words = {word.lower() for word in WORD.findall(re.sub(_NO_TITLE, '', line))} - STOP
        telling = words - _LEADING_ON if words - _LEADING_ON - _HEADINGS else set()
        line = line.strip('# \t\r')
        # Counted in terms, for a word of a language without spaces says more.
        if sum(len(split(word)) for word in telling) >= WORDS and not line.endswith(':'):
            # A full stop, or several sentences, make it the first of several paragraphs, not a title.
            return '' if line.endswith('.') or re.search(_NEXT_SENTENCE, line) else line
        left = rest.strip()


def without_asides(text: str) -> str:
    """A text without the parts under headings like `Environment`, which only add the names of programs."""
    out: list[str] = []
    fence, aside = '', False
    for line in text.split('\n'):
        mark = re.match(_FENCE, line)
        if mark:
            fence = '' if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and re.match(_HEADING, line):
            aside = _is_aside(line)
        if not aside:
            out.append(line)
    return '\n'.join(out)


def _is_aside(heading: str) -> bool:
    words = WORD.findall(re.sub(r'\([^()\n]*\)', '', heading[:MOST]).lower())
    return not _VERSION.isdisjoint(words) or not _MACHINE.isdisjoint((*words[-1:], ' '.join(words[-2:])))


def spelled(text: str) -> frozenset[str]:
    """The words in the code spans and code blocks of a text."""
    return frozenset(re.findall(r'\w+', ' '.join(re.findall(_CODE, text))))
