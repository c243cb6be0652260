"""Failure is a value: why a call has no result, and what a program gives where one has failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """Why a value failed. The order is the order of precedence.

    Where several arguments of one call have failed, the call's reason is the one listed first here,
    so that it depends neither on the order of evaluation nor on the order of commutative arguments.
    """

    LIMIT = "limit"
    TYPE = "type"
    EMPTY = "empty"
    BOUNDS = "bounds"
    ZERO_DIVISION = "zero-division"


PRECEDENCE = {reason: rank for rank, reason in enumerate(Reason)}


class Fail(Exception):
    """Raised inside the reference where a primitive has no result; becomes a failed outcome."""

    def __init__(self, reason: Reason, detail: str = "", primitive: str = "") -> None:
        super().__init__(detail or reason.value)
        self.reason = reason
        self.detail = detail
        self.primitive = primitive


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed value. Where it happened and in which words is for people; only the reason is compared."""

    reason: Reason
    primitive: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    detail: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        where = f" in {self.primitive}" if self.primitive else ""
        line = f", line {self.line}" if self.line else ""
        detail = f": {self.detail}" if self.detail else ""
        return f"failed: {self.reason.value}{where}{line}{detail}"


UNKNOWN_OUTPUT = Failed(Reason.EMPTY, "C", 0, "the expected output is not known")
"""What C is where scoring does not know it."""

Outcome = Any
"""A plain value of the language, or Failed."""


def first_failure(values: list[Any] | tuple[Any, ...]) -> Failed | None:
    """Which of several values a call that gets them fails with, if any: by precedence of reason, then position."""
    failures = [value for value in values if isinstance(value, Failed)]
    return min(failures, key=lambda failed: PRECEDENCE[failed.reason]) if failures else None
