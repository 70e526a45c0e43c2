"""Edits of JSON settings: what is there stays byte for byte, and taking ours away gives the old bytes back."""

from __future__ import annotations

import json

import pytest

from ctxkit.agents.jsonc import NotJson, empty_containers, insert, parse, remove

ITEM = {'command': 'ctxkit show', 'timeout': 5}
TEXTS = [
    '{}',
    '{}\n',
    '{\n}\n',
    '{"a": 1}',
    '{"a": 1}\n',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": {"b": [1, 2]}\n}\n',
    '{\r\n    "a": 1\r\n}\r\n',
    '\ufeff{\n  "a": 1\n}\n',
    '{\n  // kept\n  "a": 1, // also kept\n  /* and this */\n}\n',
    '{\n  "hooks": {\n    "Stop": [\n      {"command": "other"}\n    ]\n  },\n  "z": null\n}\n',
    '{"hooks": {"Stop": [{"x": 1}]}}',
    '{"hooks": {"Start": [{"x": 1}]}, "b": 2}',
    '{\n  "hooks": {\n    "Start": [],\n  },\n}\n',
    '{"hooks":{"Start":["one",]}}',
    '{\n  "hooks": {\n    "Start": [\n      // a comment alone\n    ]\n  }\n}\n',
    '{\n  "hooks": {}\n}\n',
    '{"hooks": []   , "a": {}}',
]


@pytest.mark.parametrize('text', TEXTS)
def test_an_entry_is_added_and_taken_away_without_a_trace(text: str) -> None:
    at = ['hooks', 'Start']
    if isinstance(parse(text).value.get('hooks', {}), list):
        with pytest.raises(NotJson, match='not an object'):
            insert(text, at, ITEM)
        return
    keep = frozenset(empty_containers(text, at))
    before = parse(text).value
    added = insert(text, at, ITEM)
    after = parse(added).value
    assert after['hooks']['Start'][-1] == ITEM
    del after['hooks']['Start'][-1]
    assert {key: value for key, value in after.items() if key != 'hooks'} == {
        key: value for key, value in before.items() if key != 'hooks'
    }
    place = len(parse(added).value['hooks']['Start']) - 1
    taken = remove(added, at, place, keep)
    assert parse(taken).value == before
    if '//' not in text and '[],' not in text and '"hooks": {}' not in text and text not in ('{\n}\n',):
        assert taken == text


@pytest.mark.parametrize(
    ('text', 'left'),
    [
        ('{"hooks": [ // mine\n  "ours"\n]}', '{"hooks": [ // mine\n]}'),
        ('{"hooks": [\n  // mine\n  "ours",\n]}', '{"hooks": [\n  // mine\n]}'),
        ('{"hooks": [ // mine\n  "ours" ]}', '{"hooks": [ // mine\n   ]}'),
    ],
)
def test_a_comment_alone_is_left_without_our_comma_and_line(text: str, left: str) -> None:
    assert remove(text, ['hooks'], 0, frozenset({'hooks'})) == left


@pytest.mark.parametrize('text', TEXTS)
def test_comments_survive(text: str) -> None:
    if 'hooks": []' not in text:
        added = insert(text, ['hooks', 'Start'], ITEM)
        for comment in ('// kept', '// also kept', '/* and this */', '// a comment alone'):
            assert (comment in added) == (comment in text)


def test_a_single_value_is_set_once_and_never_over_another() -> None:
    assert parse(insert('{}', ['version'], 1, as_value=True)).value == {'version': 1}
    assert insert('{"version": 2}', ['version'], 1, as_value=True) == '{"version": 2}'


@pytest.mark.parametrize(
    'text',
    [
        '',
        '{',
        '{"a" 1}',
        '{"a": 1,, "b": 2}',
        '{"a": 1} x',
        '{a: 1}',
        "{'a': 1}",
        '{"a": 1, "a": 2}',
        '[' * 5000,
        '{"a": "\\x"}',
        '{"a": tru}',
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        insert(text, ['a', 'b'], 1)


def test_plain_json_means_what_it_means() -> None:
    text = '{"a": [1, -2.5e3, true, null, "x\\u00e9\\n"], "b": {"c": {}}}'
    assert parse(text).value == json.loads(text)
