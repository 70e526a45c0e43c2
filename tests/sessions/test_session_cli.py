"""`ctxkit session` as any agent's hook calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def ctxkit(git_repo):
    root = git_repo({'a.txt': 'a'})

    def run(*args, lines=(), check=True, cwd=root):
        data = '\n'.join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        done = subprocess.run(
            [sys.executable, '-m', 'ctxkit', 'session', *args],
            cwd=cwd,
            input=data,
            text=True,
            capture_output=True,
            encoding='utf-8',
            env={**os.environ, 'PYTHONIOENCODING': 'utf-8'},
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    run.root = root
    return run


def jsons(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def message(role, content, session='a', **keys):
    return {'session_id': session, 'role': role, 'content': content, **keys}


def test_a_conversation_from_log_to_done(ctxkit, git):
    asked = ctxkit(
        'log',
        lines=[
            message('user', 'show the prompt'),
            message('tool', 'You are…', tool='prompt_preview', ephemeral=True),
            message('assistant', 'saved', tool='prompt_save', transaction_completed=True),
        ],
    )
    assert asked.stdout.startswith('Is this the result you wanted?')
    assert [item['ephemeral'] for item in jsons(ctxkit('show', '--session', 'a', '--json'))] == [False, True, False]
    assert [item['content'] for item in jsons(ctxkit('context', '--session', 'a', '--json'))] == [
        'show the prompt',
        'saved',
    ]
    assert jsons(ctxkit('keep', '--session', 'a', '--json')) == [{'session_id': 'a', 'active': 1}]
    assert [item['active'] for item in jsons(ctxkit('context', '--working', '--json'))] == [True]
    assert jsons(ctxkit('done', '--session', 'a', '--json')) == [{'session_id': 'a', 'deleted': 1}]
    shown = jsons(ctxkit('show', '--session', 'a', '--json'))
    assert [item['content'] for item in shown] == ['show the prompt', 'saved']
    assert git(ctxkit.root, 'status', '--porcelain') == ''


def test_the_question_is_machine_readable(ctxkit):
    line = {'role': 'assistant', 'content': 'ok', 'transaction_completed': True}
    done = ctxkit('log', '--json', '--session', 'z', lines=[line])
    assert jsons(done) == [
        {'session_id': 'z', 'question': 'Is this the result you wanted?', 'answers': ['done', 'keep']}
    ]
    assert 'deleted' in ctxkit('done').stdout  # the only conversation that waits


def test_done_without_an_open_question_names_the_way_out(ctxkit):
    ctxkit('log', lines=[message('user', 'hi')])
    done = ctxkit('done', check=False)
    assert done.returncode == 1 and '--session ID' in done.stderr


def test_a_bad_line_costs_only_itself(ctxkit):
    done = ctxkit(
        'log',
        check=False,
        lines=[
            message('user', 'one'),
            'not json',
            '[]',
            '{"role": "user"}',
            message('judge', 'x'),
            message('user', 5),
            '',
            message('user', [{'type': 'text', 'text': 'two'}]),
            '[' * 100_000,
        ],
    )
    assert done.returncode == 1
    assert '5 of 8 lines were not logged (line 2: not JSON)' in done.stderr
    assert 'Traceback' not in done.stderr
    assert [item['content'] for item in jsons(ctxkit('show', '--json'))] == ['one', '5', 'two']


@pytest.mark.parametrize('time', ['NaN', 'Infinity', '1' + '0' * 400, '"9999-99-99"'])
def test_a_time_that_is_none_is_now(ctxkit, time):
    ctxkit('log', lines=['{"session_id": "a", "role": "user", "content": "x", "time": ' + time + '}'])
    assert jsons(ctxkit('list', '--json'))[0]['last_time'].startswith('20')


def test_numbers_that_no_log_holds_are_refused(ctxkit):
    ctxkit('log', lines=[message('user', 'x')])
    for args in (('show', '--last', '9' * 20), ('context', '--last', '9' * 20), ('mark', '9' * 20)):
        assert ctxkit(*args, check=False).returncode == 2


def test_list_names_the_conversations_the_latest_first(ctxkit):
    ctxkit('log', lines=[message('user', 'x', 'old'), message('user', 'y', 'new')])
    assert [item['session_id'] for item in jsons(ctxkit('list', '--json'))] == ['new', 'old']


def test_delete_needs_a_name_and_removes_every_row(ctxkit):
    ctxkit(
        'log',
        lines=[message('user', 'x', 'a'), message('tool', 'd', 'a', tool='page_preview'), message('user', 'y', 'b')],
    )
    assert ctxkit('delete', check=False).returncode == 2
    ctxkit('delete', '--session', 'a')
    assert ctxkit('show', '--session', 'a', check=False).returncode == 1
    assert [item['session_id'] for item in jsons(ctxkit('list', '--json'))] == ['b']


def test_clear_history_asks_first(ctxkit):
    ctxkit('log', lines=[message('user', 'x')])
    assert ctxkit('clear-history', check=False, lines=['n']).returncode == 1
    assert len(jsons(ctxkit('list', '--json'))) == 1
    assert ctxkit('clear-history', '--yes').stdout == '1 message deleted\n'
    assert ctxkit('list').stdout == ''


def test_mark_moves_a_message_out_of_the_models_channel(ctxkit):
    ctxkit('log', lines=[message('user', 'x'), message('assistant', 'a draft')])
    number = jsons(ctxkit('show', '--json'))[1]['id']
    ctxkit('mark', str(number))
    assert [item['content'] for item in jsons(ctxkit('context', '--json'))] == ['x']
    ctxkit('mark', str(number), '--permanent')
    assert len(jsons(ctxkit('context', '--json'))) == 2


def test_terminals_are_safe_from_what_was_said(ctxkit):
    ctxkit('log', lines=[message('user', 'a \x1b[31m red \u202e', tool='')])
    assert ctxkit('show').stdout == '1 user: a \\x1b[31m red \\u202e\n'


def test_importing_json_lines_twice_adds_nothing_twice(ctxkit, tmp_path):
    file = tmp_path / 'talk.jsonl'
    file.write_text('\n'.join(json.dumps({'role': 'user', 'content': text}) for text in ('yes', 'yes', 'no')))
    assert ctxkit('import', str(file)).stdout == '3 messages imported\n'
    assert ctxkit('import', str(file)).stdout == '0 messages imported\n'
    assert [item['content'] for item in jsons(ctxkit('show', '--session', 'talk', '--json'))] == ['yes', 'yes', 'no']


def test_transcripts_of_this_repository_are_imported(ctxkit, tmp_path, clean_person):
    def record(kind, uuid, cwd, content, **keys):
        human = {'origin': {'kind': 'human'}, 'promptSource': 'typed'} if isinstance(content, str) else {}
        return json.dumps(
            {
                'type': kind,
                'uuid': uuid,
                'parentUuid': None,
                'sessionId': keys.pop('session', 'S1'),
                'timestamp': '2026-05-01T10:00:00.000Z',
                'cwd': str(cwd),
                'version': '2.1.197',
                'isSidechain': False,
                **human,
                'message': {'role': kind, 'content': content, **keys},
            }
        )

    folder = clean_person / '.claude' / 'projects' / 'any'
    folder.mkdir(parents=True)
    (folder / 'S1.jsonl').write_text(
        '\n'.join(
            [
                record('user', 'u1', ctxkit.root, 'Use pnpm, not npm.'),
                record('assistant', 'a1', ctxkit.root, [{'type': 'text', 'text': 'I will.'}], id='m1'),
                record(
                    'assistant',
                    'a2',
                    ctxkit.root,
                    [{'type': 'tool_use', 'id': 't1', 'name': 'Read', 'input': {}}],
                    id='m1',
                ),
                record('user', 'u2', ctxkit.root, [{'type': 'tool_result', 'tool_use_id': 't1', 'content': 'a file'}]),
            ]
        )
        + '\n'
    )
    (folder / 'S2.jsonl').write_text(record('user', 'u9', tmp_path, 'elsewhere', session='S2') + '\n')
    assert ctxkit('import', 'claude').stdout == '4 messages imported\n'
    assert ctxkit('import', 'claude').stdout == '0 messages imported\n'
    shown = jsons(ctxkit('show', '--session', 'S1', '--json'))
    assert [(item['role'], item['ephemeral']) for item in shown] == [
        ('user', False),
        ('assistant', False),
        ('tool_call', True),
        ('tool_result', True),
    ]
    assert [item['content'] for item in jsons(ctxkit('context', '--session', 'S1', '--json'))] == [
        'Use pnpm, not npm.',
        'I will.',
    ]
    assert [item['session_id'] for item in jsons(ctxkit('list', '--json'))] == ['S1']


def test_an_unknown_source_is_an_error_in_one_line(ctxkit):
    done = ctxkit('import', 'nobody', check=False)
    assert done.returncode == 1 and done.stderr.count('\n') == 1


def test_reading_makes_no_file(ctxkit):
    assert ctxkit('list', check=False).returncode == 1
    assert not (ctxkit.root / '.ctx').exists()


def test_context_needs_no_model(ctxkit):
    """Reading must stay within milliseconds, so it imports nothing heavy."""
    ctxkit('log', lines=[message('user', 'x')])
    code = (
        'import sys; from ctxkit.cli import cli; cli.main(["session", "context"], standalone_mode=False); '
        'print([name for name in ("numpy", "onnxruntime", "tokenizers", "tree_sitter") if name in sys.modules])'
    )
    done = subprocess.run([sys.executable, '-c', code], cwd=ctxkit.root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == '[]'


def test_a_tool_with_half_a_character_in_its_name_is_logged(ctxkit):
    given = {'hook_event_name': 'PostToolUse', 'session_id': 'a', 'tool_name': '\ud83d', 'tool_use_id': {'\ud83d': 1}}
    ctxkit('log', lines=[{**given, 'tool_input': None, 'tool_response': '\ud83d'}])
    assert [row['tool'] for row in jsons(ctxkit('show', '--json'))] == ['?', '?']


def test_what_agents_give_their_hooks_is_logged_as_it_is(ctxkit):
    base = {'session_id': 'h1', 'transcript_path': '/t', 'cwd': '/w'}
    used = {'tool_name': 'Read', 'tool_use_id': 't1', 'tool_input': {'file_path': 'a.py'}, 'tool_response': 'x = 1'}
    done = ctxkit(
        'log',
        lines=[
            {**base, 'hook_event_name': 'SessionStart', 'source': 'startup'},
            {**base, 'hook_event_name': 'UserPromptSubmit', 'prompt': 'what is x?'},
            {**base, 'hook_event_name': 'PostToolUse', **used},
            {**base, 'hook_event_name': 'Stop', 'stop_hook_active': False, 'last_assistant_message': 'It is 1.'},
        ],
    )
    assert done.stdout == ''
    shown = jsons(ctxkit('show', '--session', 'h1', '--json'))
    assert [(item['role'], item['ephemeral']) for item in shown] == [
        ('user', False),
        ('tool_call', True),
        ('tool_result', True),
        ('assistant', False),
    ]
    assert [item['content'] for item in jsons(ctxkit('context', '--json'))] == ['what is x?', 'It is 1.']
