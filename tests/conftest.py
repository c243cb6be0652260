from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# In CI the same examples every time, so that a red run is about the change; elsewhere new ones.
settings.register_profile("default", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI")))
settings.load_profile("default")


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"
