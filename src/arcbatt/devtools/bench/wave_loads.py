"""Waves on a GPU beside the CPU engine: the library, given programs, random ones and those with nested loops.

    python -m arcbatt.devtools.bench.wave_loads [--solvers FILE ...] [--generated 240] [--random 600] [--mutants 5000]
        [--only NAME]

Of each load, programs run from packed samples on the host to verdicts of their outputs there, several times, and on
all threads of the CPU, and what they give is compared; then every value outside of loops, by status and hash. A profile
says which kernels take the time, launches being one after the other, and the longest way from wave to wave. All of it
is printed as it is found and written to `--out` (or $OUT). `--compile` only compiles the kernels, which needs no GPU.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from arcbatt.compiler.abi import ESCAPE, OVERFLOW
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.compiler.typed import Body
from arcbatt.compiler.waves import Schedule, schedule
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench.wave_profile import profile
from arcbatt.devtools.bench.waves import cpu_values, differences
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine.api import RunRequest
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.plan import calls
from arcbatt.engine.waves.runner import WaveRunner, by_size
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import Program
from arcbatt.solvers import library
from arcbatt.syntax.parser import parse_file

_RUNS: Final = 5
_WARM: Final = 5
"""Runs before these, which find what fits, time waves and make graphs."""
_MANY: Final = 5000
"""Programs of a load from which on single waves are not looked at, and runs are as few as will do."""
_RUNS_OF_MANY: Final = (4, 2)
"""Of these, runs before those that count, and these."""
_LONG_MS: Final = 10_000
"""After which the CPU does not run once more."""
_LONGEST: Final = 25
_HOPPER: Final = 90
_DEEP: Final = 2
"""Loops inside one another that a generated program has at least."""
_LINES: Final = 14
_FEW_LINES: Final = 12
_MUTANT_SAMPLES: Final = 200
_SEED: Final = 7


def random_programs(count: int) -> list[Program]:
    """Random programs, every second one over samples."""
    source = Generator("random")
    return [source.program(f"solve_r{number}", lines=_FEW_LINES, samples=number % 2 == 0) for number in range(count)]


def generated(count: int, seed: str = "nested loops") -> list[Program]:
    """Random programs and mutants of the library that have loops inside loops."""
    source = Generator(seed)
    fresh = [source.program(f"solve_g{number}", lines=_LINES, samples=number % 4 == 0) for number in range(2 * count)]
    programs = {program.name: program for program in (*fresh, *mutants(library(), 2 * count, 1))}
    typed, known = compile(programs.values()).typed, dict[int, int]()
    deep = [name for name, node in typed.outputs.items() if _depth(typed.nodes, node, known) >= _DEEP]
    return [programs[name] for name in deep[:count]]


def _depth(nodes: Sequence[Any], number: int, known: dict[int, int]) -> int:
    """The loops inside one another that a node has, or what it is made from."""
    if number not in known:
        node = nodes[number]
        below = (_depth(nodes, arg, known) for arg in node.args if isinstance(arg, int) and node.op not in _LEAVES)
        known[number] = max((*map(_nested, node.bodies), *below), default=0)
    return known[number]


_LEAVES: Final = ("input", "const")


def _nested(body: Body) -> int:
    return 1 + max((_nested(inner) for node in body.nodes for inner in node.bodies), default=0)


class Load:
    """Programs and samples, and what was found."""

    def __init__(self, name: str, programs: list[Program], samples: PackedSamples) -> None:
        self.name, self.samples, self.profile = name, samples, ""
        start = time.perf_counter()
        self.compiled: CompiledSet = compile(programs)
        self.many = len(programs) >= _MANY
        self.compiled.typed  # noqa: B018  what is made when it is asked for
        took = time.perf_counter() - start
        few = [] if self.many else programs
        self.schedule: Schedule = schedule(self.compiled.subset([one.name for one in few]).typed)
        """Of many programs the engine makes several, which are not looked at here."""
        self.measured = self.schedule
        """Without what is too much for the GPU."""
        self.names: list[str] = []
        """The programs that the engine runs by waves."""
        self.found: dict[str, Any] = {
            "programs": len(programs), "samples": len(samples), "typing_ms": 1e3 * took,
            "waves": len(self.schedule.waves), "kernels": len({wave.kernel for wave in self.schedule.waves}),
        }  # fmt: skip

    def options(self) -> Iterator[Any]:
        """How its kernels are compiled."""
        yield from kernels.all_options({wave.kernel: kernels.width(wave.kernel) for wave in self.schedule.waves})

    def compare(self, cupy: Any, heap_bytes: int) -> None:
        """Every value outside of loops, against the CPU engine's."""
        expected = cpu_values(self.schedule, self.samples, threads=os.cpu_count() or 1)
        runner = WaveRunner(cupy, self.schedule, heap_bytes=heap_bytes)
        found = runner.run(self.samples, list(self.schedule.slots()))
        unfit = found.statuses == OVERFLOW
        wrong = [place for place in differences(found, expected) if not unfit[tuple(place)]]
        nodes = list(self.schedule.nodes())
        self.found |= {"values": int(found.statuses.size), "differ": len(wrong), "unfit": int(unfit.sum())}
        self.found |= {"batches": runner.batches, "escapes": int((expected.statuses == ESCAPE).sum())}
        for row, column in wrong[:5]:
            wave, node = nodes[row]
            statuses = found.statuses[row, column], expected.statuses[row, column]
            print(f"  differs: {wave.kernel.name}, slot {node.result}, sample {column}, statuses {statuses}")

    def time_engine(self, _: Any, heap_bytes: int) -> None:
        """From packed samples on the host to verdicts there, with what the CPU does of it; and the waves alone."""
        engine = importlib.import_module("arcbatt.engine.waves.engine").WaveEngine(self.compiled, heap_bytes=heap_bytes)
        request = RunRequest(self.samples, outputs="hash" if self.many else "match", complete=False)
        start = time.perf_counter()
        groups = engine.waves.groups
        self.found["schedule_ms"] = 1e3 * (time.perf_counter() - start)
        self.names = [name for group in groups for name in group.code.outputs]
        self.found["scheduled"] = len(self.names)
        self.found["all_waves"] = sum(len(group.waves) for group in groups)
        self.found["all_kernels"] = len({wave.kernel for group in groups for wave in group.waves})
        took, on_gpu = [], []
        warm, runs = _RUNS_OF_MANY if self.many else (_WARM, _RUNS)
        for _ in range(warm + runs):
            start = time.perf_counter()
            outputs = engine.execute(request)
            took.append(1e3 * (time.perf_counter() - start))
            on_gpu.append(engine.waves.last.milliseconds)
            print(f"  {self.name}: a run in {took[-1]:.0f} ms, of which {on_gpu[-1]:.0f} on the GPU", flush=True)
            if len(tried := engine.waves.last.tried) > 1:
                print("".join(f"    {one}\n" for one in tried), end="", flush=True)
        runner = engine.waves.runner(MAX_STEPS)
        if runner.too_much:
            runner = runner.only([one for one in self.schedule.code.outputs.values() if one[0] not in runner.too_much])
            self.measured = runner.schedule
        one_graph = self.schedule.waves and len(runner.batches) == 1 and runner.plan
        alone = [replayed_ms(runner) for _ in range(_RUNS)] if one_graph else []
        self.found |= {
            "first_ms": took[:warm], "engine_ms": statistics.median(took[warm:]), "least_ms": min(took[warm:]),
            "most_ms": max(took[warm:]), "gpu_ms": statistics.median(on_gpu[warm:]),
            "replay_ms": statistics.median(alone) if alone else None, "run_batches": runner.batches,
            "heap_gb": 4e-9 * int(runner.heap.top[0]), "rerouted": {str(k): v for k, v in outputs.rerouted().items()},
        }  # fmt: skip
        if runner.plan:
            self.found["million_calls_of_a_batch"] = calls(self.measured.waves, runner.plan.counts()) / 1e6
        self._compare_outputs(engine, outputs if self.many else None)

    def _compare_outputs(self, engine: Any, mine: Outputs | None) -> None:
        """What programs give, by hash, against the CPU engine's; of many that run of it is the one that is timed."""
        request = RunRequest(self.samples, outputs="hash", complete=False)
        mine = mine or engine.execute(request)
        cpu = CpuEngine(self.compiled, threads=os.cpu_count())
        cpu.refused()  # it writes its code before the clock runs, as the GPU's engine its schedule
        start = time.perf_counter()
        theirs = cpu.execute(request)
        if self.many:
            self.found |= {"cpu_ms": 1e3 * (time.perf_counter() - start), "threads": os.cpu_count()}
        assert mine.hashes is not None
        assert theirs.hashes is not None
        wrong = (mine.hashes != theirs.hashes) | (mine.matches != theirs.matches) | (mine.agreement != theirs.agreement)
        wrong |= mine.statuses != theirs.statuses
        wrong[:, [engine.names.index(name) for name in engine.refused()]] = False
        self.found |= {"outputs": int(wrong.size), "outputs_differ": int(wrong.sum())}
        for row, column in np.argwhere(wrong)[:5]:
            statuses = mine.statuses[row, column], theirs.statuses[row, column]
            print(f"  differs: {mine.names[column]}, sample {row}, statuses {statuses}")

    def curves(self, heap_bytes: int) -> None:
        """Milliseconds of a quarter and half of the samples, and of the programs; and of a single task."""
        names, samples = list(self.schedule.code.outputs), self.samples
        every = np.random.default_rng(_SEED).permutation(len(samples))
        of_task = np.flatnonzero(samples.task == samples.task[0])
        cases = {
            "samples": [(names, every[: len(samples) // part]) for part in (4, 2, 1)],
            "programs": [(names[::part], every) for part in (4, 2, 1)],
            "one task": [(names, of_task)],
        }
        for what, points in cases.items():
            self.found[f"curve of {what}"] = found = []
            for some, rows in points:
                found.append((len(some), len(rows), self._median_ms(some, samples.only(np.sort(rows)), heap_bytes)))

    def _median_ms(self, names: list[str], samples: PackedSamples, heap_bytes: int) -> float:
        made = importlib.import_module("arcbatt.engine.waves.engine").WaveEngine
        engine, took = made(self.compiled.subset(names), heap_bytes=heap_bytes), []
        for _ in range(_RUNS + _WARM):
            start = time.perf_counter()
            engine.execute(RunRequest(samples, outputs="match", complete=False))
            took.append(1e3 * (time.perf_counter() - start))
        return statistics.median(took[_WARM:])

    def longest(self, cupy: Any, heap_bytes: int) -> None:
        """The kernels that take most of the time, launches being one after the other, and the longest launches."""
        runner = WaveRunner(cupy, self.measured, heap_bytes=heap_bytes)
        rows = by_size(self.samples)[-self.found.get("run_batches", [len(self.samples)])[-1] :]
        found = profile(runner, self.samples.only(rows))
        self.profile = "\n".join((f"{self.name}, {len(rows)} samples:", *found.lines(_LONGEST)))
        self.found["way_ms"], self.found["serial_ms"] = found.way()[0], sum(found.single)

    def time_cpu(self) -> None:
        """The same programs on all threads, without the dynamic tier; of many that is known."""
        if "cpu_ms" in self.found:
            return
        engine = CpuEngine(self.compiled.subset(self.names), threads=os.cpu_count())
        request = RunRequest(self.samples, outputs="match", complete=False)
        took: list[float] = []
        while len(took) < 3 and sum(took) < _LONG_MS:
            start = time.perf_counter()
            engine.execute(request)
            took.append(1e3 * (time.perf_counter() - start))
        self.found |= {"cpu_ms": statistics.median(took[1:] or took), "threads": os.cpu_count()}


def replayed_ms(runner: WaveRunner) -> float:
    """Milliseconds of the waves of the last batch, on the device."""
    cupy, plan = runner.cupy, runner.plan
    before, after = cupy.cuda.Event(), cupy.cuda.Event()
    assert plan is not None
    with runner.stream:
        plan.begin()
        runner.heap.begin()
        runner.place_inputs()
        before.record()
        plan.replay(runner.stream)
        after.record()
        runner.stream.synchronize()
    return float(cupy.cuda.get_elapsed_time(before, after))


def _table(loads: Sequence[Load]) -> str:
    lines = ["| load | programs x samples | CPU, ms | engine by waves, ms | ratio | GPU | graph | before | differ |"]
    lines.append("|---" * 9 + "|")
    for load in loads:
        one = load.found
        if "engine_ms" not in one:
            lines.append(f"| {load.name} | {one['programs']} x {one['samples']} | not run |")
            continue
        alone = f"{one['replay_ms']:.1f}" if one["replay_ms"] else f"{len(one['run_batches'])} batches"
        lines.append(
            f"| {load.name} | {one['scheduled']} of {one['programs']} x {one['samples']} | {one.get('cpu_ms', 0):.0f} "
            f"({one.get('threads')} threads) | {one['engine_ms']:.1f} ({one['least_ms']:.1f} to {one['most_ms']:.1f}) "
            f"| {one.get('cpu_ms', 0) / one['engine_ms']:.2f} | {one['gpu_ms']:.1f} | {alone} "
            f"| typing {one['typing_ms']:.0f}, schedule {one['schedule_ms']:.0f}, first run {one['first_ms'][0]:.0f} "
            f"| {one.get('differ')} of "
            f"{one.get('values')} values, {one.get('unfit')} unfit; {one.get('outputs_differ')} "
            f"of {one.get('outputs')} outputs; rerouted {one['rerouted']} |"
        )
    return "\n".join(lines)


class Bench:
    """What is measured; all that is said goes to a file as well, so that nothing is lost if a load fails."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.begun = options, time.perf_counter()
        self.loads: list[Load] = []
        options.out.mkdir(parents=True, exist_ok=True)

    def say(self, text: str) -> None:
        """Print a text, with the time it is."""
        line = f"{time.perf_counter() - self.begun:6.1f} s  {text}"
        print(line, flush=True)
        with (self.options.out / "loads.txt").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def tried(self, what: str, step: Callable[[], None]) -> None:
        """Do something, if there is time left; what fails leaves the others to be measured."""
        if time.perf_counter() - self.begun > self.options.seconds:
            self.say(f"{what}: left out, there is no time left")
            return
        try:
            step()
        except Exception as error:
            self.say(f"{what}: {type(error).__name__}: {error}")

    def make(self) -> None:
        """The loads that are asked for."""
        every = [sample for task in load_tasks("arcagi") for sample in task.samples]
        samples = pack_samples(every[: self.options.samples] if self.options.samples else every)
        few = pack_samples(every[:: max(1, len(every) // _MUTANT_SAMPLES)][:_MUTANT_SAMPLES])
        makers: dict[str, Callable[[], Load]] = {"library": lambda: Load("library", library(), samples)}
        for path in self.options.solvers:
            makers[path.stem] = lambda path=path: Load(path.stem, list(parse_file(path).programs), samples)  # type: ignore[misc]
        if self.options.generated:
            makers["generated"] = lambda: Load("generated", generated(self.options.generated), samples)
        if self.options.random:
            makers["random"] = lambda: Load("random", random_programs(self.options.random), samples)
        if self.options.mutants:
            makers["mutants"] = lambda: Load("mutants", list(mutants(library(), self.options.mutants, _SEED)), few)

        for name in [one for one in makers if one in (self.options.only or makers)]:
            make = makers[name]
            self.tried(name, lambda make=make: self.loads.append(make()))  # type: ignore[misc]
        for load in self.loads:
            self.say(f"{load.name}: {load.found}")

    def compile(self, nvrtc: Any, arch: int, load: Load) -> None:
        """The kernels of a load, on all cores."""
        wanted = dict.fromkeys([*kernels.ENDS.values(), *load.options()])
        kernels.compiled(nvrtc, wanted, arch)
        self.say(f"{load.name}: {len(wanted)} kernels compiled, or there before")

    def measure(self, cupy: Any, load: Load) -> None:
        """All of a load, and the table so far."""
        heap_bytes = int(self.options.heap_gb * 1e9)
        arch = int(cupy.cuda.Device().compute_capability)
        steps: dict[str, Callable[[], None]] = {"kernels": lambda: self.compile(cupy.cuda.nvrtc, arch, load)}
        steps["time"] = lambda: load.time_engine(cupy, heap_bytes)
        steps["CPU"] = load.time_cpu
        if load.schedule.waves:
            steps["profile"] = lambda: load.longest(cupy, heap_bytes)
        if load.name in self.options.curves:
            steps["curves"] = lambda: load.curves(heap_bytes)
        for what, step in steps.items():
            self.tried(f"{load.name}, {what}", step)
            cupy.get_default_memory_pool().free_all_blocks()
        self.say(load.profile)
        self.told(load)

    def compare(self, cupy: Any, load: Load) -> None:
        """Every value of a load, and the table with that."""
        self.tried(f"{load.name}, values", lambda: load.compare(cupy, int(self.options.heap_gb * 1e9)))
        cupy.get_default_memory_pool().free_all_blocks()
        self.told(load)

    def told(self, load: Load) -> None:
        """Say and write what was found so far."""
        self.say(f"{load.name}: {load.found}")
        self.say(_table(self.loads))
        found = json.dumps({one.name: one.found for one in self.loads}, indent=1, default=_plain)
        (self.options.out / "loads.json").write_text(found, encoding="utf-8")


def main() -> None:
    """Compile, compare, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--solvers", type=Path, action="append", default=[], help="a load by its name (may be repeated)"
    )
    parser.add_argument("--samples", type=int, default=0, help="of the training inputs; 0 for all")
    parser.add_argument("--generated", type=int, default=120, help="programs")
    parser.add_argument("--random", type=int, default=0, help="programs")
    parser.add_argument("--mutants", type=int, default=0, help=f"programs, on {_MUTANT_SAMPLES} samples")
    parser.add_argument("--only", action="append", help="of these loads, this one (may be repeated)")
    parser.add_argument("--curves", action="append", default=[], help="of this load, times of parts of it")
    parser.add_argument("--heap-gb", type=float, default=17.0)
    parser.add_argument("--outputs-only", action="store_true", help="compare what programs give, not every value")
    parser.add_argument("--compile", action="store_true", help="compile the kernels, nothing else")
    parser.add_argument("--seconds", type=float, default=1e9, help="after which nothing more is begun")
    parser.add_argument("--out", type=Path, default=Path(os.environ.get("OUT", "build/wave-loads")))
    bench = Bench(parser.parse_args())
    bench.make()
    cupy: Any = None if bench.options.compile else importlib.import_module("cupy")
    for load in bench.loads:
        if cupy:
            bench.measure(cupy, load)
        else:
            bench.compile(find_nvrtc(), _HOPPER, load)
    for load in bench.loads if cupy and not bench.options.outputs_only else ():
        if load.name != "mutants":  # which are many, and whose outputs were compared
            bench.compare(cupy, load)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


if __name__ == "__main__":
    main()
