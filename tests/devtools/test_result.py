from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from arcbatt.devtools.bench.curves import draw_curves, number_short
from arcbatt.devtools.bench.result import Result, Row, compared, file_name, machine_facts, number
from arcbatt.errors import DataError, UsageError


def result(median: float, unit: str = "evaluations/s") -> Result:
    rows = [Row.of("a suite", "a case", "engine", unit, [median - 1, median, median + 2], note="why")]
    return Result("arcbatt bench", {"machine": "m", "date": "2026-01-02", "cores": 2}, rows, ["A note."], 3.0)


def test_median_and_spread():
    row = Row.of("s", "c", "e", "ms", [5.0, 1.0, 2.0])
    assert (row.median, row.low, row.high, row.runs) == (2.0, 1.0, 5.0, 3)


def test_json_keeps_everything(tmp_path):
    first, second = result(10).save(tmp_path / "deep" / "one")
    assert Result.read(first) == result(10)
    page = second.read_text()
    assert page.startswith("# Measured 2026-01-02\n\nCommand: `arcbatt bench` (3 s)")
    assert "| a case | engine | 10.0 | 9.00 to 12.0 | 3 | evaluations/s | why |" in page
    assert "A note." in page


@pytest.mark.parametrize("text", ["", "[]", '{"rows": [{"suite": 1}]}', '{"rows": []}'])
def test_what_is_no_result(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(DataError, match="not a result"):
        Result.read(path)


@pytest.mark.parametrize(
    ("a", "b", "unit", "verdict"),
    [
        (10, 11, "evaluations/s", "within the spread"),
        (10, 20, "evaluations/s", "better"),
        (10, 20, "ms a sample", "worse"),
        (20, 10, "ms a sample", "better"),
        (20, 10, "calls/s", "worse"),
    ],
)
def test_compared(a, b, unit, verdict):
    text = compared(result(a, unit), result(b, unit))
    assert f"{b / a - 1:+.1%} | {verdict} |" in text
    assert "not the same in A and B" not in text


def test_compared_says_what_is_missing_and_where_machines_differ():
    a, b = result(10), result(10)
    b.rows[0] = Row.of("a suite", "another case", "engine", "ms", [1.0])
    b.machine["cores"] = 64
    text = compared(a, b)
    assert "only in A" in text
    assert "only in B" in text
    assert "- cores: 2 | 64" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.01234, "0.0123"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"), (1234567, "1,234,567")],
)
def test_number(value, text):
    assert number(value) == text


def test_file_name():
    facts = {"machine": "Linux x86_64 AMD EPYC Processor", "cores": 2, "date": "2026-01-02"}
    assert file_name(facts) == "2026-01-02-amd-epyc-2-cores-bench"


def test_facts_of_the_machine():
    facts = machine_facts()
    assert {"arcbatt", "git", "python", "numpy", "machine", "cores", "compiler", "gpus", "date"} <= set(facts)


def test_curves():
    rows = [
        Row.of("scaling", f"{x} programs", "programs", "evaluations/s", [x * 9.0, x * 10.0], x=x) for x in (1, 10, 64)
    ]
    rows += [Row.of("scaling", "c", "cells of the input", "evaluations/s", [5.0], x=9)]
    files = draw_curves(Result("c", {"machine": "a <machine>"}, rows))
    assert set(files) == {"scaling-programs.svg", "scaling-cells.svg"}
    root = ET.fromstring(files["scaling-programs.svg"])
    dots = [node for node in root.iter() if node.tag.endswith("circle")]
    assert [float(dot.get("cx")) for dot in dots] == sorted(float(dot.get("cx")) for dot in dots)
    heights = [float(dot.get("cy")) for dot in dots]
    assert heights == sorted(heights, reverse=True), "more is higher"
    with pytest.raises(DataError, match="no scaling suite"):
        draw_curves(result(1))


def test_number_on_an_axis():
    assert [number_short(value) for value in (1, 2.5, 1500, 2e6, 3e9)] == ["1", "2.5", "1.5k", "2M", "3G"]


def test_a_later_part_is_added_to_a_result():
    first, later = result(10), result(20)
    first.rows.append(Row.of("another", "c", "engine", "s", [1.0]))
    both = first.joined(later)
    assert [(row.suite, row.median) for row in both.rows] == [("another", 1.0), ("a suite", 20)]
    assert (both.command, both.seconds, both.notes) == ("arcbatt bench && arcbatt bench", 6.0, ["A note."])
    later.machine["cores"] = 4
    with pytest.raises(UsageError, match="of one cores: 2 then, 4 now"):
        first.joined(later)
