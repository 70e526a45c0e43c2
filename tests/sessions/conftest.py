"""A session log that the tests of this folder write to."""

from __future__ import annotations

import pytest

from ctxkit.sessions.database import opened


@pytest.fixture
def db(tmp_path):
    with opened(tmp_path / '.ctx', make=True) as connection:
        yield connection
