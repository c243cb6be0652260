"""Every error arcbatt raises on purpose, in one short hierarchy."""

from __future__ import annotations

from enum import StrEnum


class ArcbattError(Exception):
    """Base of every error meant for a caller; its text is a complete message."""


class UsageError(ArcbattError):
    """A command or call asked for something that cannot be done as asked."""


class DataError(ArcbattError):
    """Input data (a task, a grid, a vector file) is not what it should be."""


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
