"""What `ctxkit init --agent` writes, and that `--remove` gives every byte back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from helpers_events import ctxkit

from ctxkit import repo
from ctxkit.agents import marked
from ctxkit.agents.files import install, installed, remove
from ctxkit.agents.template import load, names
from ctxkit.errors import CtxError

Make = Callable[..., Path]


def contents(root: Path) -> dict[str, bytes]:
    """All files of a work tree but git's own."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob('*'))
        if path.is_file() and '.git' not in path.relative_to(root).parts
    }


@pytest.mark.parametrize('agent', names())
def test_an_empty_repository_is_as_before_after_removal(git_repo: Make, agent: str) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found, before = repo.find(root), contents(git_repo({'a.py': 'x = 1\n'}, name='other'))
    said = install(found, [agent])
    assert all(line.startswith('wrote ') for line in said)
    assert installed(found) == [agent]
    written = contents(root)
    assert install(found, [agent]) == [f'{load(agent).title}: nothing to do']
    assert contents(root) == written
    remove(found, [agent])
    assert contents(root) == before
    assert not [path for path in root.iterdir() if path.is_dir() and path.name != '.git']
    assert installed(found) == []


OWN = {
    '.claude/settings.json': (
        '{\n  // mine\n  "permissions": {"allow": ["Bash(ls)"]},\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n'
    ),
    '.codex/hooks.json': '{"hooks": {}}',
    '.gemini/settings.json': '{\n\t"ui": {"theme": "dark"},\n\t"hooks": {"BeforeAgent": []}\n}',
    '.cursor/hooks.json': '{"version": 1, "hooks": {"stop": [{"command": "mine"}]}}\n',
    'opencode.jsonc': '{\n  "instructions": ["docs/rules.md"], // rules\n}\n',
    'kilo.jsonc': '{\n  // mine\n  "model": "x"\n}\n',
    'AGENTS.md': '# Rules\r\nAlways test.',
    'CLAUDE.md': '',
    'GEMINI.md': '# Gemini\n',
    '.aider.conf.yml': '# mine\nread:\n- CONVENTIONS.md\nmodel: x\n',
    '.github/copilot-instructions.md': 'Be kind.\n',
}


@pytest.mark.skipif(os.name == 'nt', reason='no modes there')
def test_all_may_read_what_is_made_for_agents_and_the_persons_files_keep_their_mode(git_repo: Make) -> None:
    root = git_repo({'AGENTS.md': 'Mine.\n', 'a.py': 'x = 1\n'})
    (root / 'AGENTS.md').chmod(0o600)
    install(repo.find(root), names())
    modes = {path: (root / path).stat().st_mode & 0o777 for path in ('AGENTS.md', 'CLAUDE.md', 'opencode.json')}
    assert modes == {'AGENTS.md': 0o600, 'CLAUDE.md': 0o644, 'opencode.json': 0o644}


def test_the_files_of_the_person_keep_what_is_theirs(git_repo: Make) -> None:
    root = git_repo({**OWN, 'a.py': 'x = 1\n'})
    found, before = repo.find(root), contents(root)
    install(found, names())
    after = contents(root)
    claude = after['.claude/settings.json'].decode()
    assert '// mine' in claude and '"allow": ["Bash(ls)"]' in claude
    assert after['AGENTS.md'].startswith(b'# Rules\r\nAlways test.')
    assert b'\n' not in after['AGENTS.md'].replace(b'\r\n', b'')
    assert yaml.safe_load(after['.aider.conf.yml'])['read'] == ['.ctx/context.xml', 'CONVENTIONS.md']
    assert after['.aider.conf.yml'].startswith(b'# mine\n')
    assert 'opencode.json' not in after and b'// rules' in after['opencode.jsonc']
    assert 'kilo.json' not in after and b'".ctx/context.xml"' in after['kilo.jsonc']
    remove(found, names())
    assert contents(root) == before


def test_agents_that_share_a_file_share_one_pointer(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found = repo.find(root)
    install(found, ['codex', 'opencode', 'pi'])
    assert (root / 'AGENTS.md').read_text().count('Repository context:') == 1
    remove(found, ['codex', 'pi'])
    assert (root / 'AGENTS.md').read_text().count('Repository context:') == 1
    remove(found, ['opencode'])
    assert not (root / 'AGENTS.md').exists()


def test_agents_md_is_the_pointer_in_agents_md_and_nothing_else_whoever_shares_it(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found = repo.find(root)
    install(found, ['agents-md'])
    assert sorted(contents(root)) == ['AGENTS.md', 'a.py']
    alone = contents(root)
    install(found, ['codex', 'pi'])
    assert installed(found) == ['codex', 'pi', 'agents-md']
    remove(found, ['codex', 'pi'])
    assert installed(found) == ['agents-md'] and contents(root) == alone
    install(found, ['opencode'])
    remove(found, ['agents-md'])
    assert installed(found) == ['opencode']
    assert (root / 'AGENTS.md').read_text().count('Repository context:') == 1


def test_settings_that_do_not_parse_are_left_alone_and_named(git_repo: Make) -> None:
    root = git_repo({'.claude/settings.json': '{"hooks": \n'})
    before = contents(root)
    with pytest.raises(CtxError, match=r'\.claude/settings\.json was left alone: line 2 is not JSON'):
        install(repo.find(root), ['claude-code'])
    assert contents(root) == before


@pytest.mark.parametrize(
    ('agent', 'path', 'text'),
    [
        ('codex', 'AGENTS.md', b'\xff\xfe#\x00 \x00'),
        ('codex', 'AGENTS.md', b'caf\xe9\n'),
        ('aider', '.aider.conf.yml', b'- a\n- b\n'),
        ('aider', '.aider.conf.yml', b'read: [a\n'),
        ('aider', '.aider.conf.yml', b'read: 5\n'),
        ('aider', '.aider.conf.yml', b'read: [1, 2]\n'),
        ('aider', '.aider.conf.yml', b'since: 2001-99-99\n'),
        ('cursor', '.cursor/rules/ctxkit.mdc', b'mine\n'),
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_refused(git_repo: Make, agent: str, path: str, text: bytes) -> None:
    root = git_repo({path: text})
    before = contents(root)
    with pytest.raises(CtxError):
        install(repo.find(root), [agent])
    assert contents(root) == before


@pytest.mark.parametrize('text', [b'read:', b'read: []\n', b'read: null\r\n', b'read:\r\n  - a.md\r\nmodel: x\r\n'])
def test_a_read_list_of_any_form_gets_the_block_and_is_as_before_after_removal(git_repo: Make, text: bytes) -> None:
    root = git_repo({'.aider.conf.yml': ''})
    file = root / '.aider.conf.yml'
    file.write_bytes(text)
    install(repo.find(root), ['aider'])
    assert '.ctx/context.xml' in yaml.safe_load(file.read_bytes())['read']
    remove(repo.find(root), ['aider'])
    assert file.read_bytes() == text


def test_settings_that_were_an_empty_file_are_one_after_removal(git_repo: Make) -> None:
    root = git_repo({'kilo.jsonc': '', '.claude/settings.json': '', 'GEMINI.md': ''})
    before = contents(root)
    install(repo.find(root), ['kilo', 'claude-code', 'gemini'])
    remove(repo.find(root), ['claude-code', 'gemini', 'kilo'])
    assert contents(root) == before


@pytest.mark.parametrize('text', [b'caf\xe9\n', b'', b'\n', b'{}', b'{"version": 1}'])
def test_removing_an_agent_leaves_files_that_ctxkit_never_wrote(git_repo: Make, text: bytes) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    for path in ('CLAUDE.md', '.aider.conf.yml', '.claude/settings.json', '.cursor/hooks.json'):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(text)
    before = contents(root)
    assert installed(repo.find(root)) == []
    remove(repo.find(root), names())
    assert contents(root) == before


@pytest.mark.parametrize(
    'record',
    ['5', '[1]', '[' * 100_000, '{"ROOT": 5}', '{"ROOT": {"CLAUDE.md": 5}}', '{"ROOT": {"CLAUDE.md": {"kept": 5}}}'],
)
def test_a_record_that_makes_no_sense_is_taken_for_none(git_repo: Make, record: str) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found = repo.find(root)
    install(found, ['claude-code'])
    (found.data_dir / 'agents.json').write_text(record.replace('ROOT', json.dumps(str(found.root))[1:-1]))
    assert installed(found) == ['claude-code']
    remove(found, ['claude-code'])
    assert sorted(contents(root)) == ['a.py']


def test_agents_that_share_a_file_are_named_in_one_order() -> None:
    text = 'Mine.\n'
    for agent in ('pi', 'codex', 'zed', 'amp', 'gemini'):
        text = marked.put(text, agent, 'x')
    assert 'ctxkit:begin amp codex gemini pi zed -->' in text
    assert marked.put(text, 'codex', 'x') == text


def test_a_file_of_many_begun_sections_is_read_at_once(quick: None) -> None:
    assert marked.owners('<!-- ctxkit:begin codex -->\n' * 5_000) == []


def test_a_file_of_ours_that_was_edited_is_not_deleted(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found = repo.find(root)
    install(found, ['cursor'])
    rule = root / '.cursor/rules/ctxkit.mdc'
    rule.write_text(rule.read_text().replace('Repository', 'My repository'))
    said = remove(found, ['cursor'])
    assert 'left alone .cursor/rules/ctxkit.mdc: it was edited' in said
    assert rule.read_text().count('My repository') == 1


def test_a_hook_whose_timeout_was_changed_is_still_ours(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found = repo.find(root)
    install(found, ['claude-code'])
    file = root / '.claude/settings.json'
    file.write_text(file.read_text().replace('"timeout": 5', '"timeout": 9'))
    install(found, ['claude-code'])
    assert len(json.loads(file.read_text())['hooks']['SessionStart']) == 1
    remove(found, ['claude-code'])
    assert not file.exists()


def test_a_command_that_the_person_put_beside_ours_stays_and_ours_goes(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found, mine = repo.find(root), {'type': 'command', 'command': 'say done'}
    install(found, ['claude-code'])
    file = root / '.claude/settings.json'
    settings = json.loads(file.read_text())
    settings['hooks']['Stop'][0]['hooks'].append(mine)
    settings['hooks']['SessionStart'][0]['hooks'].insert(0, mine)
    file.write_text(json.dumps(settings, indent=2))
    assert install(found, ['claude-code']) == ['Claude Code: nothing to do']
    remove(found, ['claude-code'])
    left = json.loads(file.read_text())['hooks']
    assert [left[event][0]['hooks'] for event in left] == [[mine], [mine]] and sorted(left) == ['SessionStart', 'Stop']


@pytest.mark.parametrize(
    ('agent', 'path', 'added'),
    [
        ('opencode', 'opencode.json', {'$schema': 'https://opencode.ai/config.json'}),
        ('kilo', 'kilo.json', {'$schema': 'https://app.kilo.ai/config.json'}),
        ('qwen', '.qwen/settings.json', {'$version': 4}),
    ],
)
def test_what_the_agent_notes_in_a_file_of_ours_goes_with_it(
    git_repo: Make, agent: str, path: str, added: dict[str, object]
) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    found, file = repo.find(root), root / path
    install(found, [agent])
    file.write_text(json.dumps({**added, **json.loads(file.read_text())}, indent=2))
    remove(found, [agent])
    assert not file.exists()


@pytest.mark.parametrize('text', ['{"version": 1}\n', '{"$schema": "https://example.invalid/hooks.json"}\n'])
def test_a_file_of_the_person_keeps_a_version_or_a_schema_that_stands_alone(git_repo: Make, text: str) -> None:
    root = git_repo({'.cursor/hooks.json': text, 'opencode.json': text})
    found = repo.find(root)
    install(found, ['cursor', 'opencode'])
    remove(found, ['cursor', 'opencode'])
    assert (root / 'opencode.json').read_text() == text
    assert json.loads((root / '.cursor/hooks.json').read_text()).items() >= json.loads(text).items()


@pytest.mark.skipif(os.name == 'nt', reason='links need a privilege on Windows')
def test_nothing_is_written_through_a_link_that_leaves_the_repository(git_repo: Make, tmp_path: Path) -> None:
    outside = tmp_path / 'outside.md'
    outside.write_text('not ours\n')
    root = git_repo({'a.py': 'x = 1\n'})
    (root / 'AGENTS.md').symlink_to(outside)
    (root / '.claude').symlink_to(tmp_path)
    for agent in ('codex', 'claude-code'):
        with pytest.raises(CtxError, match='leads out of the repository'):
            install(repo.find(root), [agent])
    assert outside.read_text() == 'not ours\n' and not (tmp_path / 'settings.json').exists()


@pytest.mark.skipif(os.name == 'nt', reason='links need a privilege on Windows')
def test_a_link_inside_the_repository_is_followed_and_stays_a_link(git_repo: Make) -> None:
    root = git_repo({'CLAUDE.md': '# Rules\n'})
    (root / 'AGENTS.md').symlink_to('CLAUDE.md')
    found = repo.find(root)
    install(found, ['claude-code', 'codex'])
    assert (root / 'AGENTS.md').is_symlink()
    assert (root / 'CLAUDE.md').read_text().count('Repository context:') == 1
    remove(found, ['codex', 'claude-code'])
    assert (root / 'AGENTS.md').is_symlink() and (root / 'CLAUDE.md').read_text() == '# Rules\n'


def test_an_unknown_agent_is_named_with_the_known_ones(git_repo: Make) -> None:
    with pytest.raises(CtxError, match='windsurf is not an agent') as told:
        install(repo.find(git_repo({'a': 'b'})), ['windsurf'])
    assert 'claude-code, ' in told.value.hint and 'agents-md (the last for any other' in told.value.hint


@pytest.mark.parametrize('more', [[], ['--remove']])
def test_a_misspelt_agent_beside_others_changes_nothing(git_repo: Make, more: list[str]) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    if more:
        install(repo.find(root), ['codex'])
    before, hooks = contents(root), sorted((root / '.git/hooks').glob('post-*'))
    done = ctxkit(root, 'init', '--agent', 'codex', '--agent', 'gemnii', *more)
    assert done.returncode == 1 and 'gemnii is not an agent' in done.stderr
    assert contents(root) == before and sorted((root / '.git/hooks').glob('post-*')) == hooks


def test_init_says_what_it_wrote_before_a_file_that_it_refused(git_repo: Make) -> None:
    root = git_repo({'.claude/settings.json': '{"hooks": \n'})
    done = ctxkit(root, 'init', '--agent', 'codex', '--agent', 'claude-code')
    assert done.returncode == 1 and '.claude/settings.json was left alone' in done.stderr
    assert 'wrote AGENTS.md' in done.stdout and 'post-commit' in done.stdout


@pytest.mark.parametrize('agent', names())
def test_the_templates_follow_the_contracts(agent: str) -> None:
    template = load(agent)
    text = json.dumps([[entry.item for entry in entries] for _, entries in template.settings])
    # The hook line must stay the same between versions: Codex pins trust to it.
    assert text.count('ctxkit ') == text.count(f' --agent {agent}')
    for path, body in template.files:
        assert not Path(path).is_absolute() and '..' not in path
        if path.endswith('.mdc'):
            front = yaml.safe_load(body.split('---')[1])
            assert front['alwaysApply'] is True and len(body.splitlines()) < 500
        if path.endswith('.toml'):
            assert body.count('"""') == 2
