"""Table entries: finding objects, and drawing patches."""

from __future__ import annotations

from functools import partial

from arcbatt.ops.spec import Cost, Fact, make_spec
from arcbatt.reference import objects as ref

_op = partial(make_spec, "objects and patches")

OPS = (
    _op(ref.objects, "Grid, Bool, Bool, Bool -> {Object}", fails="empty"),
    _op(ref.o_g, "Grid, Int -> {Object}", fails="empty bounds"),
    _op(ref.partition, "Grid -> {Object}"),
    _op(ref.fgpartition, "Grid -> {Object}", fails="empty"),
    _op(ref.frontiers, "Grid -> {Object}", fails="empty"),
    _op(ref.asindices, "Grid -> Indices"),
    _op(ref.asobject, "Grid -> Object"),
    _op(ref.ofcolor, "Grid, Int -> Indices"),
    _op(ref.toobject, "Patch, Grid -> Object", fails="empty"),
    _op(ref.recolor, "Int, Patch -> Object"),
    _op(ref.normalize, "Patch -> Patch", Fact.IDEMPOTENT, fails="limit"),
    _op(ref.backdrop, "Patch -> Indices", fails="limit"),
    _op(ref.delta, "Patch -> Indices", fails="limit"),
    _op(ref.box, "Patch -> Indices", fails="limit"),
    _op(ref.inbox, "Patch -> Indices", fails="empty limit"),
    _op(ref.outbox, "Patch -> Indices", fails="empty limit"),
    _op(ref.dneighbors, "IJ -> Indices", fails="limit"),
    _op(ref.ineighbors, "IJ -> Indices", fails="limit"),
    _op(ref.neighbors, "IJ -> Indices", fails="limit"),
    _op(ref.connect, "IJ, IJ -> Indices", Fact.COMMUTATIVE, fails="limit"),
    _op(ref.shoot, "IJ, IJ -> Indices", fails="limit"),
    _op(ref.vfrontier, "IJ -> Indices"),
    _op(ref.hfrontier, "IJ -> Indices"),
    _op(ref.occurrences, "Grid, Object -> Indices", cost=Cost.PRODUCT, fails="empty limit"),
    _op(ref.hperiod, "Object -> Int", fails="limit"),
    _op(ref.vperiod, "Object -> Int", fails="limit"),
)
