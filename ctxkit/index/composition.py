"""What a tree mostly consists of. Where that is configuration or prose, requests are about it, and it ranks like code.

A playbook, a chart or a list of links has its meaning in files that elsewhere stand beside the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.index.path_classes import bits_of
from ctxkit.index.record import BODY, KIND_CODES
from ctxkit.index.text_classes import CODE, CONFIG, PAGE, text_class

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.lexical import Table

# Parts and words must agree, for a lock file has many words and a changelog many headings. In 31 trees of code there is
# at most a fifth as much configuration by parts; in Ansible's and Helm's, four times as much and more by either.
MORE_WORDS = 3
_PROSE = bits_of('prose')


class Composition(NamedTuple):
    """`as_code`: the chunks of text that count as code. `prose`: whether the tree is one of documents."""

    as_code: NDArray[np.bool_]
    prose: bool


def composition(table: Table, path_class: NDArray[np.uint8]) -> Composition:
    """What of the tree's text counts as code: what a language has no grammar for, and what most of the tree is.

    `path_class` are the classes of all files, as bits.
    """
    import numpy as np

    text = table.kind >= KIND_CODES['section']
    of_class = {name: np.zeros(len(table.paths), bool) for name in ('', CODE, CONFIG, PAGE)}
    for file in np.flatnonzero(np.bincount(table.file[text])).tolist():  # `unique` would import numpy.ma, 14 ms
        of_class[text_class(table.paths[file])][file] = True
    without_grammar, config, page = (text & of_class[name][table.file] for name in (CODE, CONFIG, PAGE))
    prose = text & (path_class & _PROSE > 0)[table.file] & ~without_grammar
    code = ~text | without_grammar
    # Templates of configuration are that, too.
    as_code = without_grammar | config | page if _more(table, config, code) else without_grammar
    if of_prose := _more(table, prose, code | config):
        as_code = as_code | prose
    return Composition(as_code, of_prose)


def _more(table: Table, some: NDArray[np.bool_], code: NDArray[np.bool_]) -> bool:
    """Whether there is more of some chunks than of the code, by their number and, clearly, by their words."""
    import numpy as np

    some, code = some & table.alive, code & table.alive
    words = table.lengths[:, BODY]
    several_times = words[some].sum(dtype=np.int64) > MORE_WORDS * words[code].sum(dtype=np.int64)
    return int(some.sum()) > int(code.sum()) and bool(several_times)
