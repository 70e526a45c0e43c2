"""What the tests of removed definitions share."""

from __future__ import annotations

from helpers_main import block

HELPER = 'def keep(x):\n    return x\n\n\ndef helper(x):\n    return keep(x)\n'
FILES = {
    'app/tools.py': HELPER,
    'app/views.py': 'from app.tools import helper\n\n\ndef view(x):\n    return helper(x)\n',
    'app/other.py': 'def other(it):\n    return it.helper(1)\n',
    'tests/test_tools.py': 'from app.tools import helper\n\n\ndef test_helper():\n    assert helper(1)\n',
}
WITHOUT = HELPER[: HELPER.index('def helper')]
GO = 'package lib\n\nfunc aim(x int) int {\n\treturn x\n}\n'
GO_CALLS = '\n\nfunc main() int {\n\treturn aim(1)\n}\n'
CLASS = (
    'class Box({base}):\n{lid}    def __init__(self, given):\n        self.{given} = given\n\n'
    '    def use(self):\n        return self.lid()\n'
)
LID = '    def lid(self):\n        return 1\n\n'
NAMED = [  # a file that names a package: what it defines, a caller
    ('app/__init__.py', HELPER, 'from app import helper\n\n\ndef view(x):\n    return helper(x)\n', 'use.py'),
    (
        'src/index.ts',
        'export function keep(x) {\n  return x\n}\n\nexport function helper(x) {\n  return keep(x)\n}\n',
        "import { helper } from './src'\n\nexport function view(x) {\n  return helper(x)\n}\n",
        'use.ts',
    ),
    (
        'src/index.ts',
        'export function keep(x) {\n  return x\n}\n\nexport function helper(x) {\n  return keep(x)\n}\n',
        '<script setup>\nimport { helper } from "./src"\n\nfunction view(x) {\n  return helper(x)\n}\n</script>\n',
        'Use.vue',
    ),
    (
        'src/lib.rs',
        'pub fn keep(x: u8) -> u8 {\n    x\n}\n\npub fn helper(x: u8) -> u8 {\n    keep(x)\n}\n',
        'use crate::helper;\n\npub fn view(x: u8) -> u8 {\n    helper(x)\n}\n',
        'src/use.rs',
    ),
    (
        'src/de/mod.rs',
        'pub fn keep(x: u8) -> u8 {\n    x\n}\n\npub fn helper(x: u8) -> u8 {\n    keep(x)\n}\n',
        'use crate::de::helper;\n\npub fn view(x: u8) -> u8 {\n    helper(x)\n}\n',
        'src/use.rs',
    ),
]


def told(root, **flags):
    """Path, symbol -> (why, level, related) of the units that tell of something removed."""
    units = block(root, **flags).units
    return {(unit.path, unit.symbol): (unit.why, unit.level, unit.related) for unit in units if 'removed' in unit.why}
