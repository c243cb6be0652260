"""Bench and profile where there are GPUs: made of NumPy here, their kernel run on emulated lanes."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench import gpu, sides, suites
from arcbatt.devtools.bench import load as loads
from arcbatt.devtools.bench.curves import draw_curves
from arcbatt.devtools.bench.load import Load
from arcbatt.devtools.bench.result import Result
from arcbatt.devtools.bench.shares import limits
from arcbatt.devtools.bench.sides import EngineKind, engine_kinds
from arcbatt.devtools.bench.suites import SUITES
from arcbatt.devtools.profile import profile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.syntax import parse_text
from engine import fake_cupy

PROGRAMS = parse_text(
    "def solve_a(I):\n    return size(o_g(I, R5))\n\ndef solve_b(I):\n    return hmirror(vmirror(I))\n"
).check()
SIDE = "GPU 0, Fake One"


@pytest.fixture
def fake(monkeypatch):
    """A CuPy over NumPy, with two GPUs by name."""
    fake = fake_cupy.install(monkeypatch, free=1 << 28).cupy
    fake.empty(1).__class__.set = lambda self, host, **_: np.copyto(self, host)
    fake.cuda.Device.synchronize = lambda self: None
    fake.cuda.alloc_pinned_memory = bytearray
    fake.cuda.get_elapsed_time = lambda *_: 0.5
    names = [b"Fake One", b"Fake Two"]
    fake.cuda.runtime.getDeviceCount = lambda: len(names)
    fake.cuda.runtime.getDeviceProperties = lambda number: {"name": names[number]}
    fake.cuda.nvrtc = SimpleNamespace(getVersion=lambda: (13, 0))
    pool = fake.get_default_memory_pool()
    pool.total_bytes = lambda: 3_000_000
    fake.get_default_memory_pool = lambda: pool
    monkeypatch.setattr(gpu, "_DEVICE_GRIDS", 20)
    monkeypatch.setattr(gpu, "_SIZES", (1 << 16, 1 << 20))
    monkeypatch.setattr(suites, "_MANY_GRIDS", 10)
    monkeypatch.setattr(suites, "_BATCHES", (3,))
    return fake


@pytest.fixture
def one_gpu(fake, monkeypatch):
    """The first of them alone, beside one thread of the CPU."""
    kinds = [EngineKind("engine, 1 thread", partial(CpuEngine.of, threads=1)), engine_kinds([1])[1]]
    for module in (loads, sys.modules["arcbatt.devtools.profile"]):
        monkeypatch.setattr(module, "engine_kinds", lambda **_: kinds)
    monkeypatch.setattr(suites, "gpu_names", list)
    return Load(PROGRAMS, load_tasks("arcagi")[:3], mutants=(3,), mutant_samples=5, runs=2, each=1)


def test_every_gpu_is_a_side_and_all_of_them_together(fake):
    kinds = engine_kinds([1])
    assert [kind.name for kind in kinds] == ["engine, 1 thread", SIDE, "GPU 1, Fake Two", "2 GPUs"]
    assert [kind.devices for kind in kinds] == [(), (0,), (1,), (0, 1)]


def test_several_gpus_are_asked_for_by_number(fake, monkeypatch):
    asked = []
    monkeypatch.setattr(sides, "make_engine", lambda *args, **options: asked.append((args, options)))
    for kind in engine_kinds([1])[1:]:
        kind.make("graph")
    assert asked == [(("cuda", "graph"), {"devices": some}) for some in ((0,), (1,), (0, 1))]


@pytest.mark.parametrize("name", ["throughput", "mutants", "batts", "objects", "start", "transfers", "crossover"])
def test_every_suite_has_the_gpu(one_gpu, name):
    rows = list(SUITES[name](one_gpu))
    assert len({row.key for row in rows}) == len(rows)
    assert any(row.side.startswith("GPU 0") for row in rows)
    assert all(0 <= row.low <= row.median <= row.high for row in rows)


def test_a_gpus_side_alone(one_gpu, fake, monkeypatch):
    monkeypatch.setattr(loads, "engine_kinds", engine_kinds)
    alone = replace(one_gpu, sides=("gpu",))
    rows = [row for name in ("throughput", "batts", "objects", "crossover", "shares") for row in SUITES[name](alone)]
    assert {row.side.partition(",")[0] for row in rows} == {"GPU 0", "GPU 1", "2 GPUs", "engine"}
    assert {row.unit for row in rows if row.side.startswith("engine")} == {"s to merge, compile, lower, load"}


def test_the_parts_of_a_run(one_gpu):
    rows = {(row.side, row.unit): row for row in SUITES["throughput"](one_gpu)}
    whole = rows[SIDE, gpu.WHOLE].median
    assert whole == pytest.approx(
        1e3 * len(PROGRAMS) * len(one_gpu.samples) / rows[SIDE, "evaluations/s"].median, rel=0.5
    )
    assert 0 < rows[SIDE, gpu.DEVICE].median <= whole
    assert rows[SIDE, gpu.HOST].median <= whole
    assert re.search(r"1 batches of \d waves; 0 evaluations left", rows[SIDE, gpu.DEVICE].note)
    assert rows[SIDE, "MB of its memory"].median == 3.0


def test_mutants_run_on_so_many_samples(one_gpu):
    assert {row.case for row in SUITES["mutants"](one_gpu)} == {"3 programs x 5 samples"}


def test_transfers_both_ways_from_both_kinds_of_memory(one_gpu):
    cases = [row.case for row in SUITES["transfers"](one_gpu)]
    assert cases[:4] == [
        "64 KiB to the device, pageable memory",
        "64 KiB from the device, pageable memory",
        "64 KiB to the device, pinned memory",
        "64 KiB from the device, pinned memory",
    ]
    assert cases[-1].startswith("16 samples, ")


def test_compiling_is_told_apart_from_starting(one_gpu):
    units = [row.unit for row in SUITES["start"](one_gpu) if row.side == SIDE]
    assert units == ["s to compile the kernels", "s to be ready", "s of the first run"]


@pytest.mark.parametrize(
    ("own", "since"),
    [({1: 5.0, 4: 2.0, 16: 1.0}, 4), ({1: 1.0, 4: 9.0, 16: 9.0}, None), ({1: 1.0, 4: 1.0, 16: 1.0}, 1)],
)
def test_where_the_gpu_overtakes(own, since):
    cpu = [{1: 4.0, 4: 2.5, 16: 8.0}, {1: 9.0, 4: 3.0, 16: 2.0}]
    row = gpu._overtaken(EngineKind(SIDE, lambda graph: None, (0,)), own, cpu)
    assert row.median == (since or 16)
    assert row.note.startswith("nowhere") == (since is None)


def test_the_crossover_is_drawn(one_gpu):
    rows = list(SUITES["crossover"](one_gpu))
    loads = [row.x for row in rows if row.side == SIDE and row.suite == gpu.CROSSOVER and row.x]
    assert loads == [1, 4, 16, 32]
    svg = draw_curves(Result("c", {"machine": "m"}, rows))["crossover.svg"]
    assert svg.count("<circle") == 8
    assert f">{SIDE}</text>" in svg


def test_what_limits_a_case_comes_from_rows(one_gpu):
    rows = [row for name in ("throughput", "crossover", "shares") for row in SUITES[name](one_gpu)]
    lines = {(one.case, one.side): one.line for one in limits(Result("c", {}, rows))}
    parts = lines["2 programs x 16 samples", SIDE]
    assert all(part in parts for part in ("until the GPU is done ", "after that "))
    assert "primitive " in lines["2 programs x 16 samples", "engine, 1 thread"]
    assert "however little there is to do" in lines["small loads", SIDE]
    assert gpu.OVERTAKES in {case for case, _ in lines}


def test_a_profile_has_the_gpu(one_gpu):
    found = profile(PROGRAMS, one_gpu.samples)
    (run,) = found.devices
    assert (run.side, run.stats.batches, run.stats.on_cpu) == (SIDE, (16,), 0)
    assert 0 < run.stats.milliseconds <= 1e3 * run.seconds
    (tried,) = run.stats.tried
    assert str(tried).startswith("16 samples x ")
    assert f"{SIDE}: run" in [stage.name for stage in found.stages]
    assert not profile(PROGRAMS, one_gpu.samples, gpus=False).devices


def test_the_command_says_so(one_gpu, tmp_path):
    (tmp_path / "some.py").write_text("\n\n".join(map(str, PROGRAMS)))  # all of the library takes minutes on such a GPU
    args = ["profile", "--count", "1", "--top", "1", "--solvers", str(tmp_path / "some.py")]
    done = CliRunner().invoke(app, [*args, "--json", str(tmp_path / "p.json")])
    assert done.exit_code == 0, done.output
    assert f"{SIDE}: " in done.stdout
    assert re.search(r"[1-9]\d* batches of [1-9]\d* waves", done.stdout)
    assert json.loads((tmp_path / "p.json").read_text())["devices"][0]["waves"] >= 1
    without = CliRunner().invoke(app, [*args, "--no-gpus"])
    assert SIDE not in without.stdout


def test_great_loads_leave_out_what_takes_minutes(one_gpu, monkeypatch):
    monkeypatch.setattr(suites, "_MOST_WATCHED", 4)
    rows = list(SUITES["mutants"](one_gpu))
    assert not any(row.unit == "calls/s" for row in rows)
    assert any(row.side == "engine, 1 thread" for row in rows)
    monkeypatch.setattr(suites, "_MOST_ONE_THREAD", 4)
    assert not any(row.side == "engine, 1 thread" for row in SUITES["mutants"](one_gpu))


def test_a_gpu_that_failed_is_not_measured(one_gpu):
    lost = "GPU 0 failed: an illegal memory access"
    engine = SimpleNamespace(run=lambda *_, **__: None, lost_device=lost, forget_samples=lambda: None)
    engine.for_steps = lambda _: engine
    with pytest.raises(UsageError, match=r"GPU 0 failed: .* nothing to measure"):
        gpu.Watched(engine, MAX_STEPS).run(one_gpu.samples)
