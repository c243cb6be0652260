from __future__ import annotations

import pytest

from arcbatt.data.tasks import load_tasks
from arcbatt.language.program import unparse
from arcbatt.language.reference import evaluate
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

TASKS = {task.id: task for task in load_tasks("arcagi")}
PROGRAMS = library()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_program_solves_every_pair_of_its_task(program):
    for sample in TASKS[program.id].samples:
        assert evaluate(program, sample) == sample.C


def test_size_and_order():
    assert len(PROGRAMS) >= 120
    ids = [program.id for program in PROGRAMS]
    assert ids == sorted(set(ids))


def test_no_program_looks_at_the_expected_output():
    for program in PROGRAMS:
        without = parse_program(unparse(program))
        assert "C" not in {word for line in (*without.lines, without.result) for word in _names(line)}


def _names(line) -> set[str]:
    return set(str(line).replace("(", " ").replace(")", " ").replace(",", " ").split())
