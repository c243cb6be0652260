"""Table entries: combinators, and functions used on containers."""

from __future__ import annotations

from functools import partial

from arcbatt.ops.spec import Kind, make_spec
from arcbatt.reference import functions as ref

_op = partial(make_spec, "functions")
_combinator = partial(make_spec, "functions", kind=Kind.COMBINATOR)

OPS = (
    _combinator(ref.compose, "(b -> c), (a -> b) -> (a -> c)", fails="limit"),
    _combinator(ref.chain, "(c -> d), (b -> c), (a -> b) -> (a -> d)", fails="limit"),
    _combinator(ref.fork, "(b, c -> d), (a -> b), (a -> c) -> (a -> d)", fails="limit"),
    _combinator(ref.matcher, "(a -> b), c -> (a -> Bool)", fails="limit"),
    _combinator(ref.rbind, "(a.., b -> c), b -> (a.. -> c)", fails="limit"),
    _combinator(ref.lbind, "(a, b.. -> c), a -> (b.. -> c)", fails="limit"),
    _combinator(ref.power, "(a -> a), Int -> (a -> a)", fails="bounds limit"),
    _op(ref.apply, "(a -> b), <a> -> <b>", fails="limit"),
    _op(ref.rapply, "<(a -> b)>, a -> <b>"),
    _op(ref.mapply, "(a -> ~b), <a> -> <b>", fails="limit"),
    _op(ref.papply, "(a, b -> c), ~a, ~b -> [c]", fails="limit"),
    _op(ref.mpapply, "(a, b -> ~c), ~a, ~b -> [c]", fails="limit"),
    _op(ref.prapply, "(a, b -> c), ~a, ~b -> {c}", fails="limit"),
)
