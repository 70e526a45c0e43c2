"""Neighbours of one file that say the same thing become one fold of at most 512 tokens."""

from __future__ import annotations

import numpy as np
import pytest
from helpers_main import units_of, update, write

from ctxkit.embedding import encoder_for
from ctxkit.index.fold import MAX_FOLD_TOKENS, folds, similar_runs
from ctxkit.index.record import Place


def place(kind='function', parent=-1, symbol='f'):
    return Place(kind, symbol, 1, 1, 2, 0, 10, 0, 0, 0, 0, parent, [], 'd')


def fold(places, rows, threshold, sizes=None):
    return folds(similar_runs(places, rows, threshold), lambda number: sizes[number] if sizes else 50)


def vectors(*rows):
    made = np.array(rows, np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


SAME, OTHER = (1.0, 0.0), (0.0, 1.0)


def test_alike_neighbours_fold_and_others_stay_alone():
    assert fold([place()] * 4, vectors(SAME, SAME, OTHER, SAME), 0.82) == [[0, 1]]


def test_threshold_itself_fold():
    row = (0.82, (1 - 0.82**2) ** 0.5)
    assert fold([place()] * 2, vectors(SAME, row), 0.8199) == [[0, 1]]
    assert fold([place()] * 2, vectors(SAME, row), 0.8201) == []


def test_fold_never_exceeds_its_tokens():
    sizes = [200, 200, 112, 1, 400, 112]
    found = fold([place()] * 6, vectors(*[SAME] * 6), 0.82, sizes)
    assert all(sum(sizes[one] for one in group) <= MAX_FOLD_TOKENS for group in found)
    assert found == [[0, 1, 2], [3, 4]]


def test_tokens_are_counted_once_a_chunk_and_not_after_one_that_fills_a_fold():
    sizes, counted = [300, 300, 900, 50, 300, 300], []

    def size(number):
        counted.append(number)
        return sizes[number]

    assert folds([range(6)], size) == [[3, 4]]
    assert sorted(counted) == [0, 1, 2, 3, 4, 5]
    counted.clear()
    sizes[0] = 600
    folds([range(2)], size)
    assert counted == [0]


def test_only_siblings_fold():
    assert fold([place(parent=-1), place(kind='method', parent=0)], vectors(SAME, SAME), 0.82) == []
    assert fold([place(kind='class'), place()], vectors(SAME, SAME), 0.82) == []
    assert fold([place(kind='method', parent=3), place(kind='method', parent=3)], vectors(SAME, SAME), 0.82) == [[0, 1]]


@pytest.mark.parametrize('count', [0, 1])
def test_nothing_to_fold(count):
    assert fold([place()] * count, np.zeros((count, 2), np.float32), 0.82) == []


def test_folds_of_the_model_do_not_depend_on_the_batch():
    """The same texts in other company have the same vectors, so they fold alike."""
    encoder = encoder_for('bundled')
    texts = [f'def get_{name}(self):\n    return self._{name}' for name in ('width', 'height', 'depth', 'colour')]
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    together = encoder.encode([*(['filler text ' * 50] * 7), *texts])[7:]
    assert np.abs(alone - together).max() < 1e-5
    places = [place(symbol=text[4:10]) for text in texts]
    assert fold(places, alone, encoder.fold_threshold) == fold(places, together, encoder.fold_threshold)


def test_folded_functions_are_one_unit(git_repo, git):
    """Nearly the same functions stand together, and are told once."""
    root = git_repo({'app.py': 'x = 1\n'})
    update(root)
    body = '    if value is None:\n        raise ValueError("no value")\n    return convert_number(value)\n'
    write(
        root,
        {'app.py': f'def convert_a(value):\n{body}\n\ndef convert_b(value):\n{body}\n\ndef convert_c(value):\n{body}'},
    )
    git(root, 'commit', '-qam', 'three')
    update(root)
    units = [unit for unit in units_of(root) if unit.kind == 'function']
    assert len(units) == 1
    assert units[0].text.count('def convert_') == 3
    assert (units[0].start_line, units[0].end_line) == (1, 16)


def test_what_is_alike_is_cut_where_a_fold_is_full(git_repo, git):
    root = git_repo({'app.py': 'x = 1\n'})
    update(root)
    body = '    if value is None:\n        raise ValueError("no value")\n' + '    value = convert_number(value)\n' * 20
    write(root, {'app.py': '\n\n'.join(f'def convert_{name}(value):\n{body}' for name in 'abcdefgh')})
    git(root, 'commit', '-qam', 'eight')
    update(root)
    units = [unit for unit in units_of(root) if unit.kind == 'function']
    assert sum(unit.text.count('def convert_') for unit in units) == 8
    assert 1 < len(units) < 8
    assert all(unit.tokens <= MAX_FOLD_TOKENS for unit in units)
