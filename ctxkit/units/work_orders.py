"""Recognise prompts that only say how to go on: `run the tests and fix what fails`, `open a PR`, `why?`.

A day with an agent is full of them, and a search for each would find code: there is always a test that runs something,
or a function that commits. They consist of nothing but words of such work, in the languages that people type to agents.
"""

from __future__ import annotations

import re

from ctxkit.index.terms import STOP
from ctxkit.units.small_talk import TALK, is_run

MOST = 300  # characters
MOST_WORDS = 25
MOST_UNKNOWN = 4
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+")
_CODE = r'\w(?:[./\\]|::|->)\w|\w\(\)|\w_\w|`\w+`'  # a name or a path, so that there is something to look for
# Ignored: a choice among what was offered, a picture, the number of an issue, an address.
_ASIDE = (
    r'(?i)^\W*(?:[a-z]|\d{1,2})\W*$|\[(?:image|pasted text|audio)\b[^\]\n]{0,40}\]|(?<!\w)#\d+|https?://\S+'
    r'|\b(?:options?|steps?|variants?|points?|items?|numbers?|phases?|tasks?|parts?|plan) ?(?:\d+|[a-h])\b'
)
# Ignored, too: phrases about the work whose words alone could name a part of a program (`the message is cut`).
_PHRASES = (
    r'(?i)\b(?:(?:readme|change(?:s|log)|claude|agents|gemini|plan|todo)\.md|(?:pull|merge) requests?|unit[ -]tests?'
    r'|type (?:hints?|annotations?|errors?)|release notes?|tag (?:an? |the )?release|draft pr|git status|todo lists?'
    r'|(?:bump|raise) (?:the )?(?:\w+ )?versions?|debug (?:prints?|statements?|output|logs?)|(?:ci|build|test) logs?'
    r'|(?:commit|good|better|short|proper|clear|bon|buen) (?:messages?|mensaje)|(?:conventional|atomic) commits?'
    r'|(?:review|code|inline|fewer|less|no|more) comments?|comments? (?:you|i|we)|add (?:\w+ )?comments?'
    r'|(?:re)?format (?:(?:the|your|all) )*(?:code|files?|it|everything|this)'
    r'|(?:other|changed|which) files?|edited the files?'
    r'|(?:ci|builds?|tests?|pipeline|suite|still)(?: \w+){0,2} (?:red|green)|close (?:the|this) (?:pr|issue)'
    r'|(?:short|long|first|second|last|other|same|next) (?:version|option)|(?:the|its) (?:public apis?|output|status)'
    r'|(?:one|a few|two|three) sentences?|your (?:time|progress)|handoff notes?|dead code|unused imports?|my machine'
    r'|(?:split|drop) (?:it|this|that|the last)|(?:the )?same style|existing style|from scratch'
    r'|skip the tests|pre-commit'
    r'|reset (?:\S+ )?(?:to )?head|delete (?:the|this|that) branch|branch (?:called|named) \S+|branch \w+[/-]\S+'
    r'|(?:in|speak) (?:english|german|french|spanish|italian|russian|chinese|japanese|korean|portuguese))(?!\w)'
)
# A question after how or where something is names it, unless it points at what was said.
_ASKS = r'(?i)\W*(?:how (?:do|does|is|are|can)|where (?:do|does|is|are)|what (?:do|does))\b'
_POINTING = frozenset('it this that these those them you your one ones'.split())
_ENGLISH = (
    'git github gitlab commit commits committed push pushed pull fetch branch branches main master origin upstream '
    'rebase rebased merge merged squash stash amend cherry-pick force force-push checkout check diff pr prs conflict '
    'conflicts resolve release bump description repo repository project codebase code test tests testing tested suite '
    'coverage pass passes passing fail fails failing failed failure failures broke break breaks broken green ci '
    'pipeline lint linter formatter ruff mypy pytest tox eslint prettier clippy rubocop npm yarn pnpm cargo make '
    'gradle mvn bundle exec rake pip build builds compile compiles error errors warning warnings docs doc '
    'documentation docstrings docstring document readme changelog md dependencies deps packages install locally '
    'function method class meant mean other others another first second third last next previous same different '
    'approach way thing things idea solution step steps part parts plan plans rest everything anything nothing all '
    'any each every both neither think harder hard careful brief simple simpler simplest small smaller short shorter '
    'minimal better clean cleaner cleanup simplify shorten complicated complex explain explanation summarize '
    'summarise summary describe overview tell show see say said ask asked answer question know want wanted wants need '
    'needs needed forgot forget remember finish finished finishes ready start begin leave left keep undone redo '
    'rollback back touch review reviewed feedback read write wrote written create open touching touched missing full '
    "whole complete discuss wait stop done did does doing doesn't don't didn't can't won't isn't aren't wasn't dont "
    "doesnt didnt you're you've i'm i've i'll i'd we're what's where's how's there's still yet already always never "
    'maybe really actually anyway before after until against without about out off over too also bit little lot lots '
    'more most less enough ignore happened happens happen going gone pls hm hmm lol wtf mind new current latest ones '
    'onto entry alone give were been here these those else not sorry quick quickly briefly carefully separate up '
    'respond reply address rerun re-run far come suggest suggestion recommend recommendation best double-check '
    'nevermind circles problem problems help helped get got gets crash crashes behaviour behavior backwards '
    'compatible compatibility fewer faster readable maintainable robust rename long longer verbose conversation '
    'subagents subagent ultrathink myself yourself moment brb edited typecheck deploy easier easy obvious likely '
    'probably correctly properly manually automatically worse believe guess found find meantime today tomorrow later '
    'soon two three four many much reword uncommitted approve disagree quite almost either whatever complain '
    'complains happy typo typos conventions existing top down reproduce opinion choice together apart afterwards'
)
_GERMAN = (
    'führe führ aus die der das den dem des ein eine einen einem einer und oder tests test behebe behebt beheb '
    'repariere fehler fehlgeschlagene fehlschlagen fehlschlägt fehlschlagenden committe commite commit pushe push '
    'erkläre erklär was wie warum wieso weshalb du hast habe ich gemacht geändert getan änderungen änderung mach '
    'mache pr auf erstelle erstell öffne schreib schreibe lass laufen starte prüfe überprüfe alles alle mit guten '
    'guter nachricht rückgängig machen zurück nächste nächsten schritt andere anderen anderes erste ersten zweite '
    'nicht nur erst dann jetzt noch immer wieder einfacher kürzer dokumentiere dokumentation fasse zusammen zeig '
    'zeige diff mir kannst bitte damit dafür dazu dies diese diesen im zum für von warte stopp plan branch '
    'rebase merge main lösche'
)
_FRENCH = (
    'lance lancer exécute les le la un une des du de et ou tests test corrige corriger ce qui que ne passe passent '
    'pas plus fais fait faire commit push explique tu as ai modifié changé changements modifications pourquoi ouvre '
    "crée pr écris avec annule annuler tout ça cela l'autre autre premier première deuxième suivante étape encore "
    'toujours erreur erreurs simplifie documente résume montre moi diff branche rebase merge main sur'
)
_SPANISH = (
    'ejecuta corre lanza los las el la un una y o de del tests pruebas test arregla corrige lo que falla fallan haz '
    'hacer commit push con buen explica has hecho hiciste cambiado cambios por qué abre crea pr escribe deshaz todo '
    'eso esto otra otro primero primera segundo siguiente paso todavía sigue fallando error errores simplifica '
    'documenta resume muestra muéstrame diff rama rebase merge main en no'
)
_ITALIAN = (
    'esegui lancia i gli le il lo la un una e o di del test correggi sistema quello che fallisce falliscono errori '
    'errore fai fare commit push con buon messaggio spiega hai fatto cambiato modifiche perché apri crea pr scrivi '
    "annulla tutto questo l'altro altro primo prima secondo prossimo passo ancora non semplifica documenta riassumi "
    'mostra mostrami diff ramo branch rebase merge main su'
)
_RUSSIAN = (
    'запусти запустить прогони тесты тест исправь почини ошибки ошибку что не проходит падает падают сделай сделать '
    'коммит закоммить пуш запушь запуш объясни ты я сделал изменил изменения почему зачем открой создай пр пулл '
    'реквест напиши с хорошим сообщением отмени верни это всё все и в на другой другое первый второй следующий шаг '
    'опять снова упрости задокументируй покажи дифф ветку ветка мерж ребейз ещё теперь'
)
_RUN = (
    '(?:运行|跑|执行|测试|单测|一遍|一下|把|修复|修|失败|报错|错误|的|提交|代码|推送|创建|开|合并|分支|解释|说明|你|我|做|什么|改动'
    '|修改|为什么|撤销|回滚|写|更新|文档|日志|这个|那个|下一步|步|全部|所有|并|和|请|帮|再|了|吧|一个|消息|个|添加|pr'
    '|テスト|実行|して|コミット|プッシュ|修正|失敗|した|を|の|が|は|に|で|説明|なぜ|変更|元|戻|書|作成|追加|pr|ください|全部'
    '|테스트|실행|해줘|해|주세요|커밋|푸시|수정|하고|을|를|고쳐|줘|설명|왜|변경|되돌려|만들어|추가|pr)+'
)
_WORDS = STOP.union(TALK, *map(str.split, (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _RUSSIAN)))


def is_work_order(prompt: str) -> bool:
    """Whether a prompt only says how to go on, or points at what was said, so that there is nothing to look for."""
    if not is_about_work(prompt):
        return False
    words = set(_WORD.findall(prompt.lower()))
    return re.match(_ASKS, prompt) is None or not words.isdisjoint(_POINTING) or words <= STOP | TALK


def is_about_work(prompt: str) -> bool:
    """Whether a prompt consists of nothing but words about the work."""
    if len(prompt) > MOST:
        return False
    # the patterns take 2 ms to compile, and leave no more than MOST_UNKNOWN out of account
    if sum(word.isascii() and word.isalpha() and word not in _WORDS for word in prompt.lower().split()) > MOST_UNKNOWN:
        return False
    remaining = re.sub(_PHRASES, ' ', re.sub(_ASIDE, ' ', prompt.replace('’', "'")))
    if re.search(_CODE, remaining):
        return False
    words = _WORD.findall(remaining.lower())
    return len(words) <= MOST_WORDS and all(word in _WORDS or is_run(word, _RUN) for word in words)
