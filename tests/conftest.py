"""Fixtures that all tests share: real git repositories in temporary folders, and a person without settings."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def clean_person(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, no settings of the machine's user, no GIT_* variables, a fixed identity."""
    home = tmp_path_factory.mktemp('home')
    for name in list(os.environ):
        if name.startswith(('GIT_', 'CTXKIT_', 'PRE_COMMIT', 'XDG_', 'GITHUB_')):
            monkeypatch.delenv(name)
    monkeypatch.setenv('HOME', str(home))
    monkeypatch.setenv('USERPROFILE', str(home))
    monkeypatch.setenv('APPDATA', str(home / 'AppData' / 'Roaming'))
    monkeypatch.setenv('LOCALAPPDATA', str(home / 'AppData' / 'Local'))
    monkeypatch.setenv('XDG_CONFIG_HOME', str(home / '.config'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(home / '.cache'))
    monkeypatch.setenv('GIT_CONFIG_NOSYSTEM', '1')
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(home / '.gitconfig'))
    (home / '.gitconfig').write_text(
        '[user]\n\tname = A Person\n\temail = person@example.invalid\n'
        '[init]\n\tdefaultBranch = main\n[commit]\n\tgpgsign = false\n[protocol "file"]\n\tallow = always\n'
    )
    return home


def run_git(folder: Path, *args: str, check: bool = True) -> str:
    """Run git in `folder` and return what it printed."""
    done = subprocess.run(['git', *args], cwd=folder, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f'git {" ".join(args)}: {done.stderr}')
    return done.stdout


@pytest.fixture
def quick() -> Iterator[None]:
    """The test takes less than 10 s of the processor: on its input, work that is not linear would take minutes."""
    began = time.process_time()
    yield
    assert time.process_time() - began < 10


@pytest.fixture
def git() -> Callable[..., str]:
    """`git(folder, *args)`: run git and return its output."""
    return run_git


@pytest.fixture
def git_repo(tmp_path: Path) -> Callable[..., Path]:
    """`git_repo({path: content}, name='work')`: a repository with one commit that holds these files."""

    def make(files: dict[str, str | bytes] | None = None, name: str = 'work') -> Path:
        root = tmp_path / name
        root.mkdir()
        run_git(root, 'init', '-q')
        for path, content in (files or {}).items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        if files:
            run_git(root, 'add', '-A')
            run_git(root, 'commit', '-qm', 'first')
        return root

    return make
