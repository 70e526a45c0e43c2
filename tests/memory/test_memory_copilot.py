"""The transcripts of GitHub Copilot's CLI: what a person typed, and nothing that was put around it."""

from __future__ import annotations

from helpers_memory import NOW, copilot_rows, humans, read_file, write_lines

from ctxkit.memory import transcripts

INSTRUCTIONS = 'You are the GitHub Copilot CLI, a terminal assistant. '
INTERACTIVE = ('system.message', {'content': INSTRUCTIONS + 'You are an interactive tool. Always answer briefly.'})
ONE_SHOT = ('system.message', {'content': INSTRUCTIONS + 'You are running in non-interactive mode and have no way'})


def copilot(home, rows, tail=b''):
    return read_file('copilot', write_lines(home / '.copilot/session-state/C1/events.jsonl', rows, tail))


def said(text, **extra):
    around = f'<current_datetime>now</current_datetime>\n\n{text}\n\n<system_reminder>Always npm.</system_reminder>'
    return ('user.message', {'content': text, 'transformedContent': around, **extra})


def test_copilot_gives_what_was_typed_and_answered(tmp_path):
    named = {'toolCallId': 'k', 'toolName': 'bash'}
    failed = {'toolCallId': 'k', 'success': True, 'shellExecution': {'exitCode': 2}, 'result': {'content': 'no'}}
    rows = copilot_rows(
        '/w/app',
        said('Usiamo pnpm, 我们决定使用 pnpm', attachments=[{'type': 'file', 'path': '/w/app/a.md'}]),
        INTERACTIVE,
        ('assistant.turn_start', {}),
        ('assistant.message', {'content': 'I look.', 'toolRequests': [named]}),
        ('tool.execution_start', {**named, 'arguments': {'command': 'make check'}}),
        ('tool.execution_complete', failed),
        ('session.compaction_complete', {'summaryContent': 'The user decided to use npm.'}),
        ('skill.invoked', {'content': 'Always rhyme.'}),
    )
    info, messages = copilot(tmp_path, rows)
    assert (info.kind, info.cwd, info.git_branch, info.session_id) == ('main', '/w/app', 'main', 'C1')
    assert [(message.role, message.text) for message in messages] == [
        ('user', 'Usiamo pnpm, 我们决定使用 pnpm'),
        ('assistant', 'I look.'),
        ('tool_call', 'make check'),
        ('tool_result', 'no'),
    ]
    assert messages[-1].is_error and messages[0].ts == NOW and not info.unknown_types


def test_copilot_takes_nothing_of_subagents_skills_and_the_program_for_typed(tmp_path):
    rows = copilot_rows(
        '/w/app',
        said('Use pnpm.'),
        said('Always npm.', source='skill-pdf'),
        said('Continue.', isAutopilotContinuation=True),
        said('Use rust.', source='agent-C1'),
        ('assistant.message', {'content': 'We use rust.'}),
        ('assistant.message', {'content': 'We use go.', 'parentToolCallId': 'k'}),
    )
    rows[4]['agentId'] = rows[5]['agentId'] = 'helper'
    _, messages = copilot(tmp_path, rows)
    assert humans(messages) == ['Use pnpm.']
    assert [message.role for message in messages] == ['user', 'meta', 'meta']


def test_copilot_knows_a_failed_command_of_an_older_version_by_its_last_line(tmp_path):
    for text, failed in (
        ('cart.py\n<exited with exit code 4>', True),
        ('cart.py\n<shellId: 0 completed with exit code 1>', True),
        ('cart.py\n<exited with exit code 0>', False),
        (f'cart.py\n<exited with exit code {"1" * 5000}>', False),  # what a file of somebody says
    ):
        done = ('tool.execution_complete', {'toolCallId': 'k', 'success': True, 'result': {'content': text}})
        assert copilot(tmp_path, copilot_rows('/w/app', done))[1][0].is_error is failed
    refused = ('tool.execution_complete', {'toolCallId': 'k', 'success': False, 'error': {'message': 'denied'}})
    (message,) = copilot(tmp_path, copilot_rows('/w/app', refused))[1]
    assert message.is_error and message.text == 'denied'


def test_copilot_run_by_a_program_is_told_from_a_person(tmp_path):
    assert copilot(tmp_path, copilot_rows('/w/app', said('Use pnpm.'), INTERACTIVE))[0].kind == 'main'
    assert copilot(tmp_path, copilot_rows('/w/app', said('Use pnpm.'), ONE_SHOT))[0].kind == 'headless'
    rows = copilot_rows('/w/app', said('Use pnpm.'), INTERACTIVE)
    rows[0]['data']['detachedFromSpawningParentSessionId'] = 'C0'
    assert copilot(tmp_path, rows)[0].kind == 'subagent'


def test_copilot_an_unknown_event_is_counted_and_a_half_written_one_left_for_the_next_run(tmp_path):
    rows = copilot_rows('/w/app', said('Use pnpm.'), ('user.dream', {}), ('session.brand_new', {}))
    info, messages = copilot(tmp_path, rows, b'{"type":"user.mess')
    assert humans(messages) == ['Use pnpm.'] and info.unknown_types == {'user.dream': 1} and info.skipped_lines == 0
    assert info.offset == info.size - len('{"type":"user.mess')


def test_copilot_sessions_are_found_where_its_settings_say(tmp_path):
    write_lines(tmp_path / 'there/session-state/C1/events.jsonl', copilot_rows('/w/app', said('Use pnpm.')))
    (found,) = transcripts.candidates(tmp_path, {'COPILOT_HOME': str(tmp_path / 'there')}, agents=('copilot',))
    ((info, messages),) = transcripts.read(found.path, tmp_path, {})
    assert info.agent == 'copilot' and humans(messages) == ['Use pnpm.']
