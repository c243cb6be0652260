"""Where the time of a run goes: by primitive, by program, by line, and by stage.

The engine runs once as ever and once with a watch that reads the clock around every instruction. The watch makes each
instruction a little slower; the difference of the two runs, spread over all instructions, is taken off their times.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.compiler.abi import CODES
from arcbatt.compiler.graph import Graph
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.compiler.pipeline import Stats
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.compiler.typed import TypedGraph, node_inputs
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.devtools.bench.sides import engine_kinds
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.outputs import Route
from arcbatt.engine.stats import DeviceStats
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import Name, Program, live_lines
from arcbatt.language.sample import Sample

_NAMES: Final = {number: name.lower().removeprefix("loop_") for name, number in CODES.items()} | {
    number: variant.name for number, variant in enumerate(VARIANTS)
}


@dataclass
class Tally:
    """What is known of some instructions together."""

    calls: int = 0
    failed: int = 0
    """Calls without a value."""
    given_failed: int = 0
    """Of these, calls that were given a failed value and did not run."""
    seconds: float = 0.0
    bytes: int = 0
    """What they left in the arena."""

    def add(self, other: Tally) -> None:
        """Count another in."""
        self.calls += other.calls
        self.failed += other.failed
        self.given_failed += other.given_failed
        self.seconds += other.seconds
        self.bytes += other.bytes


@dataclass(frozen=True)
class Instruction:
    """One instruction of the code: the primitive it serves, the node it belongs to, and what is known of it."""

    primitive: str
    node: int
    tally: Tally


@dataclass(frozen=True)
class Share:
    """A program's part of a run."""

    alone: float
    """Seconds of what no other program needs."""
    fair: float
    """That, and of what is shared an equal part."""
    calls: int
    """Calls it would make on its own, loop bodies counted in."""


@dataclass(frozen=True)
class Stage:
    """A stretch of time: seconds since the profile began."""

    name: str
    start: float
    seconds: float
    lane: str = "stages"
    note: str = ""


@dataclass(frozen=True)
class DeviceRun:
    """One run of the programs on a GPU."""

    side: str
    seconds: float
    stats: DeviceStats


@dataclass
class Profile:
    """What a profile found."""

    programs: int
    samples: int
    threads: int
    stats: Stats
    instructions: list[Instruction] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    graph: TypedGraph = field(default_factory=TypedGraph)
    rerouted: Counter[Route] = field(default_factory=Counter)
    run_seconds: float = 0.0
    """Of the run without the watch, all threads together."""
    watched_seconds: float = 0.0
    devices: list[DeviceRun] = field(default_factory=list)

    @property
    def executed(self) -> int:
        """Calls that ran."""
        return sum(one.tally.calls for one in self.instructions)

    @property
    def equivalent(self) -> int:
        """Calls that would have run had no program shared anything with another."""
        users = self.users()
        return sum(one.tally.calls * users[one.node].bit_count() for one in self.instructions)

    def by_primitive(self) -> dict[str, Tally]:
        """What each primitive took, the most time first."""
        found: dict[str, Tally] = {}
        for one in self.instructions:
            found.setdefault(one.primitive, Tally()).add(one.tally)
        return dict(sorted(found.items(), key=lambda item: -item[1].seconds))

    def by_node(self) -> dict[int, Tally]:
        """What each node of the graph took, its bodies counted in."""
        found: dict[int, Tally] = {}
        for one in self.instructions:
            found.setdefault(one.node, Tally()).add(one.tally)
        return found

    def users(self) -> list[int]:
        """Of each node, the programs that need it, as bits by their place among the outputs."""
        users = [0] * len(self.graph.nodes)
        for number, node in enumerate(self.graph.outputs.values()):
            users[node] |= 1 << number
        for index in range(len(users) - 1, -1, -1):
            for arg in node_inputs(self.graph.nodes[index]):
                users[arg] |= users[index]
        return users

    def by_program(self) -> dict[str, Share]:
        """Each program's part, the greatest first."""
        users, names = self.users(), list(self.graph.outputs)
        alone, fair, calls = [0.0] * len(names), [0.0] * len(names), [0] * len(names)
        for node, tally in self.by_node().items():
            bits, count = users[node], users[node].bit_count()
            while bits:
                number = (bits & -bits).bit_length() - 1
                bits &= bits - 1
                fair[number] += tally.seconds / count
                calls[number] += tally.calls
                if count == 1:
                    alone[number] += tally.seconds
        found = {name: Share(alone[k], fair[k], calls[k]) for k, name in enumerate(names)}
        return dict(sorted(found.items(), key=lambda item: -item[1].fair))


class _Clock:
    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.stages: list[Stage] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.stages.append(Stage(name, start - self.begun, time.perf_counter() - start))


def profile(
    programs: Sequence[Program] | Graph,
    samples: Sequence[Sample],
    *,
    threads: int = 1,
    labels: Sequence[str] = (),
    complete: bool = True,
    gpus: bool = True,
    max_steps: int = MAX_STEPS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Profile:
    """Profile programs, or a graph of them, on samples; `labels` name the samples in a trace.

    Without `complete`, no fallbacks are run. With `gpus` the same also runs on each GPU there is: its stages, batches
    and waves; primitives are told apart on the CPU alone. `progress` is told how many samples are done on the CPU,
    run, watched and completed, and of how many.
    """
    clock = _Clock()
    with clock.stage("merge"):
        compiled = compile(programs)
    with clock.stage("compile"):
        stats = compiled.stats
    with clock.stage("lower, load"):
        engine = CpuEngine(compiled if max_steps >= MAX_STEPS else compiled.exact, threads=threads)
    with clock.stage("pack"):
        data = pack_samples(samples)
    threads = max(1, min(threads, len(samples)))
    result = Profile(len(compiled.names), len(samples), threads, stats, graph=engine.code.graph)
    count = len(samples)
    with clock.stage("run"):
        outputs = engine.run(data, complete=False, max_steps=max_steps, progress=lambda done: progress(done, 3 * count))
    result.run_seconds = outputs.seconds["run"] * threads
    with clock.stage("run with a watch"):
        counters, spans, ticks, nanoseconds = engine.first.watched(data, max_steps)
    watched = clock.stages[-1]
    if complete:
        with clock.stage("run, completed on the dynamic tier"):
            result.rerouted = engine.run(
                data, max_steps=max_steps, progress=lambda done: progress(2 * count + done, 3 * count)
            ).rerouted()
    result.watched_seconds = float(np.sum(spans[:, 1] - spans[:, 0])) / 1e9
    result.instructions = _instructions(engine.code, counters, nanoseconds / 1e9 / max(ticks, 1), result.run_seconds)
    result.stages = clock.stages
    for row, (start, end, thread) in enumerate(spans.tolist()):
        name = labels[row] if row < len(labels) else f"sample {row}"
        begun = watched.start + start / 1e9
        result.stages.append(Stage(name, begun, (end - start) / 1e9, f"thread {thread}"))
    if gpus:
        _on_devices(compiled, data, result, clock, max_steps)
    return result


def _on_devices(compiled: CompiledSet, data: PackedSamples, result: Profile, clock: _Clock, max_steps: int) -> None:
    """Run everything on each GPU, twice: the second run, with all in place, is the one that counts."""
    for kind in engine_kinds():
        if len(kind.devices) != 1:
            continue
        with clock.stage(f"{kind.name}: compile, load"):
            engine = kind.make(compiled).for_steps(max_steps)
        with clock.stage(f"{kind.name}: first run"):
            engine.run(data, complete=False, max_steps=max_steps)
        with clock.stage(f"{kind.name}: run"):
            engine.run(data, complete=False, max_steps=max_steps)
        last = engine.device_stats
        if last is not None:
            result.devices.append(DeviceRun(kind.name, clock.stages[-1].seconds, last))


def _instructions(
    code: Code, counters: NDArray[np.uint64], seconds_a_tick: float, plain_seconds: float
) -> list[Instruction]:
    """The instructions that ran, the watch's own cost taken off."""
    total = float(counters[:, 3].sum()) * seconds_a_tick
    extra = max(0.0, total - plain_seconds) / max(1, int(counters[:, 0].sum()))
    places = [place for place, _ in code.nodes]
    found = []
    for place in np.flatnonzero(counters[:, 0]).tolist():
        calls, failed, given, ticks, words = counters[place].tolist()
        node = code.nodes[bisect_right(places, place) - 1][1]
        seconds = max(0.0, ticks * seconds_a_tick - extra * calls)
        primitive = _NAMES.get(code.words[place], str(code.words[place]))
        found.append(Instruction(primitive, node, Tally(calls, failed, given, seconds, 4 * words)))
    scale = plain_seconds / max(1e-12, sum(one.tally.seconds for one in found))
    for one in found:
        one.tally.seconds *= min(1.0, scale)
    return found


@dataclass(frozen=True)
class Line:
    """A line of a program and what it took; None where it is no call of its own (a function, or one with another)."""

    text: str
    tally: Tally | None


def profile_lines(program: Program, samples: Sequence[Sample], max_steps: int = MAX_STEPS) -> list[Line]:
    """What each line of one program takes on samples. What two lines share counts for the first."""
    lines = live_lines(program)
    whole = replace(program, name="solve_return", lines=tuple(lines))
    prefixes = [
        replace(program, name=f"solve_{k}", lines=tuple(lines[: k + 1]), result=Name(line.target))
        for k, line in enumerate(lines)
    ]
    found = profile([*prefixes, whole], samples, complete=False, gpus=False, max_steps=max_steps)
    by_node, taken = found.by_node(), set[int]()
    texts = [*map(str, lines), f"return {program.result}"]
    answer = []
    for one, text in zip([*prefixes, whole], texts, strict=True):
        tally = reached(found.graph, found.graph.outputs.get(one.name), by_node, taken)
        answer.append(Line(text, tally))
    return answer


def reached(graph: TypedGraph, root: int | None, by_node: dict[int, Tally], taken: set[int]) -> Tally | None:
    """The nodes below a root that no line before has, together."""
    stack = [] if root is None or root in taken else [root]
    total: Tally | None = None
    while stack:
        node = stack.pop()
        if node in taken:
            continue
        taken.add(node)
        stack += node_inputs(graph.nodes[node])
        if node in by_node:
            total = total or Tally()
            total.add(by_node[node])
    return total


def chrome_trace(found: Profile) -> dict[str, Any]:
    """A profile as a trace that Perfetto and Chrome open.

    It has a lane for the stages, one for each thread, and one for each stage of each GPU.
    """
    lanes = sorted({stage.lane for stage in found.stages}, key=lambda lane: (lane != "stages", lane))
    events: list[dict[str, Any]] = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": number, "args": {"name": lane}}
        for number, lane in enumerate(lanes)
    ]
    for stage in found.stages:
        events.append(
            {
                "name": stage.name,
                "ph": "X",
                "pid": 1,
                "tid": lanes.index(stage.lane),
                "ts": round(stage.start * 1e6, 3),
                "dur": round(stage.seconds * 1e6, 3),
            }
        )
    return {"traceEvents": events, "displayTimeUnit": "ms"}
