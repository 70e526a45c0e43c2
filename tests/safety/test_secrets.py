"""The secret filter finds every shape, leaves look-alikes alone, and is stable."""

from __future__ import annotations

import importlib.util
import json
import string
from pathlib import Path

import pytest

from ctxkit.safety.env_files import env_values
from ctxkit.safety.secrets import find, redact, redact_part

_SPEC = importlib.util.spec_from_file_location(
    'secret_shapes', Path(__file__).parents[2] / 'benchmarks' / 'secrets' / 'shapes.py'
)
assert _SPEC and _SPEC.loader
SHAPES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(SHAPES)
TOKEN = 'ghp' + '_' + (string.ascii_letters + string.digits)[10:46]
FORMS = [pytest.param(line, secret, id=name) for name, line, secret in SHAPES.shapes(7)]


@pytest.mark.parametrize(('line', 'secret'), FORMS)
def test_secret_is_taken_out_of_a_plain_line(line, secret):
    cleaned = redact(f'before\n{line}\nafter')
    assert secret not in cleaned
    assert '[REDACTED:' in cleaned
    assert cleaned.startswith('before\n') and cleaned.endswith('\nafter')


@pytest.mark.parametrize(('line', 'secret'), FORMS)
def test_secret_is_taken_out_of_json_text_which_stays_json(line, secret):
    document = json.dumps({'content': f'$ env\n{line}\n$ '})
    assert secret not in json.loads(redact(document))['content']


@pytest.mark.parametrize('line', SHAPES.look_alikes(7))
def test_look_alike_is_left_alone(line):
    assert redact(line) == line


@pytest.mark.parametrize(('line', 'secret'), FORMS)
def test_redacting_twice_changes_nothing_more(line, secret):
    once = redact(f'{line} {line}\n{line}')
    assert redact(once) == once
    assert find(once) == []


def test_findings_are_in_order_and_do_not_overlap():
    text = '\n'.join(line for _, line, _ in SHAPES.shapes(3))
    found = find(text)
    assert len(found) >= 45
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))


def test_token_after_an_escape_or_a_colour_code_is_found():
    for before in ('\\n', '\\t', '\\u0022', '\x1b[31m', '\x1b[0;1m', '"', '\u2028'):
        for token in (TOKEN, 'AK' + 'IA' + 'Q' * 8 + 'ZXCVBNM2', 'sk' + '-' + 'aB3dE5fG7h' * 3):
            assert token not in redact(f'x{before}{token}')


def test_token_at_the_border_of_a_100_kb_piece_is_found():
    for offset in range(-len(TOKEN), 1, 5):
        text = 'a ' * (50_000 + offset // 2) + TOKEN + ' b' * 50_000
        assert TOKEN not in redact(text)


def test_piece_of_a_text_shows_all_of_it_but_its_part_of_a_secret():
    text = f'one = 1\nuse {TOKEN} here\nlast = 2\n'
    first, last = text.index(TOKEN), text.index(' here')
    for start in (0, first - 1, first, first + 9, last - 1, last, last + 3):
        for end in (first - 1, first, first + 9, last - 1, last, last + 1, len(text)):
            if start < end:
                inside = '[REDACTED:github-token]' if start < last and end > first else ''
                expected = text[start : min(end, first)] + inside + text[max(start, last) : end]
                assert redact_part(text.encode(), start, end) == expected


def test_piece_of_a_long_private_key_shows_nothing_of_it():
    body = '\n'.join('Ab3+' * 16 for _ in range(300))
    source = f'-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n'.encode()
    assert 'Ab3+' not in redact_part(source, 9000, 11_000)
    assert redact_part(source + b'a = 1\n' * 3000, len(source) + 6, len(source) + 600) == 'a = 1\n' * 99


def test_private_key_goes_whole_even_when_its_end_is_cut_off():
    body = '\n'.join('Ab3+' * 16 for _ in range(20))
    head = '-----BEGIN OPENSSH PRIVATE' + ' KEY-----\n'
    assert 'Ab3+' not in redact(head + body)
    assert 'Ab3+' not in redact(json.dumps(head + body))
    assert redact(head + body + '\n-----END OPENSSH PRIVATE' + ' KEY-----\nafter').endswith(']\nafter')


def test_private_key_in_a_commented_or_quoted_block_goes_whole():
    for indent in (' * ', '    |', '# ', '> '):
        text = ''.join(
            f'{indent}{line}\n'
            for line in ['-----BEGIN PRIVATE' + ' KEY-----', *['Ab3+' * 16] * 4, '-----END PRIVATE' + ' KEY-----']
        )
        assert 'Ab3+' not in redact(text)


def test_code_that_only_names_the_key_marks_is_kept():
    code = "HEAD = '-----BEGIN PRIVATE KEY-----'\n" + 'def f():\n    return 1\n' * 200
    assert redact(code) == code


def test_upper_case_that_changes_length_does_not_shift_findings():
    text = 'İ' * 50 + ' password = "hunter2!x" İ'
    assert redact(text) == 'İ' * 50 + ' password = "[REDACTED:assigned-secret]" İ'


def test_surrogates_of_odd_file_names_survive():
    text = 'a\udcff password="hunter2!x"'
    assert redact(text).startswith('a\udcff password="[REDACTED')


def test_known_values_are_taken_out_wherever_they_stand():
    known = frozenset({'plain words as a secret', 'with"quote"inside'})
    assert redact('a plain words as a secret b', known) == 'a [REDACTED:env] b'
    assert 'quote' not in redact(json.dumps('with"quote"inside'), known)
    again = redact(redact('plain words as a secret', known), known)
    assert again == '[REDACTED:env]'


def test_known_value_that_is_part_of_the_mark_does_not_break_it():
    once = redact(f'x {TOKEN}', frozenset({'REDACTED', 'github-token'}))
    assert once == 'x [REDACTED:github-token]'
    assert redact(once, frozenset({'REDACTED', 'github-token'})) == once


def test_the_words_of_a_mark_are_no_context_for_what_follows():
    for text in (
        f'Authorization: {"aB3dE5fG7h" * 4} = "{"0e1dfe62" * 8}"',
        f'remote: {"gl" + "pat-"}{"aB3dE5fG7h" * 2}=409token',
        'machine x login y password pa55IDrflWEK 6155a83e50..fd9bc840e2',
        'machine x login y password pa551N21YGBj=DB_PASSWORD="Tr0ub4dor&CDK"',
    ):
        once = redact(text)
        assert once.count('[REDACTED:') == 1
        assert redact(once) == once


def test_marks_that_a_text_brings_along_hide_no_secret_beside_them():
    assert TOKEN not in redact(f'[REDACTED:x] {TOKEN} [REDACTED:y]')


@pytest.mark.parametrize('text', ['', '\n', '[REDACTED:', '://', 'password=', 'eyJ', '-----BEGIN ', ':AA', '\x00' * 10])
def test_short_and_broken_texts_pass(text):
    assert redact(text) == text


def test_values_of_env_files_are_known(tmp_path):
    (tmp_path / '.env').write_text(
        'NODE_ENV=development\nexport DB_PASSWORD="correct horse \\"battery"\nPORT=3000\nHOST=db.internal.example.org\n'
        "SIGNING='swordfishes'\nDATABASE_URL=postgres://app:s3cr3tpw99@db/main\nEMPTY=\nX_TOKEN=${OTHER}\n"
        'APP_THING=8f3kd93ks02k # why\nAPI_KEY=your-api-key\nLOG_DIR=/var/log/app\n'
    )
    (tmp_path / '.env.local').write_text('LOCAL_SECRET=zyxwvutsrq\r\n')
    (tmp_path / '.env.example').write_text('SECRET_KEY=documented-one-12345\n')
    (tmp_path / '.env.d').mkdir()
    assert env_values(tmp_path) == {'correct horse "battery', 'swordfishes', 's3cr3tpw99', '8f3kd93ks02k', 'zyxwvutsrq'}


def test_env_file_that_is_a_link_is_not_read(tmp_path):
    outside = tmp_path / 'outside'
    outside.write_text('DB_PASSWORD=zyxwvutsrq\n')
    root = tmp_path / 'root'
    root.mkdir()
    (root / '.env').symlink_to(outside)
    assert env_values(root) == frozenset()
    assert env_values(tmp_path / 'missing') == frozenset()


def test_ctxkit_itself_holds_no_secret_shape():
    root = Path(__file__).parents[2]
    files = [*root.glob('ctxkit/**/*.py'), *root.glob('benchmarks/secrets/*.py')]
    found = [(file.name, item) for file in files for item in find(file.read_text('utf-8'))]
    assert len(files) > 10
    assert found == [], found


@pytest.mark.parametrize(
    'head',
    [
        'password = (\n    ',
        'password = (  # of the test server\n    b',
        'DB_PASSWORD = \\\n    ',
        'apiKey =\n  ',
        'token:\n  ',
    ],
)
def test_string_on_the_line_after_its_name_is_found(head):
    secret = 'kX92' + 'mQ7fLw81Zr'
    assert redact(f'{head}"{secret}"\n') == f'{head}"[REDACTED:assigned-secret]"\n'
    escaped = f'{head}"{secret}"\n'.replace('\n', '\\n')
    assert secret not in redact(escaped)


@pytest.mark.parametrize(
    'text', ['token = (\n  get()\n)\n', 'password(\n  "Xk92mQ7fLw81"\n)\n', 'password =\n\nname = "a1b2c3d4e5"\n']
)
def test_call_or_another_name_on_the_next_line_is_no_secret(text):
    assert redact(text) == text
