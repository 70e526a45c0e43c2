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


def told(root, **flags):
    """Path, symbol -> (why, level, related) of the units that tell of something removed."""
    units = block(root, **flags).units
    return {(unit.path, unit.symbol): (unit.why, unit.level, unit.related) for unit in units if 'removed' in unit.why}
