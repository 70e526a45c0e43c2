"""Who waits for a first index sees how far it is, whichever command made it; who reads a pipe sees nothing of it."""

from __future__ import annotations

import io
import sys

import pytest
from helpers_main import block, run, search

from ctxkit.cli import cli, options
from ctxkit.index.progress import reporting_to

FILES = {f'm{n}.py': f'def f{n}():\n    return {n}\n' for n in range(60)}


class Terminal(io.StringIO):
    """A stream that says that a person looks at it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize('make', [block, lambda root: search(root, 'f7')])
def test_an_index_tells_how_far_it_is(git_repo, make):
    root = git_repo(FILES)
    told: list[tuple[int, int]] = []
    with reporting_to(lambda done, total: told.append((done, total))):
        make(root)
        assert told[-1] == (60, 60) and len(told) > 1
        told.clear()
        make(root)
    assert told == []


@pytest.mark.parametrize('words', [['render'], ['search', 'f7'], ['update']])
def test_a_first_index_draws_a_bar_on_a_terminal(git_repo, monkeypatch, words):
    root = git_repo(FILES)
    monkeypatch.chdir(root)
    monkeypatch.setattr(options, 'PATIENCE', 0.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, 'stderr', terminal)
    cli.main(words, standalone_mode=False)
    assert 'indexing' in terminal.getvalue()
    seen = len(terminal.getvalue())
    cli.main(words, standalone_mode=False)
    assert len(terminal.getvalue()) == seen


def test_a_pipe_sees_no_bar(git_repo):
    assert run(git_repo(FILES), 'render').stderr == ''
