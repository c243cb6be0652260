from __future__ import annotations

import sys

import pytest

from arcbatt.support.cache import cache_folder


def test_the_variable_wins(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder("kernels") == tmp_path / "kernels"
    assert not (tmp_path / "kernels").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other places")
def test_the_platforms_own_place(monkeypatch, tmp_path):
    monkeypatch.delenv("ARCBATT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder("tasks") == tmp_path / "arcbatt" / "tasks"
    monkeypatch.setenv("HOME", str(tmp_path))
    for not_absolute in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", not_absolute)
        assert cache_folder() == tmp_path / ".cache" / "arcbatt"
