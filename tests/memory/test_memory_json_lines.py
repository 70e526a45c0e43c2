"""Transcripts as JSON lines: bounded, and survived whatever is cut short, over-long or damaged."""

from __future__ import annotations

import json

from helpers_memory import (
    claude_file,
    claude_user,
    humans,
    read_claude,
    read_file,
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
