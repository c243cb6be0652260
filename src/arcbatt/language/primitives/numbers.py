"""Numbers: arithmetic on integers and IJs, comparison, logic, and the small makers of values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.spec import Does, Fact, GenericSpec, make_spec
from arcbatt.language.values import Value, ij_of, int_of, need_room, number

Num = int | tuple[int, int]


def _each(function: Callable[[int], int], n: Num) -> Num:
    """Apply to an integer, or to both parts of an IJ."""
    if isinstance(n, int):
        return number(function(n))
    i, j = ij_of(n)
    return number(function(i)), number(function(j))


def _spread(function: Callable[[int, int], int], a: Num, b: Num) -> Num:
    """Apply to two numbers; an integer beside an IJ counts for both its parts."""
    if isinstance(a, int) and isinstance(b, int):
        return number(function(a, b))
    ai, aj = (a, a) if isinstance(a, int) else ij_of(a)
    bi, bj = (b, b) if isinstance(b, int) else ij_of(b)
    return number(function(ai, bi)), number(function(aj, bj))


def _floor_divide(a: int, b: int) -> int:
    if b == 0:
        raise Fail(Reason.ZERO_DIVISION, "division by zero")
    return a // b


def _floor_modulo(a: int, b: int) -> int:
    return a - b * _floor_divide(a, b)


def add(a: Num, b: Num) -> Num:
    """Sum."""
    return _spread(lambda x, y: x + y, a, b)


def subtract(a: Num, b: Num) -> Num:
    """Difference."""
    return _spread(lambda x, y: x - y, a, b)


def multiply(a: Num, b: Num) -> Num:
    """Product."""
    return _spread(lambda x, y: x * y, a, b)


def divide(a: Num, b: Num) -> Num:
    """Quotient, rounded down."""
    return _spread(_floor_divide, a, b)


def modulo(a: Num, b: Num) -> Num:
    """Remainder, with the sign of b."""
    return _spread(_floor_modulo, a, b)


def invert(n: Num) -> Num:
    """The number with its sign turned."""
    return _each(lambda x: -x, n)


def double(n: Num) -> Num:
    """Twice the number."""
    return _each(lambda x: 2 * x, n)


def halve(n: Num) -> Num:
    """Half the number, rounded down."""
    return _each(lambda x: x // 2, n)


def increment(n: Num) -> Num:
    """One more."""
    return _each(lambda x: x + 1, n)


def decrement(n: Num) -> Num:
    """One less."""
    return _each(lambda x: x - 1, n)


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


def sign(n: Num) -> Num:
    """-1, 0 or 1."""
    return _each(_sign, n)


def crement(n: Num) -> Num:
    """One further from zero; zero stays."""
    return _each(lambda x: x + _sign(x), n)


def even(n: int) -> bool:
    """Whether the number is even."""
    return int_of(n) % 2 == 0


def positive(n: int) -> bool:
    """Whether the number is above zero."""
    return int_of(n) > 0


def greater(a: int, b: int) -> bool:
    """Whether a is above b."""
    return int_of(a) > int_of(b)


def flip(b: bool) -> bool:
    """Logical not."""
    return not b


def both(a: bool, b: bool) -> bool:
    """Logical and."""
    return bool(a and b)


def either(a: bool, b: bool) -> bool:
    """Logical or."""
    return bool(a or b)


def equality(a: Value, b: Value) -> bool:
    """Whether two values of any kind are the same."""
    return bool(a == b)


def toivec(i: int) -> tuple[int, int]:
    """The step (i, 0)."""
    return i, 0


def tojvec(j: int) -> tuple[int, int]:
    """The step (0, j)."""
    return 0, j


def astuple(a: Value, b: Value) -> tuple[Value, Value]:
    """The pair (a, b)."""
    return a, b


def interval(start: int, stop: int, step: int) -> tuple[int, ...]:
    """The numbers from start, step by step, before stop."""
    if int_of(step) == 0:
        raise Fail(Reason.ZERO_DIVISION, "a step of zero")
    numbers = range(int_of(start), int_of(stop), step)
    need_room(len(numbers))
    return tuple(numbers)


def identity(x: Value) -> Value:
    """The value itself."""
    return x


def branch(condition: bool, a: Value, b: Value) -> Value:
    """A where the condition holds, else b."""
    return a if condition else b


_op = partial(make_spec, "numbers")
_ARITHMETIC = "Int, Int -> Int | IJ, IJ -> IJ | Int, IJ -> IJ | IJ, Int -> IJ"

OPS = (
    _op(add, _ARITHMETIC, Fact.COMMUTATIVE, fails="limit"),
    _op(subtract, _ARITHMETIC, fails="limit"),
    _op(multiply, _ARITHMETIC, Fact.COMMUTATIVE, Fact.TIMES, fails="limit"),
    _op(divide, _ARITHMETIC, fails="zero-division limit"),
    _op(modulo, _ARITHMETIC, fails="zero-division", since=3),
    _op(invert, "Num -> Num", fails="limit"),
    _op(double, "Num -> Num", fails="limit"),
    _op(halve, "Num -> Num"),
    _op(increment, "Num -> Num", fails="limit"),
    _op(decrement, "Num -> Num", fails="limit"),
    _op(sign, "Num -> Num", Fact.IDEMPOTENT, Fact.SIGN),
    _op(crement, "Num -> Num", fails="limit"),
    _op(even, "Int -> Bool"),
    _op(positive, "Int -> Bool"),
    _op(greater, "Int, Int -> Bool"),
    _op(flip, "Bool -> Bool", Fact.INVOLUTION),
    _op(both, "Bool, Bool -> Bool", Fact.COMMUTATIVE),
    _op(either, "Bool, Bool -> Bool", Fact.COMMUTATIVE),
    _op(equality, "a, b -> Bool", Fact.COMMUTATIVE, generic=GenericSpec(Does.COMPARE, code="EQUAL")),
    _op(toivec, "Int -> IJ", late=(0,)),
    _op(tojvec, "Int -> IJ", late=(0,)),
    _op(astuple, "a, b -> (a, b)", generic=GenericSpec(Does.PAIR)),
    _op(interval, "Int, Int, Int -> [Int]", fails="zero-division limit", late=(0, 1)),
    _op(identity, "a -> a", Fact.IDEMPOTENT, generic=GenericSpec(Does.SAME, code="COPY_COUNTED")),
    _op(branch, "Bool, a, a -> a", generic=GenericSpec(Does.CHOOSE)),
)
