"""Lines of files in a request lead to the code around them, unless the file is somebody else's of the same name."""

from __future__ import annotations

import pytest
from helpers_main import block

from ctxkit.index.frames import by_file_name, files_meant, places

OURS = by_file_name(
    ['utils.py', 'src/jar/app.py', 'lib/reply.js', 'context.go', 'jar_core/src/de.rs', 'src/main/java/org/jar/Lid.java']
)


@pytest.mark.parametrize(
    ('said', 'file', 'line'),
    [
        ('  File "/srv/src/jar/app.py", line 12, in open', 'src/jar/app.py', 12),
        ('File "/usr/lib/python3.11/site-packages/jar/app.py", line 12', 'src/jar/app.py', 12),
        ('see utils.py:12', 'utils.py', 12),
        ('File "/home/me/work/utils.py", line 12', 'utils.py', 12),
        ('at send (/app/node_modules/jar/lib/reply.js:12:5)', 'lib/reply.js', 12),
        ('/root/go/pkg/mod/github.com/me/jar@v1.9.0/context.go:12 +0x1d', 'context.go', 12),
        ('~/.cargo/registry/src/index.crates.io-6f/jar_core-1.0.2/src/de.rs:12:5', 'jar_core/src/de.rs', 12),
        ('\tat org.jar.Lid.open(Lid.java:12)', 'src/main/java/org/jar/Lid.java', 12),
        ('\tat app//org.jar.Lid$Inner.<init>(Lid.java:12)', 'src/main/java/org/jar/Lid.java', 12),
        ('https://github.com/me/jar/blob/main/src/jar/app.py#L12-L20', 'src/jar/app.py', 12),
        ('PHP Warning in /srv/utils.py on line 12', 'utils.py', 12),
        ('look at @src/jar/app.py:12', 'src/jar/app.py', 12),
        (r'C:\work\jar\src\jar\app.py:12', 'src/jar/app.py', 12),
        ('/srv/jar/lib/reply.js\n  12:5  error  never used  no-unused-vars\n', 'lib/reply.js', 12),
        ('lib/reply.js(12,5): error TS2322: no', 'lib/reply.js', 12),
    ],
)
def test_a_line_is_of_our_file(said, file, line):
    assert [(files_meant(OURS, name, 'jar'), at) for name, at in places(said)] == [([file], line)]


@pytest.mark.parametrize(
    'said',
    [
        'File "/usr/lib/python3.11/site-packages/other/utils.py", line 12',
        'File "/usr/lib/python3.11/asyncio/utils.py", line 12',
        'at send (/app/node_modules/fastify/lib/reply.js:12:5)',
        'at send (node:internal/lib/reply.js:12:5)',
        '/root/go/pkg/mod/github.com/gin-gonic/gin@v1.9.0/context.go:12',
        '/usr/local/go/src/context/context.go:12',
        '/rustc/90b35a623/library/core/src/de.rs:12:5',
        '\tat com.other.Lid.open(Lid.java:12)',
        'https://github.com/other/box/blob/main/tools/utils/app.py#L12',
        '/srv/vendor/other/utils.py:12',
    ],
)
def test_a_line_is_of_somebody_elses_file(said):
    assert [files_meant(OURS, name, 'jar') for name, _ in places(said)] == [[]]


def test_a_trace_through_a_hundred_files_of_others_leads_to_ours(git_repo):
    root = git_repo(
        {
            'utils.py': 'def other():\n    pass\n\n\ndef call():\n    return other()\n',
            'app.py': 'def run(x):\n    x()\n',
        }
    )
    frames = [f'  File "/usr/lib/python3/site-packages/big/m{n}/utils.py", line {n % 2 + 5}, in f' for n in range(100)]
    frames.insert(50, '  File "/srv/app.py", line 2, in run')
    shown = block(root, 'Traceback (most recent call last):\n' + '\n'.join(frames) + '\nKeyError: 3\n').units
    assert shown[0].symbol == 'run'


def test_a_large_function_of_a_trace_is_shown_around_its_line(git_repo):
    def large(name):
        body = '\n'.join(f'    {name}_{number} = mix({name}, {number})' for number in range(400))
        return f'def {name}(x):\n{body}\n    return x\n'

    names = ['pour', 'shake', 'stir', 'serve']
    root = git_repo({f'{name}.py': large(name) for name in names})
    trace = ''.join(f'  File "/srv/{name}.py", line 301, in {name}\n' for name in names)
    shown = block(root, f'Traceback (most recent call last):\n{trace}KeyError: 3\n').units
    assert {unit.symbol for unit in shown if unit.level == 'excerpt' and '_299 = ' in unit.text} == set(names)
