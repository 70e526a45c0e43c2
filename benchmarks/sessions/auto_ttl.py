"""Is ephemeral context kept and ended when it should be? Runs scripted conversations through a real log.

    python benchmarks/sessions/auto_ttl.py            both halves, with the targets
    python benchmarks/sessions/auto_ttl.py --errors   the tuning half only, with every wrong decision

Notation: `==` name; `>` a request that is not judged, `+` a follow-up about the matter, `-` an unrelated request;
`[tool] text` an ephemeral tool result, `[]` a draft of no tool, `[tool!]` a lasting one; `<` an answer; `?` what must
hold now: active or ended (of the tool named, if one is). A letter before a line is the conversation's id.

The held conversations were written after the rules were fixed and are never used to change them.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

from ctxkit.sessions.database import opened
from ctxkit.sessions.log import append
from ctxkit.sessions.message import Message
from ctxkit.sessions.related import judge
from ctxkit.sessions.state import state_of
from ctxkit.settings import SessionSettings

HERE = Path(__file__).parent
TARGET = 0.95
LINE = re.compile(r'([A-Z]?)([><+?-]|\[[^\]]*\]) ?(.*)')


def run(file: Path, show: bool) -> tuple[int, int, int, int]:
    """Right decisions, decisions, rightly judged requests, judged requests."""
    right = decisions = judged_right = judged = 0
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder, '.ctx'), make=True) as db:
        for block in file.read_text(encoding='utf-8').split('\n== ')[1:]:
            name, *lines = block.strip().splitlines()
            for number, line in enumerate(lines):
                match = LINE.fullmatch(line)
                assert match, line
                who, mark, said = match.groups()
                session = f'{name}/{who}'
                if mark == '?':
                    decisions += 1
                    state = state_of(db, session)
                    wanted, _, tool = said.partition(' ')
                    is_active = state.active and tool in ('', state.tool)
                    right += is_active == (wanted == 'active')
                    if show and is_active != (wanted == 'active'):
                        print(f'WRONG  {name}: line {number + 1}: {said}, but {state.reason}')
                    continue
                append(db, message(session, mark, said), SessionSettings(), number, judge)
                if mark in '+-':
                    related = db.execute('SELECT related FROM chat_messages ORDER BY id DESC LIMIT 1').fetchone()[0]
                    if related is not None:
                        judged += 1
                        judged_right += related == (mark == '+')
                        if show and related != (mark == '+'):
                            print(f'  {mark} {said}   ({state_of(db, session).reason})')
    return right, decisions, judged_right, judged


def message(session: str, mark: str, said: str) -> Message:
    """The line as a message of the log."""
    if mark in '>+-':
        return Message(session, 'user', said)
    if mark == '<':
        return Message(session, 'assistant', said)
    tool = mark[1:-1]
    return Message(session, 'tool' if tool else 'assistant', said, tool.rstrip('!'), ephemeral=not tool.endswith('!'))


def main() -> int:
    """Print the figures; exit 1 below the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--errors', action='store_true')
    show = parser.parse_args().errors
    worst = 1.0
    for half in ['tuning'] if show else ['tuning', 'held']:
        file = HERE / f'conversations_{half}.txt'
        right, decisions, judged_right, judged = run(file, show)
        worst = min(worst, right / decisions)
        print(
            f'{half}: {right}/{decisions} decisions right ({right / decisions:.1%}, target {TARGET:.0%}); '
            f'{judged_right}/{judged} requests judged rightly ({judged_right / judged:.1%})'
        )
    return 0 if worst >= TARGET else 1


if __name__ == '__main__':
    sys.exit(main())
