"""Metrics in the format that Prometheus reads, by a small reader of that format."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from arcbatt.support.text import plain_text
from arcbatt.watch.metrics import metrics_text
from arcbatt.watch.model import Gpu, Line, Listed, RunView, State
from arcbatt.watch.places import Place

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-z][a-z0-9_]*)\{{((?:{LABEL})(?:,{LABEL})*)\}} (\S+)")


def parsed(text: str) -> dict[str, list[tuple[dict[str, str], float]]]:
    """Every sample by metric; fails on a line that is not of the format, or stands under no TYPE of its own."""
    found: dict[str, list] = {}
    assert text.endswith("\n")
    current, kind = "", ""
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            current = line.split(" ")[2]
            assert current not in found, "samples of a metric stand together"
            found[current] = []
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == current
            assert kind in ("gauge", "counter")
        else:
            name, labels, value = SAMPLE.fullmatch(line).groups()
            assert name == current
            assert (kind == "counter") == name.endswith("_total")
            pairs = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels))
            plain = {
                key: re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), text) for key, text in pairs.items()
            }
            assert plain not in [known for known, _ in found[name]], "a sample stands once"
            found[name].append((plain, float(value)))
    return found


def view(name: str = "run", dataset: str = "arcagi", state: State = State.RUNNING, **changes) -> RunView:
    listed = Listed(Place(name, name, Path(name), "run"), state, dataset, 10.0)
    line = Line("x", ((0.0, 0.0), (1.0, 3.0)))
    values = {
        "heard": 12.5, "tasks": 4, "programs": 5, "total": 100, "done": 50, "seconds": 2.0, "rate": 25.0,
        "solved": (line, line), "rates": (), "ran_on": {"cpu": 40, "cuda:0": 10}, "failures": {"empty": 7},
        "rerouted": {}, "slowest": (), "near": (),
    }  # fmt: skip
    return RunView(listed, **(values | changes))


def test_a_run_and_a_gpu():
    one = view()
    gpu = Gpu(0, "NVIDIA H200", 1 << 30, 2 << 30, 0.5)
    found = parsed(metrics_text([one.listed], [one], [gpu, Gpu(1, "T4", None, 5, None)]))
    run = {"run": "run", "dataset": "arcagi"}
    assert found["arcbatt_run_evaluations_total"] == [(run | {"on": "cpu"}, 40), (run | {"on": "cuda:0"}, 10)]
    assert found["arcbatt_run_failures_total"] == [(run | {"reason": "empty"}, 7)]
    assert found["arcbatt_run_evaluations_per_second"] == [(run, 25.0)]
    assert found["arcbatt_run_last_change_timestamp_seconds"] == [(run, 12.5)]
    assert ({"state": "running"}, 1.0) in found["arcbatt_records"]
    assert found["arcbatt_gpu_memory_used_bytes"] == [({"gpu": "0", "name": "NVIDIA H200"}, 1 << 30)]
    assert len(found["arcbatt_gpu_memory_total_bytes"]) == 2


def test_a_run_that_is_over_has_no_speed():
    done = view(state=State.DONE)
    found = parsed(metrics_text([done.listed], [done], []))
    assert "arcbatt_run_evaluations_per_second" not in found
    assert found["arcbatt_run_up"][0][1] == 0


@given(st.text(), st.text(), st.text())
def test_names_of_any_kind_are_labels_and_nothing_else(name, dataset, reason):
    one = view(name, dataset, failures={reason: 3})
    found = parsed(metrics_text([one.listed], [one], []))
    labels, value = found["arcbatt_run_failures_total"][0]
    assert value == 3
    assert labels == {"run": plain_text(name), "dataset": plain_text(dataset), "reason": plain_text(reason)}
