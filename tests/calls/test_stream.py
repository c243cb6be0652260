from __future__ import annotations

import asyncio

import pytest

from arcbatt.batt import make_card, write_batt
from arcbatt.calls.stream import AsyncEngine
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import DataError, UsageError
from arcbatt.language.failures import Reason
from arcbatt.solvers import library
from arcbatt.syntax import parse_text

PROGRAMS = library()[:40]
SAMPLES = [sample for task in load_tasks("arcagi")[:6] for sample in task.samples]
TURN = parse_text("def solve_a(I):\n    return rot90(I)\n\ndef solve_b(I):\n    return hsplit(I, ZERO)\n").check()


def collect(engine, batt, samples):
    async def run():
        return [result async for result in engine.stream(batt, samples)]

    return asyncio.run(run())


@pytest.mark.parametrize(("size", "flying"), [(1, 1), (3, 2), (7, 4), (1000, 2)])
def test_results_are_the_engines_in_order(size, flying):
    wanted = CpuEngine.of(PROGRAMS).run(SAMPLES)
    results = collect(AsyncEngine(batch_size=size, in_flight=flying), PROGRAMS, SAMPLES)
    assert [result.index for result in results] == list(range(len(SAMPLES)))
    for row, result in enumerate(results):
        assert (result.outputs.statuses[result.row] == wanted.statuses[row]).all()
        assert (result.outputs.matches[result.row] == wanted.matches[row]).all()


def test_a_result_knows_programs_by_name():
    (result,) = collect(AsyncEngine(outputs="grid"), TURN, SAMPLES[:1])
    assert result.failed == {"solve_b": Reason.ZERO_DIVISION}
    assert result.matches == []
    assert result.grid("solve_a").shape == (len(SAMPLES[0].I[0]), len(SAMPLES[0].I))
    assert result.grid("solve_b") is None


def test_nothing_a_file_and_async_samples(tmp_path):
    write_batt(make_card(TURN), tmp_path / "batt.py")

    async def slowly():
        for sample in SAMPLES[:5]:
            await asyncio.sleep(0)
            yield (sample.S, sample.I, sample.C)

    engine = AsyncEngine(batch_size=2)
    assert collect(engine, TURN, []) == []
    assert len(collect(engine, tmp_path / "batt.py", slowly())) == 5


def test_samples_are_taken_as_results_are():
    taken = []

    def source():
        for sample in SAMPLES:
            taken.append(sample)
            yield sample

    async def run():
        stream = AsyncEngine(batch_size=2, in_flight=2).stream(TURN, source())
        await anext(stream)
        seen = len(taken)
        await stream.aclose()
        return seen

    assert asyncio.run(run()) == 4
    assert len(taken) == 4


def test_the_loop_goes_on_meanwhile():
    async def run():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        ticking = asyncio.create_task(tick())
        async for _ in AsyncEngine(batch_size=8).stream(library(), SAMPLES):
            pass
        ticking.cancel()
        return ticks

    assert asyncio.run(run()) > 3


def test_cancellation_ends_it():
    async def run():
        started = asyncio.Event()

        async def work():
            async for _ in AsyncEngine(batch_size=1).stream(PROGRAMS, SAMPLES * 100):
                started.set()

        task = asyncio.create_task(work())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_what_is_no_sample_is_an_error_where_it_comes():
    async def run():
        stream = AsyncEngine(batch_size=1, in_flight=1).stream(TURN, [SAMPLES[0], ((), "x", None)])
        assert (await anext(stream)).index == 0
        with pytest.raises(DataError):
            await anext(stream)

    asyncio.run(run())


def test_ten_thousand():
    results = collect(AsyncEngine(batch_size=1000), TURN, SAMPLES[:1] * 10_000)
    assert len(results) == 10_000


def test_sizes_are_above_zero():
    with pytest.raises(UsageError):
        AsyncEngine(batch_size=0)
    with pytest.raises(UsageError):
        AsyncEngine(in_flight=0)
