"""Which changed chunks become units when there are too many, and that overloads are units of their own."""

from __future__ import annotations

from ctxkit import config, pipeline, repo
from ctxkit.index.record import Place
from ctxkit.units import stream
from ctxkit.units.changed import ChangedChunk, ranked


def place(line, kind='function'):
    return Place(kind, f'f{line}', line, line, line + 1, 0, 10, 0, 0, 0, 0, -1, [], 'd')


def test_a_large_file_hides_no_other():
    large = [(ChangedChunk('a.py', n, 'added'), place(n)) for n in range(100)]
    small = [(ChangedChunk('z.py', 0, 'added'), place(1))]
    chosen = ranked([*large, *small], 4)
    assert [pair[0].path for pair in chosen] == ['a.py', 'z.py', 'a.py', 'a.py']


def test_overloads_changed_together_are_all_told(git_repo, git):
    before = 'class A {\n    void run(int x) { a(); }\n\n    void run(String x) { b(x); }\n}\n'
    root = git_repo({'A.java': before})
    here = repo.find(root)
    pipeline.update(here, config.Settings(), now=1_000_000.0)
    (root / 'A.java').write_text(before.replace('a();', 'first(1);').replace('b(x);', 'second(x, 2);'))
    git(root, 'commit', '-qam', 'change both')
    pipeline.update(here, config.Settings(), now=1_000_060.0, event='post-commit')
    told = [unit for unit in stream.read(here.ctx_dir / 'units.jsonl') if unit.symbol == 'A.run']
    assert sorted(unit.start_line for unit in told) == [2, 4]


def test_nameless_part_of_a_file_that_was_there_is_modified_and_one_of_a_new_file_added(git_repo, git):
    code = 'import os\n\n\ndef first():\n    return os.getcwd()\n'
    root = git_repo({'a.py': code})
    here = repo.find(root)
    pipeline.update(here, config.Settings(), now=1_000_000.0)
    (root / 'a.py').write_text(code + '\n\nLIMIT = 3\n')
    (root / 'b.py').write_text('LIMIT = 4\n')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'set limits')
    pipeline.update(here, config.Settings(), now=1_000_060.0, event='post-commit')
    told = {unit.path: unit.change for unit in stream.read(here.ctx_dir / 'units.jsonl')}
    assert told == {'a.py': 'modified', 'b.py': 'added'}
