"""What a partial clone lacks is known without git, which before 2.45 looks through all objects for each of it."""

from __future__ import annotations

import pytest

from ctxkit.repo import BlobReader, blobs, content, find, is_partial, present, started, tree
from ctxkit.units import hunks
from ctxkit.units.history import Past

FILES = {f'pack/mod{number}.py': f'def name_{number}(): pass\n' for number in range(40)}


@pytest.fixture
def clone(git_repo, git, tmp_path):
    """A partial clone without a work tree: all blobs are missing. The last commit changed one file."""
    origin = git_repo(FILES)
    (origin / 'pack' / 'mod3.py').write_text('def changed(): pass\n')
    git(origin, 'commit', '-qam', 'change')
    git(origin, 'config', 'uploadpack.allowFilter', 'true')
    git(tmp_path, 'clone', '-q', '--filter=blob:none', '--no-checkout', f'file://{origin}', 'partial')
    return tmp_path / 'partial'


@pytest.mark.parametrize('packed', [False, True])
def test_what_is_here_is_what_git_says_is_here(clone, git, packed):
    for number in range(0, 40, 7):
        git(clone, 'cat-file', 'blob', f'HEAD:pack/mod{number}.py')  # fetches it
    (clone / 'own.py').write_text('mine = 1\n')
    own = git(clone, 'hash-object', '-w', 'own.py').strip()
    if packed:
        git(clone, 'repack', '-adq')
    held = set(git(clone, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split())
    wanted = {entry.blob for entry in tree(find(clone), 'HEAD')}
    assert is_partial(find(clone))
    assert present(find(clone), held) == held
    assert present(find(clone), wanted) == wanted & held and len(wanted & held) == 6
    assert packed or present(find(clone), {own, '0' * 40, 'f' * 40}) == {own}


def test_git_is_not_asked_for_what_is_missing(clone, git, monkeypatch):
    repo = find(clone)
    wanted = {entry.path: entry.blob for entry in tree(repo, 'HEAD')}
    git(clone, 'cat-file', 'blob', wanted['pack/mod7.py'])
    commit = git(clone, 'rev-parse', 'HEAD').strip()
    starts = []

    def counted(repo, *args, **how):
        starts.append(args)
        return started(repo, *args, **how)

    monkeypatch.setattr(content, 'started', counted)
    monkeypatch.setattr(hunks.git, 'started', counted)
    reader = BlobReader(repo)
    assert [path for path, blob in wanted.items() if reader.read(blob)] == ['pack/mod7.py']
    reader.close()
    assert len(starts) == 1
    assert [text for _, text in blobs(repo, wanted.values()) if text] == [FILES['pack/mod7.py'].encode()]
    assert len(starts) == 2
    past = Past(commit, 0.0, 'change', '', ['pack/mod3.py'])
    assert hunks.touched_lines(repo, [past], commit, wanted) == {commit: {'pack/mod3.py': [(1, 1_000_000)]}}
    assert len(starts) == 2


def test_a_whole_clone_has_all(git_repo):
    repo = find(git_repo(FILES))
    assert not is_partial(repo)
    assert present(repo, {'0' * 40}) == {'0' * 40}
