"""Killed at any moment, or started eight times at once: no fact lost, none doubled, no half file."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers_memory import DAY, NOW, active, claude_session, remember

from ctxkit import repo as repos
from ctxkit.memory import jobs, store
from ctxkit.safety.database import transaction

SCRIPT = """
import sys
sys.path.insert(0, {helpers!r})
from pathlib import Path
from helpers_memory import remember
remember(Path({root!r}), Path({home!r}), lease_seconds=2, batch=2, retry_seconds=0)
"""
CONVERSATIONS = 12


def start(root, home) -> subprocess.Popen:
    script = SCRIPT.format(helpers=str(Path(__file__).parents[1]), root=str(root), home=str(home))
    return subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def converse(root, home, number: int) -> str:
    claude_session(home, root, f's{number}', [f'We decided to use tool{number} for task{number}.'], NOW - DAY - number)
    return f'We decided to use tool{number} for task{number}'


def check_files(root) -> None:
    """Every file is whole: the snapshot parses, the documents have their ends, and no id is there twice."""
    snapshot = root / '.ctx/memory.json'
    if snapshot.exists():
        body = json.loads(snapshot.read_text())
        ids = [entry['id'] for entry in body['decisions']]
        assert len(ids) == len(set(ids))
    document = root / '.ctx/memory/MEMORY.md'
    if document.exists():
        text = document.read_text()
        assert text.startswith('# Project memory\n') and '## No longer holds' in text and text.endswith('\n')


def kill_again_and_again(root, home, times: int, seed: int) -> None:
    rng = random.Random(seed)
    expected = {converse(root, home, number) for number in range(CONVERSATIONS)}
    number = CONVERSATIONS
    for attempt in range(times):
        process = start(root, home)
        time.sleep(rng.uniform(0.1, 0.9))
        process.kill()
        process.communicate()
        check_files(root)
        if attempt % 3 == 0:
            expected.add(converse(root, home, number))
            number += 1
    time.sleep(2.1)  # the last one's leases run out
    assert remember(root, home, retry_seconds=0).failed == {}
    facts = remember(root, home).facts
    assert sorted(active(facts)) == sorted(expected)
    assert [fact.confirmations for fact in facts] == [1] * len(expected)
    assert [path.name for path in (root / '.ctx/memory').iterdir() if path.name.startswith('.')] == []


def test_ten_kills_lose_and_double_nothing(git_repo, tmp_path):
    kill_again_and_again(git_repo({'a.py': 'x = 1\n'}), tmp_path / 'home', 10, seed=1)


@pytest.mark.slow
def test_a_hundred_kills_lose_and_double_nothing(git_repo, tmp_path):
    kill_again_and_again(git_repo({'a.py': 'x = 1\n'}), tmp_path / 'home', 100, seed=2)


def test_eight_processes_at_once_do_the_work_once(git_repo, tmp_path):
    root, home = git_repo({'a.py': 'x = 1\n'}), tmp_path / 'home'
    expected = sorted(converse(root, home, number) for number in range(CONVERSATIONS))
    processes = [start(root, home) for _ in range(8)]
    errors = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, errors
    check_files(root)
    with store.opened(repos.find(root)) as db:
        assert (
            db.execute(
                "SELECT count(*), min(done), max(retries) FROM jobs WHERE kind='extract' AND status='done'"
            ).fetchone()[0]
            == 12
        )
        assert db.execute('SELECT count(*) FROM statements').fetchone()[0] == len(expected)
    facts = remember(root, home).facts
    assert sorted(active(facts)) == expected


@pytest.fixture
def db(git_repo):
    with store.opened(repos.find(git_repo({'a.py': 'x = 1\n'}))) as connection:
        yield connection


def test_a_job_is_claimed_by_one_and_taken_over_when_its_lease_ends(db):
    jobs.want(db, 'extract', 'k', 5)
    first = jobs.claim(db, 'extract', 'k', 100, 10)
    assert first is not None and jobs.claim(db, 'extract', 'k', 109, 10) is None
    second = jobs.claim(db, 'extract', 'k', 111, 10)
    assert second is not None and not jobs.finish(db, first) and not jobs.renew(db, first, 112, 10)
    assert jobs.renew(db, second, 112, 10) and jobs.finish(db, second)
    assert jobs.claim(db, 'extract', 'k', 200, 10) is None


def test_what_a_clock_that_was_ahead_claimed_or_put_off_is_not_held_until_then(db):
    now, ahead = 1_790_000_000, 1_790_000_000 + 365 * 86_400
    jobs.want(db, 'extract', 'k', 5)
    assert jobs.claim(db, 'extract', 'k', ahead, 300) is not None  # and that process is killed
    held = jobs.claim(db, 'extract', 'k', now, 300)
    assert held is not None and jobs.claim(db, 'extract', 'k', now, 300) is None
    jobs.fail(db, held, 'no luck', ahead, 120)
    held = jobs.claim(db, 'extract', 'k', now, 300)
    assert held is not None
    jobs.fail(db, held, 'no luck', now, 86_400)  # the longest that the settings allow
    assert jobs.claim(db, 'extract', 'k', now, 300) is None


def test_a_watermark_never_goes_back(db):
    jobs.want(db, 'extract', 'k', 5)
    jobs.finish(db, jobs.claim(db, 'extract', 'k', 0, 10))
    jobs.want(db, 'extract', 'k', 3)
    assert jobs.claim(db, 'extract', 'k', 0, 10) is None
    jobs.want(db, 'extract', 'k', 6)
    assert jobs.claim(db, 'extract', 'k', 0, 10).input == 6


def test_failed_work_is_tried_three_times_with_a_delay_and_again_when_there_is_more(db):
    jobs.want(db, 'extract', 'k', 5)
    for attempt in range(3):
        held = jobs.claim(db, 'extract', 'k', attempt * 100, 10)
        jobs.fail(db, held, 'no luck', attempt * 100, 50)
        assert jobs.claim(db, 'extract', 'k', attempt * 100 + 49, 10) is None
    assert jobs.claim(db, 'extract', 'k', 10_000, 10) is None
    jobs.want(db, 'extract', 'k', 6)
    assert jobs.claim(db, 'extract', 'k', 10_000, 10) is not None


def test_forced_work_runs_once_more(db):
    jobs.want(db, 'consolidate', 'all', 5)
    jobs.finish(db, jobs.claim(db, 'consolidate', 'all', 0, 10))
    jobs.want(db, 'consolidate', 'all', 5, force=True)
    assert jobs.finish(db, jobs.claim(db, 'consolidate', 'all', 0, 10))
    assert jobs.claim(db, 'consolidate', 'all', 0, 10) is None


def test_a_transaction_that_fails_leaves_nothing(db):
    with pytest.raises(ZeroDivisionError), transaction(db):
        jobs.want(db, 'extract', 'k', 5)
        raise ZeroDivisionError
    assert db.execute('SELECT count(*) FROM jobs').fetchone()[0] == 0
