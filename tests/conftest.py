from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# In CI the same examples every time, so that a red run is about the change; elsewhere new ones.
settings.register_profile("default", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI")))
settings.load_profile("default")


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"


@pytest.fixture
def sigint():
    """Ctrl-C has its effect, here and in processes started here, also where who started the tests ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
