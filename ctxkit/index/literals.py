"""Read the literals that a request names: a flag, a route, a header, a key, an event, an environment variable.

The code has them in quotes: `--max-depth` as `"max-depth"`, `/users/42` as `"/users/:id"`. Their words are common, and
often stand in a long table or function, which BM25 ranks low.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.index.terms import WORD
from ctxkit.slicing import language_of

SHORT = 120  # characters; in longer requests `read-only` and `and/or` are prose
IN_PROSE = 0.5  # share of a literal that can also be prose
TEXT, TABLES = 'text', 'tables'
MOST = 6  # literals in a request; a text with more is output
LONGEST = 100  # characters of one; more are data
# ASCII only: a flag in a Chinese sentence has no spaces around it. Compiled when first used.
_NAME = '[A-Za-z0-9_]'
_EDGE = r'(?<![A-Za-z0-9_./:@\\#>-])'
_FLAG = rf'{_EDGE}--([A-Za-z][A-Za-z0-9_-]+{_NAME})'
_ROUTE = rf'{_EDGE}(?:https?://[A-Za-z0-9_.:-]+|[A-Za-z0-9.-]+:\d+)?((?:/[A-Za-z0-9_.:{{}}<>*$@~-]+)+)/?'
_JOINED = rf'{_EDGE}([A-Za-z]{_NAME}*(?:[./:-][A-Za-z]{_NAME}*)+)(?![./:(-]?{_NAME}|\()'
_KEY = rf'{_EDGE}([a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+)(?![./:-]?{_NAME}|\(|->)'
_VALUE = r'\d+|[0-9a-f]{8,}(?:-[0-9a-f]+)*'  # of a parameter in a route that was called
_PARAMETER = r'[:{<\[$*(][^/"\'`\s]*'
_DEFINING = (
    'fn|def|fun|func|function|sub|proc|procedure|macro|let|val|type|class|contract|library|struct|enum|interface|trait'
    '|module|data|newtype|instance|task|rpc|message|mixin|extension|table|view|target|rule'
)
_QUOTE = '["\']'  # backticks mark code in comments


class Literal(NamedTuple):
    """What a chunk with a literal holds: `words`, and text that `pattern` matches.

    `name` is set if it can also be the name of a definition or file, which is then what the request means; `share` is
    less than 1 if it can also be prose. `only` says in which chunks it counts. Where none holds it, `otherwise` is
    looked for.
    """

    words: tuple[str, ...]
    pattern: str
    name: str = ''
    share: float = 1.0
    only: str = (
        ''  # TEXT: of code without a grammar, where it is defined; TABLES: classes and modules, which declare it
    )
    otherwise: Literal | None = None

    def readings(self) -> Iterator[Literal]:
        """The literal, and what is looked for where no chunk holds it, in order."""
        yield self
        if self.otherwise:
            yield from self.otherwise.readings()


def literals(text: str) -> tuple[Literal, ...]:
    """The literals that a text names, each once; () where there are too many."""
    flags = re.findall(_FLAG, text)
    text = re.sub(_FLAG, ' ', text)
    routes = re.findall(_ROUTE, text)
    text = re.sub(_ROUTE, ' ', text)
    joined = [name for name in re.findall(_JOINED, text) if not language_of(name)] if len(text) <= SHORT else []
    keys = re.findall(_KEY, text)
    named = ((_flag, flags), (_route, routes), (_joined, joined), (_key, keys))
    different = [(read, name) for read, names in named for name in dict.fromkeys(names) if len(name) <= LONGEST]
    found = [read(name) for read, name in different] if len(different) <= MOST else []
    return tuple(one for one in found if one)


def _flag(name: str) -> Literal:
    """`--[no-]color`, `"color"`, `"color,c"` and `"color <when>"` define the flag `--color`."""
    pattern = rf'{_QUOTE}(?:--)?(?:\[no-\])?{re.escape(name)}["\'=,\s<|:\[]'
    return Literal(_words(name), pattern, otherwise=_declared(name.replace('-', '_'), _camel(name)))


def _route(path: str) -> Literal | None:
    """A route whose parameters may have any name; else what is left of it without the beginning, which the router may
    have, and without a parameter at its end, which may be all that a method says."""
    parts = [
        _PARAMETER if re.fullmatch(rf'{_VALUE}|{_PARAMETER}', part) else part for part in path.strip('/').split('/')
    ]
    ends = [parts, parts[:-1]] if parts[-1] == _PARAMETER else [parts]
    found: Literal | None = None
    for rest in reversed([end[start:] for end in ends for start in range(len(end))]):
        words = _words(' '.join(part for part in rest if part != _PARAMETER))
        if words:
            pattern = '/'.join(part if part == _PARAMETER else re.escape(part) for part in rest)
            slash = '/?' if len(rest) > 1 else '/'
            found = Literal(words, rf'{_QUOTE}(?:[A-Z]+ )?{slash}{pattern}/?["\'?]', otherwise=found)
    return found


def _key(name: str) -> Literal:
    pattern = rf'\b{name}\b' if name.isupper() else f'{_QUOTE}{name}{_QUOTE}'  # `process.env.NAME`
    return _defined(name, Literal((name,), pattern, otherwise=_declared(name)))


def _declared(*names: str) -> Literal:
    """`name: str = 1`, `pub name: bool,`, `private int name;`, `name bool // of Go`, `#define NAME 1`."""
    either = '|'.join(dict.fromkeys(names))
    pattern = (
        rf'(?m)^[ \t]*(?:[^\s=(){{}};#][^=(){{}};\n]*[ \t*&]|#[ \t]*define[ \t]+)?(?:{either})\b'
        r'(?:\??[ \t]*[:=;,{]|[ \t]+[^\s=]+[ \t]*(?:[`,/].*)?$)'
    )
    return Literal(_words(names[0].replace('_', ' ')), pattern, only=TABLES)


def _camel(name: str) -> str:
    first, *others = name.split('-')
    return first + ''.join(part.capitalize() for part in others)


def _joined(name: str) -> Literal:
    """`socket.uds` can also be a qualified name, `keep-alive` a word."""
    share = IN_PROSE if re.fullmatch('[a-z-]+', name) else 1
    return _defined(name, Literal(_words(name), f'{_QUOTE}{re.escape(name)}{_QUOTE}', share=share))


def _defined(name: str, otherwise: Literal) -> Literal:
    """Definitions in languages without a grammar: `(defn name`, `sub name`, `name <- `, `name ::`, `int name() {`."""
    said = f'{re.escape(name)}(?![A-Za-z0-9_-])'
    pattern = (
        rf'(?m)^(?:[ \t]*(?:\w+[ \t]+)*(?i:{_DEFINING})[ \t(]+(?:[\w.]+[.:])?{said}|\((?:def[\w-]*)[ \t]+\(?{said}'
        rf'|{said}[ \t]*(?:<-|:|=(?!=))|[-+][ \t]*\([^)\n]*\)[ \t]*{said}'
        rf'|[ \t]*(?!return|await|else|new|throw)(?:[\w<>\[\],?.*&]+[ \t]+)+{said}[ \t]*\([^;\n]*$)'
    )
    return Literal(_words(name), pattern, name, only=TEXT, otherwise=otherwise)


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text))
