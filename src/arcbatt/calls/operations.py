"""Python functions as operations: what they may raise, and what it comes to."""

from __future__ import annotations

from typing import Any, Final

from arcbatt.errors import ArcbattError
from arcbatt.language.failures import Fail, Failed, Reason

_REASONS: Final[dict[type[BaseException], Reason]] = {
    ZeroDivisionError: Reason.ZERO_DIVISION,
    LookupError: Reason.BOUNDS,
    RecursionError: Reason.LIMIT,
    MemoryError: Reason.LIMIT,
    OverflowError: Reason.LIMIT,
}


OPERATION_ERRORS: Final = (
    ArithmeticError, AssertionError, AttributeError, BufferError, LookupError, MemoryError, NameError, RuntimeError,
    StopIteration, TypeError, ValueError, ArcbattError, Fail,
)  # fmt: skip
"""What an operation may raise and only its own item fails; an interrupt or a full disk is not among it."""


def raised(operation: Any, error: BaseException) -> Failed:
    """The outcome of an operation that raised."""
    name = str(getattr(operation, "__name__", operation))
    if isinstance(error, Fail):
        return Failed(error.reason, error.primitive or name, 0, error.detail)
    reason = next((reason for kind, reason in _REASONS.items() if isinstance(error, kind)), Reason.TYPE)
    return Failed(reason, name, 0, f"{type(error).__name__}: {error}")
