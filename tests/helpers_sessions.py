"""Saying something in a session log, and reading back what it holds."""

from __future__ import annotations

from ctxkit.sessions import log
from ctxkit.sessions.message import Message
from ctxkit.sessions.ttl import Judgement
from ctxkit.settings import SessionSettings

NOW = 1_790_000_000.0


def unrelated(*_):
    return Judgement(False, 'by the test')


def say(db, role, content, tool='', session='s', judge=unrelated, settings=None, now=NOW, **keys):
    return log.append(db, Message(session, role, content, tool, **keys), settings or SessionSettings(), now, judge)


def contents(entries):
    return [entry.content for entry in entries]
