"""The script that measures what docs/gpu.md says."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        spec = importlib.util.spec_from_file_location("batches_script", ROOT / "benchmarks" / "batches.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return module


def test_every_table_has_its_place_in_the_page(script):
    page = (ROOT / "docs" / "gpu.md").read_text()
    assert set(re.findall(r"<!-- measured: (\w+) -->", page)) == set(script.TABLES)
    for name in script.TABLES:
        made = script.filled(page, name, ["a table", "of two lines"])
        assert f"<!-- measured: {name} -->\na table\nof two lines\n<!-- end -->" in made
        assert script.filled(made, name, ["a table", "of two lines"]) == made
    with pytest.raises(SystemExit, match="no place for nothing"):
        script.filled(page, "nothing", [])


def test_batches_are_measured_and_compared(script, monkeypatch):
    monkeypatch.setattr(script, "RUNS", 1)
    lines = list(script.batches(["python", "cpu"], counts=(2, 3), side=4))
    assert lines[0].startswith("| operation, 4x4 | grids | Python (ms) | CPU engine (ms) | CPU engine against Python |")
    assert len(lines) == 2 + 2 * len(script.OPERATIONS)
    assert all(line.count("|") == lines[0].count("|") for line in lines)


def test_a_result_that_differs_is_no_figure(script, monkeypatch):
    real = script.documents.batch_grid_operations

    def wrong(grids, operation, *, backend, vectorized):
        return real(grids[:1] if backend == "cpu" else grids, operation, backend=backend, vectorized=vectorized)

    monkeypatch.setattr(script.documents, "batch_grid_operations", wrong)
    with pytest.raises(SystemExit, match="of 2 grids differs on cpu"):
        list(script.batches(["python", "cpu"], counts=(2,), side=3))


def test_starting_and_memory_without_a_gpu(script):
    assert list(script.memory(["python", "cpu"])) == ["There is no GPU here."]
    assert len(list(script.start(["python", "cpu"]))) == 3
