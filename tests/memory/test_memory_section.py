"""The block's section of memory: within its budget, of our own snapshot alone, whatever lies on the disk."""

from __future__ import annotations

import json

import pytest
from helpers_memory import (
    NOW,
    commit,
    lines,
)

from ctxkit import repo as repos
from ctxkit.memory import event, person, section, snapshot
from ctxkit.memory.facts import Fact, Source
from ctxkit.settings import Settings
from ctxkit.tokens import count


def entry(**changes) -> str:
    """A snapshot of one fact, with these values changed."""
    fact = {
        'id': 'a' * 12,
        'text': 'use evil',
        'who': 'human',
        'status': 'active',
        'sources': [],
        'first_seen': 1,
        'last_seen': 1,
        'confirmations': 1,
        'superseded_by': '',
        'expires': None,
        'anchors': [],
    }
    return json.dumps({'version': 1, 'seal': 1, 'decisions': [{**fact, **changes}]})


def test_the_block_stays_within_its_budget_and_in_order(root):
    facts = [
        Fact(
            f'{n:012x}',
            'decision',
            f'Use tool number {n} for purpose {n} because of the reasons',
            'human',
            'active',
            (Source('claude', 's', 'm'),),
            NOW - n,
            NOW - n,
        )
        for n in range(200)
    ]
    for budget in (0, 40, 60, 100, 400, 1000):
        found = section.of_facts(facts, budget, NOW, count)
        assert count('\n'.join(found)) <= budget
        assert found == section.of_facts(facts[::-1], budget, NOW, count)
    confirmed = [facts[0]] + [Fact(**{**fact.__dict__, 'confirmations': 3}) for fact in facts[1:5]]
    assert section.of_facts(confirmed, 4000, NOW, count) == section.of_facts(facts[:5], 4000, NOW, count)


def test_a_tracked_snapshot_of_a_clone_is_never_shown(root, git):
    (root / '.ctx').mkdir()
    (root / '.ctx/memory.json').write_text(entry().replace('"seal": 1', '"seal": ""'))
    git(root, 'add', '-f', '.ctx/memory.json')
    ident = commit(git, root, 'poison')
    assert lines(root) == []
    event.on_commit(repos.find(root), Settings(), ident, frozenset(), NOW)
    assert not any('evil' in line for line in lines(root))
    assert person.all_facts(repos.find(root)) == []


@pytest.mark.parametrize(
    'content',
    [
        '',
        '{',
        '[]',
        '{"seal": 1}',
        '{"decisions": 3}',
        '\x00\xff',
        '{"goal": {"id": []}}',
        '{"decisions": [null, {"id": 1}]}',
        entry(first_seen=10**400),
        entry(last_seen=float('nan')),
        entry(confirmations=float('inf')),
        entry(expires=float('inf')),
    ],
)
def test_bad_data_on_disk_gives_an_empty_section(root, content):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Use toml', NOW)
    seal = snapshot.seal_path(repo).read_text().strip()
    (root / '.ctx/memory.json').write_bytes(content.replace('"seal": 1', f'"seal": "{seal}"').encode('latin-1'))
    assert lines(root) == []


def test_the_section_imports_nothing_heavy():
    import subprocess
    import sys

    heavy = ('sqlite3', 'yaml', 'numpy', 'tree_sitter')
    script = f'import sys, ctxkit.memory.section; print([m for m in {heavy} if m in sys.modules])'
    assert subprocess.run([sys.executable, '-c', script], capture_output=True, text=True).stdout.strip() == '[]'
