"""What `arcbatt bench` measures, a function a suite; each gives rows as they come."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import islice
from typing import Final

from arcbatt.batt import make_card
from arcbatt.batt.differs import standard_differs
from arcbatt.compiler.graph import merge
from arcbatt.compiler.pipeline import Stats, compile_graph
from arcbatt.compiler.program_set import compile
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.bench.gpu import Watched, crossover, device_memory_row, device_objects, start, transfers
from arcbatt.devtools.bench.load import Load, spread
from arcbatt.devtools.bench.result import Row
from arcbatt.devtools.bench.shares import shares
from arcbatt.devtools.bench.sides import ALL_THREADS, GPU, ONE_THREAD, REFERENCE, gpu_names
from arcbatt.devtools.bench.timing import Sampled, repeated, sampled, seconds_of
from arcbatt.devtools.generate import mutants
from arcbatt.devtools.profile import profile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.reference import ReferenceEngine
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text

_SIZES: Final = ((1, 25), (26, 100), (101, 225), (226, 900))
"""Cells of inputs, by which primitives are told apart."""
_FEW_CALLS: Final = 200
"""Primitives with fewer calls are left out: their time is noise."""
_FEW_SAMPLES: Final = 160
_BATT_CALLS: Final = 10
"""Samples of a batt; few, because the reference is slow and every side gets the same."""
_MOST_WATCHED, _MOST_ONE_THREAD = 1_000_000, 2_000_000
"""Evaluations up to which calls are counted, and up to which one thread is a side of its own: it would take minutes."""
_BATCHES: Final = (3, 10, 50, 200)
_OVER_OBJECTS: Final = (
    "toindices", "corners", "backdrop", "delta", "box", "inbox", "outbox", "normalize", "hmirror", "vmirror",
)  # fmt: skip
_MANY_GRIDS: Final = 20_000
"""So many that starting a run does not weigh."""


def throughput(load: Load) -> Iterator[Row]:
    """Every program on every sample, on every side."""
    suite = f"{load.name}: every program on every sample"
    yield from _sides(load, suite, load.programs, load.samples, sampled_too=True)


def mutant_crowds(load: Load) -> Iterator[Row]:
    """Mutants of the programs, ever more of them, on one sample of each task; then on the second ones, ..."""
    rounds = max(len(task.samples) for task in load.tasks)
    every = (task.samples[k] for k in range(rounds) for task in load.tasks if k < len(task.samples))
    samples = list(islice(every, load.mutant_samples))
    for count in load.mutants:
        crowd = list(mutants(load.programs, count, seed=1, version=1))
        yield from _sides(load, f"mutants of the {load.name}", crowd, samples, sampled_too=False)


def _sides(
    load: Load, suite: str, programs: Sequence[Program], samples: Sequence[Sample], *, sampled_too: bool
) -> Iterator[Row]:
    case = f"{len(programs):,} programs x {len(samples):,} samples"
    pairs = len(programs) * len(samples)
    data = pack_samples(samples)
    means: dict[str, float] = {}
    if sampled_too and REFERENCE in load.sides:
        found = sampled(load.evaluate, programs, samples, load.each, load.most_seconds)
        means["reference"] = found.mean
        yield _sampled_row(suite, case, "reference, sampled", found)
        if load.baseline:
            functions = load.baseline.functions
            chosen = [program for program in programs if program.name in functions]
            if chosen:
                found = sampled(lambda p, s: functions[p.name](s.I), chosen, samples, load.each, load.most_seconds)
                means["plain functions"] = found.mean
                left = len(programs) - len(chosen)
                more = f"; {left} programs have none" if left else ""
                yield _sampled_row(suite, case, "plain functions, sampled", found, more)
    start_to_ready = repeated(lambda: CpuEngine.of(programs), times=1, most=0)
    yield Row.of(suite, case, "engine", "s to merge, compile, lower, load", start_to_ready.seconds)
    compiled = compile(programs)
    outputs = len(set(compiled.graph.outputs.values()))
    calls: tuple[int, int] | None = None
    for kind in load.kinds():
        if pairs > _MOST_ONE_THREAD and kind.name.endswith(", 1 thread"):
            continue
        watched = Watched(kind.make(compiled), load.max_steps)
        timing = watched.timed(data, load.runs, load.most_seconds)
        rates = [pairs / seconds for seconds in timing.seconds]
        times = ", ".join(f"{statistics.median(rates) * mean:,.0f} x {name}" for name, mean in means.items())
        note = f"warm-up {timing.first:.2f} s" + (f"; {times}" if times else "")
        yield Row.of(suite, case, kind.name, "evaluations/s", rates, note=note, x=len(programs))
        executed = [rate * outputs / len(programs) for rate in rates]
        yield Row.of(suite, case, kind.name, "executed evaluations/s", executed, note="equal programs counted once")
        each = [1e3 * seconds / len(samples) for seconds in timing.seconds]
        yield Row.of(suite, case, kind.name, "ms a sample", each, note="all programs on one sample: one batt call")
        if kind.devices:
            yield from watched.rows(suite, case, kind.name, timing.seconds)
            yield from device_memory_row(suite, case, kind)
        elif pairs <= _MOST_WATCHED:
            if calls is None:
                found_calls = profile(programs, samples, complete=False, gpus=False)
                calls = found_calls.executed, found_calls.equivalent
            for unit, count in zip(("calls/s", "equivalent calls/s"), calls, strict=True):
                yield Row.of(suite, case, kind.name, unit, [count / seconds for seconds in timing.seconds])


def _sampled_row(suite: str, case: str, side: str, found: Sampled, more: str = "") -> Row:
    low, high = found.mean + found.error, max(found.mean - found.error, 1e-12)
    if found.error != found.error:
        low = high = found.mean
    note = (
        f"{found.evaluations:,} evaluations drawn by program; spread is one standard error; median "
        f"{1e3 * found.median:.3f} ms, mean {1e3 * found.mean:.2f} ms, the slowest 1% take {found.slowest:.0%} of the "
        f"time, {found.cut} cut off{more}"
    )
    return Row(suite, case, side, "evaluations/s", 1 / found.mean, 1 / low, 1 / high, found.evaluations, note)


def own_tasks(load: Load) -> Iterator[Row]:
    """Every program alone on the samples of its own task."""
    suite = f"{load.name}: every program on its own task"
    by_id = {task.id: task for task in load.tasks}
    pairs = [(program, by_id[program.id].samples) for program in load.programs if program.id in by_id]
    case = f"{len(pairs):,} programs, {sum(len(samples) for _, samples in pairs):,} evaluations"
    if not pairs:
        return
    repeats = 20  # so that starting a run does not weigh
    engine_seconds = [0.0] * load.runs
    kept = []
    for program, samples in pairs:
        engine = CpuEngine.of([program], threads=1, arena_bytes=1 << 22)
        if engine.code.rejected:
            continue
        kept.append((program, samples))
        data = pack_samples(samples * repeats)
        timing = repeated(partial(engine.run, data, complete=False, max_steps=load.max_steps), load.runs, 1e9)
        engine_seconds = [a + b / repeats for a, b in zip(engine_seconds, timing.seconds, strict=True)]
    total = sum(len(samples) for _, samples in kept)
    yield Row.of(suite, case, "engine, 1 thread", "evaluations/s", [total / seconds for seconds in engine_seconds])
    sides: dict[str, Callable[[Program, Sample], object]] = {"reference": load.evaluate}
    functions = load.baseline.functions if load.baseline else {}
    if functions:
        sides["plain functions"] = lambda program, sample: functions[program.name](sample.I)
    for side, run in sides.items():
        chosen = [one for one in kept if side == "reference" or one[0].name in functions]
        evaluations = [partial(run, program, sample) for program, samples in chosen for sample in samples]
        if not evaluations:
            continue
        seconds = sum(seconds_of(evaluation)[0] for evaluation in evaluations)
        rate = len(evaluations) / seconds
        factor = statistics.median(total / taken for taken in engine_seconds) / rate
        note = f"{len(evaluations):,} evaluations; one thread of the engine is {factor:,.0f} times faster"
        yield Row.of(suite, case, side, "evaluations/s", [rate], note=note)


def batts(load: Load) -> Iterator[Row]:
    """Calls of a batt: programs with every differ on their outputs, and the three batch patterns five times over."""
    cards = {
        f"{count} programs and the differs": make_card(load.programs[:count], standard_differs()).graph
        for count in (20, 200)
        if count <= len(load.programs)
    }
    cards["the batch patterns, five times"] = merge(_patterns())
    firsts = [task.samples[0] for task in load.tasks]
    data = pack_samples(spread(firsts, min(len(firsts), _BATT_CALLS)))
    for name, graph in cards.items():
        if REFERENCE in load.sides:
            timing = repeated(partial(ReferenceEngine.of(graph).run, data, max_steps=load.max_steps), 1, 0)
            yield _calls_row(name, "reference, merged", timing.seconds, len(data))
        for kind in load.kinds():
            timing = Watched(kind.make(graph), load.max_steps).timed(data, load.runs, load.most_seconds)
            yield _calls_row(name, kind.name, timing.seconds, len(data))
    yield from _pattern_batches(load)


def _pattern_batches(load: Load) -> Iterator[Row]:
    """The batch patterns once, on so many samples at once as the documents' table has."""
    graph = merge(_patterns(1))
    for count in _BATCHES:
        samples = [load.samples[k % len(load.samples)] for k in range(count)]
        data, case = pack_samples(samples), f"the batch patterns, {count} samples at once"
        if REFERENCE in load.sides:
            timing = repeated(partial(ReferenceEngine.of(graph).run, data, max_steps=load.max_steps), 1, 0)
            yield Row.of("batt calls", case, "reference, merged", "ms", [1e3 * one for one in timing.seconds])
        for kind in load.kinds():
            timing = Watched(kind.make(graph), load.max_steps).timed(data, 2 * load.runs + 1, load.most_seconds)
            yield Row.of("batt calls", case, kind.name, "ms", [1e3 * one for one in timing.seconds])


def _calls_row(name: str, side: str, seconds: Sequence[float], calls: int) -> Row:
    return Row.of(
        "batt calls", name, side, "ms a call", [1e3 * one / calls for one in seconds], note=f"{calls} samples"
    )


def _patterns(times: int = 5) -> list[Program]:
    """Colours of all inputs and all outputs of the demonstrations, objects in a mode and ten merges; so many times."""
    text = ""
    for mode in range(times):
        for number, part in enumerate(("first", "second")):
            colours = f"apply(lbind(contained, {mode}), apply(p_g, apply({part}, S)))"
            text += f"def solve_s{mode}{number}(S, I, C):\n    return {colours}\n\n"
        for function in _OVER_OBJECTS:
            text += f"def solve_{function}{mode}(S, I, C):\n    return mapply({function}, o_g(I, R{mode}))\n\n"
    return parse_text(text).check()


def primitives(load: Load) -> Iterator[Row]:
    """Nanoseconds of each primitive, by the size of the inputs it meets, in the programs measured."""
    suite = "primitives, by cells of the input"
    for low, high in _SIZES:
        samples = [one for one in load.samples if low <= len(one.I) * len(one.I[0]) <= high]
        if not samples:
            continue
        figures: dict[str, list[float]] = {}
        for _ in range(load.runs):
            for name, tally in profile(load.programs, samples, complete=False, gpus=False).by_primitive().items():
                if tally.calls >= _FEW_CALLS:
                    figures.setdefault(name, []).append(1e9 * tally.seconds / tally.calls)
        for name, values in sorted(figures.items()):
            note = f"{len(samples)} samples"
            yield Row.of(suite, name, f"{low} to {high} cells", "ns a call", values, note=note, x=(low + high) / 2)


def objects(load: Load) -> Iterator[Row]:
    """Finding objects, by mode."""
    if ONE_THREAD in load.sides:
        yield from _thread_objects(load)
    for kind in load.kinds():
        if len(kind.devices) == 1:
            yield from device_objects(load, kind)


def _thread_objects(load: Load) -> Iterator[Row]:
    """By one thread, the cost of starting an item taken off."""
    grids = load.samples * (1 + _MANY_GRIDS // len(load.samples))
    data = pack_samples(grids)

    def micros(text: str) -> list[float]:
        program = parse_text(f"def solve_a(I):\n    return {text}\n").check()
        engine = CpuEngine.of(program, threads=1, arena_bytes=1 << 22)
        run = partial(engine.run, data, complete=False, max_steps=load.max_steps)
        timing = repeated(run, 2 * load.runs + 1, load.most_seconds)
        return [1e6 * seconds / len(grids) for seconds in timing.seconds]

    empty = statistics.median(micros("height(I)"))
    for mode in range(8):
        values = [max(0.0, value - empty) for value in micros(f"size(o_g(I, R{mode}))")]
        yield Row.of("o_g", f"R{mode}, {len(load.samples):,} inputs", "engine, 1 thread", "us a grid", values)
    yield Row.of("o_g", "starting an item", "engine, 1 thread", "us a grid", [empty], note="taken off the others")


def card(load: Load) -> Iterator[Row]:
    """Merging and compiling, with every rewrite, without any, and without each."""
    choices = {"all on": Rewrites(), "all off": Rewrites.none()}
    choices |= {f"without {one.name}": replace(Rewrites(), **{one.name: False}) for one in fields(Rewrites)}
    for name, rewrites in choices.items():
        timing = repeated(partial(_compiled, load.programs, rewrites), load.runs)
        stats = _compiled(load.programs, rewrites)
        note = f"{stats.nodes:,} nodes, {stats.body_nodes:,} in bodies, {len(stats.unresolved)} programs not typed"
        yield Row.of(
            "card", f"{len(load.programs):,} programs, {name}", "merge, compile", "s", timing.seconds, note=note
        )


def _compiled(programs: Sequence[Program], rewrites: Rewrites) -> Stats:
    return compile_graph(merge(programs, commutative=rewrites.commutative), rewrites).stats


def packing(load: Load) -> Iterator[Row]:
    """Samples to arrays."""
    timing = repeated(lambda: pack_samples(load.samples), 2 * load.runs + 1)
    data = pack_samples(load.samples)
    case, count = f"{len(data):,} samples, {data.nbytes / 1e6:.2f} MB", len(data)
    yield Row.of("packing", case, "1 thread", "samples/s", [count / seconds for seconds in timing.seconds])


def end_to_end(load: Load) -> Iterator[Row]:
    """`arcbatt run` without its record on disk: everything from programs and tasks to what is solved."""
    from arcbatt.runs.options import RunOptions
    from arcbatt.runs.runner import Summary, run

    case = f"{len(load.programs):,} programs x {len(load.tasks):,} tasks"
    sides = {"cpu": f"engine, {os.cpu_count()} threads"} if ALL_THREADS in load.sides else {}
    if GPU in load.sides and gpu_names():
        sides["cuda"] = "GPU"
    for backend, side in sides.items():
        summaries: list[Summary] = []
        options = RunOptions(backend=backend, max_steps=load.max_steps)

        def once(options: RunOptions = options, summaries: list[Summary] = summaries) -> None:
            summaries.append(run(options, load.programs, load.tasks))

        timing = repeated(once, load.runs, load.most_seconds)
        last = summaries[-1]
        stages = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in last.seconds.items() if seconds >= 0.005)
        rates = [last.evaluations / seconds for seconds in timing.seconds]
        yield Row.of("end to end", case, side, "evaluations/s", rates, note=f"last run: {stages}")
        for stage, seconds in last.seconds.items():
            if seconds:
                share = 100 * seconds / timing.seconds[-1]
                yield Row.of("end to end", case, side, f"% of the time: {stage}", [share])


def scaling(load: Load) -> Iterator[Row]:
    """Time against threads, programs, samples and the size of grids, one at a time."""
    suite = "scaling"

    def measure(axis: str, x: float, programs: Sequence[Program], samples: Sequence[Sample], threads: int) -> Row:
        engine = CpuEngine.of(programs, threads=threads)
        data = pack_samples(samples)
        run = partial(engine.run, data, complete=False, max_steps=load.max_steps)
        timing = repeated(run, load.runs, load.most_seconds)
        pairs = len(programs) * len(samples)
        rates = [pairs / seconds for seconds in timing.seconds]
        case = f"{len(programs):,} programs x {len(samples):,} samples, {threads} threads"
        return Row.of(suite, case, axis, "evaluations/s", rates, x=x)

    cores = os.cpu_count() or 1
    few = spread(load.samples, min(len(load.samples), _FEW_SAMPLES))
    for threads in sorted({1, 2, *(2**k for k in range(2, 10) if 2**k < cores), cores}):
        yield measure("threads", threads, load.programs, few, threads)
    for count in sorted({2**k for k in range(1, 9) if 2**k < len(load.programs)} | {len(load.programs)}):
        yield measure("programs", count, spread(load.programs, count), few, 1)
    for count in sorted({2**k for k in range(2, 12) if 2**k < len(load.samples)} | {len(load.samples)}):
        yield measure("samples", count, load.programs[::4], spread(load.samples, count), cores)
    for low, high in _SIZES:
        samples = [one for one in load.samples if low <= len(one.I) * len(one.I[0]) <= high]
        if samples:
            cells = statistics.fmean(len(one.I) * len(one.I[0]) for one in samples)
            yield measure("cells of the input", cells, load.programs, samples, 1)


SUITES: Final[dict[str, Callable[[Load], Iterator[Row]]]] = {
    "throughput": throughput,
    "own": own_tasks,
    "batts": batts,
    "mutants": mutant_crowds,
    "objects": objects,
    "primitives": primitives,
    "card": card,
    "packing": packing,
    "end-to-end": end_to_end,
    "scaling": scaling,
    "start": start,
    "transfers": transfers,
    "crossover": crossover,
    "shares": shares,
}
DEFAULT: Final = ("throughput", "own", "batts", "mutants", "objects", "packing", "end-to-end", "shares")
