"""Untrusted text is shown as it is, and can neither hide nor break out."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree

import pytest

from ctxkit.safety.text import escape, printable, visible

HIDDEN = [
    '\x00',
    '\x1b',
    '\x7f',
    '\x85',
    '\xad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u200b',
    '\u200d',
    '\u202e',
    '\u2028',
    '\u2066',
    '\u2069',
    '\u3164',
    '\ufeff',
    '\ufffe',
    '\uffff',
    '\ud800',
    '\udcff',
    '\U000e0041',
    '\U000e0100',
    '\r',
]


@pytest.mark.parametrize('char', HIDDEN, ids=[f'U+{ord(char):04X}' for char in HIDDEN])
def test_what_can_hide_is_spelled_out(char):
    for made in (visible(f'a{char}b'), escape(f'a{char}b'), printable(f'a{char}b')):
        assert char not in made
        assert f'{ord(char):x}' in made


def test_ordinary_text_stays():
    for text in ('naïve Ünïcödé 中文 русский עברית العربية', 'emoji 🎉', 'tab\tand\nnewline', 'a < b'):
        assert visible(text) == text
    assert visible('a\r\nb') == 'a\nb'


def test_escaped_text_is_character_data_for_a_strict_parser():
    draw = random.Random(5)
    alphabet = '<>&"\']]>@abc \n\t\r\x00\x1b\u202e\ufffe\ud800\U000e0041é中/!-[CDATA'
    for _ in range(300):
        text = ''.join(draw.choice(alphabet) for _ in range(40))
        element = ElementTree.fromstring(f'<a>{escape(text)}</a>')
        assert len(element) == 0
        assert element.text == visible(text)


@pytest.mark.parametrize(
    'text',
    ['@../.env', 'see @../.env', '(@~/.ssh/id)', '"@/etc/passwd"', '\n@-x', '# @.env', '.@x', '@@x', '<@x>', '@é'],
)
def test_no_at_sign_begins_a_word(text):
    assert '@' not in escape(text).replace('&#64;', '')
    assert ElementTree.fromstring(f'<a>{escape(text)}</a>').text == text


def test_mail_addresses_keep_their_at_sign():
    assert escape('a@b.example') == 'a@b.example'


def test_printable_is_one_line():
    assert printable('a\nb\tc\x1b[31m') == 'a\\nb\\tc\\x1b[31m'


def test_a_text_of_ascii_alone_is_read_as_any_other():
    ascii_text = ''.join(chr(code) for code in range(128)) + '\r\n'
    assert visible(ascii_text + 'é') == visible(ascii_text) + 'é'
