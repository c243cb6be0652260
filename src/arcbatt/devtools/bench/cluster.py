"""Runs on Ray clusters of several nodes on this machine, against the local run: equal, at what cost, how fast.

    python -m arcbatt.devtools.bench.cluster equal --nodes 3 --kills 20
    python -m arcbatt.devtools.bench.cluster overhead --mutants 1000
    python -m arcbatt.devtools.bench.cluster scaling --nodes 1 --nodes 2 --nodes 4
    python -m arcbatt.devtools.bench.cluster costs

Every figure is a line of JSON. Time of cores is counted over all processes of the cluster, so that it means something
on a machine that is busy with other things too.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final
from unittest.mock import patch

import typer

from arcbatt.cluster.connection import wait_until_left
from arcbatt.data.taskset import TaskSet, open_tasks
from arcbatt.devtools.generate import mutants as mutants_of
from arcbatt.language.program import Program
from arcbatt.runs import runner
from arcbatt.runs.api import run
from arcbatt.runs.compute import Computed
from arcbatt.solvers import library
from arcbatt.support.machine import processor

STORE_BYTES: Final = 80 << 20
_LOOK_SECONDS: Final = 0.5
_TICKS: Final = os.sysconf("SC_CLK_TCK")

app = typer.Typer(help=__doc__, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


@dataclass
class LocalCluster:
    """Nodes of one CPU each, and a head with none, all on this machine."""

    cluster: Any
    nodes: list[Any] = field(default_factory=list)
    kills: int = 0

    @property
    def address(self) -> str:
        """What `--ray` takes."""
        return str(self.cluster.address)

    def add(self, **resources: Any) -> None:
        """One more node."""
        self.nodes.append(self.cluster.add_node(object_store_memory=STORE_BYTES, **({"num_cpus": 1} | resources)))

    def kill(self, which: int) -> None:
        """End a node as a broken machine ends, with all that is on it."""
        self.cluster.remove_node(self.nodes.pop(which), allow_graceful=False)
        self.kills += 1


@contextmanager
def local_cluster(nodes: int) -> Iterator[LocalCluster]:
    """A cluster of nodes on this machine."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_memory_monitor_refresh_ms": "0"}
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    made = LocalCluster(Cluster(initialize_head=True, head_node_args=head))
    try:
        for _ in range(nodes):
            made.add()
        yield made
    finally:
        wait_until_left()
        made.cluster.shutdown()


def processes() -> dict[int, tuple[str, float]]:
    """This process and all below it: what each is called, and the seconds of cores that it took."""
    parents, found = dict[int, int](), dict[int, tuple[str, float]]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                text = (entry / "stat").read_text(errors="replace")
                name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
                parents[int(entry.name)] = int(rest[1])
                found[int(entry.name)] = name, sum(map(int, rest[11:13])) / _TICKS
    family = {os.getpid()}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return {one: found[one] for one in family if one in found}


class CoreSeconds:
    """What this process and all below it take while this is open; who has ended counts by what was seen last."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self._last: dict[int, tuple[str, float]] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> CoreSeconds:
        self._first = {one: seconds for one, (_, seconds) in processes().items()}
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        self._last |= processes()

    def by_kind(self) -> dict[str, float]:
        """What this process took, workers of arcbatt, and Ray's own processes."""
        found = dict.fromkeys(("driver", "workers", "ray"), 0.0)
        for one, (name, seconds) in self._last.items():
            kind = "driver" if one == os.getpid() else "workers" if name.startswith("ray::Actor") else "ray"
            found[kind] += seconds - self._first.get(one, 0.0)
        return found


@dataclass(frozen=True)
class Load:
    """What is run."""

    programs: Sequence[Program]
    tasks: TaskSet

    @property
    def evaluations(self) -> int:
        """How many there are."""
        return len(self.programs) * self.tasks.sample_count


def _load(count: int, mutants: int) -> Load:
    tasks = open_tasks("arcagi")
    own = list(library())
    return Load([*own, *mutants_of(own, mutants, 1, 1)], tasks[:count] if count else tasks)


def _measured(load: Load, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """A run into a directory: what it took, and its record as text."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with CoreSeconds() as cores:
            summary = run(load.programs, load.tasks, out=Path(folder) / "run", **options)
            wall = time.perf_counter() - start
        text = list(summary.record.dump())
        errors = sum(summary.recovered_errors.values())
        summary.record.close()
    took = {
        "evaluations": load.evaluations,
        "seconds": round(wall, 2),
        "core_seconds": round(sum(cores.by_kind().values()), 2),
        "core_seconds_of": {kind: round(seconds, 2) for kind, seconds in cores.by_kind().items()},
        "stages": {name: round(seconds, 2) for name, seconds in summary.seconds.items()},
        "recovered_errors": errors,
    }
    return took, text


def _say(**facts: Any) -> None:
    typer.echo(json.dumps(facts | {"machine": f"{processor()}, {os.cpu_count()} cores"}))


Count = Annotated[int, typer.Option(help="So many training tasks; 0: all.")]
Mutants = Annotated[int, typer.Option(help="So many mutants beside the library.")]
Nodes = Annotated[list[int], typer.Option(help="Nodes of one CPU each; may be repeated.")]


@app.command()
def equal(
    nodes: Nodes = [3, 6],  # noqa: B006 - typer's way
    kills: Annotated[int, typer.Option(help="Nodes to kill in the middle, over as many runs as that takes.")] = 0,
    count: Count = 0,
    mutants: Mutants = 0,
    seed: int = 0,
) -> None:
    """Whether a run on a cluster, its nodes killed at random, records what a local one does."""
    load = _load(count, mutants)
    took, wanted = _measured(load, backend="cpu")
    _say(run="local", **took)
    chance = random.Random(seed)
    for number in nodes:
        with local_cluster(number) as cluster:
            killed = -1
            while killed < cluster.kills < kills or killed < 0:
                killed = cluster.kills
                over = threading.Event()
                killer = threading.Thread(target=_kill, args=(cluster, kills, chance, over))
                killer.start()

                def brought_back(_: int, __: int, number: int = number, cluster: LocalCluster = cluster) -> None:
                    if len(cluster.nodes) < number:  # Ray adds nodes in the main thread only
                        cluster.add()

                try:
                    took, found = _measured(load, cluster=cluster.address, progress=brought_back)
                finally:
                    over.set()
                    killer.join()
                same = found == wanted
                _say(run=f"{number} nodes", killed=cluster.kills - killed, equal=same, rows=len(found), **took)
                if not same:
                    raise typer.Exit(1)


def _kill(cluster: LocalCluster, most: int, chance: random.Random, over: threading.Event) -> None:
    """Kill nodes now and then, all but one at most."""
    while cluster.kills < most and not over.wait(chance.uniform(1, 10)):
        if len(cluster.nodes) > 1:
            cluster.kill(chance.randrange(len(cluster.nodes)))


@app.command()
def overhead(nodes: Nodes = [2], count: Count = 0, mutants: Mutants = 1000) -> None:  # noqa: B006
    """What a run costs on a cluster that is up, in seconds of cores, against a local run on as many threads."""
    load = _load(count, mutants)
    for number in nodes:
        alone, wanted = _measured(load, backend="cpu", threads=number)
        _say(run="local", threads=number, **alone)
        with local_cluster(number) as cluster:
            took, found = _measured(load, cluster=cluster.address)
        more = took["core_seconds"] / alone["core_seconds"] - 1
        _say(run=f"{number} nodes", equal=found == wanted, overhead=round(more, 4), **took)


@app.command()
def scaling(nodes: Nodes = [1, 2, 3, 6], count: Count = 0, mutants: Mutants = 0) -> None:  # noqa: B006
    """Evaluations a second against the number of nodes."""
    load = _load(count, mutants)
    for number in nodes:
        with local_cluster(number) as cluster:
            took, _ = _measured(load, cluster=cluster.address)
        rate = load.evaluations / took["seconds"]
        _say(
            run=f"{number} nodes",
            rate=round(rate),
            rate_of_cores=round(load.evaluations / took["core_seconds"]),
            **took,
        )


@app.command()
def costs(count: Count = 100, mutants: Mutants = 1000) -> None:
    """What a batch costs whoever records it, and how large it is on its way there: what the simulation begins with."""
    load = _load(count, mutants)
    spent, sizes = Counter[str](), Counter[str]()
    whole = runner._Runner.record

    def record(self: runner._Runner, computed: Computed) -> None:
        text = pickle.dumps(computed, 5)
        start = time.thread_time()
        again = pickle.loads(text)
        middle = time.thread_time()
        whole(self, again)
        spent.update({"read": middle - start, "record": time.thread_time() - middle})
        sizes.update(batches=1, bytes=len(text), rows=computed.part.size * computed.tasks.size)

    with patch.object(runner._Runner, "record", record):
        took, _ = _measured(load, backend="cpu", threads=1)
    rows = sizes["rows"]
    _say(
        **sizes,
        microseconds_a_row={name: round(1e6 * seconds / rows, 3) for name, seconds in spent.items()},
        bytes_a_row=round(sizes["bytes"] / rows, 1),
        rows_an_evaluation=round(rows / load.evaluations, 4),
        evaluations_a_core_second=round(load.evaluations / (took["core_seconds"] - sum(spent.values()))),
    )


if __name__ == "__main__":
    app()
