"""Installing and uninstalling hooks: in the folder that git reads, beside what is there, and gone without a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers_events import ctxkit, settle

from ctxkit.errors import CtxError
from ctxkit.events import remove
from ctxkit.events.diagnosis import examine
from ctxkit.events.install import hook_folder, install, installed_in, uninstall
from ctxkit.events.shim import HOOKS
from ctxkit.repo import find
from ctxkit.safety import lock

FOREIGN = b'#!/bin/sh\n# theirs\necho theirs\nexit 0'


def hooks(root: Path) -> dict[str, tuple[bytes, int]]:
    """Content and permissions of every file in .git/hooks."""
    return {file.name: (file.read_bytes(), file.stat().st_mode) for file in (root / '.git' / 'hooks').iterdir()}


def test_what_init_wrote_is_taken_away_to_the_byte(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.git' / 'hooks').mkdir(exist_ok=True)
    (root / '.git' / 'hooks' / 'post-commit').write_bytes(FOREIGN)
    (root / '.git' / 'hooks' / 'post-commit').chmod(0o750)
    before = hooks(root)
    first = ctxkit(root, 'init')
    assert first.returncode == 0, first.stderr
    assert 'added the ctxkit lines in .git/hooks/post-commit' in first.stdout
    assert 'wrote .git/hooks/post-merge' in first.stdout
    assert hooks(root)['post-commit'][1] == before['post-commit'][1]
    settle(root)
    assert 'making the first context' in first.stdout
    assert ctxkit(root, 'init').stdout == 'everything is set up already\n'
    settle(root)
    done = ctxkit(root, 'uninstall')
    assert done.returncode == 0, done.stderr
    assert hooks(root) == before
    assert not (root / '.ctx').exists() and not (root / '.git' / 'ctxkit').exists()
    assert 'ctxkit was not set up here' in ctxkit(root, 'uninstall').stdout


def test_set_up_leaves_git_status_clean(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'init')
    settle(root)
    assert (root / '.ctx' / 'context.xml').exists()
    assert git(root, 'status', '--porcelain', '--untracked-files=all') == ''
    (root / '.ctx' / 'config.yaml').write_text('units:\n  top_k: 3\n')
    assert '.ctx/config.yaml' in git(root, 'status', '--porcelain', '--untracked-files=all')


def test_uninstall_keeps_the_shared_settings(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'init')
    settle(root)
    (root / '.ctx' / 'config.yaml').write_text('units:\n  top_k: 3\n')
    assert ctxkit(root, 'uninstall').returncode == 0
    assert [file.name for file in (root / '.ctx').iterdir()] == ['config.yaml']


@pytest.mark.skipif(os.name == 'nt', reason='one folder for all users there')
def test_uninstall_takes_what_agents_read_out_of_every_work_tree_that_was_set_up(git_repo, git, tmp_path):
    root, linked, third = git_repo({'a.py': 'x = 1\n'}), tmp_path / 'linked', tmp_path / 'third'
    for folder in (linked, third):
        git(root, 'worktree', 'add', '-q', str(folder), '-b', folder.name)
    (third / 'CLAUDE.md').write_text((root / 'a.py').read_text())
    for folder in (root, linked):
        assert ctxkit(folder, 'init', '--agent', 'claude-code').returncode == 0
        settle(folder)
    done = ctxkit(root, 'uninstall')
    assert done.returncode == 0, done.stderr
    assert f'removed CLAUDE.md in {linked}' in done.stdout and 'removed CLAUDE.md\n' in done.stdout
    assert sorted(path.name for path in linked.iterdir()) == ['.git', 'a.py']
    assert sorted(path.name for path in third.iterdir()) == ['.git', 'CLAUDE.md', 'a.py']


def test_uninstall_says_which_data_is_not_its_to_remove(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'update').returncode == 0
    (root / '.git' / 'ctxkit-4711').mkdir()
    done = ctxkit(root, 'uninstall')
    assert 'ctxkit-4711 belongs to another user: left alone' in done.stdout
    assert (root / '.git' / 'ctxkit-4711').is_dir() and not (root / '.git' / 'ctxkit').exists()


def test_uninstall_waits_for_the_worker_and_nothing_comes_back(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'init')
    assert ctxkit(root, 'uninstall').returncode == 0
    settle(root)
    assert not (root / '.ctx').exists() and not (root / '.git' / 'ctxkit').exists()


def test_uninstall_takes_a_link_away_and_nothing_of_what_it_leads_to(git_repo, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'update').returncode == 0
    (tmp_path / 'mine').mkdir()
    (tmp_path / 'mine' / 'notes').write_text('mine')
    for folder in (root / '.ctx', root / '.git' / 'ctxkit'):
        (folder / 'link').symlink_to(tmp_path / 'mine')
    done = ctxkit(root, 'uninstall')
    assert done.returncode == 0, done.stderr
    assert not (root / '.ctx').exists() and not (root / '.git' / 'ctxkit').exists()
    assert (tmp_path / 'mine' / 'notes').read_text() == 'mine'


def test_uninstall_removes_nothing_under_a_worker_that_does_not_end(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'update').returncode == 0
    monkeypatch.setattr(remove, 'PATIENCE', 0.1)
    with lock.held(root / '.git' / 'ctxkit' / 'worker.lock'), pytest.raises(CtxError, match='a worker is busy'):
        remove.remove_data(find(root))
    assert (root / '.ctx' / 'context.xml').exists() and (root / '.git' / 'ctxkit' / 'index.db').exists()


def test_uninstall_reaches_every_work_tree(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'init')
    git(root, 'worktree', 'add', '-q', '-b', 'other', str(tmp_path / 'odd\nname'))
    settle(root)
    assert (tmp_path / 'odd\nname' / '.ctx' / 'context.xml').exists()
    assert ctxkit(root, 'uninstall').returncode == 0
    assert not (tmp_path / 'odd\nname' / '.ctx').exists() and not (root / '.ctx').exists()


def test_clone_that_tracks_artefacts_is_not_written_to(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n', '.ctx/.gitignore': 'nothing\n', '.ctx/context.xml': 'theirs\n'})
    done = ctxkit(root, 'init')
    assert done.returncode == 1 and 'git tracks .ctx/.gitignore' in done.stderr
    assert git(root, 'status', '--porcelain') == ''
    assert installed_in(find(root)) == []


def test_hooks_none_removes_hooks_and_keeps_the_context(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'init')
    settle(root)
    assert 'removed' in ctxkit(root, 'init', '--hooks', 'none').stdout
    settle(root)
    assert installed_in(find(root)) == []
    assert (root / '.ctx' / 'context.xml').exists()
    done = ctxkit(root, 'doctor')
    assert done.returncode == 0 and 'hooks are off, as you chose' in done.stdout
    ctxkit(root, 'init', '--agent', 'claude-code')
    assert installed_in(find(root)) == []
    ctxkit(root, 'init')
    settle(root)
    (root / '.git' / 'hooks' / 'post-commit').unlink()
    assert 'no ctxkit lines in post-commit' in ctxkit(root, 'doctor').stdout


def test_existing_hook_still_runs_and_ours_before_it(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.git' / 'hooks').mkdir(exist_ok=True)
    (root / '.git' / 'hooks' / 'post-commit').write_bytes(FOREIGN)
    (root / '.git' / 'hooks' / 'post-commit').chmod(0o755)
    install(find(root), sys.executable)
    done = subprocess.run(['git', 'commit', '--allow-empty', '-qm', 'x'], cwd=root, capture_output=True, check=True)
    assert b'theirs' in done.stdout + done.stderr
    settle(root)
    assert (root / '.ctx' / 'context.xml').exists()


def test_hook_of_another_language_is_left_alone_with_the_line_to_add(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    file = root / '.git' / 'hooks' / 'post-merge'
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b'#!/usr/bin/env python3\nprint(1)\n')
    file.chmod(0o755)
    said = '\n'.join(install(find(root), sys.executable))
    assert 'post-merge is not a shell script (#!/usr/bin/env python3): left alone' in said
    assert 'ctxkit hook post-merge "$@"' in said
    assert file.read_bytes() == b'#!/usr/bin/env python3\nprint(1)\n'
    assert len(installed_in(find(root))) == len(HOOKS) - 1


@pytest.mark.skipif(os.name == 'nt', reason='permissions of POSIX')
def test_hook_that_is_switched_off_stays_off(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    file = root / '.git' / 'hooks' / 'post-merge'
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(FOREIGN)
    file.chmod(0o644)
    assert any('is not executable' in line for line in install(find(root), sys.executable))
    assert file.read_bytes() == FOREIGN


def test_hook_that_is_a_link_is_not_written_through(git_repo):
    root = git_repo({'hooks/post-commit': FOREIGN})
    file = root / '.git' / 'hooks' / 'post-commit'
    file.parent.mkdir(exist_ok=True)
    file.symlink_to('../../hooks/post-commit')
    assert any('post-commit is a link: left alone' in line for line in install(find(root), sys.executable))
    assert file.is_symlink() and (root / 'hooks' / 'post-commit').read_bytes() == FOREIGN


def test_husky_folder_that_git_ignores_gets_the_lines(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    folder = root / '.husky' / '_'
    folder.mkdir(parents=True)
    (folder / '.gitignore').write_text('*\n')
    git(root, 'config', 'core.hooksPath', '.husky/_')
    said = '\n'.join(install(find(root), sys.executable))
    assert 'core.hooksPath is .husky/_' in said and 'ctxkit doctor notices' in said
    assert {file.name for file in installed_in(find(root))} == set(HOOKS)
    assert {file.parent for file in installed_in(find(root))} == {folder}
    git(root, 'commit', '-q', '--allow-empty', '-m', 'x')
    settle(root)
    assert (root / '.ctx' / 'context.xml').exists()
    assert git(root, 'status', '--porcelain') == ''
    for file in folder.glob('post-*'):
        file.unlink()
    assert 'no ctxkit lines in post-commit' in ctxkit(root, 'doctor').stdout


@pytest.mark.parametrize(
    ('value', 'reason'),
    [
        ('.githooks', 'a folder of this repository that git tracks'),
        ('C:\\Users\\me\\hooks', 'a Windows path'),
        ('C:/Users/me/hooks', 'a Windows path'),
        ('.missing', 'which is not a folder'),
        ('OUTSIDE', 'which all your repositories may share'),
    ],
)
def test_other_hooks_path_is_explained_and_nothing_is_written(git_repo, git, tmp_path, value, reason):
    root = git_repo({'a.py': 'x = 1\n', '.githooks/pre-commit': '#!/bin/sh\n'})
    outside = tmp_path / 'all hooks'
    outside.mkdir()
    git(root, 'config', 'core.hooksPath', value.replace('OUTSIDE', str(outside)))
    before = sorted(path for path in root.rglob('*') if '.git/' not in str(path))
    said = '\n'.join(install(find(root), sys.executable))
    assert reason in said and 'nothing was written there' in said and 'ctxkit hook post-commit "$@"' in said
    assert sorted(path for path in root.rglob('*') if '.git/' not in str(path)) == before
    assert list(outside.iterdir()) == []
    assert installed_in(find(root)) == []
    assert not (root / '.git' / 'hooks' / 'post-commit').exists()


def test_line_for_a_hand_made_hook_works(git_repo, git, monkeypatch, tmp_path):
    root = git_repo({'a.py': 'x = 1\n', '.githooks/pre-commit': '#!/bin/sh\n'})
    git(root, 'config', 'core.hooksPath', '.githooks')
    line = next(line for line in install(find(root), sys.executable) if 'post-commit' in line and '$@' in line)
    script = tmp_path / 'bin' / 'ctxkit'
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m ctxkit "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv('PATH', f'{script.parent}{os.pathsep}{os.environ["PATH"]}')
    (root / '.githooks' / 'post-commit').write_text('#!/bin/sh\nset -e\n' + line.partition(':  ')[2] + '\n')
    (root / '.githooks' / 'post-commit').chmod(0o755)
    git(root, 'commit', '-q', '--allow-empty', '-m', 'x')
    settle(root)
    assert (root / '.ctx' / 'context.xml').exists()


def test_lines_added_by_hand_as_init_says_count(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    folder = tmp_path / 'all hooks'
    folder.mkdir()
    git(root, 'config', 'core.hooksPath', str(folder))
    for line in [line for line in install(find(root), sys.executable) if '$@' in line]:
        hook, command = line.partition(' add to ')[2].split(':  ')
        (folder / hook).write_text(f'#!/usr/bin/env fish\n{command}\n')
        (folder / hook).chmod(0o755)
    assert install(find(root), sys.executable) == []
    assert f'hooks are installed in {folder}' in ctxkit(root, 'doctor').stdout
    assert f'{folder / "post-commit"} calls ctxkit in a line of your own: left alone' in uninstall(find(root))
    (folder / 'post-merge').write_text('#!/bin/sh\n# ctxkit hook post-merge, some day\n')
    assert 'no ctxkit lines in post-merge' in ctxkit(root, 'doctor').stdout


def test_lines_that_lefthook_moved_away_are_gone_too(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    install(find(root), sys.executable)
    (root / '.git' / 'hooks' / 'post-commit').rename(root / '.git' / 'hooks' / 'post-commit.old')
    assert 'no ctxkit lines in post-commit in' in ctxkit(root, 'doctor').stdout
    ctxkit(root, 'uninstall')
    assert not (root / '.git' / 'hooks' / 'post-commit.old').exists()


def test_a_hooks_path_that_is_no_folder_stands_in_nobodys_way(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    install(find(root), sys.executable)
    git(root, 'config', 'core.hooksPath', os.devnull)  # how many switch all hooks off
    assert 'which is not a folder' in ctxkit(root, 'doctor').stdout
    done = ctxkit(root, 'uninstall')
    assert (done.returncode, done.stderr) == (0, '')
    assert not (root / '.git' / 'hooks' / 'post-commit').exists()


def test_worktrees_share_the_hooks(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    git(root, 'worktree', 'add', '-q', '-b', 'other', str(tmp_path / 'other'))
    assert hook_folder(find(tmp_path / 'other')).path == root / '.git' / 'hooks'
    install(find(tmp_path / 'other'), sys.executable)
    assert len(installed_in(find(root))) == len(HOOKS)


def test_hooks_that_pre_commit_moved_away_are_found_again(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    install(find(root), sys.executable)
    folder = root / '.git' / 'hooks'
    (folder / 'post-commit').rename(folder / 'post-commit.legacy')
    (folder / 'post-commit').write_text('#!/usr/bin/env bash\n# pre-commit\n')
    assert any('post-commit.legacy' in line for line in uninstall(find(root)))
    assert not (folder / 'post-commit.legacy').exists()
    assert (folder / 'post-commit').exists()


@pytest.mark.parametrize('moved', [False, True], ids=['in the hook', 'in one that pre-commit moved'])
def test_doctor_tells_of_lines_of_another_version_and_init_renews_them_where_they_are(git_repo, moved):
    root = git_repo({'a.py': 'x = 1\n'})
    folder = root / '.git' / 'hooks'
    assert ctxkit(root, 'init').returncode == 0
    settle(root)
    there = {file: file.read_bytes() for file in folder.iterdir()}
    now = file = folder / 'post-merge'
    if moved:
        now = file.rename(folder / 'post-merge.legacy')
        file.write_text('#!/usr/bin/env bash\n# pre-commit\n')
    now.write_bytes(there[file].replace(b'printf', b'echo'))
    assert f'{now.name} has ctxkit lines from another version; run: ctxkit init' in ctxkit(root, 'doctor').stdout
    assert f'renewed the ctxkit lines in .git{os.sep}hooks{os.sep}{now.name}' in ctxkit(root, 'init').stdout
    settle(root)
    assert 'another version' not in ctxkit(root, 'doctor').stdout
    assert now.read_bytes() == there[file]
    assert not moved or b'ctxkit' not in file.read_bytes()


def test_doctor_says_what_hooks_start_instead_of_an_interpreter_that_is_not_there(git_repo, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    install(find(root), str(tmp_path / 'gone'))
    told = f'post-commit starts {(tmp_path / "gone").as_posix()}, which does not exist'
    ours = [finding for finding in examine(find(root), {'PATH': ''}) if finding.what.startswith('post-commit ')]
    assert [(one.good, one.what) for one in ours] == [(False, told)]
    program = tmp_path / ('ctxkit.exe' if os.name == 'nt' else 'ctxkit')
    program.touch(0o755)
    ours = [one for one in examine(find(root), {'PATH': str(tmp_path)}) if one.what.startswith('post-commit ')]
    assert [(one.good, one.what) for one in ours] == [(True, f'{told}, so it uses {program}')]


def test_lines_that_stand_in_a_hook_and_in_the_moved_one_are_left_in_one(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    install(find(root), sys.executable)
    file = root / '.git' / 'hooks' / 'post-merge'
    moved = file.with_name('post-merge.legacy')
    moved.write_bytes(file.read_bytes() + b'echo theirs\n')
    install(find(root), sys.executable)
    assert moved.read_bytes() == b'#!/bin/sh\necho theirs\n' and b'ctxkit' in file.read_bytes()


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may write everywhere')
def test_read_only_repository_is_said_in_one_line(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.git').chmod(0o500)
    root.chmod(0o500)
    try:
        done = ctxkit(root, 'init')
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    finally:
        root.chmod(0o700)
        (root / '.git').chmod(0o700)


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may write everywhere')
def test_uninstall_of_hooks_that_cannot_be_removed_is_said_in_one_line(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    install(find(root), sys.executable)
    (root / '.git' / 'hooks').chmod(0o500)
    try:
        done = ctxkit(root, 'uninstall')
        assert done.returncode == 1 and 'cannot be removed' in done.stderr and len(done.stderr.splitlines()) == 1
    finally:
        (root / '.git' / 'hooks').chmod(0o700)


def test_init_says_where_nothing_can_be_kept(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'init').returncode == 0
    settle(root)
    shutil.rmtree(root / '.git' / 'ctxkit')
    (root / '.git' / 'ctxkit').touch()
    done = ctxkit(root, 'init')
    assert done.returncode == 1 and 'is not a folder; move it away' in done.stderr


def test_agents_are_written_and_taken_away_with_the_rest(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n', 'CLAUDE.md': '# rules\n'})
    done = ctxkit(root, 'init', '--agent', 'claude-code')
    assert done.returncode == 0, done.stderr
    assert git(root, 'status', '--porcelain') != ''
    settle(root)
    assert ctxkit(root, 'uninstall').returncode == 0
    assert git(root, 'status', '--porcelain') == ''


def test_agent_alone_keeps_the_hooks_as_they_are(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'init')
    settle(root)
    before = hooks(root)
    ctxkit(root, 'init', '--agent', 'codex')
    assert hooks(root) == before
    assert ctxkit(root, 'init', '--remove').returncode == 2
    assert ctxkit(root, 'init', '--agent', 'codex', '--remove').returncode == 0
    assert sorted(path.name for path in root.iterdir()) == ['.ctx', '.git', 'a.py']
    assert hooks(root) == before
    settle(root)
