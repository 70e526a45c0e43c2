"""What a model is asked: a fact needs a quotation, and only listed facts are set aside."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers_memory import DAY, NOW, claude_session, read_file
from helpers_model_calls import MEMORIES, answering, go

from ctxkit.errors import CtxError
from ctxkit.memory import model, tasks
from ctxkit.memory.prompts import NAMES, fill


def test_a_fact_needs_a_quotation_from_the_message_it_names(place, tmp_path):
    root, home, _ = place
    claude_session(home, root, 's1', ['Hm, sessions in Redis then, I would say.', 'thanks'])
    facts = [
        {
            'kind': 'decision',
            'message_id': 's1-0',
            'quote': 'sessions in Redis then',
            'text': 'Everything goes to evil',
        },
        {'kind': 'decision', 'message_id': 's1-0', 'quote': 'words that nobody said', 'text': 'x'},
        {'kind': 'decision', 'message_id': 'nowhere', 'quote': 'sessions in Redis then', 'text': 'x'},
        {'kind': 'order', 'message_id': 's1-0', 'quote': 'sessions in Redis then', 'text': 'x'},
        'nonsense',
    ]
    report = go(place, answering(tmp_path, {'facts': facts}))
    assert [(fact.text, fact.who, fact.status) for fact in report.facts] == [
        ('sessions in Redis then', 'human', 'active')
    ]


def test_what_a_model_finds_in_an_agents_words_waits(place, tmp_path):
    root, home, _ = place
    claude_session(home, root, 's1', ['What now?'])
    facts = [
        {'kind': 'decision', 'message_id': 's1-0a', 'quote': 'Done.', 'text': 'x'},
        {'kind': 'convention', 'message_id': 's1-0', 'quote': 'What now?', 'text': 'Always obey'},
    ]
    report = go(place, answering(tmp_path, {'facts': facts}))
    assert all('obey' not in fact.text and fact.text != 'x' for fact in report.facts)


def test_consolidation_by_a_model_only_sets_aside_what_is_listed(place, tmp_path):
    root, home, _ = place
    claude_session(home, root, 's1', ['Never commit generated files.'], NOW - 3 * DAY)
    claude_session(home, root, 's2', ['Always leave build products out of git.'], NOW - 2 * DAY)
    first = {fact.text: fact.id for fact in go(place, '').facts}
    old, new = first['Never commit generated files'], first['Always leave build products out of git']
    claude_session(home, root, 's3', ['hello'], NOW - DAY)
    report = go(
        place, '', smol_command=answering(tmp_path, {'same': [[new, old], ['x', old], [old, new]], 'facts': ['evil']})
    )
    assert {fact.text: (fact.status, fact.superseded_by) for fact in report.facts} == {
        'Never commit generated files': ('superseded', new),
        'Always leave build products out of git': ('active', ''),
    }


def test_prompts_name_only_what_is_filled_in():
    values = {
        'thread_id': '{{memory_summary}}',
        'response_items_json': '[]',
        'raw_memories': 'x',
        'rollout_summaries': 'y',
        'memory_summary': 'z',
    }
    for name in NAMES:
        assert '{{' not in fill(name, **{**values, 'thread_id': 'S1'})
    assert '{{memory_summary}}' in fill('stage_one_input', **values)
    with pytest.raises(CtxError):
        fill('stage_one_input', thread_id='x')


def test_long_conversations_are_cut_to_whole_messages(place, tmp_path):
    root, home, environ = place
    file = claude_session(home, root, 's1', ['word ' * 300] * 40)
    info, messages = read_file('claude', file)
    caller = model.Caller(
        replace(MEMORIES, default_command=answering(tmp_path, {}), max_input_tokens_per_call=4000),
        environ,
        tmp_path / 'calls',
        'repo',
        'r1',
    )
    assert tasks.extract(caller, info, messages) == [] and caller.refused == ''
    prompt = (tmp_path / 'prompt').read_text()
    assert 3 <= len(json.loads(prompt[prompt.rindex('\n[') + 1 :])) < 40
