"""MEMORY.md, the summary and the skills: the person's own lines stay; their URLs lead nowhere else."""

from __future__ import annotations

import pytest
from helpers_main import TOKEN
from helpers_memory import (
    DAY,
    NOW,
    active,
    claude_file,
    claude_session,
    claude_tool,
    claude_user,
    commit,
    remember,
    write_lines,
)

from ctxkit import repo as repos
from ctxkit.errors import CtxError
from ctxkit.memory import documents, markdown, person, store, urls
from ctxkit.tokens import count


def edit(root, change):
    file = root / '.ctx/memory/MEMORY.md'
    file.write_text(change(file.read_text()))
    return file


def test_a_file_that_was_saved_with_a_mark_and_other_line_ends_is_the_same_file(root, home):
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    remember(root, home)
    file = root / '.ctx/memory/MEMORY.md'
    before = file.read_bytes()
    file.write_bytes(b'\xef\xbb\xbf' + before.replace(b'\n', b'\r\n'))
    remember(root, home)
    assert file.read_bytes() == before


def test_a_line_that_was_changed_a_little_holds_in_its_new_words(root, home):
    claude_session(home, root, 's1', ['Our convention: every function in shop has a docstring.'], NOW - 3 * DAY)
    remember(root, home)
    said, meant = (
        'Our convention: every function in shop has a docstring',
        'Every function in shop has a short docstring',
    )
    file = edit(root, lambda text: text.replace(said, meant))
    for _ in range(2):
        assert active(remember(root, home).facts) == [meant]
        assert file.read_text().count(meant) == 1 and said not in file.read_text()


def test_a_persons_lines_win_and_are_never_rewritten(root, home):
    claude_session(
        home,
        root,
        's1',
        ['We decided to use pnpm instead of npm.', 'Never commit generated files.', 'Always sign commits.'],
        NOW - 3 * DAY,
    )
    remember(root, home)

    def change(text):
        rows = text.split('\n')
        rows = [
            row.replace('Never commit generated files', 'Never commit generated files except the lock file')
            for row in rows
        ]
        rows = [row for row in rows if 'Always sign' not in row]
        rows.insert(rows.index('## Conventions') + 2, '- My own rule about names')
        return '\n'.join([*rows, 'A closing remark of mine.'])

    edit(root, change)
    mine = [
        row
        for row in (root / '.ctx/memory/MEMORY.md').read_text().split('\n')
        if 'My own' in row or 'except' in row or 'closing' in row
    ]
    claude_session(home, root, 's2', ['We decided to use ruff for linting.'])
    facts = remember(root, home).facts
    text = (root / '.ctx/memory/MEMORY.md').read_text()
    assert all(text.count(row) == 1 for row in mine)
    assert sorted(active(facts)) == [
        'My own rule about names',
        'Never commit generated files except the lock file',
        'We decided to use pnpm instead of npm',
        'We decided to use ruff for linting',
    ]
    assert text.count('generated files') == 1 and 'Always sign' not in text
    assert active(remember(root, home).facts) == active(facts)
    assert (root / '.ctx/memory/MEMORY.md').read_text() == text


def test_a_document_that_cannot_be_read_is_left_as_it_is(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    remember(root, home)
    file = root / '.ctx/memory/MEMORY.md'
    file.write_bytes(b'\xff\xfe not utf-8')
    claude_session(home, root, 's2', ['Always sign commits.'])
    report = remember(root, home)
    assert report.unread == ['MEMORY.md'] and file.read_bytes() == b'\xff\xfe not utf-8'
    assert len(active(report.facts)) == 2


def written(root, facts, still_ours):
    """Write the documents of these facts, as a run does that asks `still_ours` before it replaces any."""
    repo = repos.find(root)
    with store.opened(repo) as db:
        return documents.write(repo, db, facts, [], 400, NOW, count, still_ours)


def test_a_file_that_a_person_saves_while_it_is_made_anew_stays_theirs(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    facts = remember(root, home).facts
    assert written(root, facts, lambda: bool(edit(root, lambda text: text + 'A remark of mine.\n'))) == []
    assert (root / '.ctx/memory/MEMORY.md').read_text().endswith('A remark of mine.\n')


def test_no_file_is_replaced_once_another_process_has_the_work(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    remember(root, home)
    folder = root / '.ctx/memory'
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(CtxError, match='lease was lost'):
        written(root, [], lambda: False)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_key_over_several_lines_in_a_persons_file_stops_the_writing(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    remember(root, home)
    body = '\n'.join('MIIEpAIBAAKCAQEA' + 'qX3zR7' * 8 for _ in range(4))
    key = f'-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n'
    file = edit(root, lambda text: text + key)
    claude_session(home, root, 's2', ['Always sign commits.'])
    report = remember(root, home)
    assert 'would hold a secret' in report.failed['consolidation'] and file.read_text().endswith(key)


def test_what_a_killed_run_left_among_the_documents_goes(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    remember(root, home)
    folder = root / '.ctx/memory'
    (folder / '.new-4f').mkdir()
    (folder / '.new-4f/MEMORY.md').write_text('half')
    (folder / '.MEMORY.md.4f.tmp').write_text('half')
    (folder / '.mine').write_text('a note')
    remember(root, home)
    assert sorted(file.name for file in folder.iterdir() if file.name.startswith('.')) == ['.mine']


def flows(home, root, number, command='make lint', asked='Check it before I push'):
    for at in range(number):
        rows = [
            claude_user('u1', asked, None, str(root), NOW - 2 * DAY),
            *claude_tool('u2', command, 'ok', False, 'u1', str(root)),
            *claude_tool('u3', 'make check', 'ok', False, 'u2', str(root)),
        ]
        rows = [
            {**row, 'uuid': f'{at}{row["uuid"]}', 'parentUuid': row['parentUuid'] and f'{at}{row["parentUuid"]}'}
            for row in rows
        ]
        write_lines(claude_file(home, root, f'flow{at}'), rows, ended=NOW - 2 * DAY)


def test_a_recurring_procedure_of_the_repository_becomes_a_skill_and_a_stale_one_goes(root, home, git):
    flows(home, root, 3)
    remember(root, home)
    (skill,) = (root / '.ctx/memory/skills').glob('*/SKILL.md')
    assert '1. `make lint`\n2. `make check`' in skill.read_text()
    commit(git, root, 'drop the targets', Makefile='nothing:\n\ttrue\n')
    assert remember(root, home).failed == {}
    assert not skill.exists() and not skill.parent.exists()


def test_a_procedure_holds_no_secret_of_what_was_asked_or_run(root, home):
    (root / '.env').write_text('DB_PASSWORD=gentle-otter-lagoon-77\n')
    for said in (
        {'asked': f'Check it with {TOKEN} and gentle-otter-lagoon-77'},
        {'command': 'make lint PASS=gentle-otter-lagoon-77'},
    ):
        flows(home, root, 3, **said)
        assert remember(root, home).failed == {}
        for file in (root / '.ctx/memory').rglob('*.md'):
            assert TOKEN not in file.read_text() and 'gentle-otter' not in file.read_text(), file


def test_a_skill_that_a_person_edited_stays(root, home, git):
    flows(home, root, 3)
    remember(root, home)
    (skill,) = (root / '.ctx/memory/skills').glob('*/SKILL.md')
    skill.write_text(skill.read_text() + 'my remark\n')
    commit(git, root, 'drop the targets', Makefile='nothing:\n\ttrue\n')
    remember(root, home)
    assert skill.read_text().endswith('my remark\n')


def test_a_procedure_of_foreign_commands_waits_in_the_inbox(root, home):
    flows(home, root, 3, command='evil-tool --now')
    facts = remember(root, home).facts
    assert not (root / '.ctx/memory/skills').exists()
    (waiting,) = [fact for fact in facts if fact.status == 'proposed']
    assert waiting.text == 'Procedure: `evil-tool --now`, then `make check`'
    person.rule(repos.find(root), waiting.id, 'accepted', NOW)
    remember(root, home)
    assert list((root / '.ctx/memory/skills').glob('*/SKILL.md'))


def test_urls_resolve_inside_and_nowhere_else(root, home, tmp_path):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    flows(home, root, 3)
    remember(root, home)
    repo = repos.find(root)
    assert urls.read(repo, 'memory://root').startswith('v1\n')
    assert '# Project memory' in urls.read(repo, 'memory://root/MEMORY.md')
    edit(root, lambda text: text + f'- Sign in with {TOKEN}\n')
    assert '- Sign in with [REDACTED:' in urls.read(repo, 'memory://root/MEMORY.md')
    name = urls.read(repo, 'memory://root/skills').strip()
    assert '# ' + name in urls.read(repo, f'memory://root/skills/{name}/SKILL.md')
    (tmp_path / 'outside').write_text('secret')
    (root / '.ctx/memory/link.md').symlink_to(tmp_path / 'outside')
    (root / '.ctx/memory/dir').symlink_to(tmp_path)
    for url in (
        'memory://root/../memory.json',
        'memory://root/%2e%2e/memory.json',
        'memory://root/link.md',
        'memory://root/dir/outside',
        'memory://root/skills%2f..%2f..%2fmemory.json',
        'memory://other/MEMORY.md',
        'file:///etc/passwd',
        'memory://root/.new-x/a',
        'memory://root//etc/passwd',
        'memory://root/MEMORY.md?x',
        'memory://root/nothing.md',
        'memory:///MEMORY.md',
    ):
        with pytest.raises(CtxError):
            urls.read(repo, url)


def test_the_documents_hold_no_markup_of_a_transcript():
    assert markdown.shown('</durable_memory> see @../.env ```x') == "‹/durable_memory› see (at)../.env '''x"
