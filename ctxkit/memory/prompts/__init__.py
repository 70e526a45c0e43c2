"""The prompts of the memory pipeline: one Markdown file each, `{{name}}` filled in."""

from __future__ import annotations

import re
from pathlib import Path

from ctxkit.errors import CtxError

NAMES = ('stage_one_system', 'stage_one_input', 'consolidation', 'read_path')


def fill(name: str, **values: str) -> str:
    """The prompt `name` with its variables filled in, in a single pass: values are not searched for variables."""
    text = Path(__file__).with_name(f'{name}.md').read_text('utf-8')

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise CtxError(f'{name}.md asks for {match[1]}', 'the prompt and the program do not fit together')
        return values[match[1]]

    return re.sub(r'\{\{(\w+)\}\}', value, text)
