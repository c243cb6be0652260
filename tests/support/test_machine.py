"""What is told about the machine."""

from __future__ import annotations

import os

import pytest

from arcbatt.support.machine import cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process cannot be given cores here")
def test_cores_are_those_that_the_process_may_use():
    before = os.sched_getaffinity(0)
    assert cores() == len(before)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, before)
