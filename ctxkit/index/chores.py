"""Recognise sentences of a request that say how to work: add a test, update the changelog, no new dependencies.

Nearly every prompt to an agent has some, and none of them names the code that is looked for: treated like the rest,
they led to tests, documentation and build files.
"""

from __future__ import annotations

import re

MOST_WORDS = 40  # in such a sentence; a longer one says more than how to work
LEAST = 8  # letters that must remain of a request
# What is maintained along with the code, and the tools that check it.
_KEPT_UP = (
    r'(?:tests?|test[ -]cases?|specs?|suite|changelog|changes\.md|history(?:\.md)?|news|newsfragments?|release notes?'
    r'|docs?|documentation|docstrings?|readme(?:\.md)?|godoc|javadoc|kdoc|rustdoc|benchmarks?|ci'
    r'|linter|lint|clippy|fmt|rubocop|ruff|mypy|flake8|pyright|tox|pytest|eslint|prettier|xo|spotless|gofumpt)\b'
)
_SPARED = (
    r'(?:dependenc(?:y|ies)|deps?|packages?|apis?|types?|changes?|updates?|bumps?|refactor\w*|clean-?ups?|compat\w*'
    r'|entry)\b'
)
_POLITE = (
    r'(?:please|pls|plz|and|also|then|finally|oh|btw|but|so|ok|okay|just|now|of course|ideally|preferably|first|lastly'
    r"|afterwards|(?:can|could|would) (?:you|u)|i(?:'d| would)? (?:also )?(?:like|love|want|expect|be glad about)"
    r'|we (?:need|want|expect)|you (?:should|must|can|may|need to|have to)|there (?:should|must) be'
    r"|it would be (?:good|nice|great) to have|make sure|ensure|remember to|(?:don't|dont|do not) forget to|be sure to"
    r'|that|to|you|some|a|an|the|lots of)\b[\s,:]*'
)
_BEGIN = rf'(?i)\W*(?:{_POLITE})*'
_FEW = r'(?:[\w.`/-]+\s+){0,%d}?[`\w./-]*?\b'  # at most so many words in between
_VERB = '(?:add|write|include|extend|adapt|update|run|keep|check|document|mention|put|skip|leave|fix)'
# Not something that is only named after them: `add a docs command`, `show the test parameters`.
_ITSELF = (
    r'(?!\s+(?!(?:with|for|which|that|before|after|and|or|but|if|when|where|so|as|to|in|on|of|at|by|from|under|about|too'
    r'|also|please|pls|first|next|again|only|beside|there|here|accordingly|locally|until|because|since|covering|comments?'
    r'|suite|entry|entries|lines?|notes?|pages?|sections?|files?|folders?|coverage|cases?|jobs?|checks?|strings?'
    r'|updates?|changes?)\b)[a-z]+\b)'
)
_TO_DO = rf'{_VERB}\s+{_FEW % 4}{_KEPT_UP}{_ITSELF}'
_TO_LEAVE = (
    r'(?:no|without|avoid)\s+(?:(?:new|other|more|any|public|breaking|further|third[ -]party|unrelated|extra|additional'
    rf'|drive-by|api|types?|docs?|code|tests?|behaviou?r|runtime)\s+){{0,3}}(?:{_KEPT_UP}|{_SPARED})'
    r"|(?:don't|dont|do not|never)\s+(?:(?:touch|refactor|reformat|restructure|bump|bother|break)\b"
    rf'|(?:change|add|introduce|update|edit|modify|rename)\s+{_FEW % 4}(?:{_KEPT_UP}|{_SPARED}))'
)
_MANNERS = (
    r'(?:small|minimal|tiny)\s+(?:diff|change|commit|pr)\b'
    r'|keep\s+.{0,40}?\b(?:diff|small|minimal|simple|tidy|style|compat\w*)\b'
    r'|(?:stick|follow)\b.{0,60}?\b(?:style|conventions?|guide\w*|rules|contributing|editorconfig)\b'
    r'|.{0,40}?\b(?:conventional commits?|sign[ -]?off|(?:one|single|separate) commits?)\b|think\s+(?:hard|first)\b'
    r'|(?:explain|describe|tell|show|open|raise|mention|put)\b'
    r'.{0,60}?\b(?:plan|reasoning|root cause|before you|commit message|prs?|pull requests?)\b'
)
_IN_ORDER = (
    r'(?i).*\b(?:must|ha(?:s|ve) to|needs? to|should) (?:\w+ )?(?:pass|be (?:clean|green|happy)|stay|still be)\b'
)
# A sentence about what the program does, perhaps in some case only, is the wish itself, though it mentions tests or
# packages. A condition on the work (`if needed`, `when you are done`) says nothing about the program.
_STATED = (
    r"(?i)\b(?:(?:is|are|was|were|does|did|has|have|will) (?:not|still|never)|(?:is|are|was|were|does|did)n['’]?t"
    r'|(?:is|are|was|were|gets?) (?!(?:updated|added|needed|required|expected|wanted|appreciated)\b)\w+ed'
    r'|no longer|twice|wrong|traceback|crashes|hangs|dies|(?<!that )fails'
    r'|(?:if|when|whenever|while|unless|until|whose)\b(?! (?:you|we|it|there|that|this|they|any|all|at|and|not|possible'
    r'|needed|necessary|required|done|finished|ready|relevant|applicable|appropriate)\b))\b'
)
_TESTS = r'(?:tests?|test[ -]cases?|specs?|benchmarks?)\b'
_WRITTEN = rf'(?:(?:add|write|include|extend|adapt|cover)\s+{_FEW % 3}{_TESTS}|{_FEW % 2}{_TESTS}\s+for\b)'
# `..., and add a test for it`: one sentence that begins with the wish and ends with how to work.
_AND_TESTS = (
    rf'(?i)(?:[,;]?\s{{1,9}}(?:and|then|plus)\s+(?:(?:also|please|then)\s+)*'
    rf'(?:add|write|include|extend|adapt|create|provide)\s+{_FEW % 3}{_TESTS}'
    rf'|(?:[,;]\s{{1,9}}and|[,;]?\s{{1,9}}(?:plus|with (?:an?|some|new)))\s+{_FEW % 1}(?:unit|regression)?[ -]?tests?\b'
    rf'(?=\W*$|\s+(?:for|that|which|too|please)\b)){_ITSELF}'
)
# Other languages have other word orders, so there a sentence must have one of these words and one that asks or forbids.
LONGEST = 200  # characters of such a sentence
_KEPT_UP_ELSEWHERE = (
    r'(?i)(?:\b(?:unit-?)?tests?\w{0,3}\b|\bdoku\w*|\bdo[ck]ument\w+|\bdocs?\b|changelog|changes\.md|readme|\blint\w*'
    r'|\b(?:clippy|fmt|ruff|mypy|ci|api|prs?|commits?)\b|\bpull.?requests?\b|refact\w*|refatt\w*|newsfragment'
    r'|release.notes|abhängigkeit\w*|\bstil[eo]?\b|dépendance\w*|\bstyle\b|dipendenz\w*|\bpruebas?\b|dependencia\w*'
    r'|\bestilo\b|notes de version|note di rilascio|notas de|\bдок\w*|чейндж\w*|зависимост\w*|коммит\w*|линт\w*'
    r'|рефактор\w*|стил\w*|\bтест\w*|测试|文档|更新日志|变更日志|依赖|提交|重构|风格|规范|单测)'
)
_ASKED_ELSEWHERE = (
    r'(?i)(?:\b(?:bitte|füge?|schreib\w*|ergänz\w*|aktualisier\w*|pass|lass\w*|achte|muss|müssen'
    r'|soll\w*|halte?|dazu|ajoute\w*|écri\w*|mets|mettre|lance\w*|garde\w*|merci|svp|stp|doi\w*|faut'
    r'|pense|aggiung\w*|scriv\w*|aggiorn\w*|lancia|esegui|mantieni|tieni|per favore'
    r'|dev(?:e|ono)|añad\w*|agreg\w*|escrib\w*|actualiz\w*|ejecut\w*|corre|pasa|mantén|por favor|porfa'
    r'|debe\w*|tiene\w*|добав\w*|напиш\w*|обнов\w*|прого?н\w*|запуст\w*|пожалуйста|плиз|долж\w*|нуж(?:н\w*|ен)'
    r'|надо)\b|添加|加(?!载)|写|更新|运行|跑|不[要改加动用得]|别|请|确保|必须|保持|补|通过)'
)
# A negation forbids something if it begins the sentence or clause, or if a verb at the end says what not to do. `The
# style is not applied` is the wish itself.
_DENIED_ELSEWHERE = (
    r'(?i)(?:^|[,;:(，、；]\s*|\b(?:und|aber|oder|et|mais|ou|e|ma|o|y|pero|и|но)\s+)\W*(?:also\s+)?'
    r"(?:keine?n?|nichts?|ohne|ne|n['’]|pas|sans|aucune?|non|niente|nessun\w*|senza|no|sin|ningún\w*|не|без|никак\w*)\b"
    r'|^(?!.*\b(?:wird|werden|wurden?|ist|sind|kann|können)\b).*\bnichts? (?:\w+ )?\w+n(?:\W*$|,)'
    r'|\bне \w+(?:(?<!ш)ь|й|йте)\b'
)
_FENCED = r'(?s)(```.*?(?:```|\Z))'
_SENTENCES = r'((?<=[.!?:])\s+|(?<=[。！？；：])|\n+|;\s+)'


def without_chores(text: str, foreign: bool = False) -> str:
    """`text` without the sentences that say how to work; unchanged if hardly anything would remain.

    `foreign` says that it is in another language than English.
    """
    if not re.search(_SENTENCES, text):  # one sentence, which is the wish
        return _unless_too_little(_without_tests_beside(text), text)
    kept: list[str] = []
    for part in re.split(_FENCED, text):
        pieces = [part] if part.startswith('```') else re.split(_SENTENCES, _without_tests_beside(part))
        for sentence, ending in zip(pieces[::2], [*pieces[1::2], ''], strict=True):
            chore = _is_chore_elsewhere(sentence) if foreign else is_chore(sentence, first=not kept)
            if not chore:
                kept.append(sentence)
            kept.append(ending)
    return _unless_too_little(''.join(kept), text)


def _without_tests_beside(text: str) -> str:
    # A pattern of this size takes a millisecond to compile.
    return re.sub(_AND_TESTS, '', text) if any(word in text.lower() for word in ('test', 'spec', 'bench')) else text


def _unless_too_little(remaining: str, text: str) -> str:
    return remaining if len(re.sub(r'\W+', '', remaining)) >= LEAST else text


def is_chore(sentence: str, first: bool = False) -> bool:
    """Whether a sentence says how to work; the `first` of a request does not merely because it begins with tests."""
    if sentence.startswith('```') or len(re.findall(r'\w+', sentence)) > MOST_WORDS:
        return False
    if re.search(_STATED, sentence) and not re.match(f'{_BEGIN}{_WRITTEN}', sentence):
        return False
    if re.match(f'{_BEGIN}(?:{_TO_DO}|{_TO_LEAVE}|{_MANNERS})', sentence):
        return True
    if not first and re.match(f'{_BEGIN}{_FEW % 1}{_KEPT_UP}', sentence):
        return True
    return re.search(rf'(?i)\b{_KEPT_UP}', sentence) is not None and re.match(_IN_ORDER, sentence) is not None


def _is_chore_elsewhere(sentence: str) -> bool:
    if sentence.startswith('```') or len(sentence) > LONGEST:
        return False
    asked = re.search(_ASKED_ELSEWHERE, sentence) or re.search(_DENIED_ELSEWHERE, sentence)
    return asked is not None and re.search(_KEPT_UP_ELSEWHERE, sentence) is not None
