"""The environment of a person who has a key for the web."""

from __future__ import annotations

import pytest

from ctxkit import config


@pytest.fixture
def environ(tmp_path):
    return {
        'XDG_CACHE_HOME': str(tmp_path / 'cache'),
        'GEMINI_API_KEY': 'the-key',
        **{name: value for name, value in config.environment().items() if name in ('PATH', 'SYSTEMROOT')},
    }
