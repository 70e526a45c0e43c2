"""Codex's transcripts: each typed message once, nothing of its own, nothing that was rolled back."""

from __future__ import annotations

import pytest
from helpers_memory import (
    codex_rows,
    codex_typed,
    humans,
    read_file,
    write_lines,
)


def codex(tmp_path, rows):
    return read_file(
        'codex', write_lines(tmp_path / '.codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-T1.jsonl', rows)
    )


def test_codex_gives_each_typed_message_once(tmp_path):
    info, messages = codex(
        tmp_path, codex_rows('/w/app', *codex_typed('Use pnpm.', 'i1'), *codex_typed('And ruff.', 'i2'))
    )
    assert info.kind == 'main' and humans(messages) == ['Use pnpm.', 'And ruff.']


def test_codex_context_is_not_typed(tmp_path):
    def item(text):
        return ('response_item', {'type': 'message', 'role': 'user', 'content': [{'type': 'input_text', 'text': text}]})

    compacted = (
        'compacted',
        {'message': '', 'replacement_history': [{'type': 'message', 'role': 'user', 'content': 'old'}]},
    )
    _, messages = codex(
        tmp_path,
        codex_rows(
            '/w/app',
            item('<environment_context>always npm</environment_context>'),
            item('# AGENTS.md instructions\nnever'),
            item('<turn_aborted>\n'),
            compacted,
            item('Another language model started to solve'),
            item('Use pnpm.'),
        ),
    )
    assert humans(messages) == ['Use pnpm.']


def test_codex_takes_back_what_was_rolled_back(tmp_path):
    back = ('event_msg', {'type': 'thread_rolled_back', 'num_turns': 1})
    answer = (
        'response_item',
        {'type': 'message', 'role': 'assistant', 'content': [{'type': 'output_text', 'text': 'ok'}]},
    )
    _, messages = codex(
        tmp_path,
        codex_rows(
            '/w/app',
            *codex_typed('keep', 'i1'),
            answer,
            *codex_typed('drop', 'i2'),
            answer,
            back,
            *codex_typed('new', 'i3'),
        ),
    )
    assert humans(messages) == ['keep', 'new']


def test_codex_takes_back_thousands_of_turns(tmp_path):
    typed = [part for number in range(1500) for part in codex_typed(f'turn {number}', f'i{number}')]
    back = ('event_msg', {'type': 'thread_rolled_back', 'num_turns': 1499})
    _, messages = codex(tmp_path, codex_rows('/w/app', *typed, back))
    assert humans(messages) == ['turn 0']


def test_the_parent_of_a_fork_is_looked_for_in_its_own_store_alone(tmp_path):
    typed = [part for number in range(4) for part in codex_typed(f'turn {number}', f'i{number}')]
    write_lines(tmp_path / 'other' / 'rollout-1-P.jsonl', codex_rows('/w/app', *typed, id='P'))
    file = write_lines(
        tmp_path / 'a' / 'b' / 'c' / 'rollout-2-C.jsonl', codex_rows('/w/app', *typed, forked_from_id='P')
    )
    assert len(humans(read_file('codex', file)[1])) == 4


def test_codex_knows_a_failed_command(tmp_path):
    call = (
        'response_item',
        {'type': 'function_call', 'name': 'exec_command', 'call_id': 'c1', 'arguments': '{"cmd": "make x"}'},
    )
    output = (
        'response_item',
        {
            'type': 'function_call_output',
            'call_id': 'c1',
            'output': 'Chunk ID: 1\nWall time: 0.1\nProcess exited with code 2\nOutput:\nno rule',
        },
    )
    _, messages = codex(tmp_path, codex_rows('/w/app', call, output))
    assert [(m.role, m.text, m.is_error) for m in messages] == [
        ('tool_call', 'make x', None),
        ('tool_result', 'no rule', True),
    ]


def test_an_old_fork_does_not_repeat_its_parent(tmp_path):
    folder = tmp_path / '.codex/sessions/2026/05/01'
    parent = codex_rows('/w/app', *codex_typed('one', 'i1'), *codex_typed('two', 'i2'), *codex_typed('three', 'i3'))
    write_lines(folder / 'rollout-2026-05-01T10-00-00-T1.jsonl', parent)
    fork = codex_rows(
        '/w/app',
        *codex_typed('one', 'j1'),
        *codex_typed('two', 'j2'),
        *codex_typed('three', 'j3'),
        *codex_typed('four', 'j4'),
        id='T2',
        forked_from_id='T1',
    )
    _, messages = read_file('codex', write_lines(folder / 'rollout-2026-05-01T11-00-00-T2.jsonl', fork))
    assert humans(messages) == ['four']


@pytest.mark.parametrize(
    ('meta', 'kind'),
    [
        ({'source': 'exec'}, 'headless'),
        ({'source': {'subagent': 'x'}}, 'subagent'),
        ({'source': 'vscode'}, 'main'),
        ({'parent_thread_id': 'T0'}, 'subagent'),
    ],
)
def test_codex_says_who_started_a_session(tmp_path, meta, kind):
    assert codex(tmp_path, codex_rows('/w/app', *codex_typed('x'), **meta))[0].kind == kind
