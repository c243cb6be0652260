"""What a batt spends its time on: counts, time and failures, by primitive and by line.

There are two times. The reference's, where every call can be told from every other; and the CPU engine's, from a run
with a watch around every instruction (`arcbatt.devtools.profile`), where what lines share counts for the first of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arcbatt.batt.card import Card
from arcbatt.batt.results import as_sample, card_of, line_numbers
from arcbatt.compiler.graph import INVOKE
from arcbatt.devtools.profile import profile, reached
from arcbatt.engine.reference import MergedReference
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine
from arcbatt.language.sample import Sample
from arcbatt.language.spec import OpSpec
from arcbatt.language.values import Call, Value


@dataclass
class Cost:
    """What calls came to."""

    calls: int = 0
    seconds: float = 0.0
    """On the reference."""
    engine_seconds: float | None = None
    """On the CPU engine; None where it did not run there."""
    failures: Counter[str] = field(default_factory=Counter)
    """Failures that began here, by reason; what fails because an argument has is not among them."""


@dataclass
class LineCost(Cost):
    """A line of a batt: its number is that of its t, and its time holds all the calls inside it."""

    number: int = 0
    text: str = ""


@dataclass
class Profile:
    """The profile of a batt on inputs."""

    inputs: int
    seconds: float
    """Of all inputs on the reference."""
    engine_seconds: float
    """Of all inputs on the CPU engine, on one core."""
    lines: list[LineCost]
    primitives: dict[str, Cost]
    """By primitive, calls inside loops counted; the time is a call's own, without what it calls."""

    def report(self, most: int = 20) -> str:
        """The primitives and lines that take longest, as a table."""
        rows = [
            f"{self.inputs} inputs; seconds on the reference {self.seconds:.3f}, CPU engine {self.engine_seconds:.3f}",
            "",
            " reference     engine    calls  failed  primitive (seconds of its own calls)",
        ]
        slowest = sorted(self.primitives.items(), key=lambda one: -one[1].seconds)[:most]
        rows += [f"{_figures(cost)}  {name}" for name, cost in slowest]
        rows += ["", " reference     engine    calls  failed  line (seconds with all it calls)"]
        lines = sorted(self.lines, key=lambda line: -line.seconds)[:most]
        rows += [f"{_figures(one)}  t{one.number} = {one.text}" for one in lines]
        return "\n".join(rows)


def _figures(cost: Cost) -> str:
    engine = "         -" if cost.engine_seconds is None else f"{cost.engine_seconds:10.4f}"
    return f"{cost.seconds:10.4f} {engine} {cost.calls:8,} {cost.failures.total():7,}"


def profile_batt_operations(batt: Card | str | Path | Sequence[Program], inputs: Iterable[Any]) -> Profile:
    """Profile a batt (a card, a batt file, or programs) on inputs: samples, `BatchInput`s, or (S, I, C) tuples."""
    card = card_of(batt)
    samples = [as_sample(one) for one in inputs]
    numbers = line_numbers(card)
    lines = {node: LineCost(number=number, text=str(card.graph.call_expr(node))) for node, number in numbers.items()}
    machine = _Timed()
    start = time.perf_counter()
    for sample in samples:
        reference = _Profiled(card, sample, machine, lines)
        for name in card.graph.outputs:
            reference.of(name)
    seconds = time.perf_counter() - start
    engine_seconds = _on_engine(card, samples, lines, machine.costs)
    return Profile(len(samples), seconds, engine_seconds, list(lines.values()), machine.costs)


def _on_engine(card: Card, samples: list[Sample], lines: dict[int, LineCost], costs: dict[str, Cost]) -> float:
    """Put the engine's times in; the seconds of the whole. Every line is an output, so that its nodes can be found."""
    if not samples or not lines:
        return 0.0
    graph = replace(card.graph, outputs={f"line_{node}": node for node in lines})
    found = profile(graph, samples, complete=False)
    by_node, taken = found.by_node(), set[int]()
    for node, line in lines.items():
        tally = reached(found.graph, found.graph.outputs.get(f"line_{node}"), by_node, taken)
        line.engine_seconds = tally.seconds if tally else None
    for name, tally in found.by_primitive().items():
        if name in costs:
            costs[name].engine_seconds = tally.seconds
    return found.run_seconds


class _Timed(Machine):
    """A machine that counts calls of primitives and the time they take themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.costs: dict[str, Cost] = {}
        self._inner = [0.0]

    def primitive(self, spec: OpSpec, args: tuple[Value, ...], call: Call) -> Value:
        start = time.perf_counter()
        self._inner.append(0.0)
        try:
            return super().primitive(spec, args, call)
        finally:
            passed = time.perf_counter() - start
            cost = self.costs.setdefault(spec.name, Cost())
            cost.calls += 1
            cost.seconds += passed - self._inner.pop()
            self._inner[-1] += passed


class _Profiled(MergedReference):
    """The reference on one sample, each line timed."""

    def __init__(self, card: Card, sample: Sample, machine: _Timed, lines: dict[int, LineCost]) -> None:
        super().__init__(card.graph, sample)
        self.machine = machine
        self.costs = machine.costs
        self.lines = lines

    def _evaluated(self, index: int, stack: list[int]) -> Any:
        waiting = len(stack)
        start = time.perf_counter()
        outcome: Outcome = super()._evaluated(index, stack)
        if index not in self.lines or len(stack) != waiting:
            return outcome
        line = self.lines[index]
        line.calls += 1
        line.seconds += time.perf_counter() - start
        node = self.graph.nodes[index]
        if isinstance(outcome, Failed) and not any(isinstance(self.known.get(arg), Failed) for arg in node.args):
            line.failures[outcome.reason.value] += 1
            name = outcome.primitive if outcome.primitive in self.costs else node.op
            if name != INVOKE:
                self.costs.setdefault(name, Cost()).failures[outcome.reason.value] += 1
        return outcome
