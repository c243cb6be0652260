from __future__ import annotations

import pytest

from arcbatt.calls import processor as module
from arcbatt.calls.processor import GPUBatchProcessor
from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.engine.choose import why_no_gpu
from arcbatt.errors import UsageError
from arcbatt.runs.api import run
from arcbatt.solvers import library
from arcbatt.syntax import parse_text

TASKS = load_tasks("arcagi")[:6]
IDS = {task.id for task in TASKS}
PROGRAMS = [program for program in library() if program.id in IDS or program.id < "08"]


@pytest.fixture
def processor():
    return GPUBatchProcessor(batch_size=4, use_gpu=True, programs=PROGRAMS)


def test_results_are_those_of_a_run(processor):
    results = processor.process_tasks_batch(TASKS)
    assert [result.task_id for result in results] == [task.id for task in TASKS]
    assert {key: list(names) for key, names in results.solved.items()} == run(PROGRAMS, TASKS).record.solved()
    assert results.solved
    for task, result in zip(TASKS, results, strict=True):
        if result.tests_solved_by[:1] == result.solved_by[:1] != ():
            assert result.outputs == tuple(wanted for _, wanted in task.test)
    assert results.evaluations == len(PROGRAMS) * sum(len(task.samples) for task in TASKS)


def test_without_a_gpu_it_says_so(processor):
    assert processor.use_gpu == (why_no_gpu() is None)
    results = processor.process_tasks_batch(TASKS[:1])
    assert bool(results.note) != processor.use_gpu
    assert GPUBatchProcessor(use_gpu=False, programs=PROGRAMS).process_tasks_batch(TASKS[:1]).note == ""


def test_nothing_and_one(processor):
    assert processor.process_tasks_batch([]) == []
    assert processor.process_tasks_batch(TASKS[:1])[0] == processor.process_tasks_batch(TASKS)[0]


def test_tasks_in_any_form_and_twice(processor):
    wanted = processor.process_tasks_batch(TASKS[:2])
    pairs = [(task.id, task_to_json(task)) for task in TASKS[:2]]
    assert processor.process_tasks_batch(pairs) == wanted
    assert processor.process_tasks_batch(dict(pairs)) == wanted
    assert processor.process_tasks_batch([TASKS[0], TASKS[0]]) == [wanted[0], wanted[0]]
    bare = processor.process_tasks_batch([task_to_json(TASKS[0])])
    assert bare[0].solved_by == wanted[0].solved_by
    assert bare[0].task_id == "task 0"


def test_what_is_no_task_is_said_in_its_place(processor):
    results = processor.process_tasks_batch([TASKS[0], ("bad", {"train": [], "test": []}), 5, TASKS[1]])
    assert "no demonstrations" in results[1].problem
    assert results[1].task_id == "bad"
    assert "a task is an object" in results[2].problem
    assert [results[0], results[3]] == processor.process_tasks_batch(TASKS[:2])


@pytest.mark.parametrize("size", [1, 2, 32])
def test_the_batch_size_changes_nothing(size, processor):
    assert GPUBatchProcessor(size, programs=PROGRAMS).process_tasks_batch(TASKS) == processor.process_tasks_batch(TASKS)


def test_programs_that_fail_are_counted():
    programs = parse_text("def solve_a(I):\n    return hsplit(I, 0)\n\ndef solve_b(I):\n    return I\n").check()
    result = GPUBatchProcessor(programs=programs).process_tasks_batch(TASKS[:1])[0]
    assert result.failed == len(TASKS[0].samples)
    assert result.solved_by == ()


def test_short_memory_halves_the_batch(processor, monkeypatch):
    sizes = []
    real = module.run

    def short(options, *args, **kwargs):
        sizes.append(options.batch_size)
        if len(sizes) < 3:
            raise MemoryError
        return real(options, *args, **kwargs)

    monkeypatch.setattr(module, "run", short)
    results = processor.process_tasks_batch(TASKS)
    assert sizes[0] == 2 * sizes[1] == 4 * sizes[2]
    assert results.batch_size == 1
    monkeypatch.undo()
    assert results == processor.process_tasks_batch(TASKS)


def test_unused_memory_is_given_back_after_each_batch(monkeypatch):
    freed = [600, 500, 300]
    monkeypatch.setattr(module, "gpu_memory_cleanup", lambda: freed.pop(0))
    processor = GPUBatchProcessor(batch_size=2, use_gpu=False, programs=PROGRAMS)
    want = processor.process_tasks_batch(TASKS)
    assert (want.cleanups, want.freed_bytes, processor.cleanup()) == (0, 0, 0)
    processor.use_gpu = True
    results = processor.process_tasks_batch(TASKS)
    assert results == want
    assert (results.cleanups, results.freed_bytes, freed) == (3, 600 + 500 + 300, [])


def test_progress_and_a_stop_in_the_middle(processor):
    told = []
    results = processor.process_tasks_batch(TASKS, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (results.evaluations, results.evaluations)
    stopped = processor.process_tasks_batch(TASKS, stop=lambda: True)
    assert not any(result.done for result in stopped)


def test_an_interrupt_comes_through(processor):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        processor.process_tasks_batch(TASKS, progress=interrupt)


def test_ten_thousand_tasks():
    programs = parse_text("def solve_a(I):\n    return I\n").check()
    results = GPUBatchProcessor(batch_size=1_000, programs=programs).process_tasks_batch([TASKS[0]] * 10_000)
    assert len(results) == 10_000
    assert len(set(results)) == 1


def test_a_batch_size_is_a_number_above_zero():
    with pytest.raises(UsageError, match="batch_size"):
        GPUBatchProcessor(0)
