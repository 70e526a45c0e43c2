"""How many secrets the filter finds, what it takes for one by mistake, and how fast it is.

python benchmarks/secrets/run.py [FILE_OR_FOLDER...]   text for the speed; default: ctxkit's own source
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from shapes import look_alikes, shapes

from ctxkit.safety.secrets import redact


def missed(seed: int) -> tuple[list[str], list[str], int]:
    """Names of the shapes that survive as a plain line, and inside JSON; and how many were tried."""
    made = shapes(seed)
    plain = [name for name, line, secret in made if secret in redact(f'x = 1\n{line}\ny = 2\n')]
    in_json = []
    for name, line, secret in made:
        document = json.dumps({'role': 'tool', 'content': f'$ env\n{line}\n$ '})
        kept = json.loads(redact(document))['content']
        if secret in kept or secret in redact(json.loads(document)['content']):
            in_json.append(name)
    return plain, in_json, len(made)


def speed(text: str) -> float:
    """MB/s of processor time of the filter over `text`, best of three."""
    size, best = len(text.encode('utf-8', 'replace')), float('inf')
    for _ in range(3):
        start = time.process_time()
        redact(text)
        best = min(best, time.process_time() - start)
    return size / best / 1e6


def source(paths: list[str]) -> str:
    """The text of Python, Markdown and other source files below `paths`, 8 MB at most."""
    found: list[str] = []
    for path in paths:
        files = [Path(path)] if Path(path).is_file() else sorted(Path(path).rglob('*.*'))
        for file in files:
            if file.suffix in ('.py', '.md', '.js', '.ts', '.go', '.rs', '.java', '.rb', '.c', '.h') and file.is_file():
                found.append(file.read_text('utf-8', 'replace'))
                if sum(map(len, found)) > 8_000_000:
                    return ''.join(found)
    return ''.join(found)


def main() -> int:
    """Print the figures; 1 where one is worse than its target."""
    seeds = range(1, 26)
    plain, in_json, count = zip(*(missed(seed) for seed in seeds), strict=True)
    lost = {name for names in (*plain, *in_json) for name in names}
    tried = sum(count)
    found_plain, found_json = tried - sum(map(len, plain)), tried - sum(map(len, in_json))
    print(f'secret shapes found, plain    {found_plain}/{tried}  ({count[0]} shapes, {len(seeds)} draws; target: all)')
    print(f'secret shapes found, in JSON  {found_json}/{tried}  (target: all)')
    if lost:
        print('  missed:', ', '.join(sorted(lost)))
    alarms = [line for seed in seeds for line in look_alikes(seed) if redact(line) != line]
    print(f'look-alikes redacted          {len(alarms)}/{len(look_alikes()) * len(seeds)}  (target: none)')
    for line in sorted(set(alarms))[:20]:
        print('  redacted:', line, '->', redact(line))
    text = source(sys.argv[1:] or [str(Path(__file__).parents[2] / 'ctxkit')])
    fast = speed(text)
    print(f'speed on source code          {fast:.1f} MB/s over {len(text) / 1e6:.1f} MB  (target: >= 10)')
    dense = '\n'.join(line for seed in seeds for _, line, _ in shapes(seed)) * 3
    worst = min(
        (speed(hostile), name)
        for name, hostile in {
            'secrets only': dense,
            'token token': 'token ' * 80_000,
            'token=': 'token=' * 80_000,
            'password:': 'password: ' * 50_000,
            'pem heads': '-----BEGIN PRIVATE KEY-----\n' * 20_000,
            'urls': 'https://a:b' * 40_000,
            'sk-': 'sk-' * 150_000,
            'eyJ': 'eyJ' * 150_000,
            'one line of a': 'a' * 500_000,
            'colons': '://' * 150_000,
            'secret="': 'secret="' * 60_000,
            'curl -u': 'curl -u ' * 60_000,
            'cookie': 'cookie: a=' * 50_000,
            'bearer': 'bearer a' * 60_000,
            '-eyJ': '-eyJ' * 120_000,
            '_sk-ant-': '_sk-ant-' * 60_000,
            'PASSWORD=': 'PASSWORD=' * 50_000,
            'gh_': 'ghp_' * 120_000,
            'pem body': '-----BEGIN PRIVATE KEY-----' + 'A' * 20_000,
            'eyJ.eyJ': 'eyJaaaaaaaaaa.' * 40_000,
        }.items()
    )
    print(f'speed on the worst text       {worst[0]:.1f} MB/s ({worst[1]})  (target: >= 2)')
    script = (
        'import time, click; a = time.process_time(); from ctxkit.safety.secrets import redact; '
        'redact("x = 1\\n" * 2500); print((time.process_time() - a) * 1000)'
    )
    environ = {name: value for name, value in os.environ.items() if name != 'PYTHONDONTWRITEBYTECODE'}
    call = [sys.executable, '-c', script]
    took = [float(subprocess.run(call, capture_output=True, check=True, env=environ).stdout) for _ in range(10)]
    first = sorted(took)[5]
    print(f'import and the first 15 KB    {first:.1f} ms, where click is there  (target: <= 5)')
    return int(bool(lost or alarms) or fast < 10 or worst[0] < 2 or first > 5)


if __name__ == '__main__':
    sys.exit(main())
