"""The tables of docs/performance.md come from saved results."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from arcbatt.bench.result import Result, Row

TOOL = Path(__file__).parents[2] / "tools" / "performance_page.py"


@pytest.fixture
def tool(tmp_path):
    spec = importlib.util.spec_from_file_location("performance_page", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.RESULTS = tmp_path
    rows = [Row.of("library: own", "c", "engine", "ms", [1.0, 2.0, 4.0])]
    rows += [Row.of("scaling", f"{x}", "threads", "evaluations/s", [float(x)], x=x) for x in (1, 2)]
    Result("arcbatt bench --x", {"machine": "m", "date": "d"}, rows).save(tmp_path / "one")
    return module


def test_figures_take_the_place_of_what_was_there(tool):
    page = "a\n<!-- source: one.json -->\n<!-- figures: own -->\nold\n<!-- end -->\nb\n"
    page += "<!-- figures: machine -->\n<!-- end -->\n"
    text, curves = tool.filled(page)
    assert "old" not in text
    assert "| c | engine | 2.00 | 1.00 to 4.00 | 3 | ms |  |" in text
    assert "    arcbatt bench --x\n\n- machine: m" in text
    assert tool.filled(text)[0] == text, "filling again changes nothing"
    assert not curves


def test_curves(tool):
    text, curves = tool.filled("<!-- source: one.json -->\n<!-- figures: curves -->\n<!-- end -->\n")
    assert "![scaling-threads](scaling-threads.svg)" in text
    assert set(curves) == {"scaling-threads.svg"}


def test_what_is_not_there_is_said(tool):
    with pytest.raises(SystemExit, match="before any source"):
        tool.filled("<!-- figures: own -->\n<!-- end -->")
    with pytest.raises(SystemExit, match="no suite 'speed'"):
        tool.filled("<!-- source: one.json -->\n<!-- figures: speed -->\n<!-- end -->")


def test_primitives_by_size(tool, tmp_path):
    figures = [("o_g", "1 to 25 cells", 10.0), ("o_g", "26 to 100 cells", 20.0), ("add", "26 to 100 cells", 1.0)]
    rows = [Row.of("primitives, by cells", name, side, "ns a call", [value]) for name, side, value in figures]
    Result("c", {"date": "d"}, rows).save(tmp_path / "two")
    text, _ = tool.filled("<!-- source: two.json -->\n<!-- figures: primitives -->\n<!-- end -->\n")
    assert "| ns a call | 1 to 25 cells | 26 to 100 cells |" in text
    assert "| `add` |  | 1.00 |\n| `o_g` | 10.0 | 20.0 |" in text
