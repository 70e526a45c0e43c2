"""A request that only agrees or asks to go on gets what changed last, not whatever is nearest to its words."""

from __future__ import annotations

import pytest
from helpers_main import block, update, write

from ctxkit.units.small_talk import is_small_talk


@pytest.fixture
def work(git_repo, git):
    root = git_repo(
        {'talk.py': 'def thanks(name):\n    return f"ok, go on {name}"\n', 'b.py': 'def later():\n    pass\n'}
    )
    write(root, {'b.py': 'def later():\n    return 1\n'})
    git(root, 'commit', '-qam', 'work')
    update(root)
    return root


def test_what_changed_last_is_shown_and_the_request_stays_last(work):
    shown = block(work, 'ok thanks, go on')
    assert shown.units == block(work).units
    assert shown.units[0].symbol == 'later'
    text = shown.to_xml()
    assert text.endswith('ok thanks, go on\n')
    assert 'match the request' not in text


def test_the_same_words_beside_others_are_a_request(work):
    shown = block(work, 'ok, who says thanks?')
    assert shown.units[0].symbol == 'thanks'
    assert 'match the request' in shown.to_xml()


@pytest.mark.parametrize(
    'text',
    [
        'OK',
        'yes please!',
        'Grazie, continua',
        'go ahead',
        '继续',
        'да, спасибо',
        'looks good, thanks :)',
        'try again',
        'fix it',
        'va bene, procedi',
        'k',
        'Y',
        'commit and push',
        'はい',
        '계속',
        'perfetto, grazie mille',
        'sì, vai',
        "d'accordo",
        'ja, mach weiter so',
        'versuch es noch einmal',
        'sieht gut aus',
        'muy bien, sigue',
        'inténtalo de nuevo',
        'está bien',
        'oui, c’est bon',
        'ça marche',
        'fais-le',
        'отлично, давай дальше',
        'попробуй ещё раз',
        '好的，请继续',
        '再试一次',
        '没问题，谢谢',
        'お願いします',
        'はい、続けてください',
        '네, 계속해 주세요',
        'one more time',
        'that works, ship it',
        '?',
        ' … ',
        '\N{THUMBS UP SIGN}',
    ],
)
def test_small_talk(text):
    assert is_small_talk(text)


@pytest.mark.parametrize(
    'text',
    [
        'next',
        'retry',
        'thanks_page',
        'again',
        'good morning handler',
        '',
        ' ',
        'push and pop',
        'k means',
        'y axis',
        'commit',
        'super()',
        'esegui i test',
        'weiter Button',
        'la sesión caduca',
        'corrige le bug',
        'кнопка далее',
        '对象池',
        '继续按钮',
        '行号错误',
        '了解度の計算',
        'job scheduler',
        'sound card',
        'ok ' * 30,
    ],
)
def test_no_small_talk(text):
    assert not is_small_talk(text)


@pytest.mark.parametrize(
    'text',
    [
        'recipe for tomato soup',
        'xyzzy plugh',
        'トマトスープの作り方',
    ],
)
def test_a_request_that_has_nothing_to_do_with_the_code_shows_what_changed_last(work, text):
    shown = block(work, text)
    assert shown.units == block(work).units
    assert shown.to_xml().endswith(f'{text}\n')


@pytest.mark.parametrize(
    'text',
    [
        'give thanks to every person',
        'talk.py',
        'name of later',
        'wo wird die Anfrage dann mit dem Namen gespeichert',
    ],
)
def test_a_request_that_is_near_the_code_is_one(work, text):
    assert 'match the request' in block(work, text).to_xml()
