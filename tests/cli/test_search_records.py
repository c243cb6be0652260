"""Records of solve and evolve: damaged, of other tasks, on a disk that is full; used or refused, never a traceback."""

from __future__ import annotations

import json
import math
import random

import pytest

from arcbatt.cli.progress import interruptible
from arcbatt.cli.solve import SolveOptions
from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.devtools.soak.damage import NO_FILES, ODD_VALUES, changed_bytes, changed_json
from arcbatt.evolution.population import PROGRAMS, STATE
from arcbatt.runs.lock import RecordLock
from arcbatt.scoring.attempts import Question
from arcbatt.search.bank import Bank
from arcbatt.search.features import features
from arcbatt.search.record import OPTIONS, SOLUTIONS, SolveRecord, read_solutions
from arcbatt.search.solution import Attempt, Solution
from arcbatt.search.solver import Solver
from cli.commands import arcbatt, is_plain
from cli.test_full_disk import files_of_at_most

TASKS = load_tasks("arcagi")[:3]
ODD = (*ODD_VALUES, "[/bold]", "\x1b[31m", 2**70, 10**400, [[]], [[1]], [[-1]])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tasks.json").write_text(json.dumps({task.id: task_to_json(task) for task in TASKS}))
    return tmp_path


# --- solve ---
def solution(task, program="def solve_found(I):\n    return vmirror(I)\n"):
    grid = task.test[0][0]
    return Solution(task.id, ((Attempt(grid, 1.0, 2, "single", 3.0, program), Attempt(grid)),) * len(task.test), 0.1)


@pytest.fixture
def solved(folder):
    record = SolveRecord(folder / "solved", SolveOptions(), str(folder / "tasks.json"), resume=False)
    for task in TASKS:
        record.add(solution(task))
    return folder / "solved"


def commands_on(solved):
    data = ("solve", "--dataset", solved.parent / "tasks.json", "--out", solved)
    return {
        "resume": (*data, "--resume", "-t", 0.001, "-q"),  # what is there is read, nothing is solved
        "explain": (*data, "--explain", TASKS[0].id),
        "report": ("report", solved, "--output", solved.parent / "new.html"),
    }


def used_or_refused(args):
    done = arcbatt(*args)
    assert done.status in (0, 2), (args, done.err)
    if done.status:
        done.refused()
    assert is_plain(done.out), done.out


@pytest.mark.parametrize("command", ["resume", "explain", "report"])
def test_a_good_record_is_used(solved, command):
    assert arcbatt(*commands_on(solved)[command]).status == 0


@pytest.mark.parametrize("name", [OPTIONS, SOLUTIONS])
@pytest.mark.parametrize("command", ["resume", "explain", "report"])
def test_a_file_that_is_none(solved, command, name):
    good = (solved / name).read_bytes()
    for make in NO_FILES.values():
        (solved / name).unlink()
        make(solved / name)
        used_or_refused(commands_on(solved)[command])
        if (solved / name).is_dir():
            (solved / name).rmdir()
        else:
            (solved / name).unlink(missing_ok=True)
        (solved / name).write_bytes(good)


@pytest.mark.parametrize("field", ["id", "attempts", "seconds", "at", *Attempt.__dataclass_fields__])
def test_odd_values_in_a_solution(solved, field):
    lines = (solved / SOLUTIONS).read_text().splitlines()
    for odd in ODD:
        first = json.loads(lines[0])
        holder = first if field in first else first["attempts"][0][0]
        holder[field] = odd
        (solved / SOLUTIONS).write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
        for args in commands_on(solved).values():
            used_or_refused(args)


@pytest.mark.parametrize("part", ["started", "ended", "state", "tasks", "solved"])
def test_odd_values_in_how_it_stands(solved, part, monkeypatch):
    monkeypatch.setenv("ARCBATT_RUNS", str(solved.parent))
    solved = solved.rename(solved.parent / "1")
    good = json.loads((solved / OPTIONS).read_text()) | {"tasks": 3, "solved": 1, "state": "done"}
    for odd in (*ODD, None):
        (solved / OPTIONS).write_text(json.dumps(good | {part: odd}))
        for args in (("runs",), ("runs", "--json"), ("runs", "show"), ("runs", "show", "--json"), ("report",)):
            used_or_refused((*args, "-o", solved.parent / "r.html") if args == ("report",) else args)
        assert arcbatt("runs").status == 0


def test_a_search_that_another_process_writes_is_left_alone(solved):
    good = {name: (solved / name).read_bytes() for name in (OPTIONS, SOLUTIONS)}
    with (solved / SOLUTIONS).open("a") as file:
        file.write('{"id": "')  # a line that is being written
    good[SOLUTIONS] += b'{"id": "'
    with RecordLock(solved):
        assert "another run is writing to it" in arcbatt(*commands_on(solved)["resume"]).refused()
    assert good == {name: (solved / name).read_bytes() for name in good}


@pytest.mark.parametrize("part", ["version", "dataset", "options"])
def test_odd_values_in_the_options(solved, part):
    good = json.loads((solved / OPTIONS).read_text())
    for odd in ODD:
        (solved / OPTIONS).write_text(json.dumps(good | {part: odd}))
        for args in commands_on(solved).values():
            used_or_refused(args)


@pytest.mark.parametrize("name", [OPTIONS, SOLUTIONS])
def test_a_record_that_was_cut_or_garbled(solved, name):
    good, draw = (solved / name).read_bytes(), random.Random(f"solved {name}")
    for way in (changed_bytes, changed_json) * 15:
        (solved / name).write_bytes(way(good, draw))
        used_or_refused(commands_on(solved)[draw.choice(["resume", "explain", "report"])])


def test_a_line_that_is_no_text_is_cut_off_too(solved):
    with (solved / SOLUTIONS).open("ab") as file:
        file.write(b'{"id": "\xff')
    assert arcbatt(*commands_on(solved)["resume"]).status == 0
    assert len(read_solutions(solved)) == len(TASKS)
    assert (solved / SOLUTIONS).read_bytes().endswith(b"\n")


@pytest.mark.parametrize("command", ["resume", "explain", "report"])
def test_a_record_of_other_tests_is_refused(solved, command):
    tasks = json.loads((solved.parent / "tasks.json").read_text())
    for task in tasks.values():
        task["test"] *= 2
    (solved.parent / "tasks.json").write_text(json.dumps(tasks))
    assert "has other test inputs in this record" in arcbatt(*commands_on(solved)[command]).refused()


@pytest.mark.parametrize("size", [0, 100, 700, 1500])
def test_a_record_that_may_not_grow_goes_on_when_it_may(folder, size):
    out = folder / "solved"

    def filled():
        record = SolveRecord(out, SolveOptions(), "tasks.json", resume=(out / OPTIONS).exists())
        for task in TASKS:
            if task.id not in record.solutions:
                record.add(solution(task))

    with files_of_at_most(size), pytest.raises(Exception, match="cannot be written"):
        filled()
    filled()
    assert read_solutions(out) == {task.id: solution(task) for task in TASKS}


# --- evolve ---
@pytest.fixture
def evolved(folder):
    (folder / "mine.py").write_text(
        "def solve_near(I):\n    x1 = vmirror(I)\n    x2 = upscale(x1, THREE)\n    return x2\n"
    )
    assert arcbatt(*evolve_in(folder), "--solvers", folder / "mine.py", "--generations", 1).status == 0
    return folder / "evolved"


def evolve_in(folder):
    data = ("--dataset", folder / "tasks.json", "--backend", "cpu", "--threads", 1, "--children", 3, "-q")
    return "evolve", *data, "--out", folder / "evolved"


def go_on(evolved):
    return (*evolve_in(evolved.parent), "--generations", 2, "--resume", "-t", 0.001)


def test_odd_values_in_a_population(evolved):
    good = (evolved / STATE).read_text()
    for part in ("options", "generation", "log", "best", "programs"):
        for odd in ODD:
            (evolved / STATE).write_text(json.dumps(json.loads(good) | {part: odd}))
            used_or_refused(go_on(evolved))
    for kind in ("log", "best"):
        rows = json.loads(good)[kind]
        for field in (rows if kind == "log" else next(iter(rows.values())))[0]:
            for odd in ODD:
                state = json.loads(good)
                row = state["log"][0] if kind == "log" else next(iter(state["best"].values()))[0]
                row[field] = odd
                (evolved / STATE).write_text(json.dumps(state))
                used_or_refused(go_on(evolved))


def test_a_population_that_was_cut_or_garbled(evolved):
    good, draw = (evolved / STATE).read_bytes(), random.Random("evolved")
    for way in (changed_bytes, changed_json) * 15:
        (evolved / STATE).write_bytes(way(good, draw))
        used_or_refused(go_on(evolved))
    for make in NO_FILES.values():
        (evolved / STATE).unlink()
        make(evolved / STATE)
        used_or_refused(go_on(evolved))
        (evolved / STATE).rmdir() if (evolved / STATE).is_dir() else (evolved / STATE).unlink(missing_ok=True)
        (evolved / STATE).write_bytes(good)


@pytest.mark.parametrize("size", [0, 100, 400])
def test_a_population_that_may_not_be_written(folder, evolved, size):
    before = {one.name: one.read_bytes() for one in evolved.iterdir()}
    args = (*evolve_in(folder), "--generations", 3, "--resume")
    with files_of_at_most(size):
        message = arcbatt(*args).refused()
    assert "cannot be written" in message
    assert (evolved / STATE).read_bytes() == before[STATE]
    assert {one.name for one in evolved.iterdir()} == {STATE, PROGRAMS}
    assert arcbatt(*args).status == 0


def test_programs_that_were_not_written_any_more_do_not_matter(folder, evolved):
    (evolved / PROGRAMS).write_text("def solve_other(I):\n    return I\n")
    assert arcbatt(*evolve_in(folder), "--generations", 2, "--resume").status == 0


@pytest.mark.parametrize(
    "text", ["height(I)", "first(difference(I, I))", "initset(lbind(add, I))", "canvas(ZERO, ORIGIN)"]
)
def test_programs_that_come_near_to_nothing(folder, text):
    (folder / "mine.py").write_text(f"def solve_far(I):\n    return {text}\n")
    assert "no program" in arcbatt(*evolve_in(folder), "--solvers", folder / "mine.py").refused()


def test_no_place_for_a_population(folder):
    (folder / "evolved").write_text("a file")
    message = arcbatt(*evolve_in(folder)).refused()
    assert "cannot be written" in message or "Not a directory" in message


# --- the time is up ---
@pytest.mark.parametrize("command", ["solve", "evolve"])
def test_the_time_ends_what_does_not_look(folder, command, monkeypatch):
    """As where a bank or many programs are compiled, which takes seconds."""

    def never_ends(*_, **__):
        while True:
            pass

    monkeypatch.setattr("arcbatt.cli.solve.Solver", never_ends)
    monkeypatch.setattr("arcbatt.evolution.api.make_engine", never_ends)
    done = arcbatt(command, "--dataset", folder / "tasks.json", "--out", folder / "out", "-t", 0.01, "-q")
    assert done.status == 0, done.err
    assert ("--resume" if command == "solve" else "nothing is kept") in done.out


def test_a_population_is_named_only_where_there_is_one(folder, evolved):
    begun = arcbatt(*go_on(evolved))
    assert begun.status == 0, begun.err
    assert str(evolved) in begun.out
    (evolved / STATE).unlink()
    done = arcbatt(*evolve_in(folder), "-t", 0.001)
    assert done.status == 0, done.err
    assert "nothing is kept" in done.out
    assert not (evolved / STATE).exists()


@pytest.mark.parametrize("command", ["solve", "evolve"])
@pytest.mark.parametrize("options", [("-t", "nan"), ("-t", 0), ("-t", -1), ("-c", 0), ("-c", -1), ("-j", 0)])
def test_numbers_that_make_no_sense_are_refused(folder, command, options):
    data = ("--dataset", folder / "tasks.json", "--out", folder / "out")
    assert "is a number above 0" in arcbatt(command, *data, *options).refused()
    assert not (folder / "out").exists()


def test_a_time_without_an_end():
    with interruptible(math.inf) as interrupted:
        assert not interrupted()


def test_threads_are_told_where_solving_is_left(monkeypatch):
    solver = Solver(SolveOptions(threads=1), Bank(features()[:3], 1))

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(solver, "_look", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(solver.solve([Question.of(TASKS[0])]))
    assert solver._stop
