"""The guard against losing speed: what it says of counts."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "instructions.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("instructions", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_growth_beyond_the_tolerance_is_said(tool):
    known = {"library": 1000, "objects": 1000, "loops": 1000}
    lines = tool.check({"library": 1021, "objects": 1019, "loops": 900, "more": 5}, known)
    assert lines[0] == "library: GREW: 1,021 instructions, 1,000 before (+2.10%)"
    assert lines[1] == "objects: 1,019 instructions, 1,000 before (+1.90%)"
    assert lines[2].endswith("(-10.00%); make accept-counts keeps the gain")
    assert "not known before" in lines[3]


def test_every_compiler_has_every_workload(tool):
    for counts in json.loads(tool.COUNTS.read_text()).values():
        assert set(counts) == {"library", "objects", "loops"}
        assert all(count > 100_000 for count in counts.values())


def test_the_workloads_can_be_written(tool, tmp_path):
    tool.write_corpus(tmp_path / "corpus.bin")
    assert (tmp_path / "corpus.bin").stat().st_size > 100_000
