"""Launches, transfers and bytes of the GPU engine, counted and marked."""

from __future__ import annotations

import importlib
import sys
from dataclasses import fields
from types import SimpleNamespace

import pytest

from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.cuda.traffic import Span, Traffic
from compiler.support import LIBRARY
from engine import fake_cupy

TASKS = load_tasks("arcagi")[:3]
SAMPLES = [sample for task in TASKS for sample in task.samples]


@pytest.fixture
def marks(monkeypatch):
    """The backend over a CuPy that is none, and the ranges that it opened."""
    fake = fake_cupy.module(free=1 << 28)
    found = []
    fake.cuda.nvtx = SimpleNamespace(available=True, RangePush=found.append, RangePop=lambda: found.append("end"))
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.delitem(sys.modules, "arcbatt.engine.cuda.engine", raising=False)
    yield found
    sys.modules.pop("arcbatt.engine.cuda.engine", None)


@pytest.fixture
def engine(marks, monkeypatch):
    module = importlib.import_module("arcbatt.engine.cuda.engine")
    monkeypatch.setattr(module, "cubin", lambda *_, **__: "none")
    return module.CudaEngine.of(LIBRARY[:20], slices=2)


def test_a_run_says_what_it_moved(engine):
    data = pack_samples(SAMPLES)
    engine.run(data, complete=False)
    first = engine.cuda.last.traffic
    assert first.launches in (2, 3), "objects of inputs by size, programs"
    bytes_of_results = len(SAMPLES) * 20 * (1 + 1 + 2)
    assert first.downloaded == pytest.approx(bytes_of_results, abs=64), "statuses, matches, agreement; a few counters"
    packed = sum(getattr(data, one.name).nbytes for one in fields(PackedSamples))
    assert first.uploaded > packed
    engine.run(data, complete=False)
    assert engine.cuda.last.traffic.uploads < first.uploads, "samples and code are there already"
    engine.forget_samples()
    engine.run(data, complete=False)
    assert engine.cuda.last.traffic.uploaded >= packed


def test_grids_cost_more(engine):
    engine.run(SAMPLES, complete=False)
    verdicts = engine.cuda.last.traffic.downloaded
    engine.run(SAMPLES, "grid", complete=False)
    assert engine.cuda.last.traffic.downloaded > 3 * verdicts


def test_stages_are_timed_and_marked(engine, marks):
    engine.run(SAMPLES, complete=False)
    stages = [span.stage for span in engine.cuda.last.traffic.spans]
    assert set(stages) == {"slice", "copy", "objects", "launch", "fetch"}
    assert [one for one in marks if one != "end"].count("arcbatt launch") == 1
    assert marks.count("end") == len(stages)
    assert engine.cuda.last.traffic.seconds("launch") > 0
    assert all(span.seconds >= 0 for span in engine.cuda.last.traffic.spans)


def test_without_nvtx_nothing_is_marked(engine, marks):
    sys.modules["cupy"].cuda.nvtx.available = False
    engine.run(SAMPLES, complete=False)
    assert not marks
    assert engine.cuda.last.traffic.spans


def test_what_goes_on_at_once_counts_once():
    traffic = Traffic(
        spans=[Span("copy", 1.0, 1.0), Span("launch", 1.5, 2.0), Span("fetch", 2.0, 0.5), Span("pack", 0, 9)]
    )
    traffic.spans.append(Span("fetch", 5.0, 0.25))
    assert traffic.busy() == 2.75
    assert Traffic().busy() == 0
