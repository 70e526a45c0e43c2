"""The sentence in seven languages, stepping down, recovering, the control group, and the report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxkit import repo
from ctxkit.feedback import log
from ctxkit.feedback.control_group import group
from ctxkit.feedback.phrases import says_unable
from ctxkit.feedback.report import report
from ctxkit.feedback.state import judge, stepped_down

Make = Callable[..., Path]
NOW = 1_000_000.0


@pytest.mark.parametrize(
    'text',
    [
        'I cannot access the latest code.',
        "I'm sorry, but I can't see your repository from here.",
        "I don't have access to the current codebase.",
        'Without direct access to your repository I can only guess.',
        "We aren't able to help: I am unable to view the source files.",
        'Non posso accedere al codice più recente.',
        'Purtroppo non ho accesso al repository.',
        'Non riesco a vedere i file del progetto.',
        '我无法访问最新代码。',
        '抱歉，我不能查看你的仓库。',
        '我没有办法读取这些文件。',
        'Я не могу получить доступ к последней версии кода.',
        'У меня нет доступа к репозиторию.',
        'Ich kann nicht auf den aktuellen Code zugreifen.',
        'Ich habe keinen Zugriff auf das Repository.',
        'Ich kann den neuesten Code leider nicht sehen.',
        'No puedo acceder al código más reciente.',
        'No tengo acceso al repositorio.',
        'Je ne peux pas accéder au code le plus récent.',
        "Je n'ai pas accès au dépôt.",
    ],
)
def test_the_sentence_is_known(text: str) -> None:
    assert says_unable(f'Good question. {text} Please paste it.')


@pytest.mark.parametrize(
    'text',
    [
        'You cannot access a private member from here.',
        'The user does not have access to the file, so the server answers 403.',
        'I cannot reproduce the bug with this code.',
        'If the token is wrong, the client cannot read the repository.',
        'I changed the file so that it no longer needs access to the network.',
        'Non puoi accedere a un membro privato.',
        "L'utente non ha accesso al file.",
        '客户端会返回 403。',
        'Пользователь не может открыть файл.',
        'Der Benutzer kann nicht auf die Datei zugreifen.',
        'El usuario no puede acceder al archivo.',
        "L'utilisateur ne peut pas accéder au fichier.",
        'I can see the latest code: it is in cart.py.',
    ],
)
def test_other_talk_of_access_is_not_that_sentence(text: str) -> None:
    assert not says_unable(text)


def answers(
    *given: tuple[int, int], phrase: bool = False, group: str = 'block', at: float = NOW
) -> list[dict[str, Any]]:
    """Records of answers with (names, invented)."""
    return [
        {
            'kind': 'answer',
            'time': at,
            'session': 's',
            'group': group,
            'names': names,
            'invented': invented,
            'phrase': phrase,
        }
        for names, invented in given
    ]


def test_more_than_five_percent_steps_down_and_clean_answers_recover() -> None:
    bad = answers((20, 2), (20, 2))
    assert judge(bad, NOW).down and '10% of the names' in judge(bad, NOW).reason
    assert not judge(answers((20, 1)), NOW).down  # five percent is not above it
    assert judge([*bad, *answers((20, 0))], NOW).down
    assert not judge([*bad, *answers(*[(20, 0)] * 5)], NOW).down


def test_few_names_say_nothing_about_a_share() -> None:
    assert not judge(answers((3, 1)), NOW).down


def test_the_sentence_steps_down_for_three_answers() -> None:
    said = answers((0, 0), phrase=True)
    assert judge(said, NOW).down and 'cannot see the latest code' in judge(said, NOW).reason
    assert judge([*said, *answers((5, 0), (5, 0))], NOW).down
    assert not judge([*said, *answers((5, 0), (5, 0), (5, 0))], NOW).down


def test_old_answers_and_the_control_group_do_not_count() -> None:
    assert not judge(answers((20, 20), at=NOW - 90_000), NOW).down
    assert not judge(answers((20, 20), group='control'), NOW).down


def test_the_log_survives_whatever_is_on_disk(git_repo: Make) -> None:
    found = repo.find(git_repo({'a': 'b'}))
    assert not stepped_down(found, NOW)
    log.note(found, 'answer', NOW, 's', names=0, invented=0, phrase=True)
    assert stepped_down(found, NOW)
    file = found.data_dir / 'feedback.jsonl'
    file.write_bytes(b'\xff\x00half\n[1]\n{"kind":"answer","time":"x"}\n' + file.read_bytes() + b'{"kind": "ans')
    assert stepped_down(found, NOW)
    file.write_bytes(b'{"kind":"answer","time":1000000,"names":"many"}\n')
    assert not stepped_down(found, NOW)
    odd = b'[' * 100_000 + b'\n{"kind":"answer","time":%d,"session":"s","names":1e400,"invented":[]}\n' % NOW
    file.write_bytes(odd + b'{"kind":"answer","time":Infinity,"phrase":true}\n{"kind":"shown","time":9,"tokens":"x"}\n')
    assert not stepped_down(found, NOW)
    assert [row.answers for row in report(log.everything(found)).groups] == [1, 0]


def test_the_log_is_bounded(git_repo: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    found = repo.find(git_repo({'a': 'b'}))
    monkeypatch.setattr(log, 'MAX_BYTES', 2000)
    for number in range(100):
        log.note(found, 'prompt', NOW + number, 's')
    kept = list(log.everything(found))
    assert sum(file.stat().st_size for file in found.data_dir.glob('feedback*')) < 5000
    assert kept[-1]['time'] == NOW + 99 and 20 < len(kept) < 100


def test_hooks_at_once_lose_no_record(git_repo: Make) -> None:
    found = repo.find(git_repo({'a': 'b'}))
    code = (
        'import sys\nfrom pathlib import Path\nfrom ctxkit import repo\nfrom ctxkit.feedback import log\n'
        'found = repo.find(Path(sys.argv[1]))\nfor n in range(200): log.note(found, "prompt", n, sys.argv[2])'
    )
    running = [subprocess.Popen([sys.executable, '-c', code, str(found.root), str(number)]) for number in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert len(list(log.everything(found))) == 800


def test_the_share_holds_and_a_conversation_stays_in_its_group() -> None:
    sessions = [f'session-{number}' for number in range(2000)]
    chosen = [session for session in sessions if group(session, 0.25) == 'block']
    assert 400 < len(chosen) < 600
    assert all(group(session, 0.5) == 'block' for session in chosen)  # growing the share moves nobody out
    assert {group(session, 1.0) for session in sessions} == {'block'}
    assert {group(session, 0.0) for session in [*sessions, '']} == {'control'}


def test_the_report_puts_both_groups_beside_each_other() -> None:
    records: list[dict[str, Any]] = []
    for number in range(4):
        side = 'block' if number < 3 else 'control'
        base = {'time': NOW, 'session': f's{number}', 'group': side}
        records += [{**base, 'kind': 'shown', 'tokens': 3000 if number < 3 else 0}]
        records += [{**base, 'kind': 'prompt'}] * (2 if number < 3 else 5)
        records += [{**base, 'kind': 'answer', 'names': 10, 'invented': 0 if number < 3 else 4, 'phrase': number == 3}]
    records.append({'kind': 'answer', 'time': NOW, 'session': '', 'names': 99, 'invented': 99})
    block, control = report(records).groups
    assert (block.conversations, block.tokens, block.follow_ups, block.rate) == (3, 3000.0, 1.0, 0.0)
    assert (control.conversations, control.tokens, control.follow_ups, control.rate, control.unable) == (
        1,
        0.0,
        4.0,
        0.4,
        1,
    )
    assert {row.name: row.conversations for row in report(records).curve if row.conversations} == {
        'none': 1,
        '2801-3600': 3,
    }


def run(root: Path, *args: str, given: str = '') -> subprocess.CompletedProcess[str]:
    """Run ctxkit in a repository."""
    return subprocess.run(
        [sys.executable, '-m', 'ctxkit', *args],
        cwd=root,
        input=given,
        capture_output=True,
        text=True,
        env=dict(os.environ),
        check=False,
    )


def test_the_commands_judge_step_down_and_report(git_repo: Make) -> None:
    root = git_repo({'shop/cart.py': 'def total_price(): ...\n'})
    done = run(root, 'feedback', '--session', 's1', given='`total_price` in `shop/cart.py` calls `made_up_thing`.')
    assert done.stdout == '3 names, 1 exists nowhere: made_up_thing\n'
    unrecorded = run(root, 'feedback', '--no-record', '--json', given='I cannot access the latest code.')
    assert json.loads(unrecorded.stdout)['unable'] is True and json.loads(unrecorded.stdout)['stepped_down'] is False
    hook = json.dumps(
        {'session_id': 's1', 'hook_event_name': 'Stop', 'last_assistant_message': 'I cannot access the latest code.'}
    )
    assert json.loads(run(root, 'feedback', '--json', given=hook).stdout)['stepped_down'] is True
    block = run(root, 'render', '--section', 'units').stdout
    assert 'cannot see the latest code' in block and 'def total_price' not in block
    assert 'stepped down to paths' in run(root, 'stats').stdout
    assert json.loads(run(root, 'stats', '--json').stdout)['groups'][0]['answers'] == 2


def test_an_answer_that_comes_late_is_read_to_its_end(git_repo: Make) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    done = subprocess.Popen(
        [sys.executable, '-m', 'ctxkit', 'feedback', '--no-record'],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.stdin is not None
    time.sleep(2.5)
    said, _ = done.communicate('It calls `made_up_thing`.')
    assert said == '1 name, 1 exists nowhere: made_up_thing\n'


def test_the_hook_form_prints_nothing_and_never_fails(git_repo: Make, tmp_path: Path) -> None:
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.git/ctxkit').mkdir()
    for folder in (root, tmp_path):
        for given in ('', '{', json.dumps({'session_id': 's', 'last_assistant_message': 'All good.'})):
            done = run(folder, 'feedback', '--agent', 'claude-code', '--quiet', given=given)
            assert (done.returncode, done.stdout) == (0, '')
    assert json.loads(run(root, 'feedback', '--agent', 'gemini', '--quiet').stdout) == {}
