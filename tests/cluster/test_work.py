"""What needs no Ray: where workers go, how work is cut and put back, and that nothing imports Ray unasked."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from arcbatt.cluster import actor
from arcbatt.cluster import connection as connections
from arcbatt.cluster.build import this_build
from arcbatt.cluster.connection import Connection, Place, connected
from arcbatt.cluster.crew import Worker
from arcbatt.errors import ClusterError, UsageError
from arcbatt.runs.compute import Plan, Slice
from arcbatt.runs.nearness import Candidate, nearest
from arcbatt.runs.options import RunOptions
from arcbatt.runs.shards import ALONE, FIRST, MOST, RunWork
from arcbatt.runs.store.reading import TaskSize


def node(key, host, **resources):
    return {"NodeID": key, "NodeManagerHostname": host, "Alive": True, "Resources": resources}


HEAD = socket.create_server(("127.0.0.1", 0), backlog=100)


def connection(*nodes, backend="auto", threads=None, head=HEAD):
    context = SimpleNamespace(gcs_address=f"127.0.0.1:{head.getsockname()[1]}")
    return Connection(SimpleNamespace(nodes=lambda: nodes, get_runtime_context=lambda: context), backend, threads)


def test_a_head_that_is_gone_is_waited_for_and_then_an_error(monkeypatch):
    head = socket.create_server(("127.0.0.1", 0))
    found = connection(node("a", "one", CPU=1.0), head=head)
    before = found.places()
    head.close()
    assert found.places() == before
    monkeypatch.setattr(connections, "_HEAD_SECONDS", 0.0)
    with pytest.raises(ClusterError, match=r"the head of the cluster at 127.0.0.1:\d+ is gone"):
        found.places()


def test_a_worker_for_every_gpu_and_share_of_cpus():
    mixed = (node("a", "one", CPU=20.0, GPU=2.0), node("b", "two", CPU=4.0), node("c", "head", memory=1.0))
    found = connection(*mixed)
    assert [(str(place), place.cpus) for place in found.places()] == [
        ("gpu:0@one", 1), ("gpu:1@one", 1), ("cpu:0@one", 8), ("cpu:1@one", 8), ("cpu:2@one", 2), ("cpu:0@two", 4),
    ]  # fmt: skip
    assert found.backend == "cuda"
    assert [found.backend_at(place) for place in found.places()] == ["gpu", "gpu", "cpu", "cpu", "cpu", "cpu"]
    only_cpus = connection(*mixed, backend="cpu", threads=5)
    assert [place.cpus for place in only_cpus.places()] == [5, 5, 5, 5, 4]
    assert only_cpus.backend == "cpu"
    assert [place.kind for place in connection(*mixed, backend="waves").places()] == ["gpu", "gpu"]
    with pytest.raises(ClusterError, match="no node of the cluster has a GPU"):
        connection(mixed[1], backend="cuda")


def test_nodes_of_one_host_are_told_apart():
    names = [
        place.name for place in connection(node("abcdef12", "vm", CPU=1.0), node("fedcba98", "vm", CPU=1.0)).places()
    ]
    assert names == ["vm-abcdef", "vm-fedcba"]


def made(tasks=40, programs=25, width=10):
    sizes = [TaskSize(3, 1)] * tasks
    parts = [Slice(start, min(start + width, programs)) for start in range(0, programs, width)]
    plan = Plan((), sizes, (), 1, 1, timed=False)
    left = {part: [Slice(0, tasks)] for part in parts}
    return RunWork(plan, left, lambda part: f"programs {part}", lambda task: [], 1000, 500_000)


def worker(kind="cpu", rate=0.0):
    return Worker(Place("n", "n", kind, 0, 1), None, ready=True, rate=rate)


def cover(jobs):
    return sorted((job.part, task) for job in jobs for task in range(job.tasks.start, job.tasks.stop))


@pytest.mark.parametrize("seed", range(20))
def test_every_task_of_every_slice_once_whoever_ends(seed):
    chance = random.Random(seed)
    work = made()
    workers = [worker(rate=chance.choice([0.0, 50.0, 400.0, 1e9])) for _ in range(5)]
    done, held = [], []
    while True:
        piece = work.next(chance.choice(workers), chance.random())
        if piece is not None:
            held.append(piece.job)
        if not held:
            break
        job = held.pop(chance.randrange(len(held)))
        if chance.random() < 0.3 and len(done) < 40:
            work.put_back(job, blamed=False)
        else:
            work.done(job)
            done.append(job)
    parts = [Slice(0, 10), Slice(10, 20), Slice(20, 25)]
    assert cover(done) == sorted((part, task) for part in parts for task in range(40))


def test_a_worker_keeps_to_its_slice_and_helps_at_the_end():
    work = made()
    one, other = worker(rate=400.0), worker(rate=400.0)
    assert [work.next(who, 1.0).job.part.start for who in (one, other, one, other)] == [0, 10, 0, 10]
    third = worker(rate=1e9)
    assert work.next(third, 1.0).job == (Slice(20, 25), Slice(0, 40))
    assert work.next(third, 1.0).job.part.start in (0, 10)


def test_batches_are_a_second_by_the_measured_rate_and_short_at_the_end():
    work = made(programs=10)
    first = work.next(worker(), 1.0).job.tasks
    assert (first.stop - first.start) * 4 == FIRST["cpu"]
    assert work.next(worker(rate=400.0), 1.0).job.tasks.size == 10
    assert work.next(worker(rate=4000.0), 0.25).job.tasks.size == 10  # a tenth of a second of its own, no less
    assert work.next(worker("gpu"), 1.0).job.tasks.size == 12  # all that is left


def test_what_workers_end_over_is_run_alone_and_then_an_error():
    work = made(tasks=8, programs=10)
    for _ in range(ALONE):
        job = work.next(worker(), 1.0).job
        assert job.tasks == (0, 8)
        work.put_back(job, blamed=True)
    sizes = [work.next(worker(), 1.0).job.tasks.size for _ in range(8)]
    assert sizes == [1] * 8
    assert work.next(worker(), 1.0) is None
    for _ in range(ALONE + 1, MOST):
        work.put_back(job, blamed=True)
    with pytest.raises(ClusterError, match=f"{MOST} workers have failed over task 1 "):
        work.put_back(job, blamed=True)


def test_near_misses_are_the_same_in_any_order():
    chance = random.Random(5)
    for _ in range(300):
        batches, number = [], 0
        for _ in range(4):
            batch = []
            for _ in range(6):
                value = chance.randrange(5)  # equal outputs are equally near
                batch.append(Candidate(chance.random() < 0.5, value % 3, -value / 10, number, value))
                number += 1
            batches.append(nearest([], batch))
        wanted = None
        for _ in range(6):
            chance.shuffle(batches)
            kept = []
            for batch in batches:
                kept = nearest(kept, batch)
            wanted = wanted or kept
            assert kept == wanted


def test_nodes_say_what_is_wrong_with_them(monkeypatch):
    assert actor.node_problem(this_build()) == ""
    assert "install the same on every node" in actor.node_problem("arcbatt 0.0.1 (0123)")
    monkeypatch.setitem(sys.modules, "arcbatt._version", None)
    assert actor.node_problem(this_build()) == "arcbatt is not installed there"


def test_an_actor_tells_what_failed():
    one = actor.Actor()
    assert one.hello(this_build()) == ""
    assert "ModuleNotFoundError" in one.setup("arcbatt.nowhere:Service", {})
    assert one.setup(f"{__name__}:Fails", {}) == ""
    assert one.work("a shard")[1] == "ValueError: a shard"


class Fails:
    def work(self, message):
        raise ValueError(message)


def test_without_ray_nothing_imports_it(monkeypatch):
    code = (
        "import sys; import arcbatt, arcbatt.cli.app, arcbatt.cli.run, arcbatt.cli.solve; "
        "arcbatt.run(arcbatt.library()[:2], arcbatt.load_tasks('arcagi')[:1]); assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'arcbatt\[ray\]'"), connected("local", "auto", None):
        pass


def test_devices_are_not_for_clusters():
    with pytest.raises(UsageError, match="Ray's to give"):
        RunOptions(cluster="local", devices=(0,))
