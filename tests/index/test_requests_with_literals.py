"""A request that names a flag, a route, a key or an environment variable leads to the code that has it in quotes."""

from __future__ import annotations

import pytest
from helpers_main import block, update

from ctxkit.index.literals import MOST, literals

FLAGS = [f'{one}-{other}' for one in ('tree', 'line', 'page', 'root') for other in ('depth', 'label', 'style', 'limit')]
OPTIONS = ''.join(f'    elif name == "--{flag}":\n        options.{flag.replace("-", "_")} = value\n' for flag in FLAGS)
TALKS = ('show_users', 'page_limit_of_depth', 'log_level_of_app', 'order_created', 'keep_server_open')
WORDS = 'users, orders, page, limit, depth, log, level, app, keep, open, server, created, handles'
FILES = {
    'options.py': 'def parse(name, value, options):\n    if name == "--verbose":\n        options.verbose = True\n'
    + OPTIONS,
    'web.js': "const express = require('express')\nconst app = express()\n"
    "app.get('/users/:id/orders', (request, response) => response.send(load(request)))\n"
    "app.get('/orders', listing)\n",
    'server.py': 'import os\n\nLEVEL = os.environ.get("APP_LOG_LEVEL", "info")\n'
    'STRICT = {"server.keep_open": True}\nNAMES = ["order:created", "order:dropped"]\n',
    'talk.py': ''.join(f'def {name}({WORDS}):\n    """{WORDS}"""\n    return {WORDS}\n\n\n' for name in TALKS),
    'tests/test_options.py': 'def test_depth():\n    """The page limit."""\n    assert parse("--page-limit", 1)\n',
    'docs/options.md': '# Options\n\n`--page-limit`, with "--page-limit" in a shell.\n',
}


@pytest.fixture
def work(git_repo):
    root = git_repo(FILES)
    update(root)
    return root


@pytest.mark.parametrize(
    ('said', 'path', 'line'),
    [
        ('--page-limit is ignored', 'options.py', 'name == "--page-limit"'),
        ('给--page-limit加一个短选项', 'options.py', 'name == "--page-limit"'),
        ('GET /users/42/orders is slow for users with a page of orders', 'web.js', "'/users/:id/orders'"),
        ('GET /api/v2/users/42/orders is slow', 'web.js', "'/users/:id/orders'"),
        ('GET /api/orders/42 is slow', 'web.js', "'/orders'"),
        ('curl localhost:3000/users/42/orders fails', 'web.js', "'/users/:id/orders'"),
        ('APP_LOG_LEVEL is ignored by the app', 'server.py', 'APP_LOG_LEVEL'),
        ('server.keep_open should be off', 'server.py', '"server.keep_open"'),
        ('what handles order:created?', 'server.py', '"order:created"'),
    ],
)
def test_the_code_that_has_it_in_quotes_comes_first(work, said, path, line):
    first = block(work, query=said).units[0]
    assert first.path == path
    assert line in first.text


@pytest.mark.parametrize(
    ('path', 'code', 'said', 'line'),
    [
        (
            'a.rs',
            'pub struct Options {\n    pub all: bool,\n    /// How far.\n    pub tree_depth: usize,\n}\n',
            '--tree-depth',
            'usize',
        ),
        ('a.go', 'package a\n\ntype Options struct {\n\tall bool\n\ttreeDepth int // how far\n}\n', 'treeDepth', 'int'),
        ('A.java', 'class Options {\n    private final int treeDepth;\n}\n', 'treeDepth', 'final'),
        ('a.ts', 'export interface Options {\n  all: boolean\n  treeDepth?: number\n}\n', 'treeDepth', 'number'),
        ('a.c', '#include "b.h"\n\n#define TREE_DEPTH 12\n', 'TREE_DEPTH', '#define'),
        ('a.py', 'import b\n\nTREE_DEPTH = 12\n', 'TREE_DEPTH', '= 12'),
    ],
)
def test_the_declaration_of_a_field_or_constant_comes_first(git_repo, path, code, said, line):
    said_of = '"""The depth of a tree is ignored; why is the tree depth ignored?"""'
    talk = f'def ignored(tree):\n    {said_of}\n    return tree\n\n\n'
    root = git_repo({path: code, 'talk.py': talk + talk.replace('ignored(', 'depth_of_tree(')})
    update(root)
    first = block(root, query=f'why is {said} ignored').units[0]
    assert first.path == path
    assert line in first.text


@pytest.mark.parametrize(
    ('path', 'definition', 'said'),
    [
        ('a.zig', 'pub fn openLid(jar: *Jar) !void {', 'openLid'),
        ('a.pl', 'sub open_lid {', 'open_lid'),
        ('a.R', 'open_lid <- function(jar) {', 'open_lid'),
        ('a.clj', '(defn open-lid [jar]', 'open-lid'),
        ('a.dart', '  Future<void> openLid(Jar jar) async {', 'openLid'),
        ('a.hs', 'openLid :: Jar -> Maybe Lid', 'openLid'),
        ('a.ps1', 'function Open-Lid {', 'Open-Lid'),
        ('a.m', '- (void)openLid:(Jar *)jar', 'openLid'),
    ],
)
def test_a_definition_in_a_language_without_a_grammar_comes_before_its_uses(git_repo, path, definition, said):
    talk = ''.join(f'calls {said} for jar {number}: why is {said} slow, what opens a lid\n' for number in range(3))
    lines = ''.join(f'    other words {number}\n' for number in range(60))
    root = git_repo({path: f'{lines}\n\n{definition}\n    x\n\n\n{lines}', f'uses/{path}': talk, f'more/{path}': talk})
    update(root)
    first = block(root, query=f'why is {said} slow').units[0]
    assert definition.strip() in first.text


def test_a_name_that_the_code_defines_means_the_definition(git_repo):
    root = git_repo(
        {
            'store.py': 'def load_page(name):\n    return name\n\n\ndef run():\n    return load_page(1)\n',
            'table.py': 'NAMES = ["load_page", "other"]\n\n\ndef load_page_of_table(name):\n    return NAMES\n',
        }
    )
    update(root)
    assert block(root, query='load_page is slow').units[0].symbol == 'load_page'


def test_a_literal_that_is_everywhere_says_little(git_repo):
    every = {f'part{number}.py': f'def part{number}():\n    return "no-cache"\n' for number in range(12)}
    root = git_repo({**every, 'cache.py': 'def cached():\n    """Whether no cache is asked for."""\n    return True\n'})
    update(root)
    assert block(root, query='is no-cache honoured by the cache').units[0].path == 'cache.py'


def test_of_a_large_function_the_lines_around_the_literal_are_shown(git_repo):
    lines = ''.join(f'    if name == "--one-x{number}":\n        options.x{number} = value\n' for number in range(400))
    uses = ''.join(
        f'def ignored_{name}(one):\n    """{name} {name}, x333."""\n    return "--one-x333"\n\n\n' for name in 'ab'
    )
    root = git_repo({'uses.py': uses, 'parse.py': f'def parse(name, value, options):\n{lines}'})
    update(root)
    (unit,) = [unit for unit in block(root, query='--one-x333 is ignored').units if unit.symbol == 'parse']
    assert 'options.x333 = value' in unit.text
    assert 'options.x111 = value' not in unit.text


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('--max-depth and --color', [('max', 'depth'), ('color',)]),
        ('see src/app/main.py:12 and foo_bar(1), p->next_one', []),
        ('http://localhost:3000/api/users?page=2', [('api', 'users')]),
        ('DELETE /api/v1/users/3fa85f64-5717-4562-b3fc-2c963f66afa6', [('api', 'v1', 'users')]),
        ('the Content-Type header', [('Content', 'Type')]),
        ('--- a line ---', []),
        (' '.join(f'--flag-{letter}' for letter in 'abcdefghij'[: MOST + 1]), []),
    ],
)
def test_what_is_a_literal(text, words):
    assert [literal.words for literal in literals(text)] == words


@pytest.mark.parametrize('part', ['/a', '/:a', 'a_', 'a.', 'aB', '--a '])
def test_text_that_looks_like_one_literal_without_end_takes_no_time(part):
    assert literals(part * 10_000 + 'a') == ()  # a route of so many parts took two minutes


def test_words_with_hyphens_are_no_literals_in_a_long_request():
    assert literals('The cache is read-only now. ' * 8 + 'Pass --read-only.')[0].words == ('read', 'only')
    assert len(literals('The cache is read-only now. ' * 8)) == 0
