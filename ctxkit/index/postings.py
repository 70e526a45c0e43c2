"""Extract the words of each field of a file's chunks, and the postings that the lexical index stores for them."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any

from ctxkit.embedding.text import head
from ctxkit.index.record import BODY, CLASS, DEFINES, DOC, HEAD, LENGTH_FIELDS, REFERS, SIGNATURE, SYMBOL, posting_type
from ctxkit.index.terms import definition_id, ids_of, reference_id
from ctxkit.index.words import Words, gathered, words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.slicing import Chunk


def words_of(path: str, chunks: Sequence[Chunk], source: bytes) -> tuple[Words, NDArray[np.int64]]:
    """(the words in rows, what each row is as chunk << 3 | field) for every field of every chunk of a file.

    The rows of a chunk are in the order of the model's passage. Names are appended to the source, so that everything
    is read at once.
    """
    import numpy as np

    if source.startswith(BOM_UTF8):  # must not become part of the first word
        source = b'   ' + source[3:]
    behind = [source, head(path, '').encode('utf-8', 'replace')]
    at = len(source) + 1
    top = at, at + len(behind[1])
    rows: list[int] = []
    for number, chunk in enumerate(chunks):
        row_base = number << 3
        rows += (row_base | HEAD, *top)
        if _named(chunk):
            owner, _, name = chunk.symbol.rpartition('.')
            for field, text in ((CLASS, owner), (SYMBOL, name)):
                at += len(behind[-1]) + 1
                behind.append(text.encode('utf-8', 'replace'))
                rows += (row_base | field, at, at + len(behind[-1]))
        for start, end in chunk.ranges:
            rows += (row_base | BODY, start, end)
        rows += (row_base | SIGNATURE, chunk.sig_start, chunk.sig_end, row_base | DOC, chunk.doc_start, chunk.doc_end)
    table = np.array(rows, np.int64).reshape(-1, 3)
    return words_in(b'\n'.join(behind), table[:, 1:]), table[:, 0]


def _named(chunk: Chunk) -> bool:
    return chunk.kind not in ('text', 'module')


def postings_of(
    chunks: Sequence[Chunk], words: Words, owner: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.uint16]]:
    """(postings sorted by term, chunk and field; the number of terms in each field of each chunk).

    `words` and `owner` are what `words_of` returns.
    """
    import numpy as np

    exact: list[int] = []  # ids of whole names; `owners` has the chunk and field of each
    owners: list[int] = []
    for number, chunk in enumerate(chunks):
        refers = set()
        for kind, name, qualifier, _, _ in chunk.references:
            refers.add(name)
            if kind == 'import':
                refers.add(qualifier.rpartition('.')[2])
        refers.discard('')
        if _named(chunk):
            exact.append(definition_id(chunk.symbol.rpartition('.')[2]))
            owners.append(number << 3 | DEFINES)
        exact += map(reference_id, refers)
        owners += [number << 3 | REFERS] * len(refers)
    terms, start, size = words.meant(words.lexicon.meaning('terms', ids_of))
    size[owner & 7 == HEAD] = 0
    lengths = np.bincount(owner, size, len(chunks) << 3).reshape(-1, 8)[:, :LENGTH_FIELDS]
    key = np.concatenate((terms[gathered(start, size)], np.array(exact, np.uint32))).astype(np.uint64) << np.uint64(32)
    key |= np.concatenate((np.repeat(owner, size), np.array(owners, np.int64))).astype(np.uint64)
    key.sort()
    heads = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))[: len(key)]
    unique, tf = key[heads], np.diff(np.append(heads, len(key)))
    out = np.zeros(len(unique), posting_type())
    out['term'] = unique >> np.uint64(32)
    out['chunk'] = (unique & np.uint64(0xFFFFFFFF)) >> np.uint64(3)
    out['field'] = unique & np.uint64(7)
    out['tf'] = np.minimum(tf, 255)
    return out, np.minimum(lengths, 65535).astype(np.uint16)
