"""The soak: every kind of work once, what it finds written as tests that run, and its report."""

from __future__ import annotations

import math
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from queue import SimpleQueue

import pytest

from arcbatt.devtools.soak import __main__ as main
from arcbatt.devtools.soak.agreement import LOADS, Load, Worker, answer, sides_test
from arcbatt.devtools.soak.bombs import REPRODUCTIONS, bomb, reproduction
from arcbatt.devtools.soak.bulk import Sums, bulk, work
from arcbatt.devtools.soak.commands import Ended, Started, command
from arcbatt.devtools.soak.counts import Counts, Interrupt
from arcbatt.devtools.soak.damage import changed_bytes, changed_json, changed_text
from arcbatt.devtools.soak.end_times import Measured, measure, table
from arcbatt.devtools.soak.findings import Findings, command_test
from arcbatt.devtools.soak.interrupts import is_late
from arcbatt.devtools.soak.kills import problem_on_full_disk
from arcbatt.devtools.verify.shrink import Case
from arcbatt.devtools.verify.sides import side_named
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text


@pytest.fixture
def soak(tmp_path):
    return main.new_soak(tmp_path / "soak", 5, tmp_path, lambda: False, [])


@pytest.fixture
def _small(monkeypatch):
    monkeypatch.setitem(LOADS, "native", Load(("cpu", "dynamic"), 20, 8, (100_000,)))
    monkeypatch.setitem(LOADS, "reference", Load(("python", "cpu", "dynamic", "lanes"), 6, 2, (2_000,)))


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("kind", list(LOADS))
def test_programs_of_a_seed_are_compared(kind):
    first, again = answer(kind, 4), answer(kind, 4)
    assert first.compared == again.compared
    assert not first.differ
    assert not first.tests
    load = LOADS[kind]
    assert first.programs == load.programs
    assert sum(first.compared.values()) > load.programs * load.samples // 4
    assert 0 < first.resident <= first.most


def test_bulk_adds_up_what_its_processes_compared():
    load = Load(("cpu", "dynamic"), 10, 20, (100_000, 50), versions=(1, 2, 3, 4, 5, 6))
    found, sums = SimpleQueue(), Sums()
    work(load, range(3, 6), math.inf, found)
    while (one := found.get()) is not None:
        sums.add(*one)
    assert sums.compared["cpu / dynamic"] > 0
    assert sums.programs == 30
    assert not sums.differ
    assert not sums.problems
    (row,) = sums.rows("some machine")
    assert row.endswith(f"| {sums.compared.total():,} | 0 |")


def test_bulk_counts_what_goes_wrong():
    sums = bulk(3600.0, 3, [Load(("cpu", "no engine"), 1, 1, (100,))])
    assert len(sums.problems) == 5
    assert "no backend 'no engine'" in sums.problems[0]


def test_pieces_of_every_kind_find_nothing(soak, monkeypatch):
    monkeypatch.setattr("arcbatt.devtools.soak.hostile.COMMANDS_OF_A_PIECE", 2)
    for kind in (*main.WORK, "kills"):  # one more, among what the others left
        done = soak.counts.done.total()
        main.WORK[kind](4, soak)
        assert soak.counts.done.total() > done
    assert not soak.counts.findings


def run_found(folder: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def test_what_is_found_is_a_test_that_fails_until_it_is_mended(soak, tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    (given / "solvers.py").write_text("def solve_a(I):\n    return rot90(I)\n")
    for _ in range(2):  # the same finding is one
        soak.findings.add("hostile", "x", 5, command_test(["check", "solvers.py"], (3,)), given)
    program = parse_program("def solve_a(I):\n    return rot90(I)\n")
    sides = [side_named("python"), side_named("cpu")]
    soak.findings.add("agreement", "y", 6, sides_test(Case((program,), Sample(((1, 2),))), sides, (MAX_STEPS, 1000)))
    assert [one.seed for one in soak.counts.findings] == [5, 6]
    found = sorted(soak.findings.folder.glob("test_*.py"))
    assert [run_found(path) for path in found] == [0, 1]  # the sides agree, and no status is 3


def test_a_soak_of_a_moment_leaves_a_report(soak, monkeypatch, capsys):
    monkeypatch.setattr(main, "SHARES", {"broken": 1, "nothing": 1})

    def broken(seed, made):
        made.counts.done["pieces"] += 1
        raise ValueError("of itself")

    monkeypatch.setitem(main.WORK, "broken", broken)
    monkeypatch.setitem(main.WORK, "nothing", lambda seed, made: None)
    soak.stop = lambda: soak.counts.pieces["nothing"] > 0
    main.soak(soak, 60, kinds=("broken", "nothing"))
    assert "evaluations compared" in capsys.readouterr().out
    counts = Counts.read(soak.findings.folder.parent / soak.counts.began / "report.json")
    assert counts == soak.counts
    assert counts.state == "stopped"
    assert [one.title for one in counts.findings] == ["the soak itself: ValueError: of itself"]
    assert counts.pieces == {"broken": 1, "nothing": 1}
    whole = Counts()
    for _ in range(2):
        whole.add(counts)
    assert whole.done == counts.done + counts.done
    assert "2 findings" in whole.text()


def test_a_worker_that_dies_is_a_finding_and_is_replaced(soak):
    worker = Worker()
    worker._process.kill()
    assert worker.ask("native", 1, lambda: False) == "the process ended with -9"
    assert worker.ask("nothing", 1, lambda: False) == "KeyError: 'nothing'"
    assert worker.ask("native", 1, lambda: True) is None
    worker.close()


def test_how_a_command_ended_is_judged():
    good = Ended(2, "", "arcbatt: no", 0.1, 0.1)
    assert good.problem() == ""
    assert good.problem((0,)) == "ended with status 2"
    assert Ended(-11, "", "", 0.1, 0.1).problem() == "ended with status -11"
    assert "ValueError: x" in Ended(1, "", "Traceback (most recent call last):\nValueError: x\n", 0.1, 0.1).problem()
    assert Ended(-9, "", "", 5.0, 0.1, hung=True).problem() == "did not end within 5 s"
    assert problem_on_full_disk(Ended(2, "", "arcbatt: ?", 0.1, 0.1), Path("/nowhere/run"))


def test_a_command_is_started_and_ended(tmp_path):
    ended = command(["check", "nothing.py"], tmp_path)
    assert ended.problem() == ""
    assert "nothing.py" in ended.out
    started = Started(["run", "--backend", "cpu"], tmp_path)
    assert started.begun() is not None
    started.send(signal.SIGTERM)
    assert started.end().problem((130,)) == ""


def test_to_wait_for_a_processor_is_not_to_hang(tmp_path, monkeypatch):
    delays = iter([0.0])
    monkeypatch.setattr(Started, "delayed_seconds", lambda _: next(delays, 1e6))
    assert command(["check", "nothing.py"], tmp_path, 0.0).problem() == ""
    monkeypatch.setattr(Started, "delayed_seconds", lambda _: 0.0)
    assert command(["check", "nothing.py"], tmp_path, 0.0).problem() == "did not end within 0 s"


def test_end_times_are_of_every_way(sigint):
    found = measure([8], 3)
    assert not [one for one in found.problems if "did not end" in one or "traceback" in one]
    assert len(found.times) + found.ended == 3


def test_end_times_as_a_table():
    found = Measured([Interrupt("-t", "run, a bomb", 0.2, 0.1, 0.5)], ended=1)
    found.add(
        Measured([Interrupt("-t", "run, a bomb", 0.4, 0.1, 0.5), Interrupt("SIGINT", "solve, a bomb", 0.1, 0, 0)])
    )
    assert table(found.times, "by", lambda one: one.how)[2:] == [
        "| -t | 2 | 0.40 | 0.40 | 0.40 | 0.40 |",
        "| SIGINT | 1 | 0.10 | 0.10 | 0.10 | 0.10 |",
    ]


def test_who_is_late_on_a_busy_machine():
    assert is_late(Interrupt("-t", "run", 1.2, 0.1, 0.5))
    assert not is_late(Interrupt("-t", "run", 1.2, 0.1, 4.0))
    assert is_late(Interrupt("-t", "run", 1.2, 1.1, 4.0))
    assert not is_late(Interrupt("-t", "run", 0.9, 0.9, 0.5))


def test_bombs_are_programs():
    draw = random.Random(1)
    texts = [bomb(draw, "solve_bomb") for _ in range(300)]
    texts += [reproduction(number, "solve_bomb") for number in range(len(REPRODUCTIONS))]
    for text in texts:
        assert parse_text(text).check()
    assert len(set(texts)) > 60


@pytest.mark.parametrize("change", [changed_bytes, changed_json, changed_text])
def test_damage_changes_what_it_is_given(change):
    data = b'{"a": {"train": [[1, 2], [3]],\n "test": null},\n "b": [1.5, "x"]}'
    draw = random.Random(2)
    seen = Counter(change(data, draw) for _ in range(200))
    assert len(seen) > 100
    assert seen[data] < 40


def test_findings_of_a_kind_are_not_endless(tmp_path):
    counts = Counts()
    findings = Findings(tmp_path, counts)
    for number in range(60):
        findings.add("kill", str(number), number, "")
    assert len(counts.findings) == 60
    assert len(list(tmp_path.iterdir())) == 50
