"""git is run so that a hostile clone decides nothing, and odd repositories are read right."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from ctxkit.errors import CtxError, NotARepository
from ctxkit.repo import (
    Repo,
    bare,
    blobs,
    branch,
    clean_environ,
    find,
    operation,
    present,
    resolve,
    snapshot,
    status,
    tree,
)
from ctxkit.units import history

NAMES = [
    'plain.py',
    'with space.py',
    'line\nbreak.py',
    'quote"\'.py',
    'esc\x1b[31m.py',
    '-dash.py',
    'tab\there.py',
    ':(glob)*.py',
    'sub\u2028sep.py',
    'dir/in.py',
    'ümläut.py',
    b'invalid\xff.py'.decode('utf-8', 'surrogateescape'),
]


def test_every_odd_name_is_read_with_its_content(git_repo):
    root = git_repo({'first.txt': 'x\n'})
    for number, name in enumerate(NAMES):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b'x = %d\n' % number)
    repo = find(root)
    assert {change.path for change in status(repo)} == set(NAMES)
    subprocess.run(['git', 'add', '-A'], cwd=root, check=True)
    subprocess.run(['git', 'commit', '-qm', 'odd'], cwd=root, check=True)
    entries = {entry.path: entry.blob for entry in tree(repo, resolve(repo))}
    assert set(entries) == {*NAMES, 'first.txt'}
    content = dict(blobs(repo, entries.values()))
    assert {name: content[entries[name]] for name in NAMES} == {
        name: b'x = %d\n' % number for number, name in enumerate(NAMES)
    }


ODD = ['a b', "it's", 'line\nbreak', 'sep\u2028arator', 'form\x0cfeed', 'ümläut', '-dash', 'end ']


@pytest.mark.parametrize('name', ODD)
def test_repository_is_found_in_an_odd_folder(git_repo, name):
    root = git_repo({'a/b.py': 'x = 1\n'}, name=name)
    repo = find(root / 'a')
    assert (repo.root, repo.git_dir, repo.common_dir) == (root, root / '.git', root / '.git')


def test_links_and_submodules_are_no_files(git_repo, git, tmp_path):
    inner = git_repo({'i.py': 'x = 1\n'}, name='inner')
    root = git_repo({'a.py': 'x = 1\n'})
    (root / 'link.py').symlink_to('/etc/passwd')
    (root / 'circle').symlink_to('circle')
    git(root, 'submodule', '--quiet', 'add', str(inner), 'sub')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'x')
    assert {entry.path for entry in tree(find(root), 'HEAD')} == {'a.py', '.gitmodules'}


def test_not_a_repository_is_one_line_with_the_way_out(tmp_path):
    with pytest.raises(NotARepository, match='is not in a git repository'):
        find(tmp_path)
    with pytest.raises(CtxError, match='does not exist'):
        find(tmp_path / 'missing')
    (tmp_path / 'file').write_text('x')
    with pytest.raises(CtxError, match='not a folder'):
        find(tmp_path / 'file')


def test_a_jj_repository_whose_git_is_hidden_is_told_how_to_show_it(tmp_path):
    (tmp_path / '.jj').mkdir()
    (tmp_path / 'src').mkdir()
    with pytest.raises(NotARepository, match='jj repository without .git') as told:
        find(tmp_path / 'src')
    assert told.value.hint == 'run jj git colocation enable'


def test_a_git_dir_elsewhere_is_no_reason_to_run_git_init(git, tmp_path, monkeypatch):
    git(tmp_path, 'init', '-q', '--bare', 'dotfiles')
    monkeypatch.setenv('GIT_DIR', str(tmp_path / 'dotfiles'))
    with pytest.raises(NotARepository, match='there is no .git in'):
        find(tmp_path)


def test_bare_repository_and_git_folder_are_said_to_be_so(git_repo, git, tmp_path):
    git(tmp_path, 'init', '-q', '--bare', 'bare')
    root = git_repo({'a.py': 'x = 1\n'})
    for folder in (tmp_path / 'bare', root / '.git'):
        with pytest.raises(NotARepository, match='bare repository or a .git folder'):
            find(folder)


def test_repository_that_git_cannot_read_is_not_told_as_none(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    with (root / '.git' / 'config').open('a') as file:
        file.write('[broken\n')
    with pytest.raises(NotARepository, match='git cannot read .* bad config line'):
        find(root)


@pytest.mark.skipif(os.name == 'nt', reason='a program is no script there')
def test_git_that_is_too_old_is_said_to_be_so(git_repo, tmp_path, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    (tmp_path / 'git').write_text('#!/bin/sh\nfor one; do case $one in --path-format=*) echo "$one";; esac; done\n')
    (tmp_path / 'git').chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path), prepend=os.pathsep)
    with pytest.raises(CtxError, match='too old'):
        find(root)


def test_bare_repository_buried_in_a_checkout_is_not_used(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    buried = root / 'docs'
    git(root, 'init', '-q', '--bare', 'docs')
    settings = (buried / 'config').read_text() + f'[core]\n\tfsmonitor = touch {root / "ran"}\n'
    (buried / 'config').write_text(settings)
    with pytest.raises(NotARepository):
        find(buried)
    assert not (root / 'ran').exists()


def test_bare_repository_may_be_named_by_a_relative_path(git_repo, git, tmp_path, monkeypatch):
    git(tmp_path, 'clone', '-q', '--bare', str(git_repo({'a.py': 'x = 1\n'})), 'bare.git')
    monkeypatch.chdir(tmp_path)
    assert resolve(bare(Path('bare.git')))


def test_work_tree_of_a_bare_repository(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    git(tmp_path, 'clone', '-q', '--bare', str(root), 'bare.git')
    git(tmp_path / 'bare.git', 'worktree', 'add', '-q', str(tmp_path / 'tree'), 'main')
    repo = find(tmp_path / 'tree')
    assert (repo.root, repo.common_dir) == (tmp_path / 'tree', tmp_path / 'bare.git')
    assert [entry.path for entry in tree(repo, resolve(repo))] == ['a.py']


def test_programs_of_the_repository_are_not_run(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    ran = root / 'ran'
    script = root.parent / 'evil'
    script.write_text(f'#!/bin/sh\ntouch {ran}\n')
    script.chmod(0o755)
    git(root, 'config', 'core.fsmonitor', str(script))
    git(root, 'config', 'diff.external', str(script))
    git(root, 'config', 'core.hooksPath', str(root.parent))
    (root / 'a.py').write_text('x = 2\n')
    repo = find(root)
    assert [change.path for change in status(repo)] == ['a.py']
    dict(blobs(repo, [entry.blob for entry in tree(repo, 'HEAD')]))
    assert not ran.exists()


def test_no_git_variable_of_a_hook_leads_elsewhere(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    other = git_repo({'b.py': 'x = 1\n'}, name='other')
    for name, value in (('GIT_DIR', other / '.git'), ('GIT_WORK_TREE', other), ('GIT_INDEX_FILE', '/nowhere')):
        monkeypatch.setenv(name, str(value))
    assert find(root).root == root
    assert status(find(root)) == []
    assert 'GIT_DIR' not in clean_environ(os.environ)


def test_unborn_branch_and_detached_head(git_repo, git):
    root = git_repo({})
    repo = find(root)
    assert (resolve(repo), branch(repo)) == ('', 'main')
    (root / 'a.py').write_text('x = 1\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'x')
    git(root, 'checkout', '-q', '--detach')
    assert (len(resolve(repo)), branch(repo)) == (40, '')
    assert resolve(repo, '--help') == '' and resolve(repo, 'nothing\nhere') == ''


def test_status_leaves_ctx_out_whatever_it_is(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').symlink_to('/nowhere')
    assert status(find(root)) == []
    (root / '.ctx').unlink()
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'x').write_text('x')
    assert status(find(root)) == []


def test_reading_takes_no_lock_and_changes_nothing(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    os.utime(root / 'a.py', (1, 1))
    before = (root / '.git' / 'index').read_bytes()
    assert status(find(root)) == []
    assert (root / '.git' / 'index').read_bytes() == before


def test_missing_objects_of_a_partial_clone_are_none_and_the_rest_is_read(git_repo, git, tmp_path):
    root = git_repo({f'f{number}.py': f'x = {number}\n' for number in range(6)})
    git(root, 'config', 'uploadpack.allowFilter', 'true')
    git(tmp_path, 'clone', '-q', '--filter=blob:none', '--no-checkout', f'file://{root}', 'partial')
    repo = find(tmp_path / 'partial')
    wanted = {entry.path: entry.blob for entry in tree(repo, 'HEAD')}
    assert [content for _, content in blobs(repo, wanted.values())] == [None] * 6
    git(tmp_path / 'partial', 'cat-file', '-p', wanted['f3.py'])  # fetches this one
    found = dict(blobs(repo, wanted.values()))
    assert found[wanted['f3.py']] == b'x = 3\n'
    assert sum(content is None for content in found.values()) == 5
    assert present(repo, set(wanted.values())) == {wanted['f3.py']}
    assert present(find(root), {*wanted.values(), '0' * 40}) == {*wanted.values(), '0' * 40}  # it is no partial clone


def test_blobs_can_be_left_half_read(git_repo):
    root = git_repo({f'f{number}.py': 'x' * 100_000 + str(number) for number in range(20)})
    repo = find(root)
    reader = blobs(repo, [entry.blob for entry in tree(repo, 'HEAD')])
    assert next(reader)[1] is not None
    reader.close()
    assert list(blobs(repo, ['0' * 40, 'f' * 40])) == [('0' * 40, None), ('f' * 40, None)]
    assert list(blobs(repo, [])) == []


def test_operation_in_progress_is_named(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    repo: Repo = find(root)
    assert operation(repo) == ''
    git(root, 'checkout', '-qb', 'side')
    (root / 'a.py').write_text('x = 2\n')
    git(root, 'commit', '-qam', 'side')
    git(root, 'checkout', '-q', 'main')
    (root / 'a.py').write_text('x = 3\n')
    git(root, 'commit', '-qam', 'main')
    for name in ('merge', 'cherry-pick', 'rebase'):
        git(root, name, 'side', check=False)
        assert operation(repo) == name
        git(root, name, '--abort')
        assert operation(repo) == ''
    git(root, 'format-patch', '-q', '-1', 'side')
    git(root, 'am', *map(str, root.glob('*.patch')), check=False)
    assert operation(repo) == 'am'


@pytest.mark.parametrize('setting', ['i18n.logOutputEncoding', 'i18n.commitEncoding'])
def test_encoding_of_a_persons_log_changes_no_message(git_repo, git, setting):
    root = git_repo({'a.py': 'x = 1\n'})
    git(root, 'commit', '--amend', '-qm', 'Добавить вход')
    git(root, 'config', setting, 'koi8-r')
    assert snapshot(find(root)).subject == 'Добавить вход'


def test_first_commit_has_its_files_where_a_persons_log_leaves_them_out(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    git(root, 'config', 'log.showRoot', 'false')
    repo = find(root)
    assert [past.paths for past in history.recent(repo, resolve(repo), time.time())] == [['a.py']]


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() != 0, reason='only root makes files of another user')
def test_repository_that_a_person_trusts_by_a_variable_is_read(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    for place in (root, root / '.git'):
        os.chown(place, 4711, -1)
    try:
        find(root)
        pytest.skip('this git is from before 2.35.2, which began to ask whose a repository is')
    except NotARepository as refused:
        assert 'does not trust' in str(refused)
    for name, value in (('COUNT', '1'), ('KEY_0', 'safe.directory'), ('VALUE_0', str(root))):
        monkeypatch.setenv(f'GIT_CONFIG_{name}', value)
    assert find(root).root == root
