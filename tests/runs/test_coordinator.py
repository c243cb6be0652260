"""The coordinator against the reference and against the batt itself."""

from __future__ import annotations

import json

import pytest

from arcbatt.batt import make_card, write_batt
from arcbatt.batt.differs import standard_differs
from arcbatt.batt.runtime import run_batch
from arcbatt.data.tasks import load_tasks
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.runs.coordinator import BatchInput, MegaBatchCoordinator
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

PROGRAMS = [
    *library()[::60],
    parse_program("def solve_ragged(I):\n    return vconcat(I, lefthalf(I))\n"),
    parse_program("def solve_truth(I):\n    return astuple(portrait(I), equality(I, I))\n"),
    parse_program("def solve_empty(I):\n    return first(ofcolor(I, 99))\n"),
]
CARD = make_card(PROGRAMS, standard_differs())
TASKS = load_tasks("arcagi")[::80]
INPUTS = [
    BatchInput(task.id, task.train, given, wanted if number else None)
    for task in TASKS
    for number, (given, wanted) in enumerate(task.train + task.test)
]


@pytest.fixture(scope="module")
def results():
    return MegaBatchCoordinator(CARD, backend="cpu").process_all(INPUTS)


def test_every_outcome_is_the_references(results):
    assert [one.batch_idx for one in results] == list(range(len(INPUTS)))
    differs = standard_differs()
    for one, result in zip(INPUTS, results, strict=True):
        sample = Sample(one.I, one.S, one.C)
        wanted = {program.id: evaluate(program, sample) for program in PROGRAMS} | {"I": one.I}
        assert [(program, value) for _, program, value in result.o_result] == list(wanted.items())[:-1]
        assert len(result.s_result) == len(wanted) * len(differs)
        scores = {(program, differ): value for _, program, differ, value in result.s_result}
        for program, value in wanted.items():
            for differ in differs:
                if isinstance(value, Failed):
                    assert isinstance(scores[program, differ.id], Failed)
                elif program in ("I", PROGRAMS[0].id):
                    assert scores[program, differ.id] == evaluate(differ, Sample(value, one.S, one.C))


@pytest.mark.parametrize(
    "options",
    [
        {"backend": "python"},
        {"backend": "cpu", "batch_size": 3},
        {"backend": "cpu", "parallel": False},
        {"use_gpu": False, "max_workers": 3},
    ],
    ids=str,
)
def test_backend_batch_size_and_workers_change_nothing(results, options):
    again = MegaBatchCoordinator(CARD, **options).process_all(INPUTS[:9])
    assert again == results[:9]
    assert [one.to_json() for one in again] == [one.to_json() for one in results[:9]]


def test_a_module_name_stands_for_a_batt_file_that_is_read_not_run(tmp_path, monkeypatch):
    path = tmp_path / "batt_small.py"
    write_batt(CARD, path)
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "log.jsonl"
    batch = [BatchInput(*INPUTS[1].to_args()[:4], str(log)), INPUTS[2]]
    coordinator = MegaBatchCoordinator("batt_small", use_gpu=False)
    assert coordinator.batch_size == 1000
    found = coordinator.process_batch(batch, 7)
    wanted = run_batch(str(path), *zip(*(one.to_args()[:4] for one in batch), strict=True))
    assert [(one.o_result, one.s_result) for one in found] == wanted
    assert [one.batch_idx for one in found] == [7, 8]
    assert "empty" in {json.loads(line)["program"] for line in log.read_text().splitlines()}


def test_a_batt_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"no batt 'batt': there is no batt\.py here"):
        MegaBatchCoordinator()
    with pytest.raises(UsageError, match="batch_size is a number above 0"):
        MegaBatchCoordinator(CARD, batch_size=0)
