"""Coding agents' own clients, tried: after `ctxkit init --agent NAME` a prompt is sent, and the block (or the pointer)
must stand in the request that reached the model: once, whole, below the limit.

    python benchmarks/agents/run.py [--clients FOLDER] [NAME ...]

The clients come from npm and PyPI into FOLDER (a temporary folder without it; about 2 GB for all). The model is a
stand-in on loopback; nothing leaves the machine after the installation. Where a hook may add to a prompt, the code
for it must stand there once as well.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import seen
import stand_in
from clients import CLIENTS, Client

PROMPT = 'What does the function greet do? Marker 7f3a.'
SECONDS = 120
WITH_CODE = ('claude-code', 'codex-trusted', 'pi-trusted')  # Gemini escapes brackets, so it gets a list of places
GREETING = """import os


class Greeter:
    \"\"\"Says hello, number {number}.\"\"\"

    @property
    def home(self):  # see @../.env, which nobody may import
        return os.environ['HOME']

    def greet_{number}(self, name: str, times: int = {number}) -> str:
        \"\"\"A greeting for a customer, said several times: <b>&amp;</b> ]]> and 'quotes'.\"\"\"
        lines = [f'Hello, {{name}}!' for _ in range(times)]
        if not lines:
            raise ValueError('nothing to say')
        return '\\n'.join(lines)
"""
SOURCE = {f'shop/greeting_{number}.py': GREETING.format(number=number) for number in range(40)}
SOURCE['shop/cart.py'] = (
    'from shop.greeting_1 import Greeter\n\n\ndef greet(name):\n    return Greeter().greet_1(name)\n'
)
SOURCE['README.md'] = '# Shop\n\n## Greeting\n\n`greet` says hello.\n'


@dataclass(frozen=True)
class Outcome:
    """How one agent did: what is `wrong`; `reached` None where its client sent no request with the prompt."""

    wrong: list[str]
    reached: seen.Seen | None
    seconds: float
    said: str


def fetch(client: Client, folder: Path) -> Path:
    """Install the client into `folder` unless it is there; the path of its program."""
    if client.registry == 'npm':
        program = folder / 'node_modules/.bin' / client.program
        if not program.exists():
            folder.mkdir(parents=True, exist_ok=True)
            quiet = ['--no-audit', '--no-fund', '--loglevel=error']
            command = ['npm', 'install', '--prefix', str(folder), *quiet, client.package]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        return program
    environment = folder / f'venv-{client.name}'  # each its own: what they require does not go together
    program = environment / ('Scripts' if os.name == 'nt' else 'bin') / client.program
    if not program.exists():
        subprocess.run([sys.executable, '-m', 'venv', str(environment)], check=True)
        subprocess.run([str(program.parent / 'pip'), 'install', '-q', client.package], check=True)
    return program


def node() -> int:
    """The version of Node; 0 where there is none."""
    found = shutil.which('node')
    said = subprocess.run([found, '--version'], capture_output=True, text=True, check=True).stdout if found else ''
    return int(said.lstrip('v').partition('.')[0] or 0)


def make_repository(root: Path) -> None:
    """A small repository with a commit and a fresh block."""
    for path, text in SOURCE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    identity = ['-c', 'user.name=A Person', '-c', 'user.email=person@example.invalid']
    for args in (['init', '-q', '-b', 'main'], ['add', '-A'], [*identity, 'commit', '-q', '-m', 'first']):
        subprocess.run(['git', *args], cwd=root, check=True)


def ctxkit(root: Path, *args: str) -> None:
    """Run ctxkit in the repository, as the person would."""
    subprocess.run(
        [sys.executable, '-m', 'ctxkit', *args],
        cwd=root,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


def attempt(client: Client, program: Path, scratch: Path) -> Outcome:
    """One prompt through one client."""
    home, root = scratch / 'home', scratch / 'shop'
    home.mkdir(parents=True)
    root.mkdir()
    make_repository(root)
    ctxkit(root, 'update')
    ctxkit(root, 'init', '--hooks', 'none', '--agent', client.agent)
    before_file = block_of(root)  # a worker of init may still write it anew while the client starts
    with stand_in.serve() as server:
        arguments, variables = client.prepare(home, server.port, PROMPT)
        folders = [str(program.parent), str(Path(sys.executable).parent), *os.environ.get('PATH', '').split(os.pathsep)]
        environment = {
            'HOME': str(home),
            'USERPROFILE': str(home),
            'PATH': os.pathsep.join(folders),
            'TERM': 'dumb',
            'LANG': 'C.UTF-8',
            'NO_COLOR': '1',
            'TMPDIR': str(scratch),
            'CTXKIT_INJECT_SECONDS': '4',
            **variables,
        }
        before = time.monotonic()
        process = subprocess.Popen(
            [str(program), *arguments],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=os.name != 'nt',
        )
        try:
            said = process.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            stop(process)
            said = process.communicate()[0] + '\n(stopped: too slow)'
        reached = seen.look(server.requests, PROMPT)
    stop(process)  # what it left running in its own session
    turns = reported(root / '.git/ctxkit/feedback.jsonl', client.turns)
    wrong = faults(client, reached, {before_file, block_of(root)}, turns)
    if reached is not None and reached.codes != (client.name in WITH_CODE):
        wrong.append(f'code for the prompt {reached.codes} times')
    return Outcome(wrong, reached, time.monotonic() - before, said)


def block_of(root: Path) -> str:
    """The block that ctxkit left."""
    return (root / '.ctx/context.xml').read_text('utf-8').strip()


def reported(file: Path, expected: bool) -> str:
    """What the hooks recorded; the answer is judged in the background, so it is waited for."""
    end = time.monotonic() + (20 if expected else 0)
    while True:
        turns = file.read_text() if file.exists() else ''
        if '"kind": "answer"' in turns or time.monotonic() > end:
            return turns
        time.sleep(0.2)


def faults(client: Client, reached: seen.Seen | None, files: set[str], turns: str) -> list[str]:
    """What is not as promised, in words."""
    if reached is None:
        return ['no request carried the prompt']
    wrong = []
    if client.way == 'pointer':
        wrong += ['a block without trust'] if reached.blocks else []
        wrong += [] if reached.pointers == 1 else [f'{reached.pointers} pointers']
    else:
        wrong += [] if reached.blocks == 1 else [f'{reached.blocks} blocks']
        wrong += [] if reached.whole else ['a block in pieces']
        wrong += [] if len(reached.block.encode()) <= client.limit else ['a block above its limit']
        wrong += ['not the file as it is'] if client.way == 'file' and reached.block not in files else []
    if client.turns:
        wrong += [f'no {kind} was reported' for kind in ('prompt', 'answer') if f'"kind": "{kind}"' not in turns]
    return wrong


def stop(process: subprocess.Popen[str]) -> None:
    """End the client and its children: the session that it was started in, by its id."""
    try:
        if os.name == 'nt':
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return


def main() -> int:
    """Try the agents that are named, or all; 1 if one of them did not get what it should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--clients', type=Path, help='folder that keeps the installed clients')
    parser.add_argument('--verbose', action='store_true', help='print what a client said')
    parser.add_argument('names', nargs='*', metavar='NAME')
    given = parser.parse_args()
    folder = given.clients or Path(tempfile.mkdtemp(prefix='ctxkit-clients-'))
    failed = 0
    print(f'{"client":14} {"contract":8} {"blocks":>6} {"bytes":>6} {"limit":>6} {"pointers":>8} {"s":>5}  result')
    for client in CLIENTS:
        if given.names and client.name not in given.names:
            continue
        if client.node > node():
            print(f'{client.name:14} needs Node {client.node}')
            continue
        if client.python > sys.version_info.minor:
            print(f'{client.name:14} needs Python 3.{client.python}')
            continue
        program = fetch(client, folder)
        scratch = Path(tempfile.mkdtemp(prefix='ctxkit-agent-'))
        try:
            outcome = attempt(client, program, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        got = outcome.reached or seen.Seen(0, False, '', 0)
        result = 'NOT AS PROMISED: ' + ', '.join(outcome.wrong) if outcome.wrong else 'as promised'
        print(
            f'{client.name:14} {client.way:8} {got.blocks:>6} {len(got.block.encode()):>6} {client.limit:>6} '
            f'{got.pointers:>8} {outcome.seconds:5.1f}  {result}',
            flush=True,
        )
        failed += bool(outcome.wrong)
        if given.verbose:
            print(outcome.said[-3000:])
    if not given.clients:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
