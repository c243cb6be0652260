from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.profile import chrome_trace, profile, profile_lines
from arcbatt.language.sample import Sample
from arcbatt.solvers import library
from arcbatt.syntax import parse_program, parse_text

SAMPLES = [sample for task in load_tasks("arcagi")[:6] for sample in task.samples]
TWO = parse_text(
    "def solve_a(I):\n    return size(o_g(I, R5))\n\ndef solve_b(I):\n    return apply(size, o_g(I, R5))\n"
    "\ndef solve_c(I):\n    return divide(height(I), subtract(height(I), height(I)))\n"
).check()


@pytest.fixture(scope="module")
def found():
    return profile(TWO, SAMPLES, threads=2, labels=[f"s{k}" for k in range(len(SAMPLES))])


def test_calls_and_failures_are_counted(found):
    rows = found.by_primitive()
    assert rows["o_g"].calls == len(SAMPLES), "shared by two programs, run once per sample"
    assert rows["apply"].calls == len(SAMPLES)
    objects = sum(tally.calls for name, tally in rows.items() if name == "size")
    assert objects > 2 * len(SAMPLES), "once for each object, and once for solve_a"
    assert rows["divide"].failed == len(SAMPLES)
    assert rows["divide"].given_failed == 0
    assert all(tally.given_failed <= tally.failed <= tally.calls for tally in rows.values())


def test_what_is_shared_is_said(found):
    assert found.equivalent >= found.executed + len(SAMPLES)
    shares = found.by_program()
    assert set(shares) == {"solve_a", "solve_b", "solve_c"}
    total = sum(tally.seconds for tally in found.by_primitive().values())
    assert sum(share.fair for share in shares.values()) == pytest.approx(total)
    assert all(share.alone <= share.fair + 1e-12 for share in shares.values())


def test_a_failed_argument_is_told_from_a_failure():
    program = parse_program(
        "def solve_a(I):\n    x1 = divide(ONE, subtract(height(I), height(I)))\n    return double(x1)\n"
    )
    rows = profile([program], SAMPLES[:3]).by_primitive()
    assert (rows["double"].failed, rows["double"].given_failed) == (3, 3)


def test_lines():
    program = parse_program(
        "def solve_a(I):\n    x1 = o_g(I, R5)\n    x2 = compose(size, toindices)\n    x3 = apply(x2, x1)\n"
        "    return maximum(x3)\n"
    )
    lines = profile_lines(program, SAMPLES)
    assert [line.text for line in lines] == [
        "x1 = o_g(I, R5)", "x2 = compose(size, toindices)", "x3 = apply(x2, x1)", "return maximum(x3)",
    ]  # fmt: skip
    assert lines[0].tally.calls == len(SAMPLES)
    assert lines[1].tally is None
    assert lines[2].tally.calls > len(SAMPLES)


def test_every_program_of_the_library_has_its_part():
    found = profile(library(), SAMPLES[:4], complete=False)
    lowered = found.graph.outputs
    assert set(found.by_program()) == set(lowered)
    assert len(lowered) > 380
    assert found.executed > 1000


def test_trace(found):
    events = chrome_trace(found)["traceEvents"]
    lanes = [event["args"]["name"] for event in events if event["ph"] == "M"]
    assert lanes[0] == "stages"
    assert set(lanes[1:]) <= {"thread 0", "thread 1"}
    spans = [event for event in events if event["ph"] == "X"]
    assert {f"s{k}" for k in range(len(SAMPLES))} <= {event["name"] for event in spans}
    assert {"merge", "pack", "run", "run with a watch"} <= {event["name"] for event in spans}
    assert all(event["dur"] >= 0 for event in spans)


def test_samples_of_one_thread_do_not_overlap(found):
    by_lane = {}
    for stage in found.stages:
        if stage.lane != "stages":
            by_lane.setdefault(stage.lane, []).append((stage.start, stage.start + stage.seconds))
    for spans in by_lane.values():
        spans.sort()
        assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(spans))


def test_command(tmp_path):
    solvers, trace, data = tmp_path / "mine.py", tmp_path / "trace.json", tmp_path / "p.json"
    solvers.write_text("def solve_a(I):\n    return hmirror(hmirror(vmirror(I)))\n")
    args = ["profile", "--solvers", str(solvers), "--count", "2", "--trace", str(trace), "--json", str(data)]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert re.search(r"vmirror +\d+ ", done.stdout)
    assert "executed" in done.stdout
    assert json.loads(trace.read_text())["traceEvents"]
    assert json.loads(data.read_text())["primitives"]["vmirror"]["calls"] > 0
    lines = CliRunner().invoke(app, ["profile", "--solvers", str(solvers), "--count", "2", "--program", "a"])
    assert "return hmirror(hmirror(vmirror(I)))" in lines.stdout
    missing = CliRunner().invoke(app, ["profile", "--count", "1", "--program", "none"])
    assert "no program 'none'" in str(missing.exception)


def test_one_sample_more_threads():
    assert profile(TWO, [Sample(((1, 2),))], threads=8).threads == 1
