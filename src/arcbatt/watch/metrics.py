"""Runs, searches and GPUs as Prometheus' text format, version 0.0.4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from arcbatt._version import __version__
from arcbatt.support.text import plain_text
from arcbatt.watch.model import Gpu, Listed, RunView, SearchView, State

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_HELP: Final = {
    "arcbatt_info": ("gauge", "The version of arcbatt that watches."),
    "arcbatt_records": ("gauge", "Runs and searches by state."),
    "arcbatt_run_tasks": ("gauge", "Tasks of a run."),
    "arcbatt_run_programs": ("gauge", "Programs of a run."),
    "arcbatt_run_planned_evaluations": ("gauge", "Evaluations that a run has to do in all."),
    "arcbatt_run_evaluations_total": ("counter", "Evaluations done by a run, by the device or tier they ran on."),
    "arcbatt_run_evaluations_per_second": ("gauge", "Evaluations a second over the last batches of a run."),
    "arcbatt_run_node_evaluations_total": ("counter", "Evaluations done by a run on a cluster, by node."),
    "arcbatt_run_node_evaluations_per_second": ("gauge", "Evaluations a second over the last batches, by node."),
    "arcbatt_run_failures_total": ("counter", "Evaluations of a run that failed, by reason."),
    "arcbatt_run_solved_tasks": (
        "gauge",
        "Tasks with a program that is right on every demonstration, and where no test is known to be wrong.",
    ),
    "arcbatt_run_seconds": ("gauge", "Seconds from the start of a run to its end or its last batch."),
    "arcbatt_run_last_change_timestamp_seconds": ("gauge", "When the record of a run last changed."),
    "arcbatt_run_up": ("gauge", "1 while a run is going on."),
    "arcbatt_search_tasks_total": ("counter", "Tasks tried by a search."),
    "arcbatt_search_found_total": ("counter", "Tasks for which a search has found programs."),
    "arcbatt_search_core_seconds_total": ("counter", "Seconds of cores that a search has taken."),
    "arcbatt_search_last_change_timestamp_seconds": ("gauge", "When a search last recorded a task."),
    "arcbatt_gpu_memory_used_bytes": ("gauge", "Memory in use of a GPU of this machine."),
    "arcbatt_gpu_memory_total_bytes": ("gauge", "Memory of a GPU of this machine."),
    "arcbatt_gpu_busy_ratio": ("gauge", "Share of time that a GPU of this machine was busy."),
}
"""Type and meaning of every metric, in the order they are given."""


class _Sample(NamedTuple):
    metric: str
    labels: Mapping[str, str]
    value: float


def metrics_text(listed: Sequence[Listed], views: Iterable[RunView | SearchView], gpus: Iterable[Gpu]) -> str:
    """All metrics; of runs and searches, those that there are views of."""
    samples = [_Sample("arcbatt_info", {"version": __version__}, 1)]
    states = Counter(one.state for one in listed)
    samples += [_Sample("arcbatt_records", {"state": state}, states[state]) for state in State]
    for view in views:
        samples += _of_run(view) if isinstance(view, RunView) else _of_search(view)
    for gpu in gpus:
        samples += _of_gpu(gpu)
    lines = []
    for name, (kind, meaning) in _HELP.items():
        mine = [one for one in samples if one.metric == name]
        if mine:
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}", *map(_line, mine)]
    return "\n".join(lines) + "\n"


def _of_run(view: RunView) -> list[_Sample]:
    run = {"run": view.listed.place.name, "dataset": view.listed.dataset}
    demos, tests = view.solved
    found = [
        _Sample("arcbatt_run_tasks", run, view.tasks),
        _Sample("arcbatt_run_programs", run, view.programs),
        _Sample("arcbatt_run_planned_evaluations", run, view.total),
        _Sample("arcbatt_run_solved_tasks", run | {"right_on": "demonstrations"}, demos.last),
        _Sample("arcbatt_run_solved_tasks", run | {"right_on": "tests"}, tests.last),
        _Sample("arcbatt_run_seconds", run, view.seconds),
        _Sample("arcbatt_run_last_change_timestamp_seconds", run, view.heard),
        _Sample("arcbatt_run_up", run, int(view.listed.is_live)),
    ]
    if view.listed.is_live:
        found.append(_Sample("arcbatt_run_evaluations_per_second", run, view.rate or 0.0))
    found += [_Sample("arcbatt_run_evaluations_total", run | {"on": on}, count) for on, count in view.ran_on.items()]
    for node in view.nodes:
        labels = run | {"node": node.name}
        found.append(_Sample("arcbatt_run_node_evaluations_total", labels, node.done))
        if view.listed.is_live:
            found.append(_Sample("arcbatt_run_node_evaluations_per_second", labels, node.rate))
    found += [
        _Sample("arcbatt_run_failures_total", run | {"reason": reason}, count)
        for reason, count in view.failures.items()
    ]
    return found


def _of_search(view: SearchView) -> list[_Sample]:
    search = {"search": view.listed.place.name, "dataset": view.listed.dataset}
    return [
        _Sample("arcbatt_search_tasks_total", search, view.done),
        _Sample("arcbatt_search_found_total", search, view.found),
        _Sample("arcbatt_search_core_seconds_total", search, view.core_seconds),
        _Sample("arcbatt_search_last_change_timestamp_seconds", search, view.heard),
    ]


def _of_gpu(gpu: Gpu) -> list[_Sample]:
    labels = {"gpu": str(gpu.number), "name": gpu.name}
    values = {
        "arcbatt_gpu_memory_used_bytes": gpu.used,
        "arcbatt_gpu_memory_total_bytes": gpu.total,
        "arcbatt_gpu_busy_ratio": gpu.busy,
    }
    return [_Sample(name, labels, value) for name, value in values.items() if value is not None]


def _line(sample: _Sample) -> str:
    labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels.items())
    value = repr(float(sample.value)).removesuffix(".0")
    return f"{sample.metric}{{{labels}}} {value}"


def _escaped(text: str) -> str:
    return plain_text(text).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
