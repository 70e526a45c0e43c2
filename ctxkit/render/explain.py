"""Where each token of a block went, as a table for a person."""

from __future__ import annotations

from ctxkit import tokens
from ctxkit.render.block import Block
from ctxkit.safety.text import printable


def explained(block: Block) -> str:
    """A line for each section and unit; units are counted with the built-in estimate."""
    rows = [f'{section.name:<12}{section.used:>7} of {section.budget}' for section in block.sections]
    units = sum(tokens.count(unit.to_xml()) + 1 for unit in block.units)
    rows.append(f'{"units":<12}{units:>7}   {len(block.units)} shown, {block.left_out} left out')
    for unit in block.units:
        place = printable(f'{unit.path}:{unit.start_line}-{unit.end_line} {unit.symbol}')
        rows.append(f'{"":<12}{tokens.count(unit.to_xml()):>7}   {unit.level:<9} {place}')
    framing = block.used - units - sum(section.used for section in block.sections)
    rows.append(f'{"frame":<12}{max(framing, 0):>7}')
    rows.append(f'{"total":<12}{block.used:>7} of {block.budget} ({block.tokenizer})')
    return '\n'.join(rows) + '\n'
