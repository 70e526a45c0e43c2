"""The code that a prompt is about: where it is wanted, nothing twice, within its budget, and never in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from helpers_events import settle
from helpers_main import update

from ctxkit import config, tokens
from ctxkit.agents import prompted
from ctxkit.agents.on_disk import find_tree
from ctxkit.in_thread import in_thread

FILES = {
    'lamp/cookies.py': 'def keep_cookies(response):\n    """Keep the cookies of a server that redirects."""\n'
    '    return response.jar\n',
    'lamp/header.py': 'def send_header(response):\n    """Send a header <b>&</b>."""\n    return response\n',
}
PROMPT = 'The cookies of a redirect are lost.'


@pytest.fixture
def lamp(git_repo) -> Path:
    root = git_repo(FILES)
    update(root)
    return root


def ask(
    root: Path,
    prompt: str = PROMPT,
    session: str = 's1',
    mode: str = 'all',
    agent: str = 'claude-code',
    **environ: str,
) -> str:
    """What the hook of a prompt prints."""
    given = {'session_id': session, 'hook_event_name': 'UserPromptSubmit', 'prompt': prompt}
    done = subprocess.run(
        [sys.executable, '-m', 'ctxkit', 'show', '--agent', agent],
        cwd=root,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        env={**os.environ, 'CTXKIT_INJECT_PROMPTS': mode, 'CTXKIT_INJECT_SECONDS': '30', **environ},
        check=True,
    )
    assert done.stderr == ''
    return done.stdout


def begin(root: Path, session: str = 's1', source: str = 'compact') -> None:
    given = json.dumps({'session_id': session, 'hook_event_name': 'SessionStart', 'source': source})
    subprocess.run(
        [sys.executable, '-m', 'ctxkit', 'show', '--agent', 'claude-code'],
        cwd=root,
        input=given,
        text=True,
        stdout=subprocess.DEVNULL,
        check=True,
    )


def symbols(answer: str) -> list[str]:
    return [unit.get('symbol', '') for unit in ElementTree.fromstring(answer).iter('unit')] if answer else []


def test_the_first_prompt_brings_its_code_unless_the_person_wants_none(lamp):
    assert config.load(None, {}).inject.prompts == 'first'
    assert ask(lamp, mode='off') == ''
    (lamp / '.ctx/config.yaml').write_text('inject:\n  prompts: all\n')
    with pytest.raises(config.CtxError, match='cannot be set by a repository'):
        config.load(lamp / '.ctx/config.yaml', {})


def test_a_prompt_brings_its_code_once_whole_and_within_the_budget(lamp):
    answer = ask(lamp)
    assert symbols(answer)[0] == 'keep_cookies' and 'return response.jar' in answer
    root = ElementTree.fromstring(answer)
    assert root.get('for') == 'prompt' and tokens.count(answer) <= int(root.get('used')) + 2 <= 1502
    assert ask(lamp) == ''
    assert symbols(ask(lamp, session='s2'))[0] == 'keep_cookies'


def test_nothing_is_told_twice_in_a_long_conversation_beside_others(lamp):
    named = 's' * 300
    assert ask(lamp, session=named)
    with (lamp / '.git/ctxkit/feedback.jsonl').open('a') as stream:
        stream.writelines(
            json.dumps({'kind': 'code', 'session': 'other', 'keys': ['0' * 12] * 9}) + '\n' for _ in range(900)
        )
    assert ask(lamp, session=named) == ''


def test_the_first_prompt_alone_where_that_is_wanted(lamp):
    assert symbols(ask(lamp, mode='first'))
    assert ask(lamp, 'Who sends the header?', mode='first') == ''
    begin(lamp)  # as after a compaction, which takes away what was told
    assert 'send_header' in symbols(ask(lamp, 'Who sends the header?', mode='first'))


def test_a_conversation_that_is_resumed_still_has_what_it_was_told(lamp):
    ask(lamp)
    begin(lamp, source='resume')
    assert ask(lamp) == ''
    begin(lamp, source='compact')
    assert symbols(ask(lamp))[0] == 'keep_cookies'


def test_the_files_that_ctxkit_wrote_for_agents_are_no_code_of_the_repository(lamp):
    ours = lamp / '.pi/extensions/ctxkit.ts'
    ours.parent.mkdir(parents=True)
    ours.write_text(
        '// The cookies of a redirect are lost.\nexport function cookies(redirect: any) { return redirect; }\n'
    )
    assert symbols(ask(lamp))[0] == 'keep_cookies' and 'extensions' not in ask(lamp, session='s2')


def test_what_changed_since_it_was_told_is_told_again(lamp):
    ask(lamp)
    (lamp / 'lamp/cookies.py').write_text(FILES['lamp/cookies.py'].replace('response.jar', 'response.tin'))
    assert 'return response.tin' in ask(lamp)


@pytest.mark.parametrize('prompt', ['', 'ok, go on', '/compact', '/model opus', '!ls lamp', 'thanks!'])
def test_what_is_no_request_brings_nothing(lamp, prompt):
    assert ask(lamp, prompt) == ''


def test_a_prompt_that_says_only_how_to_go_on_brings_nothing(lamp):
    (lamp / 'lamp/runner.py').write_text('def run_tests(response):\n    """Run the tests; fix what fails."""\n')
    assert ask(lamp, 'run the tests and fix what fails') == ''
    assert 'run_tests' in symbols(ask(lamp, 'run_tests fails'))


def test_a_file_that_the_agent_attaches_itself_is_not_told_again(lamp):
    both = 'keep the cookies and send the header'
    assert {'keep_cookies', 'send_header'} <= set(symbols(ask(lamp, both, session='s2')))
    asked = f'@anna: @lamp/cookies.py {both}'
    assert 'keep_cookies' not in symbols(ask(lamp, asked)) and 'send_header' in symbols(ask(lamp, asked, session='s3'))
    assert 'keep_cookies' in symbols(ask(lamp, f'@lamp/cookies.py#L1-2 {both}', session='s4'))
    assert 'keep_cookies' in symbols(ask(lamp, asked, agent='codex', session='s5'))


def test_a_command_of_the_person_brings_the_code_for_what_stands_behind_it(lamp):
    assert symbols(ask(lamp, '/mend the cookies of a redirect are lost'))[0] == 'keep_cookies'
    assert ask(lamp, '/mend run the tests and fix what fails') == ''


def test_a_path_at_the_start_of_a_prompt_is_no_command(lamp):
    assert 'send_header' in symbols(ask(lamp, '/lamp/header.py sends it twice'))


def test_what_has_nothing_to_do_with_the_code_brings_nothing(lamp):
    assert ask(lamp, 'Write a poem about the autumn wind in Vienna for my grandmother, please') == ''


def test_an_agent_whose_hook_adds_nothing_to_prompts_gets_its_empty_answer(lamp):
    assert json.loads(ask(lamp, agent='cursor')) == {'continue': True}


def test_gemini_gets_a_list_since_it_escapes_brackets(lamp):
    answer = json.loads(ask(lamp, agent='gemini'))['hookSpecificOutput']
    assert answer['hookEventName'] == 'UserPromptSubmit' and '<' not in answer['additionalContext']
    assert 'lamp/cookies.py:1-3 keep_cookies' in answer['additionalContext']
    assert 'that bear on the prompt' in answer['additionalContext'] and 'The whole' not in answer['additionalContext']


def test_a_commit_that_is_not_indexed_yet_brings_its_code_once_a_worker_has_done_so(lamp, git):
    git(lamp, 'commit', '-q', '--allow-empty', '-m', 'second')
    at_once = ask(lamp)  # where the worker is faster
    settle(lamp)
    assert symbols(at_once or ask(lamp))[0] == 'keep_cookies'


@pytest.mark.parametrize('pattern', ['*', 'trees/*', 'index.db*'])
def test_an_index_that_was_deleted_or_cut_is_not_made_while_an_agent_waits(lamp, pattern):
    def states() -> list[str]:
        return [json.dumps(path.name) for path in (lamp / '.git/ctxkit/trees').glob('*.json')]

    for path in (lamp / '.git/ctxkit').glob(pattern):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    before = states()
    assert ask(lamp) == '' and states() == before
    update(lamp)
    assert symbols(ask(lamp))


def test_no_name_and_no_code_is_noted_of_what_was_told(lamp):
    ask(lamp)
    noted = (lamp / '.git/ctxkit/feedback.jsonl').read_text()
    assert '"kind": "code"' in noted and 'cookies' not in noted


def test_the_control_group_gets_no_code(lamp, monkeypatch):
    monkeypatch.setenv('CTXKIT_INJECT_SHARE', '0')
    assert ask(lamp) == ''


def test_a_secret_in_the_code_is_not_told(lamp):
    secret = 'ghp_' + 'a1B2' * 9
    (lamp / 'lamp/cookies.py').write_text(FILES['lamp/cookies.py'] + f'    cookies = "{secret}"\n')
    answer = ask(lamp)
    assert 'keep_cookies' in answer and secret not in answer


@pytest.mark.skipif(os.name == 'nt', reason='the slow git is a shell script')
def test_an_agent_that_has_waited_long_enough_goes_on_without(lamp, tmp_path):
    slow = tmp_path / 'slow/git'
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\nsleep 20\nexec {shutil.which("git")} "$@"\n')
    slow.chmod(0o755)
    began = time.monotonic()
    path = f'{slow.parent}{os.pathsep}{os.environ["PATH"]}'
    assert ask(lamp, CTXKIT_INJECT_SECONDS='0.2', PATH=path) == ''
    assert time.monotonic() - began < 15


def test_the_limit_of_bytes_is_kept_by_leaving_out_whole_units(lamp):
    repo = find_tree(lamp)
    assert repo is not None
    settings, both = config.load(None, {}), 'keep the cookies and send the header'
    whole = prompted.code_for(repo, settings, both, frozenset(), 0.0, 9000, False)
    assert whole is not None and len(whole.keys) > 1
    less = prompted.code_for(repo, settings, both, frozenset(), 0.0, len(whole.xml.encode()) - 1, False)
    assert less is not None and less.keys == whole.keys[:-1]
    ElementTree.fromstring(less.xml)


def test_waiting_with_a_limit_gives_up_and_without_one_waits():
    import threading

    go = threading.Event()
    waiting = in_thread(lambda: go.wait(10))
    with pytest.raises(TimeoutError):
        waiting(0.01)
    go.set()
    assert waiting() is True
