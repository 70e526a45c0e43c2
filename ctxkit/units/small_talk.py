"""Recognise requests that say nothing about the code (`ok, go on`): they are answered as if there were none."""

from __future__ import annotations

import re

# Each, said alone, answers or urges on; in the languages that programmers type to agents.
_ALONE = frozenset(
    'ok okay yes yep yeah yup no nope sure thanks thank thx ty please pls great good perfect nice cool awesome fine '
    'right correct exactly agreed lgtm alright hello hi hey continue proceed go '
    "grazie continua procedi bene perfetto ciao sì certo esatto giusto ottimo vai riprova fallo buongiorno d'accordo "
    'weiter danke bitte genau gut hallo ja nein passt nochmal einverstanden gerne los guten ordnung '
    "merci oui non vas-y allez-y continuez parfait fais-le réessaie bonjour salut d'accord "
    'gracias sigue vale bien hola sí continúa adelante perfecto hazlo inténtalo acuerdo claro listo buenos buen '
    'sim obrigado obrigada да нет спасибо продолжай хорошо привет давай отлично верно ладно понятно здорово конечно'
    .split()
)  # fmt: skip
_LETTERS = frozenset('ky')  # small talk only if said alone: with another word they name something (`k means`)
# Words that point at what was just said or done.
_POINTING = frozenset(
    "it that this these those again on ahead going it's that's well more sense "
    "das es otra c'est ça encore это ещё еще".split()
)
# Small talk only together with one of the above; by themselves they can be names (`next`, `retry`).
_AMONG = frozenset(
    "you u so much very now then and but a i we me us is was do done looks look sounds all there let lets let's just "
    'with keep try retry next job work works working too run fix commit push undo revert stop wait can not like wrong '
    'one time once got makes make ship carry use for '
    'avanti va così mille lavoro ancora una volta prova di nuovo fatto ora andiamo si e '
    'auch mach mal so alles klar versuch noch einmal nicht in sehr leg schön morgen klingt sieht aus super '
    'et bon très une fois pas comme sûr beaucoup pour moi travail marche '
    'por favor de muy nuevo vez así que días está trabajo y '
    'дальше большое сделай раз попробуй не так всё все'.split()
)
# Words of languages without spaces; a run of characters made of nothing else is small talk.
_RUN = (
    '(?:请|就|再|继续|好|好的|谢谢|谢谢你|是的?|可以|没问题|对的?|很好|不错|行|嗯|没错|开始|来一次|试一次|你好|不对|这样|不|吧|了|啊'
    '|はい|いいえ|了解|です|お願い|します|ありがとう|ございます|続けて|ください|わかりました|いいね'
    '|네|예|계속|해|주세요|감사합니다|좋아요|아니요|고마워요?)+'
)
TALK = _ALONE | _POINTING | _AMONG
_LONGEST = 20  # characters of a run: some words contain others, so the pattern may try all ways to split it
_WORD = re.compile(r"[^\W_]+(?:['-][^\W\d_]+)?")
_MOST = 12  # words; a longer request says something about the code


def is_small_talk(request: str) -> bool:
    """Whether a request only agrees, thanks, or points at what was just done (`run it again`), or has no word (`?`)."""
    if len(request) > 200:
        return False
    words = _WORD.findall(request.lower().replace('’', "'"))
    if not words:
        return bool(request.strip())
    if len(words) > _MOST:
        return False
    spoken = {word for word in words if not is_run(word, _RUN)}
    if not spoken:
        return True
    if len(words) == 1 and words[0] in _LETTERS or words == ['commit', 'and', 'push']:
        return True
    if not spoken <= TALK:
        return False
    return bool(spoken & _ALONE) or len(spoken) < len(set(words)) or (len(spoken) > 1 and bool(spoken & _POINTING))


def is_run(word: str, made_of: str) -> bool:
    """Whether a word in a language without spaces matches the pattern `made_of` as a whole."""
    return not word.isascii() and len(word) <= _LONGEST and re.fullmatch(made_of, word) is not None
