"""Waves against the CPU engine: schedules, and the kernels' own code on one lane and on emulated lanes."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from arcbatt.compiler.abi import FIRST_CODE
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.wave_kernels import CALLS, WaveKernel
from arcbatt.compiler.waves import Domain, schedule
from arcbatt.data.packing import pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench.waves import cpu_values, differences
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.plan import Plan
from arcbatt.engine.waves.runner import WaveRunner
from arcbatt.language.limits import MAX_STEPS
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY
from engine import fake_cupy

TASKS = list(load_tasks("arcagi"))
SAMPLES = [sample for task in TASKS[::50] for sample in task.samples][:12]
WIDTHS = pytest.mark.parametrize("width", kernels.WIDTHS, ids=["one lane", "emulated lanes"])


@pytest.fixture
def cupy(monkeypatch):
    return fake_cupy.for_waves(monkeypatch)


def run(cupy, plan, samples, *, width=1, heap_bytes=1 << 26, **options):
    """The runner, and what it found for all slots."""
    runner = WaveRunner(
        cupy, plan, heap_bytes=heap_bytes, widths=dict.fromkeys([wave.kernel for wave in plan.waves], width), **options
    )
    return runner, runner.run(pack_samples(samples), list(plan.slots()))


def check(found, plan, samples, **options):
    expected = cpu_values(plan, pack_samples(samples), threads=1, **options)
    names = [(wave.kernel.name, node) for wave, node in plan.nodes()]
    wrong = [(names[row], column, found.statuses[row, column]) for row, column in differences(found, expected)]
    assert not wrong
    return expected


@WIDTHS
def test_the_library_by_waves(cupy, width):
    plan = schedule(compile(LIBRARY[::4]).typed)
    assert len(plan.waves) > 100
    _, found = run(cupy, plan, SAMPLES, width=width)
    check(found, plan, SAMPLES)


@WIDTHS
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_by_waves(cupy, width, seed):
    source = Generator(seed)
    programs = [source.program(f"solve_{number}", lines=10, samples=number % 2 == 0) for number in range(60)]
    plan = schedule(compile([*programs, *mutants(LIBRARY[seed::8], 100, seed)]).typed)
    assert plan.waves
    _, found = run(cupy, plan, SAMPLES[:6], width=width)
    expected = check(found, plan, SAMPLES[:6])
    assert len(np.unique(expected.statuses)) > 2  # failures of several kinds among them


@WIDTHS
def test_fewer_steps_fail_alike(cupy, width):
    plan = schedule(compile(LIBRARY[::10]).typed)
    _, found = run(cupy, plan, SAMPLES, width=width, max_steps=300)
    check(found, plan, SAMPLES, max_steps=300)


@pytest.mark.parametrize("max_steps", [MAX_STEPS, 300])
def test_small_calls_are_left_to_threads(cupy, max_steps):
    source = Generator("small")
    programs = [source.program(f"solve_{number}", lines=10) for number in range(40)]
    plan = schedule(compile([*programs, *LIBRARY[::6]]).typed)
    runner, found = run(cupy, plan, SAMPLES, width=LANES, max_steps=max_steps, many_calls=1)
    few = [launch for launch in runner.plan.launches if launch.few]
    assert len(few) > 20
    check(found, plan, SAMPLES, max_steps=max_steps)
    runner, _ = run(cupy, plan, SAMPLES[:1], width=LANES)
    assert not any(launch.few for launch in runner.plan.launches)


@pytest.mark.parametrize("lines", [1, 3])
def test_batches_that_do_not_fit_are_halved(cupy, lines):
    plan = schedule(compile(LIBRARY[::10]).typed)
    sizes = {}
    for heap_bytes in (1 << 26, 1 << 22, 1 << 19):
        runner, found = run(cupy, plan, SAMPLES, width=1, heap_bytes=heap_bytes, lines=lines)
        sizes[heap_bytes] = runner.batches
        assert sum(runner.batches) == len(SAMPLES)
        if (found.statuses != 1).all():
            check(found, plan, SAMPLES)
    assert sizes[1 << 26] == [len(SAMPLES)]
    assert len(sizes[1 << 19]) > 1


def test_a_runner_runs_again_on_other_samples(cupy):
    plan = schedule(compile(LIBRARY[::20]).typed)
    runner, _ = run(cupy, plan, SAMPLES)
    found = runner.run(pack_samples(SAMPLES[3:7]), list(plan.slots()))
    check(found, plan, SAMPLES[3:7])


def test_a_plan_is_let_go_before_the_next_one_is_made(cupy, monkeypatch):
    plan = schedule(compile(LIBRARY[::20]).typed)
    runner, _ = run(cupy, plan, SAMPLES[:3])
    before, made = weakref.ref(runner.plan), []

    def next_plan(*given, **options):
        gc.collect()
        assert before() is None
        made.append(Plan(*given, **options))
        return made[-1]

    monkeypatch.setattr("arcbatt.engine.waves.runner.Plan", next_plan)
    check(runner.run(pack_samples(SAMPLES), list(plan.slots())), plan, SAMPLES)
    assert made


def test_a_node_runs_once_for_each_index_of_its_domain():
    text = "\n".join(
        (
            "def solve_x(S, I, C):",
            " a = first(S)",
            " b = first(a)",
            " c = hmirror(b)",
            " d = vconcat(c, I)",
            " return d",
        )
    )
    plan = schedule(compile([parse_program(text)]).typed)
    assert [wave.nodes[0].domain for wave in plan.waves] == [Domain.TASKS] * 3 + [Domain.SAMPLES]
    assert not plan.left_out


def test_kernels_are_the_same_for_every_program():
    one, two = (schedule(compile(LIBRARY[at : at + 60]).typed) for at in (0, 60))
    mine, theirs = ({wave.kernel for wave in plan.waves} for plan in (one, two))
    names = [{(kernel.name, *kernel.words[3:6]) for kernel in side} for side in (mine, theirs)]
    assert len(mine & theirs) >= len(names[0] & names[1])
    assert len(names[0] & names[1]) > 20


def test_every_kernel_compiles_for_its_types():
    """Of each operation the kernel of the most types, as far as the compiler's front looks at it, for a GPU."""
    nvrtc = find_nvrtc()
    most: dict[str, WaveKernel] = {}
    for wave in schedule(compile([*LIBRARY, *mutants(LIBRARY, 300, 5)]).typed).waves:
        known = most.setdefault(wave.kernel.operation, wave.kernel)
        if len(known.types) < len(wave.kernel.types):
            most[wave.kernel.operation] = wave.kernel
    generic = [kernel for kernel in most.values() if kernel.phase != CALLS or kernel.words[0] >= FIRST_CODE]
    assert len(generic) > 40
    widths = {kernel: LANES if kernel.phase == CALLS else kernels.width(kernel) for kernel in generic}
    for options in kernels.all_options(widths):
        program = nvrtc.createProgram(options.source(), "wave.cu")
        try:
            nvrtc.compileProgram(program, [*options.flags(90), "--fdevice-syntax-only"])
        except nvrtc.NVRTCError:
            pytest.fail(f"{options.lanes} {options.defines}: {nvrtc.getProgramLog(program)[:600]}")
        finally:
            nvrtc.destroyProgram(program)
