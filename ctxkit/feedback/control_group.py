"""The control group: conversations that get no block, so that the block's worth can be measured."""

from __future__ import annotations

import hashlib

BLOCK, CONTROL = 'block', 'control'


def group(session: str, share: float) -> str:
    """The group of a conversation, always the same for the same id. The fraction `share` of all gets the block; a
    conversation without an id gets it unless `share` is 0."""
    if not session:
        return BLOCK if share > 0 else CONTROL
    place = int.from_bytes(hashlib.sha256(session.encode('utf-8', 'replace')).digest()[:8], 'big') / 2**64
    return BLOCK if place < share else CONTROL
