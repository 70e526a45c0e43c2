"""The hooks of `.pre-commit-hooks.yaml` under the real pre-commit and prek.

In the short form the definitions of the manifest run with `language: system`, so that no environment is built; the
slow tests let the tools build it from this repository, as they do for a user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from helpers_events import ctxkit, settle, status, updates
from helpers_git_events import assert_fresh, change, rebase_of_twenty

from ctxkit.events import requests
from ctxkit.events.pre_commit import COMMAND
from ctxkit.repo import find

ROOT = Path(__file__).parents[2]
STAGES = ('pre-commit', 'post-commit', 'post-checkout', 'post-merge', 'post-rewrite')
TOOLS = ('pre-commit', 'prek')


def tool(name: str) -> str:
    """The program beside our interpreter, or on PATH; a test machine has it (`pip install --group test`)."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        pytest.skip(f'{name} is not installed')
    return found


def run(root: Path, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(args, cwd=root, capture_output=True, text=True, check=False, timeout=300)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def local_config() -> str:
    """The manifest's hooks as local ones that run this interpreter."""
    hooks = yaml.safe_load((ROOT / '.pre-commit-hooks.yaml').read_text('utf-8'))
    for hook in hooks:
        hook['language'] = 'system'
        hook['entry'] = hook['entry'].replace('ctxkit', f'{sys.executable} -m ctxkit', 1)
        del hook['minimum_pre_commit_version']
    return yaml.safe_dump({'repos': [{'repo': 'local', 'hooks': hooks}]})


@pytest.fixture(params=[pytest.param('pre-commit', marks=pytest.mark.slow), 'prek'])
def work(request, git_repo, git, monkeypatch):
    """A repository whose hooks the tool has installed."""
    return set_up(request.param, git_repo, git, monkeypatch)


def set_up(name: str, git_repo, git, monkeypatch) -> Path:
    program = tool(name)
    monkeypatch.setenv('PATH', f'{Path(program).parent}{os.pathsep}{os.environ["PATH"]}')
    root = git_repo({'app.py': 'def one():\n    return 1\n', '.pre-commit-config.yaml': local_config()})
    run(root, program, 'install', *(f'--hook-type={stage}' for stage in STAGES))
    return root


def test_commit_checkout_merge_and_rebase_leave_a_fresh_context(work, git):
    change(work, git, 'added')
    assert_fresh(work, git)
    git(work, 'checkout', '-q', '-b', 'side')
    assert_fresh(work, git)
    for number in range(3):
        change(work, git, f'side_{number}', 'side.py')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'on_main')
    git(work, 'checkout', '-q', 'side')
    assert_fresh(work, git)
    before = len(updates(work))
    git(work, 'rebase', '-q', 'main')
    assert_fresh(work, git)
    assert len(updates(work)) == before + 1
    git(work, 'checkout', '-q', 'main')
    git(work, 'merge', '-q', '--ff-only', 'side')
    assert_fresh(work, git)
    assert status(work)['event'] == 'post-merge'
    assert git(work, 'status', '--porcelain') == ''


def test_pre_commit_itself_in_short(git_repo, git, monkeypatch):
    root = set_up('pre-commit', git_repo, git, monkeypatch)
    change(root, git, 'added')
    assert_fresh(root, git)
    assert git(root, 'status', '--porcelain') == ''
    done = ctxkit(root, 'doctor')
    assert done.returncode == 0 and 'hooks run through pre-commit' in done.stdout


def test_dirty_tree_keeps_its_edits(work, git):
    (work / 'other.py').write_text('x = 1\n')
    git(work, 'add', 'other.py')
    (work / 'app.py').write_text('def unsaved():\n    return 2\n')
    (work / 'new.py').write_text('y = 1\n')
    git(work, 'commit', '-qm', 'other only')
    assert_fresh(work, git)
    assert (work / 'app.py').read_text() == 'def unsaved():\n    return 2\n'
    assert git(work, 'status', '--porcelain') == ' M app.py\n?? new.py\n'


def test_worktree(work, git, tmp_path):
    other = tmp_path / 'other'
    git(work, 'worktree', 'add', '-q', '-b', 'other', str(other))
    assert_fresh(other, git)
    change(other, git, 'there')
    assert_fresh(other, git)


def test_files_checked_out_start_nothing(work, git):
    change(work, git, 'added')
    settle(work)
    before = len(updates(work))
    (work / 'app.py').write_text('changed\n')
    git(work, 'checkout', '--', 'app.py')
    settle(work)
    assert len(updates(work)) == before


def test_secret_and_foreign_file_below_ctx_stop_the_commit(work, git):
    (work / '.ctx').mkdir(exist_ok=True)
    (work / '.ctx' / 'context.xml').write_text('<ctxkit/>\n')
    git(work, 'add', '-f', '.ctx/context.xml')
    done = run(work, 'git', 'commit', '-m', 'foreign', check=False)
    assert done.returncode != 0 and 'only .ctx/config.yaml may be' in done.stdout + done.stderr
    git(work, 'rm', '-q', '--cached', '.ctx/context.xml')
    (work / '.ctx' / 'config.yaml').write_text('units:\n  top_k: 5\n')
    git(work, 'add', '-f', '.ctx/config.yaml')
    git(work, 'commit', '-qm', 'settings')
    (work / '.ctx' / 'config.yaml').write_text('units:\n  top_k: 5\n# ' + 'gh' + 'p_' + 'aB3' * 12 + '\n')
    git(work, 'add', '.ctx/config.yaml')
    done = run(work, 'git', 'commit', '-m', 'secret', check=False)
    assert done.returncode != 0 and '.ctx/config.yaml:3: a secret (github-token)' in done.stdout + done.stderr
    (work / '.ctx' / 'config.yaml').write_text('web:\n  mode: on\n')
    git(work, 'add', '.ctx/config.yaml')
    done = run(work, 'git', 'commit', '-m', 'config', check=False)
    assert done.returncode != 0 and 'web.mode cannot be set by a repository' in done.stdout + done.stderr
    settle(work)


def test_installed_beside_our_own_hooks_each_event_is_one_update(work, git):
    from ctxkit.events.install import install

    install(find(work), sys.executable)
    change(work, git, 'added')
    assert_fresh(work, git)
    assert 1 <= len(updates(work)) <= 2
    assert requests.pending(find(work).common_dir) == []


@pytest.mark.slow
@pytest.mark.parametrize('name', TOOLS)
def test_rebase_of_twenty_commits(name, git_repo, git):
    root = git_repo({'app.py': 'x = 1\n', '.pre-commit-config.yaml': local_config()})
    run(root, tool(name), 'install', *(f'--hook-type={stage}' for stage in STAGES))
    assert rebase_of_twenty(root, git) == 1


@pytest.fixture(scope='module')
def published(tmp_path_factory) -> Path:
    """This repository as it is now, as one of its own, one commit deep, with a tag."""
    root = tmp_path_factory.mktemp('published')
    listed = subprocess.run(
        ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split('\0')):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    identity = ('-c', 'user.name=A', '-c', 'user.email=a@example.invalid')
    for args in (('init', '-q'), ('add', '-A'), ('commit', '-qm', 'release'), ('tag', 'v0')):
        subprocess.run(['git', *identity, *args], cwd=root, check=True, capture_output=True)
    return root


@pytest.mark.slow
@pytest.mark.parametrize('name', TOOLS)
def test_environment_built_by_the_tool(name, git_repo, git, published):
    config = {
        'repos': [
            {'repo': f'file://{published}', 'rev': 'v0', 'hooks': [{'id': 'ctxkit-refresh'}, {'id': 'ctxkit-check'}]}
        ]
    }
    root = git_repo({'app.py': 'x = 1\n', '.pre-commit-config.yaml': yaml.safe_dump(config)})
    program = tool(name)
    run(root, program, 'install', '--install-hooks', *(f'--hook-type={stage}' for stage in STAGES))
    change(root, git, 'added')
    assert_fresh(root, git)


@pytest.mark.slow
@pytest.mark.parametrize('name', TOOLS)
def test_try_repo(name, git_repo, git, published):
    root = git_repo({'app.py': 'x = 1\n'})
    run(root, tool(name), 'try-repo', str(published), 'ctxkit-refresh', '--hook-stage=post-commit', '--all-files')
    assert_fresh(root, git)


def test_init_adds_its_entry_and_uninstall_takes_it_away(git_repo, git):
    text = '# ours\nrepos:\n  # a list\n  - repo: local\n    hooks: []  # none yet\n\n# the end\nfail_fast: true\n'
    root = git_repo({'app.py': 'x = 1\n', '.pre-commit-config.yaml': text})
    ctxkit(root, 'init')
    done = ctxkit(root, 'init', '--hooks', 'pre-commit')
    assert done.returncode == 0, done.stderr
    assert COMMAND in done.stdout
    assert not (root / '.git' / 'hooks' / 'post-commit').exists()  # one way in, not two
    written = (root / '.pre-commit-config.yaml').read_text('utf-8')
    loaded = yaml.safe_load(written)
    assert [hook['id'] for hook in loaded['repos'][1]['hooks']] == ['ctxkit-refresh', 'ctxkit-check']
    assert loaded['fail_fast'] is True and '# the end' in written and '# none yet' in written
    assert ctxkit(root, 'init', '--hooks', 'pre-commit').returncode == 0
    assert (root / '.pre-commit-config.yaml').read_text('utf-8') == written
    run(root, tool('pre-commit'), 'validate-config')
    settle(root)
    assert ctxkit(root, 'uninstall').returncode == 0
    assert (root / '.pre-commit-config.yaml').read_text('utf-8') == text


def test_init_makes_the_config_where_there_is_none_and_refuses_an_odd_one(git_repo):
    root = git_repo({'app.py': 'x = 1\n'})
    assert ctxkit(root, 'init', '--hooks', 'pre-commit').returncode == 0
    run(root, tool('pre-commit'), 'validate-config')
    settle(root)
    assert ctxkit(root, 'uninstall').returncode == 0
    assert not (root / '.pre-commit-config.yaml').exists()
    (root / '.pre-commit-config.yaml').write_text('repos: []\n')
    done = ctxkit(root, 'init', '--hooks', 'pre-commit')
    assert done.returncode == 1 and 'id: ctxkit-refresh' in done.stderr
    assert (root / '.pre-commit-config.yaml').read_text() == 'repos: []\n'
    settle(root)


def test_init_writes_no_config_through_a_link_and_keeps_bytes_that_are_no_utf8(git_repo, tmp_path):
    root = git_repo({'app.py': 'x = 1\n'})
    file, theirs = root / '.pre-commit-config.yaml', tmp_path / 'theirs.yaml'
    theirs.write_bytes(b'# caf\xe9\nrepos:\n- repo: local\n  hooks: []\n')
    file.symlink_to(theirs)
    done = ctxkit(root, 'init', '--hooks', 'pre-commit')
    assert done.returncode == 1 and 'is a link' in done.stderr
    assert file.is_symlink() and b'ctxkit' not in theirs.read_bytes()
    file.unlink()
    file.write_bytes(theirs.read_bytes())
    assert ctxkit(root, 'init', '--hooks', 'pre-commit').returncode == 0
    assert file.read_bytes().startswith(theirs.read_bytes()) and b'ctxkit-refresh' in file.read_bytes()
    settle(root)
