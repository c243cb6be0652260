"""Table entries: colour, shape and place."""

from __future__ import annotations

from functools import partial

from arcbatt.ops.spec import Cost, Fact, make_spec
from arcbatt.reference import shapes as ref

_op = partial(make_spec, "colour and shape")

OPS = (
    _op(ref.mostcolor, "Element -> Int", Fact.TURN_INVARIANT, fails="empty"),
    _op(ref.leastcolor, "Element -> Int", Fact.TURN_INVARIANT, fails="empty"),
    _op(ref.palette, "Element -> {Int}", Fact.TURN_INVARIANT),
    _op(ref.p_g, "Grid -> [Int]", Fact.TURN_INVARIANT),
    _op(ref.numcolors, "Element -> Int", Fact.TURN_INVARIANT),
    _op(ref.color, "Object -> Int", fails="empty"),
    _op(ref.colorcount, "Element, Int -> Int", Fact.TURN_INVARIANT),
    _op(ref.colorfilter, "~Object, Int -> {Object}", fails="empty"),
    _op(ref.height, "Piece -> Int"),
    _op(ref.width, "Piece -> Int"),
    _op(ref.shape, "Piece -> IJ"),
    _op(ref.portrait, "Piece -> Bool"),
    _op(ref.square, "Piece -> Bool"),
    _op(ref.vline, "Patch -> Bool"),
    _op(ref.hline, "Patch -> Bool"),
    _op(ref.toindices, "Patch -> Indices", Fact.IDEMPOTENT),
    _op(ref.uppermost, "Patch -> Int", fails="empty"),
    _op(ref.lowermost, "Patch -> Int", fails="empty"),
    _op(ref.leftmost, "Patch -> Int", fails="empty"),
    _op(ref.rightmost, "Patch -> Int", fails="empty"),
    _op(ref.ulcorner, "Patch -> IJ"),
    _op(ref.urcorner, "Patch -> IJ"),
    _op(ref.llcorner, "Patch -> IJ"),
    _op(ref.lrcorner, "Patch -> IJ"),
    _op(ref.center, "Patch -> IJ", fails="empty"),
    _op(ref.centerofmass, "Patch -> IJ"),
    _op(ref.corners, "Patch -> Indices"),
    _op(ref.hmatching, "Patch1, Patch2 -> Bool", Fact.COMMUTATIVE),
    _op(ref.vmatching, "Patch1, Patch2 -> Bool", Fact.COMMUTATIVE),
    _op(ref.manhattan, "Patch1, Patch2 -> Int", Fact.COMMUTATIVE, cost=Cost.PRODUCT, fails="empty limit"),
    _op(ref.adjacent, "Patch1, Patch2 -> Bool", Fact.COMMUTATIVE, cost=Cost.PRODUCT, fails="empty limit"),
    _op(ref.bordering, "Patch, Grid -> Bool", fails="empty"),
    _op(ref.position, "Patch1, Patch2 -> IJ", fails="empty"),
    _op(ref.gravitate, "Patch1, Patch2 -> IJ", cost=Cost.PRODUCT, fails="empty limit"),
)
