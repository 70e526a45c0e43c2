"""The job's summary: what the block holds, its units, and what was skipped, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.counted import counted
from ctxkit.safety.text import printable

if TYPE_CHECKING:
    from ctxkit.pipeline import Update
    from ctxkit.render import Block

MAX_LISTED = 20


def report(block: Block, done: Update, changed: bool, commit: str) -> str:
    """The summary of a run at `commit`; `changed` says whether the bytes differ from those published last."""
    state = 'changed' if changed else 'not changed'
    lines = [
        '## Context',
        '',
        f'Commit `{commit[:10]}`: {block.used} of {block.budget} tokens, {counted(len(block.units), "unit")}, '
        f'{state} since it was published last.',
        '',
        '| section | tokens | of | |',
        '| --- | ---: | ---: | --- |',
    ]
    rest = block.used
    for section in block.sections:
        lines.append(_bar(section.name, section.used, section.budget))
        rest -= section.used
    lines += [_bar('units and frame', rest, block.budget), '']
    if block.units:
        lines += ['| unit | lines | why |', '| --- | --- | --- |']
        for unit in block.units[:MAX_LISTED]:
            place = f'{_code(unit.path)} {_code(unit.symbol)}'
            lines.append(f'| {place} | {unit.start_line}-{unit.end_line} | {_plain(unit.why)} |')
        lines.append('')
    lines.append(
        f'{counted(done.files, "file")}, {counted(done.chunks, "chunk")}; '
        f'{counted(done.sliced_files, "file was", "files were")} sliced in {done.seconds:.1f} s.'
    )
    if done.skipped:
        lines += ['', f'<details><summary>{counted(len(done.skipped), "file")} skipped</summary>', '']
        lines += [f'* {_code(path)}: {_plain(reason)}' for path, reason in done.skipped[:MAX_LISTED]]
        lines += ['', '</details>']
    return '\n'.join(lines) + '\n'


def _bar(name: str, used: int, budget: int) -> str:
    full = min(20, round(20 * used / budget)) if budget else 0
    return f'| {name} | {used} | {budget} | `{"#" * full}{"." * (20 - full)}` |'


def _code(text: str) -> str:
    """`text` as a code span that no name can break out of."""
    shown = printable(text).replace('`', "'").replace('|', '\\|')
    return f'`{shown}`' if shown else ''


def _plain(text: str) -> str:
    return printable(text).replace('|', '\\|').replace('<', '&lt;').replace('`', "'")
