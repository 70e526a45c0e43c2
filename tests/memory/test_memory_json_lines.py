"""Transcripts as JSON lines: bounded, and survived whatever is cut short, over-long or damaged."""

from __future__ import annotations

import json

import pytest
from helpers_memory import (
    NOW,
    claude_file,
    claude_tool,
    claude_user,
    codex_rows,
    codex_typed,
    copilot_rows,
    humans,
    qwen_rows,
    read_claude,
    read_file,
    stamp,
    write_lines,
)

from ctxkit.memory.transcripts import json_lines


def test_a_half_written_last_line_is_left_for_the_next_run(tmp_path):
    rows = [claude_user('u1', 'Use pnpm.')]
    info, messages = read_claude(tmp_path, rows, tail=b'{"type":"user","uuid":"u2","mess')
    assert humans(messages) == ['Use pnpm.']
    assert info.offset == len(json.dumps(rows[0])) + 1
    assert info.skipped_lines == 0


def test_a_whole_last_line_without_its_end_is_read(tmp_path):
    _, messages = read_claude(tmp_path, [], tail=json.dumps(claude_user('u1', 'Use pnpm.')).encode())
    assert humans(messages) == ['Use pnpm.']


def test_an_empty_file_is_no_conversation(tmp_path):
    info, messages = read_claude(tmp_path, [])
    assert info is None and messages == []


def test_bom_crlf_bad_utf8_and_bad_lines_are_survived(tmp_path):
    good = json.dumps(claude_user('u1', 'Caf\u00e9 \u2028 on one line')).encode()
    bad = json.dumps(claude_user('u2', 'broken X here')).encode().replace(b'X', b'\xff\xfe')
    info, messages = read_claude(tmp_path, [b'\xef\xbb\xbf' + good + b'\r\n', b'{"no json\n', b'[1, 2]\n', bad + b'\n'])
    assert humans(messages)[0] == 'Caf\u00e9 \u2028 on one line'
    assert humans(messages)[1].startswith('broken ')
    assert info.skipped_lines == 2


def test_a_line_of_twenty_megabytes_is_skipped_and_counted(tmp_path):
    long = json.dumps(claude_user('u2', 'x' * 20_000_000)).encode() + b'\n'
    info, messages = read_claude(tmp_path, [claude_user('u1', 'before'), long, claude_user('u3', 'after', 'u1')])
    assert humans(messages) == ['before', 'after']
    assert info.skipped_lines == 1


def test_deep_nesting_is_survived(tmp_path):
    deep = b'{"type":"user","a":' + b'[' * 100_000 + b']' * 100_000 + b'}\n'
    info, messages = read_claude(tmp_path, [deep, claude_user('u1', 'still here')])
    assert humans(messages) == ['still here'] and info.skipped_lines == 1


def test_a_long_file_is_read_on_from_its_cursor(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, 'BLOCK_BYTES', 512)
    file = write_lines(claude_file(tmp_path, '/w/app', 'S1'), [claude_user(f'u{n}', f'text {n}') for n in range(20)])
    info, _ = read_file('claude', file)
    found = [value['uuid'] for _, value in json_lines.records(info, limit=2000)]
    assert info.truncated and 0 < len(found) < 20
    rest = [value['uuid'] for _, value in json_lines.records(info, info.offset)]
    assert found + rest == [f'u{n}' for n in range(20)]


def test_an_unknown_type_is_counted_not_fatal(tmp_path):
    info, messages = read_claude(tmp_path, [{'type': 'brand-new', 'x': 1}, claude_user('u1', 'Use pnpm.')])
    assert humans(messages) == ['Use pnpm.'] and info.unknown_types == {'brand-new': 1}


SAMPLES = {
    'claude': (
        's1.jsonl',
        [
            claude_user('u1', 'Use toml'),
            *claude_tool('u2', 'make', 'ok', False, 'u1'),
            {'type': 'worktree-state', 'worktreeSession': {'originalCwd': '/w'}},
        ],
    ),
    'codex': (
        'rollout-1-T1.jsonl',
        codex_rows(
            '/w/app',
            *codex_typed('Use toml'),
            ('response_item', {'type': 'function_call', 'name': 'shell', 'call_id': 'c', 'arguments': '{"cmd": "ls"}'}),
            ('response_item', {'type': 'function_call_output', 'call_id': 'c', 'output': {'metadata': {}}}),
            ('event_msg', {'type': 'thread_rolled_back', 'num_turns': 1}),
            forked_from_id='P',
        ),
    ),
    'gemini': (
        'session-1.jsonl',
        [
            {'sessionId': 'G', 'projectHash': 'h', 'startTime': stamp(NOW)},
            {'id': 'm', 'timestamp': stamp(NOW), 'type': 'user', 'content': [{'text': 'Use toml'}]},
            {'id': 'n', 'type': 'gemini', 'content': 'ok', 'toolCalls': [{'id': 'k', 'args': {}, 'result': []}]},
            {'$set': {'messages': []}},
            {'$rewindTo': 'm'},
        ],
    ),
    'pi': (
        'x.jsonl',
        [
            {'type': 'session', 'id': 'S', 'cwd': '/w/app', 'timestamp': stamp(NOW), 'parentSession': '/x.jsonl'},
            {'type': 'message', 'id': 'a', 'parentId': None, 'message': {'role': 'user', 'content': 'Use toml'}},
        ],
    ),
}
SAMPLES |= {
    'qwen': (
        'Q1.jsonl',
        qwen_rows(
            ('system', 'slash_command', {'phase': 'invocation', 'rawCommand': '/x', 'sentToModel': True}),
            ('user', '', 'Use toml'),
            ('assistant', '', [{'text': 'ok'}, {'functionCall': {'id': 'k', 'name': 'x', 'args': {'command': 'ls'}}}]),
            ('tool_result', '', [{'functionResponse': {'id': 'k', 'name': 'x', 'response': {'output': 'a'}}}]),
            ('system', 'rewind', {}),
        ),
    ),
    'copilot': (
        'events.jsonl',
        copilot_rows(
            '/w/app',
            ('user.message', {'content': 'Use toml', 'source': 'user'}),
            ('assistant.message', {'content': 'ok'}),
            ('tool.execution_start', {'toolCallId': 'k', 'toolName': 'bash', 'arguments': {'command': 'ls'}}),
            ('tool.execution_complete', {'shellExecution': {'exitCode': 0}, 'result': {'content': 'a'}}),
        ),
    ),
}
ODD = (None, 5, float('nan'), float('inf'), 10**400, [], {}, [1], [{'type': []}], '\ud83d', '\0', '**', '9999-99-99')


def with_odd(value, odd):
    """The value with `odd` in the place of each of its parts, one at a time."""
    yield odd
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            for other in with_odd(value[key], odd):
                copy = value.copy()
                copy[key] = other
                yield copy


@pytest.mark.parametrize('agent', SAMPLES)
def test_a_field_of_any_other_kind_ends_no_reading_and_gives_what_a_database_takes(tmp_path, agent):
    name, rows = SAMPLES[agent]
    file = tmp_path / 'chats' / name
    file.parent.mkdir()
    (tmp_path / '.project_root').write_text('/w/app')
    assert read_file(agent, write_lines(file, rows))[0].cwd == '/w/app'
    for number in range(len(rows)):
        for odd in ODD:
            for other in with_odd(rows[number], odd):
                file.write_text('\n'.join(map(json.dumps, [*rows[:number], other, *rows[number + 1 :]])) + '\n')
                info, messages = read_file(agent, file)
                said = [part for message in messages for part in message if isinstance(part, str)]
                said += [info.session_id, info.cwd, info.git_branch or '', *info.unknown_types] if info else []
                assert ''.join(said).encode() is not None
                assert all(message.ts is None or abs(message.ts) < 1e12 for message in messages)
