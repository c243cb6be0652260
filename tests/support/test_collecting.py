"""The search for cycles is put off, and comes back as it was."""

from __future__ import annotations

import gc

import pytest

from arcbatt.support.collecting import collecting_later


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_it_is_off_inside_and_as_before_behind(enabled, fails):
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError) if fails else collecting_later(), collecting_later(), collecting_later():
            assert not gc.isenabled()
            assert 1 // (0 if fails else 1)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
