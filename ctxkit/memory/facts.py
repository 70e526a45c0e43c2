"""What memory is made of: statements (who said what, where) and the facts that result from them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ctxkit.memory.phrases import Options
    from ctxkit.memory.transcripts.record import Message, SessionInfo

KINDS = ('goal', 'decision', 'convention', 'question', 'pitfall')
WHO = ('human', 'commit', 'agent', 'tool')
STATUSES = ('proposed', 'active', 'superseded', 'retracted')
TRUSTED = frozenset({'human', 'commit'})
MAX_TEXT = 400
_CONTROLS = re.compile('[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+')


class Anchor(NamedTuple):
    """The code that a fact mentions: a unit (path, symbol, hash of its own text), or a path alone (symbol and hash '').

    `state` is fresh, changed or gone, as of the last check; `since` is the commit that changed it, or ''.
    """

    path: str
    symbol: str
    hash: str
    state: str = 'fresh'
    since: str = ''


class Source(NamedTuple):
    """Where a statement was made: agent ('ctxkit' for a command, 'git' for a commit), conversation, message id."""

    agent: str
    session: str
    message: str


@dataclass(frozen=True)
class Statement:
    """Something that was said. `chosen` is the option that it picks, `instead_of` the one that it replaces; '' if none.

    `kind` is one of KINDS, or 'withdraw' for taking back what `text` says. `fact` is the id of the fact concerned, for
    statements made by id (an edit, a verdict).
    """

    kind: str
    text: str
    who: str
    source: Source
    at: float
    cwd: str = ''
    branch: str = ''
    chosen: str = ''
    instead_of: str = ''
    negative: bool = False
    fact: str = ''
    anchors: tuple[Anchor, ...] = ()

    @property
    def id(self) -> str:
        """A stable identity: the same words in the same message are the same statement, in a forked copy too."""
        scope = self.source.message or f'{self.source.session} {self.at}'
        return digest(self.source.agent, scope, self.kind, normal(self.text))


def source_of(message: Message) -> Source:
    """The source of this message's statements."""
    return Source(message.agent, message.session_id, message.msg_id)


def statement_in(
    info: SessionInfo, message: Message, kind: str, text: str, who: str, picked: Options | None = None
) -> Statement:
    """A statement made by a message of this conversation, at the message's time or else the conversation's."""
    at = message.ts if message.ts is not None else info.started or info.mtime_ns / 1e9
    chosen, instead_of, negative = picked or ('', '', False)
    branch = info.git_branch or ''
    return Statement(kind, text, who, source_of(message), at, info.cwd, branch, chosen, instead_of, negative)


@dataclass(frozen=True)
class Fact:
    """What is remembered. Times are epoch seconds; `expires` is None for what does not expire.

    `confirmations` counts the conversations and commits that say so. `superseded_by` is the id of the fact that
    replaced it. `who` is the most trusted of those who said it.
    """

    id: str
    kind: str
    text: str
    who: str
    status: str
    sources: tuple[Source, ...]
    first_seen: float
    last_seen: float
    confirmations: int = 1
    superseded_by: str = ''
    expires: float | None = None
    anchors: tuple[Anchor, ...] = ()

    @property
    def gone(self) -> bool:
        """Whether all code that it mentions has vanished."""
        return bool(self.anchors) and all(anchor.state == 'gone' for anchor in self.anchors)

    @property
    def unverified_since(self) -> str:
        """The commit that changed the code it mentions, or 'unknown'; '' while the code is unchanged."""
        for anchor in self.anchors:
            if anchor.state != 'fresh':
                return anchor.since or 'unknown'
        return ''

    def shown(self, now: float) -> bool:
        """Whether it belongs in the block: active, not expired, and its code has not vanished."""
        return self.status == 'active' and not self.gone and (self.expires is None or self.expires > now)

    def with_anchors(self, anchors: tuple[Anchor, ...]) -> Fact:
        """The same fact with `anchors` from another check."""
        return replace(self, anchors=anchors)


def clean(text: str) -> str:
    """`text` as one line of plain text, without controls and bidi marks, white space collapsed, cut to MAX_TEXT."""
    text = ' '.join(_CONTROLS.sub(' ', unicodedata.normalize('NFC', text)).split())
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1].rstrip() + '…'


def normal(text: str) -> str:
    """`text` without the differences in case, punctuation and spacing that do not make it another statement."""
    folded = unicodedata.normalize('NFKC', text).casefold()
    return ' '.join(re.findall(r'[\w+#./-]*\w[+#]*', folded))


def digest(*parts: str) -> str:
    """Twelve hex digits that identify these texts."""
    return sha256('\0'.join(parts).encode('utf-8', 'replace')).hexdigest()[:12]


def fact_id(kind: str, text: str) -> str:
    """The identity of a fact: its kind and what it says."""
    return digest(kind, normal(text))
