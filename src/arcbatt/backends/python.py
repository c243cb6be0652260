"""The reference as a backend: one program on one sample, line by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arcbatt.backends.outcome import UNKNOWN_OUTPUT, Failed, Outcome, first_failure
from arcbatt.errors import Fail
from arcbatt.frontend.program import Call, Const, Expr, Name, Program, live_lines
from arcbatt.ops import CONSTANTS
from arcbatt.reference.machine import Machine, primitive
from arcbatt.reference.values import Grid


@dataclass(frozen=True, slots=True)
class Sample:
    """What a program runs on: an input, the task's demonstration pairs, and the expected output if known."""

    I: Grid  # noqa: E741 - the language's own name
    S: tuple[tuple[Grid, Grid], ...] = ()
    C: Grid | None = None


def evaluate(program: Program, sample: Sample, machine: Machine | None = None) -> Outcome:
    """The value of the program on the sample, or Failed."""
    return _Evaluation(program, sample, machine or Machine()).result()


class _Evaluation:
    def __init__(self, program: Program, sample: Sample, machine: Machine) -> None:
        self.program = program
        self.machine = machine
        self.values: dict[str, Any] = {"I": sample.I}
        if "C" in program.params:
            self.values["S"] = sample.S
            self.values["C"] = UNKNOWN_OUTPUT if sample.C is None else sample.C

    def result(self) -> Outcome:
        for line in live_lines(self.program):
            self.values[line.target] = self.expression(line.value)
        return self.expression(self.program.result)

    def expression(self, expr: Expr) -> Outcome:
        match expr:
            case Const(value):
                return value
            case Name(name):
                if name in self.values:
                    return self.values[name]
                return CONSTANTS[name] if name in CONSTANTS else primitive(name)
        function = self.expression(expr.function)
        args = [self.expression(arg) for arg in expr.args]
        return call_outcome(lambda: self.machine.call(function, *args), [function, *args], expr)


def call_outcome(run: Callable[[], Any], values: list[Any], call: Call) -> Outcome:
    """The value of running a call, or Failed; a call given a failed value is not run."""
    if failed := first_failure(values):
        return failed
    try:
        return run()
    except Fail as fail:
        return Failed(fail.reason, fail.primitive or str(call.function), call.line, fail.detail)
