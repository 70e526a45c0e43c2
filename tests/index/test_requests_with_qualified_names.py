"""A request that names a function with its class or module leads to that very function."""

from __future__ import annotations

import pytest
from helpers_main import block, update

from ctxkit.index.qualified import qualified_names

SHAPES = ''.join(
    f'class {name}:\n    def flatten(self, parts):\n        """Flatten the expressions of a matrix."""\n'
    f'        return [part.matrix for part in parts]\n\n'
    for name in ('Matrix', 'MatrixExpr', 'Add', 'MatrixSlice', 'MatrixAdd')
)
FILES = {
    'shapes.py': SHAPES,
    'lists.py': 'def flatten(parts):\n    return sum(parts, [])\n',
    'matrix/lists_of_parts.py': 'def flatten_lists(lists):\n    """Flatten lists; a matrix in the wrong order."""\n',
    'src/walk.rs': 'impl WalkBuilder {\n    pub fn build(&self) -> u8 {\n        1\n    }\n}\n'
    '/// Ignore: the walk builder builds a slow matrix.\nimpl Walk {\n'
    '    /// Why is a walk builder slow? It ignores the matrix.\n'
    '    pub fn build_walk_builder(&self) -> Walk {\n        ignore(walk, builder, slow, matrix)\n    }\n}\n',
    'lib/store.rb': 'class Store\n  def save!\n    1\n  end\n\n'
    '  # When does the store save and write what it saves?\n  def save_store\n    write(save)\n  end\nend\n',
    'client.py': 'class AsyncClient:\n    def get(self, url):\n        return url\n\n\n'
    'class Client:\n    def get_client(self, url):\n        """What the async client wants."""\n        return url\n',
    'base.py': 'class Determinant:\n    def det(self, method):\n        return method(self)\n\n\n'
    'class Dense(Determinant):\n    def trace(self):\n        return 0\n\n\n'
    'class Sparse(Dense):\n    def matrix(self):\n        """Fix the determinant of a sparse matrix."""\n'
    '        return self.trace()\n\n\nclass Sound:\n    def det(self):\n        """Sparse matrix, fixed."""\n',
    'tests/test_shapes.py': 'def test_add():\n    """Test that Add.flatten flattens matrix expressions."""\n'
    '    assert Add().flatten([])\n',
}


@pytest.mark.parametrize(
    ('said', 'first'),
    [
        ('Fix Add.flatten for matrix expressions', 'Add.flatten'),
        ('Add.flatten(parts) is slow where the matrix is an expression of a matrix slice.', 'Add.flatten'),
        ('lists.flatten returns a matrix in the wrong order', 'flatten'),
        ('why is ignore::WalkBuilder::build slow for a matrix?', 'WalkBuilder.build'),
        ('when does Store#save! write?', 'Store.save!'),
        ('fix Sparse.det, a sparse matrix', 'Determinant.det'),
        ('async_client.get does not want the url of the client', 'AsyncClient.get'),
    ],
)
def test_it_comes_first(git_repo, said, first):
    root = git_repo(FILES)
    update(root)
    assert block(root, query=said).units[0].symbol == first


def test_bases_that_inherit_from_each_other_end(git_repo):
    root = git_repo({'a.py': 'class A(B):\n    pass\n\n\nclass B(A):\n    pass\n\n\ndef run():\n    return 1\n'})
    update(root)
    assert 'run' in [unit.symbol for unit in block(root, query='why is A.run slow').units]


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('see https://example.org/a.b and src/app.py::x', ()),
        ('e.g. Foo.bar, or Foo.bar?', (('Foo', 'bar'), ('Foo', 'bar?'))),
        (' '.join(f'a{number}.run' for number in range(20)), ()),
        ('Models\\User::find and p->next', (('User', 'find'), ('p', 'next'))),
    ],
)
def test_what_is_a_qualified_name(text, names):
    found = qualified_names(text)
    assert set(names) <= set(found) and ('example', 'org') not in found and (names or not found)
