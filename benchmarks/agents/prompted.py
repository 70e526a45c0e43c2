"""What an agent is shown of the code that a prompt leads to: by the block of a session's start, by the prompt's hook.

    python -m benchmarks.agents.prompted --clones DIR [--count 40]

Prompts of benchmarks/retrieval/cases/prompts.jsonl, each in a clone at the commit before its change, indexed anew;
those whose commit no clone has are left out. Held are functions of which 60 % of the lines are shown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.retrieval.block import Case, held

CASES = Path(__file__).parents[1] / 'retrieval/cases'
CTXKIT = [sys.executable, '-m', 'ctxkit']
ALWAYS = {'CTXKIT_INJECT_PROMPTS': 'all', 'CTXKIT_INJECT_SECONDS': '20', 'CTXKIT_CONFIG': os.devnull}


def rows(name: str) -> list[dict]:
    """The lines of a case file."""
    return [json.loads(line) for line in (CASES / name).read_text('utf-8').splitlines()]


def shown(tree: Path, prompt: str) -> tuple[str, str, float]:
    """(the block of a session's start, what the prompt's hook prints, seconds that the hook took)."""
    environ = {**os.environ, **ALWAYS}
    subprocess.run([*CTXKIT, 'update'], cwd=tree, env=environ, check=True, capture_output=True)
    given = json.dumps({'session_id': 's', 'hook_event_name': 'UserPromptSubmit', 'prompt': prompt})
    began = time.perf_counter()
    done = subprocess.run(
        [*CTXKIT, 'show', '--agent', 'claude-code'],
        cwd=tree,
        env=environ,
        input=given,
        check=True,
        capture_output=True,
        text=True,
    )
    return (tree / '.ctx/context.xml').read_text('utf-8'), done.stdout, time.perf_counter() - began


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--clones', type=Path, required=True)
    parser.add_argument('--count', type=int, default=40)
    given = parser.parse_args()
    changes = {(one['repo'], one['commit']): one for name in ('held', 'further') for one in rows(f'{name}.jsonl')}
    prompts = rows('prompts.jsonl')
    random.Random(3).shuffle(prompts)
    found, taken = [], []
    for prompt in prompts:
        change, clone = changes[prompt['repo'], prompt['commit']], given.clones / prompt['repo']
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder, 'tree')
            quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'check': False}
            subprocess.run(['git', 'clone', '-q', '-s', '-n', str(clone.resolve()), str(tree)], **quiet)
            subprocess.run(['git', '-C', str(tree), 'checkout', '-q', '-f', change['parent']], **quiet)
            head = subprocess.run(['git', '-C', str(tree), 'rev-parse', 'HEAD'], capture_output=True, check=False)
            if head.stdout.decode().strip() != change['parent']:
                continue
            block, code, seconds = shown(tree, prompt['request'])
        case = Case(prompt['repo'], change['parent'], prompt['request'], change['gold'])
        found.append((*held(clone, case, block), *held(clone, case, code)))
        taken.append(seconds)
        if len(found) == given.count:
            break
    if not found:
        sys.exit(f'no commit of {CASES} is in a clone below {given.clones}')
    files, functions, more_files, more = (sum(column) / len(found) for column in zip(*found, strict=True))
    print(f'{len(found)} prompts')
    print(f'the block of the start: {functions:.3f} of the functions held, {files:.3f} of the files named')
    print(f'the hook of the prompt: {more:.3f} of the functions held, {more_files:.3f} of the files named')
    print(f'it took {sorted(taken)[len(taken) // 2]:.2f} s (median), {max(taken):.2f} s at most')


if __name__ == '__main__':
    main()
