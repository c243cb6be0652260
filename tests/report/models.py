"""Reports made by hand, for the tests."""

from __future__ import annotations

from dataclasses import replace

from arcbatt.data.tasks import Task
from arcbatt.language.failures import Failed, Reason
from arcbatt.report.compare import compare
from arcbatt.report.model import Against, Attempt, ProgramReport, RunReport, TaskReport, Timing
from arcbatt.runs.outcomes import Standing

COLOURS = ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9))
DOT = ((0,),)
TEXT = "def solve_a(I):\n    x1 = hmirror(I)  # a <b>\n    return x1\n"
FAILURE = Failed(Reason.EMPTY, "first", 3, "item 0 of 0")


def attempt(task: Task, outcomes, program="a", text=TEXT, alike=()) -> Attempt:
    expected = [wanted for _, wanted in (*task.train, *task.test)]
    gots = tuple(compare(outcome, wanted) for outcome, wanted in zip(outcomes, expected, strict=True))
    return Attempt(program, text, gots, tuple(alike))


def task_report(task: Task, standing: Standing, *outcomes, solvers=0, **options) -> TaskReport:
    attempts = [attempt(task, each, program=f"p{n}", **options) for n, each in enumerate(outcomes)]
    return TaskReport(task, standing, tuple(attempts), solvers)


SOLVED = Task("aaaa0001", ((DOT, ((1,),)), (COLOURS, DOT)), ((DOT, DOT), (DOT, ((2,),))))
NEARLY = Task("aaaa0002", ((DOT, DOT), (((6, 6), (6, 6)), ((6, 6), (6, 6)))), ((DOT, None),))
OPEN = Task("aaaa0003", ((DOT, DOT),), ((DOT, DOT),))


def report(*tasks: TaskReport, **changes) -> RunReport:
    chosen = tasks or (
        task_report(SOLVED, Standing.SOLVED, [((1,),), DOT, DOT, ((2,),)], solvers=4, alike=["b", "c", "d"]),
        task_report(NEARLY, Standing.NEAR, [DOT, ((6, 6), (6, 9)), DOT], [FAILURE, DOT, FAILURE]),
        TaskReport(OPEN, Standing.OPEN),
    )
    plain = {
        "title": "arcbatt run on arcagi",
        "state": "Done.",
        "facts": (("tasks", "3"), ("programs", "4")),
        "options": (("--backend", "auto"),),
        "environment": (("python", "3.11.7"),),
        "rerouted": (("dynamic: escape", 1200), ("dynamic: overflow", 3)),
        "stages": (Timing("compiling", 0.5), Timing("running", 1.5)),
        "batches": (Timing("tasks 1 to 3", 1.5, 3000), Timing("tasks 4 to 5", 0.0, 10)),
    }
    return RunReport(**{**plain, "tasks": chosen, **changes})


def _near(name: str, right: int) -> TaskReport:
    """A task that a program has so many cells of four right of."""
    task = Task(name, ((DOT, ((6, 6), (6, 6))),), ((DOT, DOT),))
    cells = [6] * right + [9] * (4 - right)
    return task_report(task, Standing.NEAR, [(tuple(cells[:2]), tuple(cells[2:])), ((3,),)])


WITH_PROGRAMS = report(
    replace(
        task_report(SOLVED, Standing.SOLVED, [((1,),), DOT, DOT, ((2,),)], solvers=2),
        programs=("p0", "thirteenth"),
    ),
    _near("bbbb0003", 1),
    _near("cccc0001", 4),
    _near("aaaa0002", 3),
    programs=(
        ProgramReport("p1", TEXT, 3, solves=("aaaa0001",), near=("x",), evaluations=10, failed=1, tier="cpu"),
        ProgramReport("p0", TEXT, 2, near=("y",), evaluations=10, failed=9, tier="cpu"),
        ProgramReport("p2", TEXT.replace("hmirror", "vmirror"), 9, evaluations=10, failed=5, reads_samples=True),
    ),
    programs_left_out=4,
    against=Against(
        "an earlier run",
        (("solved", "0", "1"),),
        (("aaaa0001", Standing.OPEN, Standing.SOLVED, "+p1"), ("gone", Standing.NEAR, Standing.OPEN, "")),
        (("p1", "0", "1", "rewritten"), ("old", "3", "not in it", "")),
    ),
)
