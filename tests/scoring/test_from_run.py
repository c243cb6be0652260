"""From a run's record to a submission; the record here is made by hand."""

from __future__ import annotations

import pytest

from arcbatt.data.tasks import Task
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import RunRecord
from arcbatt.runs.store.tables import Batch
from arcbatt.runs.writer import RunWriter
from arcbatt.scoring.attempts import Pick
from arcbatt.scoring.from_run import choose_from_run, reads
from arcbatt.syntax import parse_program

A, B, C, D = ((1,),), ((2,),), ((3, 3),), ((4,),)
TASKS = [
    Task("first", ((A, B), (B, C)), ((C, D), (D, A))),
    Task("second", ((A, A),), ((B, C),)),
]
PROGRAMS = [
    parse_program("def solve_good(I):\n    x = hmirror(I)\n    return x\n"),
    parse_program("def solve_near(I):\n    return I\n"),
    parse_program("def solve_peeks(S, I, C):\n    x = hmirror(C)\n    return x\n"),
]


def write_run(folder, tasks=TASKS, *, tests_right=2, state="done"):
    """Program 0 solves the first task's demonstrations and fails on its second test; 1 is near; 2 gives the answer."""
    writer = RunWriter.create(folder, RunOptions(dataset="made"), "cpu", PROGRAMS, tasks)
    batch = Batch(
        first_task=0, tasks=2, first_program=0, programs=3, evaluations=18, seconds=0.5, rerouted={},
        results=[
            (0, 0, 2, tests_right, 1, "empty", 1.0, 1),
            (1, 0, 1, tests_right, 0, None, 0.5, 2),
            (2, 0, 2, tests_right, 0, None, 1.0, 3),
            (0, 1, 0, 0, 3, "empty", 0.0, 4),
        ],
        outputs=[(10, 1, 1, b"\4"), (11, 1, 2, b"\3\3"), (12, 1, 1, b"\1"), (13, 1, 1, b"\x0b")],
        attempts=[
            (0, 0, 0, 12), (0, 1, 0, 12), (0, 2, 0, 10), (0, 3, 0, None),
            (0, 0, 1, 12), (0, 1, 1, 12), (0, 2, 1, 11), (0, 3, 1, 13),
            (0, 0, 2, 12), (0, 1, 2, 11), (0, 2, 2, 10), (0, 3, 2, 12),
        ],
    )  # fmt: skip
    writer.add(batch)
    writer.finish(state)
    return folder


def test_attempts_from_a_run(tmp_path):
    with RunRecord.open(write_run(tmp_path / "run")) as record:
        chosen = choose_from_run(record)
    assert chosen.picks == {
        "first": (
            (Pick(D, "good", True), Pick(C, "near", False)),
            (Pick(D), Pick(B)),  # failed, and colour 11: the input, and an output of a demonstration
        ),
        "second": ((Pick(B), Pick(A)),),
    }
    assert (chosen.not_run, chosen.peeking) == ((), ("peeks",))
    assert chosen.submission["second"] == ((B, A),)


def test_answers_in_the_record_change_nothing(tmp_path):
    hidden = [Task(task.id, task.train, tuple((given, None) for given, _ in task.test)) for task in TASKS]
    folders = write_run(tmp_path / "one"), write_run(tmp_path / "two", hidden, tests_right=None)
    with RunRecord.open(folders[0]) as one, RunRecord.open(folders[1]) as two:
        assert choose_from_run(one).picks == choose_from_run(two).picks
        assert choose_from_run(one, hidden).picks == choose_from_run(one).picks


def test_a_challenge_with_other_tasks_than_the_run(tmp_path):
    changed = Task("second", ((A, B),), TASKS[1].test)
    new = Task("third", ((A, B),), ((C, None), (C, None)))
    with RunRecord.open(write_run(tmp_path / "run")) as record:
        chosen = choose_from_run(record, [TASKS[0], changed, new])
    assert list(chosen.picks) == ["first", "second", "third"]
    assert chosen.not_run == ("second", "third")
    assert chosen.picks["third"] == ((Pick(C), Pick(B)),) * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def solve_a(I):\n    return I\n", False),
        ("def solve_a(S, I, C):\n    return I\n", False),
        ("def solve_a(S, I, C):\n    x = hmirror(C)\n    return I\n", False),
        ("def solve_a(S, I, C):\n    x = hmirror(C)\n    return x\n", True),
        ("def solve_a(S, I, C):\n    return C\n", True),
    ],
)
def test_programs_that_read_the_answer(text, expected):
    assert reads(parse_program(text), "C") is expected
    assert not reads(parse_program(text), "S")


def test_a_program_that_looks_its_input_up_comes_after_one_that_does_not(tmp_path):
    """It is right on every demonstration whatever the task, because S holds the demonstration itself."""
    programs = [
        parse_program("def solve_lookup(S, I, C):\n    return last(first(S))\n"),
        parse_program("def solve_longer(I):\n    x = hmirror(I)\n    y = hmirror(x)\n    return y\n"),
    ]
    assert reads(programs[0], "S")
    writer = RunWriter.create(tmp_path / "run", RunOptions(dataset="made"), "cpu", programs, TASKS[1:])
    batch = Batch(
        first_task=0, tasks=1, first_program=0, programs=2, evaluations=4, seconds=0.5, rerouted={},
        results=[(0, 0, 1, 0, 0, None, 1.0, 1), (1, 0, 1, 0, 0, None, 1.0, 2)],
        outputs=[(10, 1, 1, b"\4"), (11, 1, 2, b"\3\3")],
        attempts=[(0, 1, 0, 10), (0, 1, 1, 11)],
    )  # fmt: skip
    writer.add(batch)
    writer.finish("done")
    with RunRecord.open(tmp_path / "run") as record:
        assert choose_from_run(record).picks["second"] == ((Pick(C, "longer", True), Pick(D, "lookup", True)),)
