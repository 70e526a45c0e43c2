"""Which messages are ephemeral: useful to the person for a while, harmful in the model's window for good.

The caller's own flag wins, then the person's settings, then these rules by the tool's name. By rule, only messages of a
tool or to a tool can be ephemeral; a request and an answer never are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from ctxkit.sessions.message import Message, half

# Words of a tool's name that mean an intermediate result: a preview, a slice, a snapshot, a draft, a look-up.
INTERMEDIATE = frozenset(
    'preview previews draft drafts slice slices snapshot snapshots screenshot screenshots dryrun dry diff render '
    'mockup sketch outline scratch scratchpad tmp temp think plan todo '
    'read cat view open get list ls glob grep rg find search lookup query browse fetch tree inspect '
    'show'.split()
)
# Words that mean a lasting effect; they win over the words above (`save_preview`, `write_draft`).
LASTING = frozenset(
    'write edit apply patch save commit create delete remove rename move publish deploy send update set insert replace '
    'merge push install run execute'.split()
)
_WORD = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+')


def is_ephemeral(message: Message, ephemeral_tools: Sequence[str], permanent_tools: Sequence[str]) -> bool:
    """Whether the message is ephemeral by the caller's flag, the person's globs, or the rules."""
    if message.ephemeral is not None:
        return message.ephemeral
    if not half(message.role, message.tool):
        return False
    name = message.tool.lower()
    if any(fnmatchcase(name, glob.lower()) for glob in permanent_tools):
        return False
    if any(fnmatchcase(name, glob.lower()) for glob in ephemeral_tools):
        return True
    words = {word.lower() for word in _WORD.findall(message.tool.rpartition('__')[2])}
    return bool(words & INTERMEDIATE) and not words & LASTING
