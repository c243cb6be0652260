"""The tables of docs/performance.md come from saved results."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from arcbatt.devtools.bench.result import Result, Row

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


CALLS = {
    "reference, merged": 50.0,
    "engine, 1 thread": 5.0,
    "engine, 8 threads": 1.0,
    "GPU 0, H200": 0.5,
    "4 GPUs": 0.2,
}


def calls(sides):
    case = "20 programs and the differs"
    return [Row.of("batt calls", case, side, "ms a call", [CALLS[side]]) for side in sides]


def test_expectations_stand_beside_what_was_measured(tool, tmp_path):
    cpu = ("reference, merged", "engine, 1 thread", "engine, 8 threads")
    Result("c", {"date": "d"}, calls(cpu)).save(tmp_path / "2026-01-01-cpu")
    mark = "<!-- figures: expectations *-cpu.json *-gpu.json -->\n<!-- end -->"
    text, _ = tool.filled(mark)
    batt = "| a batt, for each sample | 4.63 ms | 0.51 to 0.96 ms |  |"
    assert f"{batt} 50.0 ms | 5.00 ms | 1.00 ms | not measured | not measured |" in text
    assert "| a batt on a GPU: 4.8 to 9 times their CPU | 10.0 | not measured | not measured | not measured |" in text
    Result("c", {"date": "d"}, calls(CALLS)).save(tmp_path / "2026-01-02-gpu")
    text, _ = tool.filled(text)
    assert f"{batt} 50.0 ms | 5.00 ms | 1.00 ms | 0.500 ms | 0.200 ms |" in text
    assert "| a batt on a GPU: 4.8 to 9 times their CPU | 10.0 | 100 | 10.0 | 2.00 |" in text
    assert "117 ms | 12.5 ms | 3.25 ms | not measured" in text


def test_the_last_result_of_a_name_or_none(tool, tmp_path):
    page = "<!-- source: *-gpu.json -->\n<!-- figures: start -->\nold\n<!-- end -->\n"
    assert "not measured" in tool.filled(page)[0]
    for day, seconds in ((1, 9.0), (2, 7.0)):
        Result("c", {"date": "d"}, [Row.of("start", "c", "GPU", "s", [seconds])]).save(tmp_path / f"2026-01-0{day}-gpu")
    assert "| c | GPU | 7.00 |" in tool.filled(page)[0]


def test_limits(tool, tmp_path):
    rows = [Row.of("library: every", "a case", f"engine, {n}", "evaluations/s", [rate]) for n, rate in
            (("1 thread", 10.0), ("4 threads", 30.0))]  # fmt: skip
    rows += [Row.of("end to end", "a run", "engine", f"% of the time: {stage}", [part]) for stage, part in
             (("run", 60.0), ("reference", 30.0), ("record", 0.5))]  # fmt: skip
    Result("c", {"date": "d"}, rows).save(tmp_path / "three")
    text, _ = tool.filled("<!-- source: three.json -->\n<!-- figures: limits -->\n<!-- end -->\n")
    assert "| a case | engine, 4 threads | 3.00 times one thread, 75% of 4 |" in text
    assert "| end to end, a run | engine | run 60%, reference 30% |" in text
