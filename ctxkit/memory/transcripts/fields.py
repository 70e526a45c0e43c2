"""Decode a transcript's fields: a time, the text of a message, the command of a tool call."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from typing import Any

MAX_TOOL_CHARS = 4_000
MAX_NUMBER = 2.5e14  # milliseconds until about the year 9900; a larger number is no time
# Parts that Gemini CLI and Qwen Code add to what was typed: the files that `@` names, the output of a hook.
_ADDED = ('\n--- Content from referenced files ---', '<hook_context>', '<qwen:user-prompt-submit-context>')
_HALF_A_PAIR = re.compile(r'\\u[dD][89a-fA-F]')


def epoch(value: Any) -> float | None:
    """Epoch seconds of an ISO-8601 text, of epoch seconds or of epoch milliseconds; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        if not abs(value) < MAX_NUMBER:  # written so that NaN is refused too
            return None
        return float(value) / 1000 if value > 1e11 else float(value)
    if not isinstance(value, str) or not value:
        return None
    text = value.strip().replace('Z', '+00:00')
    if '.' in text:  # Python 3.10 accepts only three or six decimals, programs write any number
        text = re.sub(r'\.(\d+)', lambda m: '.' + m[1][:6].ljust(6, '0'), text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (OverflowError, OSError, ValueError):
        return None


def decoded(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError for anything else, also for one that is nested too deeply.

    Programs that cut text in the middle of an emoji write half a surrogate pair, which no database accepts: it becomes
    `?`.
    """
    if isinstance(text, bytes):
        text = text.decode('utf-8-sig', 'replace')
    try:
        value = json.loads(text)
        return _whole(value) if _HALF_A_PAIR.search(text) else value
    except RecursionError as error:
        raise ValueError('nested too deeply') from error


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode('utf-8', 'replace').decode('utf-8')
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def clip(text: str, limit: int) -> str:
    """`text` cut in the middle to `limit` characters: the first 60 % and the last 40 %."""
    if len(text) <= limit:
        return text
    first = int(limit * 0.6)
    return f'{text[:first]}\n[… {len(text) - limit} characters left out …]\n{text[first - limit :]}'


def blocks(content: Any, kinds: tuple[str, ...] = ('text', 'input_text', 'output_text')) -> str:
    """The text of a message's content: a string, a block, or a list of blocks of the given `kinds`."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ''
    out = []
    for block in content:
        if isinstance(block, str):
            out.append(block)
        elif isinstance(block, dict) and block.get('type', 'text') in kinds and isinstance(block.get('text'), str):
            out.append(block['text'])
    return '\n'.join(out)


def command_of(arguments: Any) -> str:
    """What a tool call did, as text: its shell command if it has one, else its arguments as JSON."""
    if isinstance(arguments, str):
        try:
            arguments = decoded(arguments)
        except ValueError:
            return clip(arguments, MAX_TOOL_CHARS)
    if isinstance(arguments, dict):
        for name in ('command', 'cmd', 'script'):
            value = arguments.get(name)
            if isinstance(value, list):
                parts = [str(part) for part in value]
                shell = len(parts) > 2 and parts[0].rsplit('/', 1)[-1] in ('bash', 'sh', 'zsh')
                return clip(parts[-1] if shell else ' '.join(parts), MAX_TOOL_CHARS)
            if isinstance(value, str):
                return clip(value, MAX_TOOL_CHARS)
    if arguments is None:
        return ''
    return clip(json.dumps(arguments, ensure_ascii=False), MAX_TOOL_CHARS)


def typed_in(parts: Any) -> str:
    """The typed text in the parts of a user message: the parts before what the program added."""
    texts = [blocks(part) for part in parts] if isinstance(parts, list) else [blocks(parts)]
    added = next((at for at, text in enumerate(texts) if at and text.startswith(_ADDED)), len(texts))
    return '\n'.join(filter(None, texts[:added]))


def response_of(result: Any) -> str:
    """A tool's answer, from the `functionResponse` parts of Gemini's API."""
    out = []
    for part in result if isinstance(result, list) else [result]:
        answer = part.get('functionResponse') if isinstance(part, dict) else None
        body = answer.get('response') if isinstance(answer, dict) else None
        if isinstance(body, dict):
            out.append(str(body.get('output') or body.get('error') or ''))
        elif isinstance(part, str):
            out.append(part)
    return '\n'.join(out)


def exited_badly(output: str) -> bool:
    """Whether a shell tool's output names an exit code other than 0; the tool's status can be success even then."""
    at = output.rfind('Exit Code:')
    return at >= 0 and output[at + 10 : at + 16].strip()[:1] not in ('', '0', '(')
