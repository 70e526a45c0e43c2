"""Units of removed definitions: one line for each, and the code that still calls it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial

from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import fresh_manifest, open_corpus, read_regular
from ctxkit.index.record import Place
from ctxkit.index.store import Store
from ctxkit.repo import Repo
from ctxkit.safety.secrets import redact
from ctxkit.settings import Settings
from ctxkit.slicing import language_of
from ctxkit.units import gone
from ctxkit.units.changed import new_lines
from ctxkit.units.edited import Edit, edit_unit, numbered
from ctxkit.units.gone import Removal
from ctxkit.units.history import Past
from ctxkit.units.present import Part
from ctxkit.units.still_called import RemovedDefinition
from ctxkit.units.still_there import names_opened
from ctxkit.units.stream import NEEDS, REMOVED, Related, StreamUnit, needs_removed
from ctxkit.units.unit import Event, Fresh, make

MAX_UNREAD = 500  # other changed files that are searched for a name; with more, no definition counts as gone
MAX_NAMES = 4  # shown of the definitions that a commit removed from one file and nobody calls


def of_history(
    corpus: Corpus,
    pasts: Sequence[Past],
    edits: Counter[str],
    known: frozenset[str],
    now: float,
) -> Iterator[StreamUnit]:
    """The units of what some commits removed."""
    found = gone.of_history(corpus, pasts, now)
    for removal in found:
        yield _removal_unit(removal, edits[removal.definition.path], known)
    for caller, lost in gone.callers(found):
        event = Event('removal', lost.commit, lost.time)
        change = needs_removed(_need(caller, lost.place), redact(lost.place.name, known))
        yield make(corpus, caller.chunk, change, event, edits[lost.path], known, fresh=_lines_that_name(corpus, lost))


def of_edits(
    repo: Repo,
    settings: Settings,
    commit: str,
    edits: Sequence[Edit],
    unread: Sequence[str],
    now: float,
    known: frozenset[str],
) -> list[StreamUnit]:
    """The units of what uncommitted edits removed; `unread` are changed files that are not among `edits`."""
    out: list[StreamUnit] = []
    opened: list[Corpus] = []
    with ExitStack() as stack:

        def tree() -> Corpus:  # opened only if needed, for it loads the embedding model
            if not opened:
                store = stack.enter_context(Store(repo.data_dir))
                encoder = encoder_for(settings.model.name)
                manifest = fresh_manifest(repo, store, settings, commit, now, encoder)
                opened.append(open_corpus(repo, store, manifest, encoder))
            return opened[0]

        texts = [
            names_opened(edit.source.decode('utf-8', 'replace'))
            for edit in edits
            if edit.source and not language_of(edit.path)
        ]
        further: list[bytes] = []

        def elsewhere(name: str) -> bool:
            if len(unread) > MAX_UNREAD:
                return True
            if unread and not further:
                limit = settings.slicing.max_file_bytes
                further.extend(read_regular(repo, path, limit) or b'' for path in unread)
            word = name.encode('utf-8', 'surrogateescape')
            return any(word in source for source in further) or any(name in names for names in texts)

        found = gone.of_edits(tree, edits, elsewhere, now)
        out += [_removal_unit(removal, 1, known) for removal in found]
        for caller, lost in gone.callers(found):
            change = needs_removed(_need(caller, lost.place), redact(lost.place.name, known))
            if caller.edit is None:
                event = Event('edit', '', now)
                out.append(make(tree(), caller.chunk, change, event, 1, known, fresh=_lines_that_name(tree(), lost)))
            else:
                source = caller.edit.source or b''
                chunk, digest, nth = list(numbered(caller.edit.chunks))[caller.chunk]
                old = partial(_without, lost.place.name, source)
                made = edit_unit(caller.path, False, chunk, nth, digest, source, now, known, old=old)
                out.append(made._replace(change=change))
    return out


def _lines_that_name(corpus: Corpus, lost: RemovedDefinition) -> Fresh:
    """A function that gives the lines of a file that name what is gone: code too long for a unit is cut to them."""

    def lines(path: str) -> frozenset[str]:
        source = corpus.source(path)
        return new_lines(_without(lost.place.name, source), source)

    return lines


def _without(name: str, source: bytes) -> bytes:
    """`source` without the lines that hold `name` as a word."""
    holds = re.compile(rf'(?<!\w){re.escape(name)}(?!\w)'.encode('utf-8', 'surrogateescape'))
    return b'\n'.join(line for line in source.split(b'\n') if not holds.search(line))


def _removal_unit(removal: Removal, edits: int, known: frozenset[str]) -> StreamUnit:
    """The unit that names a removed definition and its callers; it has no text."""
    lost, place = removal.definition, removal.definition.place
    related = tuple(
        Related(_relation(one, place), sure, 1, one.path, one.start_line, one.end_line, redact(one.symbol, known))
        for one, sure in removal.callers
    )
    places = [place, *removal.more]
    symbol = ', '.join(one.symbol for one in places[:MAX_NAMES])
    if len(places) > MAX_NAMES:
        symbol += f' … {len(places) - MAX_NAMES} more'
    name = f'removed\0{lost.path}\0{place.symbol}'
    return StreamUnit(
        hashlib.blake2b(name.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest(),
        lost.time,
        'removal' if lost.commit else 'edit',
        lost.commit,
        lost.path,
        redact(symbol, known),
        place.kind,
        min(one.start_line for one in places),
        max(one.end_line for one in places),
        REMOVED,
        '',
        edits,
        0,
        '',
        '',
        related,
        files=1 if related else lost.files,  # a broken call matters, however many files the commit changed
    )


def _relation(caller: Part, place: Place) -> str:
    how = {'calls': 'called', 'extends': 'extended', 'uses': 'used', '': 'imported'}[_need(caller, place)]
    return f'still {how} by'


def _need(caller: Part, place: Place) -> str:
    """How `caller` needs `place`: one of NEEDS, '' if it only imports it."""
    kinds = {one.kind for one in caller.references if one.name == place.name}
    return next((how for kind, how in zip(('call', 'base', 'type'), NEEDS, strict=True) if kind in kinds), '')
