"""check: no secret, no foreign file and no forbidden setting in what is staged."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers_events import ctxkit

TOKEN = 'gh' + 'p_' + 'aB3' * 12


def test_check_passes_what_is_right(git_repo, git):
    root = git_repo({'a.py': f'token = "{TOKEN}"\n'})
    assert ctxkit(root, 'check').returncode == 0
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'config.yaml').write_text('units:\n  top_k: 5\n')
    git(root, 'add', '-f', '.ctx')
    assert (ctxkit(root, 'check').returncode, ctxkit(root, 'check', '.ctx/config.yaml').returncode) == (0, 0)


def test_check_looks_at_what_is_staged_not_at_the_work_tree(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    file = root / '.ctx' / 'config.yaml'
    file.write_text(f'# {TOKEN}\n')
    git(root, 'add', '-f', '.ctx')
    file.write_text('units:\n  top_k: 5\n')
    done = ctxkit(root, 'check')
    assert done.returncode == 1
    assert '.ctx/config.yaml:1: a secret (github-token)' in done.stderr and TOKEN not in done.stderr


@pytest.mark.parametrize('what', [('-a',), ('.ctx/config.yaml',), ('-i', '.ctx/config.yaml')])
def test_check_looks_at_the_index_that_a_commit_of_some_files_is_made_of(git_repo, git, what):
    root = git_repo({'a.py': 'x = 1\n', '.ctx/config.yaml': 'units:\n  top_k: 5\n'})
    hook = root / '.git' / 'hooks' / 'pre-commit'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ctxkit check .ctx/config.yaml\n')
    hook.chmod(0o755)
    (root / '.ctx' / 'config.yaml').write_text(f'# {TOKEN}\n')
    done = subprocess.run(['git', 'commit', '-qm', 'x', *what], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert '.ctx/config.yaml:1: a secret (github-token)' in done.stderr


def test_check_sends_what_a_repository_may_not_set_to_the_persons_settings(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'config.yaml').write_text('model:\n  name: large\n')
    git(root, 'add', '-f', '.ctx')
    assert 'cannot be set by a repository; set it in your own settings instead' in ctxkit(root, 'check').stderr


def test_check_refuses_foreign_files_links_other_spellings_and_env_values(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.env').write_text('APP_SECRET=orangutans-everywhere\n')
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'config.yaml').symlink_to('/etc/passwd')
    (root / '.ctx' / 'line\nbreak').write_text('orangutans-everywhere')
    (root / '.CTX').mkdir(exist_ok=True)
    (root / '.CTX' / 'context.xml').write_text('x')
    git(root, 'add', '-f', '.ctx', '.CTX')
    done = ctxkit(root, 'check')
    assert done.returncode == 1
    assert '.ctx/config.yaml is staged' in done.stderr
    assert '.ctx/line\\nbreak is staged' in done.stderr
    assert '.ctx/line\\nbreak:1: a secret (env)' in done.stderr
    assert '.CTX/context.xml is staged' in done.stderr
