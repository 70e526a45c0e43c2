"""`get_topical_units`: pertinent units within the budget, what just changed first."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

import ctxkit
from ctxkit import tokens
from ctxkit.errors import NotARepository
from ctxkit.pipeline import update
from ctxkit.repo import find
from ctxkit.settings import Settings
from ctxkit.units.topical import topical_units

PARSERS = {
    f'parse/p{number}.py': f'def parse_date_{number}(text):\n    """Parse a date of form {number}."""\n'
    f'    parts = text.split("-")\n    return [int(part) for part in parts][:{number}]\n'
    for number in range(20)
}
OTHER = {'mail/send.py': 'def send_mail(address, body):\n    return connect(address).send(body)\n'}


@pytest.fixture
def repo(git_repo):
    made = find(git_repo(PARSERS | OTHER))
    update(made, Settings(), now=time.time())
    return made


def symbols(units) -> list[str]:
    return [unit.symbol for unit in units]


def test_it_finds_what_the_request_is_about_within_budget_and_number(repo):
    units = ctxkit.get_topical_units('send a mail to an address', root=repo.root)
    assert units[0].symbol == 'send_mail'
    units = ctxkit.get_topical_units('parse a date', budget=200, top_k=3, root=repo.root)
    assert 1 <= len(units) <= 3
    assert sum(tokens.count(unit.to_xml()) for unit in units) <= 200


def test_what_changed_in_the_last_five_minutes_comes_first_if_it_is_pertinent(git, repo):
    now = time.time()
    query = 'parse a date of form 3'
    before = symbols(topical_units(repo, Settings(), query, 3600, 7, now))
    assert before[0] != 'parse_date_17'
    (repo.root / 'parse' / 'p17.py').write_text(PARSERS['parse/p17.py'].replace('"-"', '"/"'))
    (repo.root / 'mail' / 'send.py').write_text(OTHER['mail/send.py'].replace('body)', 'body, True)'))
    git(repo.root, 'commit', '-qam', 'slashes')
    update(repo, Settings(), now=now, event='post-commit')
    during = symbols(topical_units(repo, Settings(), query, 3600, 7, now + 60))
    assert during[0] == 'parse_date_17'
    assert during[1] == before[0]  # the mail changed too, and is not about dates
    assert symbols(topical_units(repo, Settings(), query, 3600, 7, now + 600)) == before


def test_an_edit_that_is_not_committed_counts_without_a_watcher(repo):
    (repo.root / 'parse' / 'p11.py').write_text(PARSERS['parse/p11.py'].replace('"-"', '"."'))
    found = topical_units(repo, Settings(), 'parse a date of form 3', 3600, 7, time.time())
    assert found[0].symbol == 'parse_date_11'
    assert '"."' in found[0].text


def test_without_a_request_it_is_what_is_hottest(git, repo):
    (repo.root / 'mail' / 'send.py').write_text(OTHER['mail/send.py'].replace('body)', 'body, True)'))
    git(repo.root, 'commit', '-qam', 'mail')
    update(repo, Settings(), now=time.time(), event='post-commit')
    assert ctxkit.get_topical_units('', root=repo.root)[0].symbol == 'send_mail'


def test_a_secret_is_not_handed_out(repo):
    (repo.root / '.env').write_text('MAIL_PASSWORD="hunter2-hunter2-hunter2"\n')
    (repo.root / 'mail' / 'send.py').write_text('def send_mail(address):\n    login("hunter2-hunter2-hunter2")\n')
    assert 'hunter2' not in ''.join(unit.to_xml() for unit in ctxkit.get_topical_units('send mail', root=repo.root))


def test_outside_a_repository_it_says_so(tmp_path):
    with pytest.raises(NotARepository):
        ctxkit.get_topical_units('anything', root=tmp_path)


def test_importing_ctxkit_imports_nothing_heavy():
    program = 'import sys, ctxkit; print({"numpy", "sqlite3", "click", "redis"} & set(sys.modules))'
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert done.stdout == 'set()\n'
