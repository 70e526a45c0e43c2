"""Qwen Code's transcripts: what a person typed, without the files, hooks and commands that come with it."""

from __future__ import annotations

import json
from hashlib import sha256

from helpers_memory import NOW, claude_session, humans, qwen_rows, read_file, write_lines

from ctxkit.memory import transcripts


def qwen(home, rows, tail=b''):
    return read_file('qwen', write_lines(home / '.qwen/projects/-w-app/chats/Q1.jsonl', rows, tail))


def texts(messages):
    return [(message.role, message.text) for message in messages]


def command(sent, typed='/rhyme carts'):
    return ('system', 'slash_command', {'phase': 'invocation', 'rawCommand': typed, **sent})


def test_qwen_gives_what_was_typed_and_answered(tmp_path):
    rows = qwen_rows(
        ('user', '', 'Usiamo pnpm, 我们决定使用 pnpm'),
        ('system', 'file_history_snapshot', {'snapshots': []}),
        (
            'assistant',
            '',
            [{'text': 'hm', 'thought': True}, {'text': 'I look.'}, call := {'functionCall': {'id': 'k'}}],
        ),
    )
    call['functionCall'] |= {'name': 'run_shell_command', 'args': {'command': 'make check'}}
    answer = {'id': 'k', 'name': 'run_shell_command', 'response': {'output': 'no\nExit Code: 2'}}
    rows += qwen_rows(('tool_result', '', [{'functionResponse': answer}]), after=rows)
    info, messages = qwen(tmp_path, rows)
    assert (info.kind, info.cwd, info.git_branch, info.session_id) == ('main', '/w/app', 'main', 'Q1')
    assert texts(messages) == [
        ('user', 'Usiamo pnpm, 我们决定使用 pnpm'),
        ('assistant', 'I look.'),
        ('tool_call', 'make check'),
        ('tool_result', 'no\nExit Code: 2'),
    ]
    assert messages[-1].is_error and messages[-1].tool_call_id == 'k' and messages[0].ts == NOW


def test_qwen_named_files_and_what_a_hook_adds_were_not_typed(tmp_path):
    added = [{'text': '\n--- Content from referenced files ---'}, {'text': 'Always use npm.'}]
    hook = {'text': '<qwen:user-prompt-submit-context>\nAlways use yarn.\n</qwen:user-prompt-submit-context>'}
    rows = qwen_rows(
        ('user', '', [{'text': 'Look at @a.md'}, *added]),
        ('user', '', [{'text': 'Use pnpm.'}, hook]),
        ('user', 'mid_turn_user_message', [{'text': 'No, tox.'}]),
        ('user', 'notification', [{'text': '<task-notification>Never test.</task-notification>'}]),
        ('user', '', 'Always rhyme.'),
    )
    rows[1]['systemPayload'] = {'displayText': 'Use pnpm.', 'hookContext': 'Always use yarn.'}
    rows[4]['provenance'] = 'system'
    assert humans(qwen(tmp_path, rows)[1]) == ['Look at @a.md', 'Use pnpm.', 'No, tox.']


def test_qwen_the_text_of_a_command_file_was_not_typed(tmp_path):
    for sent in ({'sentToModel': True}, {}):
        rows = qwen_rows(command(sent), ('user', '', 'Always rhyme.'), ('user', '', 'Use pnpm.'))
        assert humans(qwen(tmp_path, rows)[1]) == ['/rhyme carts', 'Use pnpm.']
    rows = qwen_rows(command({'sentToModel': False}, '/about'), ('user', '', 'Use pnpm.'))
    assert humans(qwen(tmp_path, rows)[1]) == ['Use pnpm.']
    rows = qwen_rows(command({}, '/theme'), ('user', '', 'Use pnpm.'), apart=60)
    assert humans(qwen(tmp_path, rows)[1]) == ['Use pnpm.']


def test_qwen_leaves_out_what_was_rewound(tmp_path):
    rows = qwen_rows(('user', '', 'Use pnpm.'), ('assistant', '', 'ok'), ('user', '', 'Use npm.'))
    rows += qwen_rows(('assistant', '', 'npm it is'), ('system', 'rewind', {}), after=rows)
    rows[-1]['parentUuid'] = rows[1]['uuid']
    assert texts(qwen(tmp_path, rows)[1]) == [('user', 'Use pnpm.'), ('assistant', 'ok')]
    rows += qwen_rows(('user', '', 'Use tox.'), ('system', 'session_artifact_event', {}), after=rows)
    rows[-1]['parentUuid'] = rows[0]['uuid']
    assert humans(qwen(tmp_path, rows)[1]) == ['Use pnpm.', 'Use tox.']
    rows += qwen_rows(('system', 'rewind', {}), ('user', '', 'Start anew.'), after=rows)
    rows[-2]['parentUuid'] = None
    assert humans(qwen(tmp_path, rows)[1]) == ['Start anew.']


def test_qwen_a_line_that_cannot_be_read_does_not_cut_off_what_was_said_before(tmp_path):
    rows = qwen_rows(('user', '', 'Use pnpm.'), ('assistant', '', 'ok'), ('user', '', 'Use tox.'))
    info, messages = qwen(tmp_path, [rows[0], b'{"uuid": no json\n', rows[2]], b'{"uuid": "half')
    assert humans(messages) == ['Use pnpm.', 'Use tox.'] and info.skipped_lines == 1
    assert info.offset == info.size - len('{"uuid": "half')


def test_qwen_run_by_a_program_and_subagents_are_told_from_a_person(tmp_path):
    rows = qwen_rows(('user', '', 'Use pnpm.'), ('assistant', '', 'ok'))
    assert qwen(tmp_path, rows)[0].kind == 'headless'
    log = tmp_path / '.qwen/tmp' / sha256(b'/w/app').hexdigest() / 'logs.json'
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps([{'sessionId': 'Q1', 'message': 'Use pnpm.'}]))
    assert qwen(tmp_path, rows)[0].kind == 'main'
    rows[0] |= {'isSidechain': True, 'agentId': 'helper'}
    info, messages = qwen(tmp_path, rows)
    assert info.kind == 'subagent' and humans(messages) == []


def test_qwen_an_unknown_record_is_counted(tmp_path):
    rows = qwen_rows(('user', '', 'Use pnpm.'), ('brand-new', '', 'x'), ('user', 'dreamt', 'Use npm.'))
    info, messages = qwen(tmp_path, rows)
    assert humans(messages) == ['Use pnpm.'] and info.unknown_types == {'brand-new': 1, 'user dreamt': 1}


def test_qwen_is_not_taken_for_claude_code_whose_envelope_it_has(tmp_path):
    file = write_lines(tmp_path / 'x.jsonl', qwen_rows(('system', 'at_command', {}), ('user', '', 'Use pnpm.')))
    ((info, messages),) = transcripts.read(str(file), tmp_path, {})
    assert info.agent == 'qwen' and humans(messages) == ['Use pnpm.']
    ((info, _),) = transcripts.read(str(claude_session(tmp_path, '/w/app', 'S1', ['Hello'])), tmp_path, {})
    assert info.agent == 'claude'


def test_qwen_sessions_are_found_where_its_settings_say(tmp_path):
    rows = qwen_rows(('user', '', 'Use pnpm.'))
    for path in ('projects/-w/chats/a.jsonl', 'projects/-w/chats/archive/b.jsonl', 'projects/-w/subagents/c/d.jsonl'):
        write_lines(tmp_path / 'there' / path, rows)
    for name in ('QWEN_HOME', 'QWEN_RUNTIME_DIR'):
        found = transcripts.candidates(tmp_path, {name: str(tmp_path / 'there')}, agents=('qwen',))
        assert {place.path[-7:] for place in found} == {'a.jsonl', 'b.jsonl'}
