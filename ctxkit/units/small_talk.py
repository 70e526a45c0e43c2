"""Requests that say nothing about the code (`ok, go on`): they get what changed last, as if nothing had been asked."""

from __future__ import annotations

import re

# Said alone, each of them answers or hurries; in the languages that programmers type to agents.
_ALONE = frozenset(
    'ok okay yes yep yeah yup no nope sure thanks thank thx ty please pls great good perfect nice cool awesome fine '
    'right correct exactly agreed lgtm hello hi hey continue proceed go grazie continua procedi bene perfetto ciao '
    'weiter danke bitte genau gut hallo ja nein merci oui non vas-y continuez salut gracias sigue vale bien hola '
    'да нет спасибо продолжай хорошо привет 继续 好 好的 谢谢 是的 你好 はい 계속'.split()
)
_LETTERS = frozenset('ky')  # said alone; beside a word they name something (`k means`)
# They point at what was just said or done.
_POINTING = frozenset('it that this these those again on ahead going'.split())
# With one of the above; by themselves they may well be names (`next`, `retry`).
_AMONG = frozenset(
    'you u so much very now then and but a i we me us is was do done looks look sounds all there let lets s just with '
    'keep try retry next job work works working well too run fix commit push undo revert stop wait '
    'avanti va così auch mach mal sí si et bon adelante давай'.split()
)
_WORD = re.compile(r'[^\W_]+(?:-[^\W\d_]+)?')
_MOST = 12  # words; a longer request says something


def is_small_talk(request: str) -> bool:
    """Whether a request only agrees, thanks, or points at what was just done (`run it again`), or has no word (`?`)."""
    if len(request) > 200:
        return False
    words = _WORD.findall(request.lower())
    if not words:
        return bool(request.strip())
    if len(words) > _MOST:
        return False
    said = set(words)
    if len(words) == 1 and words[0] in _LETTERS or words == ['commit', 'and', 'push']:
        return True
    if not said <= _ALONE | _POINTING | _AMONG:
        return False
    return bool(said & _ALONE) or (len(said) > 1 and bool(said & _POINTING))
