"""Recognise what a request says about changes: `my changes`, `the last commit`, `this branch`, `3f2a1bc`, `#120`."""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxkit.index.issue import title_of
from ctxkit.units.small_talk import is_small_talk
from ctxkit.units.work_orders import is_about_work

LONGEST = 500  # characters of a request that are read for this; of a longer one, its title
MOST = 4  # commits or numbers; a text with more is a log
WEEK, MONTH = 7, 31
_NUMBERS = {'two': 2, 'three': 3, 'four': 4, 'five': 5, 'zwei': 2, 'drei': 3, '两': 2, '几': 3} | dict.fromkeys(
    ('due', 'deux', 'dos', 'два'), 2
) | dict.fromkeys(('tre', 'trois', 'tres', 'три', 'few', 'couple of', 'several'), 3)  # fmt: skip

# Each request that speaks of changes holds one of these, or a digit: compiling the patterns takes 5 ms.
_SIGNS = (
    '# head commit branch pr mr pull merge issue chang edit diff modif what did done recent latest newest '
    'today yesterday week month days lately '
    'änderung geändert ramo rama cambi коммит измен правк 改 修 更 变 提交'
).split()
# A full or shortened id: hexadecimal digits with a letter and a number among them, or said to be a commit.
_ID = r'(?<![\w./#:-])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w./:-]*\w)|(?<=\bcommit )[0-9a-f]{7,40}\b'
_RELATIVE = r'(?<!\w)HEAD(?:[~^]\d*)+(?![\w.])|(?<=\bshow )HEAD\b|(?<=\b(?:commit|review) )HEAD\b'
# A name that git may know: HEAD~2, v1.2, 2.0.1, an id, the main branch.
_NAMED = (
    r'((?:HEAD[~^\d]*|v\d\w*(?:[-.+]\w+)*|\d+\.\d\w*(?:[-.+]\w+)*|(?=[a-f]*\d)[0-9a-f]{7,40}'
    r'|(?:origin/)?(?:main|master|develop|trunk))(?![\w/~^-]|\.\w))'
)
_SPAN = (
    rf'\b(?i:between|compare|git diff|(?:changes|commits|diff) from) {_NAMED} (?:(?i:and|to|with|vs\.?) )?{_NAMED}'
    rf'|(?:\bgit (?:diff|log) )?(?<![\w./-]){_NAMED}\.\.\.?(?:{_NAMED})?|\bgit (?:diff|log) {_NAMED}(?!\.\.)'
)
_SINCE = rf'\b(?i:since|compared? (?:to|with)) (?:(?i:version|release) )?{_NAMED}'
_NUMBER = r'(?i)(?<![\w&/])#(\d{1,6})\b(?!-)|\b(?:PR|MR|pull requests?|merge requests?|issue) [#!]?(\d{1,6})\b'
_OWN = (
    r'(?i)\b(?:my|our) (?:\w+ ){0,2}(?:changes|edits|diff|modifications)\b'
    r'|\b(?:uncommitted|unstaged|staged|local|pending|current) (?:changes|edits|modifications)\b'
    r'|\bwhat (?:did|have) (?:i|we|you) (?:just |already |actually )?'
    r'(?:chang|edit|modif|do\b|done|writ|wrote|break|broke)\w*'
    r'|\A\W*git diff(?! [\w-])|\b(?:le )?mie modifiche\b|\bmeiner? Änderungen\b|\bmes (?:changements|modifications)\b'
    r'|\bmis cambios\b|\bмои(?:х|ми)? (?:изменени|правк)\w*|我的?(?:改动|修改|更改|变更)'
)
_BRANCH = (
    r'(?i)\b(?:this|my|our|the current|the feature|current) (?:feature )?(?:branch|pr|mr|pull request|merge request)\b'
    r'|\b(?:quest[oa]|diese[rn]?|cette|est[ea]) (?:branch|ramo|pr|branche|rama)\b'
)
_LAST = (
    r'(?i)\b(?:(?:the|my|our|your) )?(?:last|latest|previous|most recent|newest)'
    r' (?:(\d{1,2}|two|three|four|five|few|couple of|several) )?commits?\b'
    r'|\bletzte[nrs]? (?:(\d{1,2}|zwei|drei) )?Commits?\b|\bultim[oi] (?:(\d{1,2}|due|tre) )?commit\b'
    r'|\b(?:(\d{1,2}|deux|trois) )?derniers? commits?\b|\búltimos? (?:(\d{1,2}|dos|tres) )?commits?\b'
    r'|\bпоследн\w+ (?:(\d{1,2}|два|три) )?коммит\w*|(?:最后|最近|上)(?:一|(\d{1,2}|两|几))?[次个]?提交'
)
# With other words beside it, `last commit` may be what a program shows; only so is it said of this repository.
_BY_LAST = (
    r'(?i)\b(?:in|by|since|after|with) (?:the|my|our|your) (?:last|latest|previous) (?:\w+ )?commits?\b'
    r'|\b(?:last|latest|previous) (?:\w+ )?commits? (?:broke|breaks|introduced|caused|causes|changed|removed|added'
    r'|renamed|made|regress\w*)\b'
)
_RECENT = (
    r'(?i)\b(?:recent(?:ly)?|latest|newest) (?:\w+ )?(?:chang\w+|commits|edits|edited|modified)\b'
    r'|\bletzten? Änderungen\b|\bwas hat sich geändert\b|\bultime modifiche\b|\bcosa è cambiato\b'
    r"|\bdern(?:iers changements|ières modifications)\b|\bqu'est-ce qui a changé\b|\búltimos cambios\b"
    r'|\bqué (?:ha )?cambi\w+|\bпоследние изменения\b|\bчто изменилось\b|最近的?(?:改动|修改|更改|变更)'
)
# Words in between may name what changed: `did the price change?`
_CHANGED = (
    r"(?i)\bwhat(?:'s| is| has| have| was| were| did)? (?:\w+ ){0,2}?(?:changed?|done|happened|new)\b"
    r'|\b(?:did|have|has|was|were) (?:\w+ ){0,4}?chang\w+'
)
_WHEN = (
    r'(?i)\b(?:(?P<day>today|this morning|since (?:yesterday|this morning)|yesterday)'
    r'|(?P<week>this week|last week|past week|since (?:last week|\w+day)|recently|lately)'
    r'|(?P<month>this month|last month|past month)'
    r"|(?:last|past) (?P<count>\d{1,3}|two|three|four|five|couple of|few) (?P<unit>day|week|month)s)(?:'s)?\b"
)
_AGAINST = r'(?i)\bcompared?\b|\b(?:with|to|against|from|and) (?:origin/)?(?:main|master|develop|trunk)\b'


class Meant(NamedTuple):
    """The changes that a request speaks of.

    `ids` name commits as git understands them, `numbers` issues or pull requests that commits name, and `spans` pairs:
    the commits up to the second that the first has not. `own` are the uncommitted edits, or where there are none, the
    branch; `branch` is what the current branch has and the main one has not; `last` counts the last commits, `days` how
    far recent changes go back. If `alone`, the request is about the changes themselves and nothing else; only then are
    there `spans`.
    """

    ids: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    spans: tuple[tuple[str, str], ...] = ()
    own: bool = False
    branch: bool = False
    last: int = 0
    days: int = 0
    alone: bool = False

    def exactly_named(self) -> Meant:
        """Only what names commits by ids, numbers or versions."""
        exact = Meant(self.ids, self.numbers, self.spans)
        return exact._replace(alone=self.alone and bool(exact))

    def __bool__(self) -> bool:
        return any(self[:-1])


def changes_meant(request: str) -> Meant:
    """What a request says about changes; false if it says nothing."""
    text = request.replace('’', "'")
    if len(text) > LONGEST:
        text = title_of(text)
    lower = text.lower()
    if not any(sign in lower for sign in _SIGNS) and not any(map(str.isdigit, text)):
        return Meant()
    spans = [(*filter(None, found.groups()), 'HEAD')[:2] for found in re.finditer(_SPAN, text)]
    single = re.sub(_SPAN, ' ', text)
    spans += [(found[1], 'HEAD') for found in re.finditer(_SINCE, single)]  # that commit itself may be to blame
    ids = [found[0] for pattern in (_ID, _RELATIVE) for found in re.finditer(pattern, single)]
    numbers = [int(found[1] or found[2]) for found in re.finditer(_NUMBER, text)]
    if len(ids) + len(numbers) + len(spans) > MOST or not text:
        return Meant()
    rest = text
    for pattern in (_SPAN, _SINCE, _ID, _RELATIVE, _NUMBER, _OWN, _BRANCH, _LAST, _RECENT, _WHEN, _AGAINST):
        rest = re.sub(pattern, ' ', rest)
    last, recent = re.search(_LAST, text), re.search(_RECENT, text) or re.search(_CHANGED, text)
    when = re.search(_WHEN, re.sub(_RECENT, ' ', text))  # `recently edited notes` may be a list in the program
    alone = not rest.strip(' ?!.,:;') or is_about_work(rest) or is_small_talk(rest)
    named = ids or numbers or spans
    said = Meant(
        tuple(ids),
        tuple(numbers),
        tuple(spans) if alone else (),
        own=re.search(_OWN, text) is not None,
        branch=re.search(_BRANCH, text) is not None,
        last=_how_many(last) if last and (alone or re.search(_BY_LAST, text)) else 0,
        days=_how_long(when) if sum(map(bool, (recent, when, alone))) >= 2 and not (last or named) else 0,
    )
    return said._replace(alone=alone and bool(said))


def without_commits(request: str) -> str:
    """The request without the ids and `HEAD~2` that name commits: code says no such thing, but may look like it."""
    return re.sub(rf'{_ID}|{_RELATIVE}', ' ', request)


def _how_many(found: re.Match[str]) -> int:
    count = next((one for one in found.groups() if one), '1').lower()
    return _NUMBERS.get(count) or int(count)


def _how_long(found: re.Match[str] | None) -> int:
    """The days that a phrase names; a week if none is named."""
    if found is None or found['week']:
        return WEEK
    if found['count']:
        count = found['count'].lower()
        return (_NUMBERS.get(count) or int(count)) * {'day': 1, 'week': WEEK, 'month': MONTH}[found['unit'].lower()]
    return 2 if found['day'] else MONTH
