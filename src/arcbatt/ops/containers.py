"""Table entries: sets and tuples, and choosing among items."""

from __future__ import annotations

from functools import partial

from arcbatt.ops.spec import Cost, Fact, make_spec
from arcbatt.reference import containers as ref

_op = partial(make_spec, "containers")

OPS = (
    _op(ref.size, "~a -> Int"),
    _op(ref.contained, "a, ~b -> Bool | a, (b, c) -> Bool"),
    _op(ref.combine, "<a>, ~a -> <a>", fails="limit"),
    _op(ref.intersection, "{a}, {a} -> {a}", Fact.COMMUTATIVE),
    _op(ref.difference, "{a}, {b} -> {a}"),
    _op(ref.insert, "a, {a} -> {a}", fails="limit"),
    _op(ref.remove, "b, <a> -> <a>"),
    _op(ref.initset, "a -> {a}"),
    _op(ref.repeat, "a, Int -> [a]", fails="limit"),
    _op(ref.dedupe, "[a] -> [a]", Fact.IDEMPOTENT),
    _op(ref.difference_tuple, "[a], ~b -> [a]"),
    _op(ref.merge, "<~a> -> <a>", fails="limit"),
    _op(ref.totuple, "~a -> [a]", Fact.IDEMPOTENT),
    _op(ref.first, "(a, b) -> a | ~a -> a", fails="empty"),
    _op(ref.second, "(a, b) -> b | ~a -> a", fails="empty bounds"),
    _op(ref.last, "(a, b) -> b | ~a -> a", fails="empty"),
    _op(ref.other, "~a, b -> a", fails="empty"),
    _op(ref.get_nth_t, "[a], Int -> a", fails="empty bounds"),
    _op(ref.get_nth_f, "~a, Int -> a", fails="empty bounds"),
    _op(ref.maximum, "~Int -> Int"),
    _op(ref.minimum, "~Int -> Int"),
    _op(ref.mostcommon, "~a -> a", fails="empty"),
    _op(ref.leastcommon, "~a -> a", fails="empty"),
    _op(ref.order, "~a, (a -> Key) -> [a]"),
    _op(ref.argmax, "~a, (a -> Key) -> a", fails="empty"),
    _op(ref.argmin, "~a, (a -> Key) -> a", fails="empty"),
    _op(ref.valmax, "~a, (a -> Key) -> Key"),
    _op(ref.valmin, "~a, (a -> Key) -> Key"),
    _op(ref.sfilter, "<a>, (a -> Bool) -> <a>"),
    _op(ref.mfilter, "<~a>, (~a -> Bool) -> <a>", fails="limit"),
    _op(ref.extract, "~a, (a -> Bool) -> a", fails="empty"),
    _op(ref.sizefilter, "~{a}, Int -> {{a}} | ~[a], Int -> {[a]}"),
    _op(ref.product, "~a, ~b -> {(a, b)}", cost=Cost.PRODUCT, fails="limit"),
    _op(ref.pair, "~a, ~b -> [(a, b)]"),
)
