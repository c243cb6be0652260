"""Runs and searches on a small cluster of this machine, where Ray is installed: equal to the local ones."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from arcbatt.cluster import connection as connections
from arcbatt.data.taskset import open_tasks
from arcbatt.devtools.bench.cluster import local_cluster, processes
from arcbatt.errors import ClusterError, UsageError
from arcbatt.runs.options import RunOptions
from arcbatt.runs.runner import run
from arcbatt.runs.store.live import LiveStore
from arcbatt.scoring.attempts import Question
from arcbatt.search.options import SolveOptions
from arcbatt.search.record import SolveRecord, read_solutions
from arcbatt.search.shards import solved_on
from arcbatt.solvers import library

pytest.importorskip("ray")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

PROGRAMS = library()[::16]
TASKS = open_tasks("arcagi")[:16]


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(1) as made:
        made.add(num_gpus=1)  # which arcbatt cannot use here: the CPU takes its place
        yield made


@pytest.fixture(scope="module")
def wanted():
    return list(run(RunOptions(backend="cpu", slice_size=10), PROGRAMS, TASKS).record.dump())


def options(cluster, **more):
    return RunOptions(cluster=cluster.address, slice_size=10, **more)


def test_a_run_is_equal_and_says_which_nodes_did_what(cluster, wanted, tmp_path):
    summary = run(options(cluster), PROGRAMS, TASKS, out=tmp_path / "run")
    assert summary.finished
    assert list(summary.record.dump()) == wanted
    live = LiveStore(summary.record.store)
    batches = live.progress()
    assert all("@" in name for batch in batches for name in batch.ran_on or {})
    assert sum(batch.done.evaluations for batch in batches) == summary.evaluations
    assert live.slowest(3)


def test_what_ends_costs_nothing_but_time(cluster, wanted, tmp_path):
    """Two workers are killed, then a node, another one comes, then the run is stopped; what is left is done later."""
    seen = []

    def break_things(done, total):
        seen.append(done)
        if len(seen) in (2, 3):
            workers = [pid for pid, (name, _) in processes().items() if name.startswith("ray::Actor")]
            os.kill(workers[0], signal.SIGKILL)
        if len(seen) == 4:
            cluster.kill(0)
            cluster.add()

    out = tmp_path / "run"
    first = run(
        options(cluster, batch_size=8), PROGRAMS, TASKS, out=out, progress=break_things, stop=lambda: len(seen) > 12
    )
    assert cluster.kills == 1
    assert any("ended" in text for text in first.recovered_errors)
    assert first.record.state == "stopped"
    first.record.close()
    again = run(options(cluster), PROGRAMS, TASKS, out=out, resume=True)
    assert 0 < again.evaluations < first.evaluations + again.evaluations
    assert list(again.record.dump()) == wanted


def test_tasks_are_solved_and_recorded(cluster, tmp_path):
    few = SolveOptions(budget=0.1, families=("completing",))
    record = SolveRecord(tmp_path / "solved", few, "arcagi", resume=False)
    questions = {task.id: Question.of(task) for task in TASKS[:5]}
    for solution, node in solved_on(cluster.address, few, questions.values(), lambda: False):
        assert len(solution.pairs) == len(questions[solution.id].inputs)
        record.add(solution, node)
    assert read_solutions(tmp_path / "solved").keys() == questions.keys()
    assert "node" in (tmp_path / "solved" / "solutions.jsonl").read_text()


def test_another_arcbatt_is_refused_before_anything_is_begun(cluster, monkeypatch, tmp_path):
    monkeypatch.setattr(connections, "this_build", lambda: "arcbatt 9.9 (0)")
    with pytest.raises(ClusterError, match=r"node .* cannot take part: it has arcbatt .*install the same"):
        run(options(cluster), PROGRAMS, TASKS, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("address", "error"), [("127.0.0.1:1", "no Ray cluster at '127.0.0.1:1'"), ("nowhere", "HOST:PORT, auto or local")]
)
def test_a_wrong_address_is_said_at_once(address, error, tmp_path):
    with pytest.raises((ClusterError, UsageError), match=error):
        run(RunOptions(cluster=address), PROGRAMS, TASKS, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
