"""Find out what a tree mostly consists of; if that is configuration or prose, it is ranked like code.

The meaning of a playbook, a Helm chart or a list of links is in files that elsewhere only accompany the code.
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

# Both chunks and words must be more, for a lock file has many words and a changelog many headings. In 31 trees of code,
# configuration has at most a fifth as many chunks as code; in Ansible's and Helm's, four times as many or more of both.
MORE_WORDS = 3
_PROSE = bits_of('prose')


class Composition(NamedTuple):
    """`as_code`: whether each chunk is text that ranks as code. `prose`: whether the tree is mostly documents."""

    as_code: NDArray[np.bool_]
    prose: bool


def composition(table: Table, path_class: NDArray[np.uint8]) -> Composition:
    """Which text of the tree ranks as code: languages without a grammar, and what most of the tree consists of.

    `path_class` are the classes of all files, as bits (`path_classes.classes_of`).
    """
    import numpy as np

    text = table.kind >= KIND_CODES['section']
    of_class = {name: np.zeros(len(table.paths), bool) for name in ('', CODE, CONFIG, PAGE)}
    for file in np.flatnonzero(np.bincount(table.file[text])).tolist():  # `unique` would import numpy.ma, 14 ms
        of_class[text_class(table.paths[file])][file] = True
    without_grammar, config, page = (text & of_class[name][table.file] for name in (CODE, CONFIG, PAGE))
    prose = text & (path_class & _PROSE > 0)[table.file] & ~without_grammar
    code = ~text | without_grammar
    # Pages count as configuration here: they are its templates.
    as_code = without_grammar | config | page if _more(table, config, code) else without_grammar
    if of_prose := _more(table, prose, code | config):
        as_code = as_code | prose
    return Composition(as_code, of_prose)


def _more(table: Table, some: NDArray[np.bool_], code: NDArray[np.bool_]) -> bool:
    """Whether `some` chunks are more than `code` in number, and more than MORE_WORDS times as much in words."""
    import numpy as np

    some, code = some & table.alive, code & table.alive
    words = table.lengths[:, BODY]
    several_times = words[some].sum(dtype=np.int64) > MORE_WORDS * words[code].sum(dtype=np.int64)
    return int(some.sum()) > int(code.sum()) and bool(several_times)
