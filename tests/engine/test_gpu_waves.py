"""Waves on a GPU against the CPU engine and the reference: kernels as they are compiled for their types."""

from __future__ import annotations

import pytest

from arcbatt.compiler.program_set import compile
from arcbatt.compiler.waves import schedule
from arcbatt.data.packing import pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench.waves import cpu_values, differences
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.runner import WaveRunner
from arcbatt.engine.waves.store import Store
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID
from compiler.support import LIBRARY

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
SAMPLES = [sample for task in list(load_tasks("arcagi"))[::5] for sample in task.samples]
FEW = LIBRARY[::40]


def check(programs, samples, *, width=None, **options):
    plan = schedule(compile(programs).typed)
    widths = {} if width is None else dict.fromkeys([wave.kernel for wave in plan.waves], width)
    runner = WaveRunner(cupy, plan, heap_bytes=2 << 30, widths=widths, **options)
    data = pack_samples(samples)
    found = runner.run(data, list(plan.slots()))
    assert not len(differences(found, cpu_values(plan, data, threads=8, **options)))
    assert sum(runner.batches) == len(samples)


@pytest.mark.parametrize("width", kernels.WIDTHS)
def test_a_few_programs_in_one_width(width):
    check(FEW, SAMPLES[:40], width=width)


def test_the_library_in_chosen_widths():
    check(LIBRARY, SAMPLES)


def test_random_programs_and_mutants():
    source = Generator("waves")
    programs = [source.program(f"solve_{number}", lines=12, samples=number % 2 == 0) for number in range(400)]
    check([*programs, *mutants(LIBRARY, 600, 1)], SAMPLES[:100])


def test_fewer_steps_fail_alike():
    check(LIBRARY[::10], SAMPLES[:100], max_steps=300)


def test_columns_of_a_store():
    store = Store(cupy, heap_bytes=1 << 30)
    inputs = [sample.I for sample in SAMPLES[:50]]
    grids = store.put(GRID, inputs)
    for mode in range(8):
        assert store.fetch(store.apply("o_g", grids, mode)) == [
            STANDARD.op("o_g").reference(one, mode) for one in inputs
        ]
    numbers = store.distinct(grids.at(cupy.arange(100) % 50))
    assert numbers.tolist() == store.distinct(grids).tolist()
