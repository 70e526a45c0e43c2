"""The budgeted context block: sections, then units, all counted, never over the budget."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from ctxkit import repo as git
from ctxkit.errors import CtxError
from ctxkit.in_thread import in_thread
from ctxkit.render import budget as budgets
from ctxkit.render.block import Block, Section, section_xml
from ctxkit.repo import Repo, WorkTree
from ctxkit.settings import Settings
from ctxkit.units.shown import Unit
from ctxkit.units.small_talk import is_small_talk
from ctxkit.units.stream import REMOVED

__all__ = ['Block', 'Section', 'Unit', 'build']

PROVIDERS = {
    'environment': 'ctxkit.render.environment',
    'session': 'ctxkit.sessions.section',
    'memory': 'ctxkit.memory.section',
    'web': 'ctxkit.web.section',
}
NAMES = (*PROVIDERS, 'units')
ABSENT = 'not checked out'


def build(
    repo: Repo,
    settings: Settings,
    *,
    query: str = '',
    budget: int | None = None,
    now: float,
    sections: Sequence[str] = (),
) -> Block:
    """The block of the work tree as it is now; `query` chooses the units and is printed last.

    `budget` is for the whole block (None: as configured), `sections` names those wanted (none: all). Indexes what is
    not yet indexed. Raises CtxError for an unknown section or a budget too small for a block.
    """
    for name in sections:
        if name not in NAMES:
            raise CtxError(f'there is no section {name}', f'the sections are {", ".join(NAMES)}')
    waiting = in_thread(lambda: git.snapshot(repo))  # git takes longer than the imports
    shares = budgets.share(settings.budget, budget)
    tokenizer, count = budgets.counter(settings.budget.tokenizer)
    about = '' if is_small_talk(query) else query.strip()
    _load(settings, about)
    from ctxkit.feedback.state import current

    state = current(repo, now)
    tree = waiting()
    if about:  # leave the room to the requested code
        tree = tree._replace(earlier=())
    note = f'Only paths are listed, since {state.reason}: read the files themselves.' if state.down else ''
    frame = _without_content(tree, shares.total, tokenizer, count, note)
    used = count(frame.element()) + 4
    filled = []
    for name, size in shares.sections.items():
        if sections and name not in sections:
            continue
        lines = _lines(name, repo, settings, size, now, count, query, tree)
        section = _fit(name, lines, min(size, shares.total - used), count)
        if section is not None:
            filled.append(section)
            used += section.used
    units: tuple[Unit, ...] = ()
    left = 0
    if not sections or 'units' in sections:
        room = shares.total - used - count('<semantic_units why="match the request">\n</semantic_units>\n')
        units, left = _units(repo, settings, about, tree, room, now, count, state.down)
        units = note_absent(repo, units)
    request = query.strip('\n') if query.strip() else ''
    block = frame._replace(sections=tuple(filled), units=units, left_out=left, request=request)
    return _measured(block, count)


def _without_content(tree: WorkTree, total: int, tokenizer: str, count: budgets.Count, note: str) -> Block:
    """The block without sections and units; its figures take as much room as they can ever need."""
    frame = Block(
        tree.commit,
        tree.branch,
        bool(tree.changes),
        budget=total,
        used=total,
        tokenizer=tokenizer,
        left_out=10_000,
        sections=(),
        units=(),
        note=note,
    )
    while count(frame.element()) > total // 2 and len(frame.branch) > 8:  # the branch's name has hundreds of characters
        frame = frame._replace(branch=frame.branch[: len(frame.branch) // 2] + '…')
    return frame


def _load(settings: Settings, query: str) -> None:
    """Import what the block will need, while git looks at the work tree."""
    for name, module in PROVIDERS.items():
        if name != 'web' or settings.web.mode != 'off':
            importlib.import_module(module)
    if query:
        from ctxkit.embedding import encoder_for
        from ctxkit.units import with_request  # noqa: F401

        encoder_for(settings.model.name)
    else:
        from ctxkit.units import without_request  # noqa: F401


def _measured(block: Block, count: budgets.Count) -> Block:
    """The block with its real size in `used`. Last units are dropped while that is above the budget: a tokenizer may
    count the whole higher than its parts, and the note on files not checked out is added after the units are chosen."""
    while True:
        used = count(block.element())
        for _ in range(3):  # the size is part of the block, so its digits are counted too
            if block.used == used:
                break
            before, block = block, block._replace(used=used)
            if _frame(block, count) != _frame(before, count):  # else spare counting the whole again: milliseconds
                used = count(block.element())
        if used <= block.budget or not block.units:
            return block._replace(used=max(used, block.used))
        block = block._replace(units=block.units[:-1], left_out=block.left_out + 1)


def _frame(block: Block, count: budgets.Count) -> tuple[int, int]:
    return len(str(block.used)), count(block._replace(sections=(), units=()).element())


def _lines(
    name: str, repo: Repo, settings: Settings, size: int, now: float, count: budgets.Count, query: str, tree: WorkTree
) -> list[str]:
    provider = importlib.import_module(PROVIDERS[name])
    if name == 'environment':
        found = provider.lines(repo, settings, size, now, count, work=tree)
    elif name == 'web':
        found = provider.lines(repo, settings, size, now, count, query) if settings.web.mode != 'off' else []
    else:
        found = provider.lines(repo, settings, size, now, count)
    lines: list[str] = found
    return lines


def _fit(name: str, lines: Sequence[str], size: int, count: budgets.Count) -> Section | None:
    """The section with as many of the first lines as fit, escaped and wrapped; None if none does."""
    kept = list(lines)
    while kept:
        cost = count(section_xml(name, tuple(kept))) + 1
        if cost <= size:
            return Section(name, size, cost, tuple(kept))
        kept.pop()
    return None


def _units(
    repo: Repo,
    settings: Settings,
    query: str,
    tree: WorkTree,
    room: int,
    now: float,
    count: budgets.Count,
    paths_only: bool,
) -> tuple[tuple[Unit, ...], int]:
    if query:
        from ctxkit.units.with_request import select_with_request

        found = select_with_request(repo, settings, query, tree, room, now, count, paths_only)
        if found is not None:
            return found.units, found.left_out
    from ctxkit.units.without_request import select_without_request

    return select_without_request(repo, settings, tree, room, now, count, paths_only)


def note_absent(repo: Repo, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """The units, with a note in `why` on those that an agent cannot open because a sparse checkout leaves them out."""
    absent = git.not_checked_out(repo, {unit.path for unit in units if not unit.why.startswith(REMOVED)})

    def noted(unit: Unit) -> Unit:
        return unit._replace(why=f'{unit.why}; {ABSENT}' if unit.why else ABSENT)

    return tuple(noted(unit) if unit.path in absent else unit for unit in units)
