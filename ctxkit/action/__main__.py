"""`python -I -m ctxkit.action locate|refresh|publish`: the steps of the Action; the environment holds their inputs."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ctxkit import __version__, config, repo
from ctxkit.action.publish import WAYS, is_our_commit, may_publish, note, publish, published
from ctxkit.action.report import report
from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder, write_whole
from ctxkit.safety.text import printable


def locate(found: Repo, environ: Mapping[str, str]) -> None:
    """Output the index's folder, which the workflow caches between runs, and the version that the cache depends on."""
    data_folder(found.data_dir)
    _output(environ, index=str(found.data_dir), version=__version__)


def refresh(found: Repo, environ: Mapping[str, str]) -> None:
    """Bring the context up to HEAD, write the outputs and the job's summary, and decide whether to publish."""
    from ctxkit import pipeline
    from ctxkit.render import build

    way = environ.get('CTXKIT_INPUT_PUBLISH') or 'artifact'
    if way not in WAYS:
        raise CtxError(f'publish: {way} is not known', f'use one of {", ".join(WAYS)}')
    budget = _number(environ.get('CTXKIT_INPUT_BUDGET', ''))
    settings = config.load(found.ctx_dir / 'config.yaml', environ)
    commit = repo.resolve(found)
    if not commit:
        raise CtxError('the repository has no commit yet', 'push one first')
    # The clock is the commit's time, so that the same commit gives the same bytes.
    now = float(repo.text(repo.git(found, 'log', '-1', '--format=%ct', commit)))
    if environ.get('SOURCE_DATE_EPOCH'):
        now = config.clock(environ)
    done = pipeline.update(found, settings, now=now, event='action')
    block = build(found, settings, query=environ.get('CTXKIT_INPUT_QUERY', ''), budget=budget, now=now)
    file = found.ctx_dir / 'context.xml'
    write_whole(file, block._replace(request='').to_xml())
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    changed = digest != published(found, way, environ)
    allowed = may_publish(way, environ) and not is_our_commit(found, commit)
    _output(
        environ,
        **{
            'context-path': str(file),
            'tokens': str(block.used),
            'units': str(len(block.units)),
            'changed': str(changed).lower(),
            'commit': commit,
            'publish': way if changed and allowed and way != 'none' else '',
        },
    )
    why_not = '' if allowed else ' Nothing is published from this event.'
    _summary(environ, report(block, done, changed, commit) + why_not)
    note(found, digest)


def _number(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal() or int(text) < 1:
        raise CtxError(f'budget: {text} is not a number of tokens', 'give a whole number, or leave it empty')
    return int(text)


def _output(environ: Mapping[str, str], **values: str) -> None:
    """Set the step's outputs. No value has a line break, so none can set another output."""
    lines = ''.join(f'{name}={printable(value)}\n' for name, value in values.items())
    if environ.get('GITHUB_OUTPUT'):
        with open(environ['GITHUB_OUTPUT'], 'a', encoding='utf-8') as file:
            file.write(lines)
    else:
        sys.stdout.write(lines)


def _summary(environ: Mapping[str, str], text: str) -> None:
    if environ.get('GITHUB_STEP_SUMMARY'):
        with open(environ['GITHUB_STEP_SUMMARY'], 'a', encoding='utf-8') as file:
            file.write(text + '\n')


def main(arguments: list[str], environ: Mapping[str, str]) -> int:
    """Run one step; an expected failure becomes an annotation of the job and exit code 1."""
    commands = {'locate': locate, 'refresh': refresh, 'publish': publish}
    if len(arguments) != 1 or arguments[0] not in commands:
        sys.stderr.write(f'use: python -I -m ctxkit.action {"|".join(commands)}\n')
        return 2
    try:
        workspace = Path(environ.get('GITHUB_WORKSPACE') or os.getcwd()).resolve()
        folder = (workspace / (environ.get('CTXKIT_INPUT_PATH') or '.')).resolve()
        if not folder.is_relative_to(workspace):
            raise CtxError(f'path: {folder} is outside the workspace', 'give a folder inside it')
        commands[arguments[0]](repo.find(folder), environ)
    except CtxError as error:
        # Annotations need line breaks and per cent signs escaped.
        message = printable(error.format_message()).replace('%', '%25')
        sys.stdout.write(f'::error title=ctxkit::{message}\n')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:], os.environ))
