"""git as the rest of ctxkit sees it: whatever the repository, its names and its configuration."""

from __future__ import annotations

import os
import shutil

import pytest

from ctxkit import repo as plumbing
from ctxkit.errors import CtxError, NotARepository
from ctxkit.repo import Change, TreeEntry, find

CODE = {'a.py': 'x = 1\n', 'deep/er/b.py': 'y = 2\n'}


def test_found_from_any_folder_inside(git_repo):
    root = git_repo(CODE)
    for folder in (root, root / 'deep', root / 'deep' / 'er'):
        repo = find(folder)
        assert (repo.root, repo.git_dir, repo.common_dir) == (root, root / '.git', root / '.git')
    assert repo.ctx_dir == root / '.ctx' and repo.data_dir == root / '.git' / 'ctxkit'


def test_worktree_has_its_own_git_dir_and_shares_the_common_one(git_repo, git, tmp_path):
    root = git_repo(CODE)
    git(root, 'worktree', 'add', '-q', str(tmp_path / 'two'))
    repo = find(tmp_path / 'two')
    assert repo.root == tmp_path / 'two'
    assert repo.common_dir == root / '.git' and repo.git_dir == root / '.git' / 'worktrees' / 'two'


@pytest.mark.skipif(os.name == 'nt', reason='the stand-in for an older git is a script')
@pytest.mark.parametrize('old', [False, True])
def test_all_work_trees_are_known_also_to_a_git_before_2_36(git_repo, git, tmp_path, monkeypatch, old):
    root = git_repo(CODE)
    git(root, 'worktree', 'add', '-q', '-b', 'second', str(tmp_path / 'the\nsecond'))
    if old:  # it answers an option that it does not know with its usage and 129
        script = tmp_path / 'bin' / 'git'
        script.parent.mkdir()
        refuse = 'case " $* " in *" worktree list "*" -z "*) exit 129; esac'
        script.write_text(f'#!/bin/sh\n{refuse}\nexec {shutil.which("git")} "$@"\n')
        script.chmod(0o755)
        monkeypatch.setenv('PATH', f'{script.parent}{os.pathsep}{os.environ["PATH"]}')
    assert plumbing.worktrees(find(root)) == [root, tmp_path / 'the\nsecond']


def test_the_work_tree_of_a_submodule_is_known_and_not_its_git_dir(git_repo, git, tmp_path):
    outer, inner = git_repo(CODE, 'outer'), git_repo(CODE, 'inner')
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', str(inner), 'lib')
    git(outer / 'lib', 'worktree', 'add', '-q', '-b', 'second', str(tmp_path / 'second'))
    for root in (outer / 'lib', tmp_path / 'second'):
        assert plumbing.worktrees(find(root)) == [outer / 'lib', tmp_path / 'second']
    git(tmp_path, 'init', '-q', '--separate-git-dir', str(tmp_path / 'apart'), str(tmp_path / 'here'))
    assert plumbing.worktrees(find(tmp_path / 'here')) == [tmp_path / 'here']


@pytest.mark.parametrize(
    'name', ['with space', 'line\nbreak', 'quote"', 'caf\u00e9', '-dash', '$HOME', 'caf\udce9'], ids=ascii
)
def test_folder_of_any_name(git_repo, name):
    root = git_repo(CODE, name)
    repo = find(root)
    assert repo.root == root
    assert [entry.path for entry in plumbing.tree(repo, plumbing.resolve(repo))] == ['a.py', 'deep/er/b.py']


def test_no_repository(tmp_path):
    for folder in (tmp_path, tmp_path / 'gone'):
        with pytest.raises(CtxError):
            find(folder)
    with pytest.raises(NotARepository):
        find(tmp_path)


def test_variables_of_a_hook_do_not_lead_elsewhere(git_repo, monkeypatch):
    other, root = git_repo(CODE, 'other'), git_repo({'mine.py': 'x'}, 'mine')
    monkeypatch.setenv('GIT_DIR', str(other / '.git'))
    monkeypatch.setenv('GIT_INDEX_FILE', str(other / '.git' / 'index'))
    monkeypatch.setenv('GIT_WORK_TREE', str(other))
    repo = find(root)
    assert repo.root == root
    assert [entry.path for entry in plumbing.tree(repo, plumbing.resolve(repo))] == ['mine.py']


@pytest.mark.parametrize(
    'rev', ['nowhere', '--help', '-x', '', 'HEAD:a.py', '^HEAD', 'HEAD..HEAD', '$(x)', 'a b', '@{u}']
)
def test_revision_that_is_no_commit_is_empty(git_repo, rev):
    assert plumbing.resolve(find(git_repo(CODE)), rev) == ''


def test_tree_holds_regular_files_alone(git_repo, git):
    inner = git_repo(CODE, 'inner')
    root = git_repo({**CODE, 'run.sh': '#!/bin/sh\n'})
    os.symlink('a.py', root / 'link.py')
    (root / 'run.sh').chmod(0o755)
    git(root, 'submodule', '--quiet', 'add', str(inner), 'sub')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'more')
    repo = find(root)
    entries = plumbing.tree(repo, plumbing.resolve(repo))
    assert [entry.path for entry in entries] == ['.gitmodules', 'a.py', 'deep/er/b.py', 'run.sh']
    assert entries[1] == TreeEntry(git(root, 'rev-parse', 'HEAD:a.py').strip(), 'a.py')


def test_status_names_every_change_once(git_repo, git):
    root = git_repo({**CODE, 'c.py': 'z\n', 'd.py': 'z\n'})
    (root / 'a.py').write_text('x = 2\n')
    (root / 'new file.py').write_text('n\n')
    (root / 'c.py').unlink()
    git(root, 'mv', 'd.py', 'renamed.py')
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'x').write_text('ours')
    repo = find(root)
    expected = {
        Change(' M', 'a.py'),
        Change('??', 'new file.py'),
        Change(' D', 'c.py'),
        Change('D ', 'd.py'),
        Change('A ', 'renamed.py'),
    }
    assert set(plumbing.status(repo)) == expected
    assert set(plumbing.snapshot(repo).changes) == expected


def test_snapshot_says_where_the_work_stands(git_repo, git, tmp_path):
    origin = git_repo(CODE, 'origin')
    git(tmp_path, 'clone', '-q', str(origin), 'copy')
    root = tmp_path / 'copy'
    for number in range(2):
        git(root, 'commit', '-q', '--allow-empty', '-m', f'mine {number}')
    git(origin, 'commit', '-q', '--allow-empty', '-m', 'theirs')
    git(root, 'fetch', '-q')
    work = plumbing.snapshot(find(root))
    assert (work.branch, work.upstream, work.ahead, work.behind) == ('main', 'origin/main', 2, 1)
    assert work.subject == 'mine 1' and work.commit == git(root, 'rev-parse', 'HEAD').strip()
    git(root, 'checkout', '-q', '--detach')
    assert plumbing.snapshot(find(root)).branch == ''


def test_snapshot_of_an_unborn_branch(git_repo):
    work = plumbing.snapshot(find(git_repo()))
    assert (work.commit, work.branch, work.subject, work.changes) == ('', 'main', '', ())


def test_blobs_come_in_the_order_asked_for_and_missing_ones_are_none(git_repo, git):
    root = git_repo(CODE)
    repo = find(root)
    ids = [git(root, 'rev-parse', f'HEAD:{path}').strip() for path in CODE]
    tree = git(root, 'rev-parse', 'HEAD^{tree}').strip()
    wanted = [ids[1], 'f' * 40, ids[0], tree, ids[1]]
    assert list(plumbing.blobs(repo, wanted)) == [
        (ids[1], b'y = 2\n'),
        ('f' * 40, None),
        (ids[0], b'x = 1\n'),
        (tree, None),
        (ids[1], b'y = 2\n'),
    ]
    assert list(plumbing.blobs(repo, [])) == []


def test_reading_only_some_blobs_leaves_no_process(git_repo, git):
    root = git_repo({f'{number}.txt': f'{number}' * 100_000 for number in range(1, 9)})
    repo = find(root)
    stream = plumbing.blobs(repo, [entry.blob for entry in plumbing.tree(repo, plumbing.resolve(repo))])
    assert len(next(stream)[1]) == 100_000
    stream.close()  # warnings are errors: a pipe or a process left open would be one


def test_gits_own_words_reach_the_person(git_repo):
    repo = find(git_repo(CODE))
    with pytest.raises(CtxError, match='git ls-tree failed'):
        plumbing.tree(repo, 'f' * 40)


@pytest.mark.parametrize(
    ('command', 'expected'),
    [
        (['merge', 'side'], 'merge'),
        (['rebase', 'side'], 'rebase'),
        (['cherry-pick', 'side'], 'cherry-pick'),
        (['bisect', 'start'], 'bisect'),
    ],
)
def test_operation_in_progress(git_repo, git, command, expected):
    root = git_repo(CODE)
    git(root, 'checkout', '-qb', 'side')
    (root / 'a.py').write_text('x = "side"\n')
    git(root, 'commit', '-qam', 'side')
    git(root, 'checkout', '-q', 'main')
    (root / 'a.py').write_text('x = "main"\n')
    git(root, 'commit', '-qam', 'main')
    assert plumbing.operation(find(root)) == ''
    git(root, *command, check=False)
    assert plumbing.operation(find(root)) == expected


def test_no_lock_is_taken(git_repo):
    root = git_repo(CODE)
    repo = find(root)
    (root / '.git' / 'index.lock').write_text('')
    (root / 'a.py').touch()
    plumbing.status(repo)
    plumbing.snapshot(repo)
    assert (root / '.git' / 'index.lock').exists()
