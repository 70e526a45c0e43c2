"""What `ctxkit doctor` says of agents' files that are not as `ctxkit init --agent` writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers_events import ctxkit

from ctxkit import repo
from ctxkit.agents.condition import examine
from ctxkit.agents.files import install, remove, signed
from ctxkit.agents.template import names

Make = Callable[..., Path]


def wrong(root: Path) -> dict[str, str]:
    """Advice for each line of doctor's that is not good."""
    return {found.what: found.advice for found in examine(repo.find(root)) if not found.good}


@pytest.fixture
def root(git_repo: Make) -> Path:
    return git_repo({'a.py': 'x = 1\n'})


def test_nothing_is_said_where_no_agent_was_set_up_and_one_line_where_all_is_well(root: Path) -> None:
    assert examine(repo.find(root)) == []
    install(repo.find(root), names())
    (found,) = examine(repo.find(root))
    assert found.good and found.what == f'agents are set up: {", ".join(names())}'
    remove(repo.find(root), names())
    assert examine(repo.find(root)) == []


def test_a_section_of_another_version_is_told_once_for_all_who_share_it_and_init_renews_it(root: Path) -> None:
    install(repo.find(root), ['codex', 'pi'])
    file = root / 'AGENTS.md'
    file.write_text(file.read_text().replace('Reading it first', 'To read it first'))
    assert wrong(root) == {
        'AGENTS.md has a ctxkit section that is from another version or was edited': 'run: ctxkit init --agent codex '
        '--agent pi'
    }
    done = ctxkit(root, 'doctor')
    assert done.returncode == 1 and '!!  AGENTS.md has a ctxkit section that is from another version' in done.stdout
    install(repo.find(root), ['codex', 'pi'])
    assert wrong(root) == {}


def test_a_whole_file_of_another_version_is_told_apart_from_one_that_was_edited(root: Path) -> None:
    install(repo.find(root), ['cursor'])
    older, edited = root / '.cursor/rules/ctxkit.mdc', root / '.cursor/commands/memory.md'
    older.write_text(signed(older.name, 'what an older version wrote\n'))
    edited.write_text(edited.read_text() + 'mine\n')
    (root / '.cursor/commands/context.md').unlink()
    assert wrong(root) == {
        '.cursor/rules/ctxkit.mdc is from another version of ctxkit': 'run: ctxkit init --agent cursor',
        '.cursor/commands/context.md is missing': 'run: ctxkit init --agent cursor',
    }
    assert [found.what for found in examine(repo.find(root)) if found.good] == [
        '.cursor/commands/memory.md was edited, so ctxkit leaves it alone; to replace it, delete it and run: '
        'ctxkit init --agent cursor'
    ]


def test_an_edited_file_that_is_all_there_is_of_an_agent_is_named_by_doctor_and_by_uninstall(root: Path) -> None:
    install(repo.find(root), ['continue'])
    rule = root / '.continue/rules/ctxkit.md'
    rule.write_text(rule.read_text().replace('Repository', 'My repository'))
    (found,) = examine(repo.find(root))
    assert found.good and found.what.startswith('.continue/rules/ctxkit.md was edited')
    assert 'left alone .continue/rules/ctxkit.md: it was edited' in ctxkit(root, 'uninstall').stdout
    assert 'My repository' in rule.read_text()


def test_instructions_that_an_agent_wrote_anew_without_our_section_are_noticed(root: Path) -> None:
    install(repo.find(root), ['claude-code', 'aider'])
    for path in ('CLAUDE.md', '.aider.conf.yml'):
        (root / path).write_text('# What the agent found out\n')
    assert wrong(root) == {
        'CLAUDE.md has no ctxkit section for claude-code': 'run: ctxkit init --agent claude-code',
        '.aider.conf.yml no longer contains what ctxkit init wrote for aider': (
            'run: ctxkit init --agent aider, or add --remove if this was intended'
        ),
    }
    remove(repo.find(root), ['aider'])
    install(repo.find(root), ['claude-code'])
    assert wrong(root) == {}


def test_settings_without_our_entries_and_settings_that_do_not_parse_are_named(root: Path) -> None:
    install(repo.find(root), ['gemini', 'cursor', 'opencode', 'aider'])
    gemini, cursor = root / '.gemini/settings.json', root / '.cursor/hooks.json'
    gemini.write_text(gemini.read_text().replace('"AfterAgent"', '"Else"'))
    cursor.write_text('{\n')
    (root / '.aider.conf.yml').write_text('model: x\n')
    assert wrong(root) == {
        '.gemini/settings.json lacks the ctxkit entries in hooks.AfterAgent': 'run: ctxkit init --agent gemini',
        '.cursor/hooks.json cannot be read (line 2 is not JSON)': 'repair it, then run: ctxkit init --agent cursor',
        '.aider.conf.yml no longer contains what ctxkit init wrote for aider': (
            'run: ctxkit init --agent aider, or add --remove if this was intended'
        ),
    }


def test_what_a_person_may_change_and_line_ends_are_no_difference(root: Path) -> None:
    install(repo.find(root), ['claude-code', 'cursor'])
    settings = root / '.claude/settings.json'
    settings.write_text(settings.read_text().replace('"timeout": 5', '"timeout": 9'))
    for path in ('CLAUDE.md', '.cursor/rules/ctxkit.mdc', '.claude/commands/ctxkit-memory.md'):
        (root / path).write_bytes((root / path).read_bytes().replace(b'\n', b'\r\n'))
    assert wrong(root) == {}


def test_a_section_for_an_agent_that_this_version_does_not_know_hinders_nothing(root: Path) -> None:
    install(repo.find(root), ['codex'])
    file = root / 'AGENTS.md'
    file.write_text(file.read_text().replace('ctxkit:begin codex', 'ctxkit:begin codex newcomer'))
    assert wrong(root) == {}
    remove(repo.find(root), ['codex'])
    assert 'ctxkit:begin newcomer' in file.read_text()
