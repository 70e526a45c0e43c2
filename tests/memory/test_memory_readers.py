"""Transcripts of pi, Gemini, OpenCode and aider, and of whichever agent wrote a file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from helpers_memory import (
    DAY,
    NOW,
    claude_session,
    humans,
    opencode_db,
    read_file,
    stamp,
    write_lines,
)

from ctxkit.errors import CtxError
from ctxkit.memory import transcripts
from ctxkit.memory.transcripts import aider, fields


def entry(ident, parent, role, text):
    return {
        'type': 'message',
        'id': ident,
        'parentId': parent,
        'timestamp': stamp(NOW),
        'message': {'role': role, 'content': [{'type': 'text', 'text': text}]},
    }


def pi(tmp_path, rows):
    header = {'type': 'session', 'version': 3, 'id': 'S1', 'timestamp': stamp(NOW), 'cwd': '/w/app'}
    return read_file('pi', write_lines(tmp_path / '.pi/agent/sessions/--w-app--/x.jsonl', [header, *rows]))


def test_pi_reads_the_live_branch_and_a_title_slot(tmp_path):
    rows = [
        json.dumps({'type': 'title', 'title': 'x'}).ljust(255).encode() + b'\n',
        {
            'type': 'session',
            'version': 3,
            'id': 'S1',
            'timestamp': stamp(NOW),
            'cwd': '/w/app',
            'parentSession': '/x/y.jsonl',
        },
        entry('a1', None, 'user', 'start'),
        entry('b1', 'a1', 'user', 'dropped branch'),
        entry('c1', 'a1', 'user', 'live'),
    ]
    info, messages = read_file('pi', write_lines(tmp_path / '.pi/agent/sessions/--w-app--/x.jsonl', rows))
    assert info.kind == 'main' and humans(messages) == ['start', 'live']


def test_pi_a_skill_and_files_before_the_words_were_not_typed(tmp_path):
    skill = '<skill name="rhymer" location="/w/app/SKILL.md">\nAlways use npm.\n</skill>\n\nUse pnpm.'
    files = '<file name="/w/a.md">\nAlways </file> yarn.\n</file>\n<file name="/w/a.png"></file>\nUse tox.'
    rows = [entry('a', None, 'user', skill), entry('b', 'a', 'user', files), entry('c', 'b', 'user', '<b> is bold')]
    assert humans(pi(tmp_path, rows)[1]) == ['Use pnpm.', 'Use tox.', '<b> is bold']


def test_pi_a_line_that_cannot_be_read_does_not_cut_off_what_was_said_before(tmp_path):
    rows = [entry('a', None, 'user', 'Use pnpm.'), b'{"id": no json\n', entry('c', 'b', 'user', 'Use tox.')]
    info, messages = pi(tmp_path, rows)
    assert humans(messages) == ['Use pnpm.', 'Use tox.'] and info.skipped_lines == 1
    anew = [
        entry('a', None, 'user', 'Use npm.'),
        entry('b', 'a', 'user', 'And yarn.'),
        entry('c', None, 'user', 'Tox.'),
    ]
    assert humans(pi(tmp_path, anew)[1]) == ['Tox.']


def gemini(tmp_path, rows, name='session-2026-05-01T10-00-abcdef12.jsonl'):
    folder = tmp_path / '.gemini' / 'tmp' / 'app'
    header = {'sessionId': 'G1', 'projectHash': 'x', 'startTime': stamp(NOW), 'kind': 'main'}
    file = write_lines(folder / 'chats' / name, [header, *rows])
    (folder / '.project_root').write_text('/w/app')
    return read_file('gemini', file)


def test_gemini_replays_changes_and_keeps_what_a_cancel_took_back(tmp_path):
    def said(ident, text, kind='user', **extra):
        return {'id': ident, 'timestamp': stamp(NOW), 'type': kind, 'content': [{'text': text}], **extra}

    result = {
        'id': 'r1',
        'timestamp': stamp(NOW),
        'type': 'user',
        'content': [{'functionResponse': {'id': 'k1', 'response': {'output': 'always use npm'}}}],
    }
    info, messages = gemini(
        tmp_path,
        [
            {'$set': {'messages': [said('ctx', '<session_context>today</session_context>')]}},
            said('m1', 'Use pnpm.'),
            result,
            said('m2', 'answer', 'gemini'),
            said('m3', 'cancelled words'),
            {'$set': {'messages': [said('m1', 'Use pnpm.'), said('m2', 'answer', 'gemini')]}},
            said('m4', 'rewound'),
            {'$rewindTo': 'm4'},
        ],
    )
    assert info.cwd == '/w/app' and set(humans(messages)) == {'Use pnpm.', 'cancelled words'}


def test_gemini_takes_the_newer_of_an_old_and_a_new_file(tmp_path):
    gemini(tmp_path, [])
    (tmp_path / '.gemini/tmp/app/chats/session-2026-05-01T10-00-abcdef12.json').write_text('{}')
    found = list(transcripts.candidates(tmp_path, {}, agents=('gemini',)))
    assert [Path(item.path).suffix for item in found] == ['.jsonl']


def said(ident, *parts, kind='user', **extra):
    content = [{'text': part} if isinstance(part, str) else part for part in parts]
    return {'id': ident, 'timestamp': stamp(NOW), 'type': kind, 'content': content, **extra}


def test_gemini_takes_the_file_that_a_resume_went_on_in_and_not_the_stub_beside_it(tmp_path):
    gemini(tmp_path, [said('m1', 'Use pnpm.')], 'session-2026-05-01T10-00-abcdef12.jsonl')
    gemini(tmp_path, [], 'session-2026-05-01T11-00-abcdef12.jsonl')
    found = list(transcripts.candidates(tmp_path, {}, agents=('gemini',)))
    assert [Path(item.path).name for item in found] == ['session-2026-05-01T10-00-abcdef12.jsonl']


def test_gemini_named_files_hooks_commands_and_their_output_were_not_typed(tmp_path):
    hook = '<hook_context>Always use yarn.</hook_context>'
    files = ('\n--- Content from referenced files ---', 'Always use npm.', '\n--- End of content ---')
    picture = {'inlineData': {'data': 'iVBO', 'mimeType': 'image/png'}}
    _, messages = gemini(
        tmp_path,
        [
            said('m1', 'Use pnpm.', hook),
            said('m2', 'Look at @a.md', *files),
            said('m3', 'Look at @a.png', files[0], picture, files[2]),
            said('m4', 'Always rhyme.', hook, displayContent=[{'text': '/rhyme carts'}]),
            said('m5', 'I ran the following shell command:\n```sh\nmake\n```\n\nThis produced: never use make'),
        ],
    )
    assert humans(messages) == ['Use pnpm.', 'Look at @a.md', 'Look at @a.png', '/rhyme carts']


def test_gemini_a_summary_is_not_taken_for_what_a_person_said(tmp_path):
    compressed = [said('n1', 'The user decided to use npm.'), said('n2', 'ok', kind='gemini'), said('n3', 'And tox.')]
    _, messages = gemini(
        tmp_path,
        [
            {'$set': {'messages': [said('ctx', '<session_context>today</session_context>')]}},
            said('m1', 'Use pnpm.'),
            said('m2', 'ok', kind='gemini'),
            said('m3', 'And tox.'),
            {'$set': {'messages': compressed}},
            said('m4', 'And ruff.'),
        ],
    )
    assert humans(messages) == ['Use pnpm.', 'And tox.', 'And ruff.']


def test_opencode_is_read_while_its_writer_has_it_open(tmp_path):
    file = opencode_db(
        tmp_path / '.local/share/opencode/opencode.db',
        {
            's1': (
                '/w/app',
                None,
                [
                    (
                        'user',
                        [{'type': 'text', 'text': 'Use pnpm.'}, {'type': 'text', 'text': 'no', 'synthetic': True}],
                    ),
                    ('user', [{'type': 'compaction'}]),
                    (
                        'assistant',
                        [
                            {
                                'type': 'tool',
                                'callID': 'k',
                                'tool': 'bash',
                                'state': {
                                    'status': 'completed',
                                    'input': {'command': 'make x'},
                                    'output': 'no',
                                    'metadata': {'exit': 2},
                                },
                            }
                        ],
                    ),
                ],
            ),
            's2': ('/w/app', 's1', [('user', [{'type': 'text', 'text': 'sub'}])]),
        },
    )
    with closing(sqlite3.connect(file)) as writer:
        writer.execute('PRAGMA journal_mode=WAL')
        writer.execute("INSERT INTO session VALUES('s3','p',NULL,'/w/app','1',1,2)")
        writer.commit()
        before = file.read_bytes()
        found = {info.session_id: info for info in transcripts.sessions(tmp_path, {}, agents=('opencode',))}
        messages = list(transcripts.messages(found['s1']))
        assert file.read_bytes() == before
    assert set(found) == {'s1', 's2', 's3'} and found['s2'].kind == 'subagent'
    assert humans(messages) == ['Use pnpm.'] and messages[-1].is_error is True


def test_opencode_without_a_column_is_read_as_far_as_it_goes(tmp_path):
    file = tmp_path / '.local/share/opencode/opencode.db'
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute('CREATE TABLE session(id TEXT, directory TEXT)')
        db.execute("INSERT INTO session VALUES('s1','w/app')")
    (info,) = transcripts.sessions(tmp_path, {}, agents=('opencode',))
    assert info.cwd == '/w/app'
    with pytest.raises(OSError, match='no such table'):
        list(transcripts.messages(info))


def test_aider_sessions_are_split_and_its_interface_is_left_out(tmp_path):
    (tmp_path / '.aider.chat.history.md').write_text(
        '\n# aider chat started at 2026-04-19 14:32:01\n\n> Aider v0.86  \n> --api-key secret  \n\n'
        '#### Use pnpm.  \n#### Not npm.  \n\n'
        'Fine:\n```\n#### not typed\n# aider chat started at nonsense\n```\n\n'
        '#### /run make  \n\n> Added 3 lines  \n\n#### <blank>  \n'
        '\n# aider chat started at 2026-04-20 09:00:00\n\n#### second session  \n'
    )
    found = list(aider.candidates(tmp_path, {}, [tmp_path]))
    texts = [humans(transcripts.messages(transcripts.describe(place))) for place in found]
    assert texts == [['Use pnpm.\nNot npm.'], ['second session']]
    assert found[0].size != found[1].size


def test_a_line_of_aider_with_a_day_that_is_none_begins_no_session(tmp_path):
    (tmp_path / aider.NAME).write_text(
        '# aider chat started at 2026-13-45 99:00:00\n\n# aider chat started at 2026-04-19 14:32:01\n\n#### Use pnpm.\n'
        '# aider chat started at 0000-00-00 00:00:00\n'
    )
    (found,) = aider.candidates(tmp_path, {}, [tmp_path])
    assert humans(transcripts.messages(transcripts.describe(found))) == ['Use pnpm.']


def test_one_file_is_read_whichever_agent_wrote_it(tmp_path):
    file = claude_session(tmp_path, '/w/app', 'S1', ['hello there'])
    ((info, messages),) = transcripts.read(str(file), tmp_path, {})
    assert info.agent == 'claude' and humans(messages) == ['hello there']
    other = tmp_path / 'x.txt'
    other.write_text('nothing')
    with pytest.raises(CtxError, match='not a transcript'):
        list(transcripts.read(str(other), tmp_path, {}))
    with pytest.raises(CtxError, match='neither a file nor an agent'):
        list(transcripts.read('nobody', tmp_path, {}))


@pytest.mark.parametrize(
    ('value', 'seconds'),
    [
        ('2026-05-01T10:00:00Z', 1777629600.0),
        ('2026-05-01T10:00:00.1234567Z', 1777629600.123456),
        ('2026-05-01T12:00:00+02:00', 1777629600.0),
        (1777629600, 1777629600.0),
        (1777629600000, 1777629600.0),
        ('yesterday', None),
        (float('nan'), None),
        (10**400, None),
        (None, None),
        (True, None),
    ],
)
def test_times_of_all_kinds(value, seconds):
    assert fields.epoch(value) == seconds


def test_the_conversation_that_was_used_last_is_read_last(home, root):
    for name, days in (('b', 3), ('c', 1), ('a', 2)):
        claude_session(home, root, name, ['Hello'], NOW - days * DAY)
    for name in ('claude', 'claude-code'):  # its name of `ctxkit init --agent`, too
        assert [info.session_id for info, _ in transcripts.read(name, home, {}, [root])] == ['b', 'a', 'c']
