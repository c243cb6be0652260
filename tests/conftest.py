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


@pytest.fixture(scope="session", autouse=True)
def runs_of_the_tests(tmp_path_factory):
    """Runs that commands keep go to a folder of the tests, not to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARCBATT_RUNS", str(tmp_path_factory.mktemp("runs")))
        yield


@pytest.fixture
def kept_here(tmp_path, monkeypatch) -> Path:
    """A folder of this test alone for the runs that commands keep."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("ARCBATT_RUNS", str(folder))
    return folder


@pytest.fixture
def sigint():
    """Ctrl-C and hangups have their effect in processes started here, also where who started the tests ignores them."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
