"""`python -m ctxkit.events COMMON_DIR`: the worker, without the command line's imports; what hooks start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ctxkit.events.worker import drain, yield_to_people

yield_to_people()
drain(Path(sys.argv[1]), os.environ)
