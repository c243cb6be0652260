"""Table entries: grids."""

from __future__ import annotations

from functools import partial

from arcbatt.ops.spec import Fact, make_spec
from arcbatt.reference import grids as ref

_op = partial(make_spec, "grids")

OPS = (
    _op(ref.rot90, "Grid -> Grid", Fact.KEEPS_GRID),
    _op(ref.rot180, "Grid -> Grid", Fact.KEEPS_GRID, Fact.INVOLUTION),
    _op(ref.rot270, "Grid -> Grid", Fact.KEEPS_GRID),
    _op(ref.hmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, fails="empty"),
    _op(ref.vmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, fails="empty"),
    _op(ref.dmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, fails="empty"),
    _op(ref.cmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, fails="empty"),
    _op(ref.crop, "Grid, IJ, IJ -> Grid"),
    _op(ref.subgrid, "Patch, Grid -> Grid", fails="empty"),
    _op(ref.hconcat, "Grid, Grid -> Grid", Fact.KEEPS_GRID, fails="limit"),
    _op(ref.vconcat, "Grid, Grid -> Grid", fails="limit"),
    _op(ref.hsplit, "Grid, Int -> [Grid]", fails="empty zero-division limit"),
    _op(ref.vsplit, "Grid, Int -> [Grid]", fails="empty zero-division limit"),
    _op(ref.tophalf, "Grid -> Grid"),
    _op(ref.bottomhalf, "Grid -> Grid"),
    _op(ref.lefthalf, "Grid -> Grid"),
    _op(ref.righthalf, "Grid -> Grid"),
    _op(ref.upscale, "Element, Int -> Element", fails="limit"),
    _op(ref.hupscale, "Grid, Int -> Grid", fails="limit"),
    _op(ref.vupscale, "Grid, Int -> Grid", fails="limit"),
    _op(ref.downscale, "Grid, Int -> Grid", fails="empty zero-division"),
    _op(ref.trim, "Grid -> Grid"),
    _op(ref.compress, "Grid -> Grid"),
    _op(ref.canvas, "Int, IJ -> Grid", fails="limit"),
    _op(ref.cellwise, "Grid, Grid, Int -> Grid", Fact.KEEPS_GRID, fails="empty bounds"),
    _op(ref.replace, "Grid, Int, Int -> Grid", Fact.KEEPS_GRID),
    _op(ref.switch, "Grid, Int, Int -> Grid", Fact.KEEPS_GRID),
    _op(ref.index, "Grid, IJ -> Int?", fails="empty bounds"),
    _op(ref.fill, "Grid, Int, Patch -> Grid", Fact.KEEPS_GRID, fails="empty"),
    _op(ref.underfill, "Grid, Int, Patch -> Grid", Fact.KEEPS_GRID, fails="empty"),
    _op(ref.paint, "Grid, Object -> Grid", Fact.KEEPS_GRID, fails="empty"),
    _op(ref.underpaint, "Grid, Object -> Grid", Fact.KEEPS_GRID, fails="empty"),
    _op(ref.cover, "Grid, Patch -> Grid", Fact.KEEPS_GRID, fails="empty"),
    _op(ref.shift, "Patch, IJ -> Patch", fails="limit"),
    _op(ref.move, "Grid, Object, IJ -> Grid", Fact.KEEPS_GRID, fails="empty limit"),
)
