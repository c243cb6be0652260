"""Table entries: numbers, logic, and the small makers of values."""

from __future__ import annotations

from functools import partial

from arcbatt.ops.spec import Fact, make_spec
from arcbatt.reference import numbers as ref

_op = partial(make_spec, "numbers")
_ARITHMETIC = "Int, Int -> Int | IJ, IJ -> IJ | Int, IJ -> IJ | IJ, Int -> IJ"

OPS = (
    _op(ref.add, _ARITHMETIC, Fact.COMMUTATIVE, fails="limit"),
    _op(ref.subtract, _ARITHMETIC, fails="limit"),
    _op(ref.multiply, _ARITHMETIC, Fact.COMMUTATIVE, fails="limit"),
    _op(ref.divide, _ARITHMETIC, fails="zero-division limit"),
    _op(ref.invert, "Num -> Num", fails="limit"),
    _op(ref.double, "Num -> Num", fails="limit"),
    _op(ref.halve, "Num -> Num"),
    _op(ref.increment, "Num -> Num", fails="limit"),
    _op(ref.decrement, "Num -> Num", fails="limit"),
    _op(ref.sign, "Num -> Num", Fact.IDEMPOTENT),
    _op(ref.crement, "Num -> Num", fails="limit"),
    _op(ref.even, "Int -> Bool"),
    _op(ref.positive, "Int -> Bool"),
    _op(ref.greater, "Int, Int -> Bool"),
    _op(ref.flip, "Bool -> Bool"),
    _op(ref.both, "Bool, Bool -> Bool", Fact.COMMUTATIVE),
    _op(ref.either, "Bool, Bool -> Bool", Fact.COMMUTATIVE),
    _op(ref.equality, "a, b -> Bool", Fact.COMMUTATIVE),
    _op(ref.toivec, "Int -> IJ"),
    _op(ref.tojvec, "Int -> IJ"),
    _op(ref.astuple, "a, b -> (a, b)"),
    _op(ref.interval, "Int, Int, Int -> [Int]", fails="zero-division limit"),
    _op(ref.identity, "a -> a", Fact.IDEMPOTENT),
    _op(ref.branch, "Bool, a, a -> a"),
)
