"""Run a module of ctxkit in any folder: `python .../run.py MODULE [ARGS]`; see safety.children.command."""

from __future__ import annotations

import os
import runpy
import sys

if __name__ == '__main__':
    if os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):  # not with PYTHONSAFEPATH
        sys.path.pop(0)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)
