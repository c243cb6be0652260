"""The vocabulary as Python names; generated from the op table by `make docs`, do not edit.

Arguments may be lists and arrays, and what has failed; what comes back is a plain value, or Failed.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from numpy.typing import NDArray

from arcbatt.language.calling import PythonFunction as _Function
from arcbatt.language.failures import Failed as Failed
from arcbatt.language.functions import Function as _FunctionValue

_AnyGrid: TypeAlias = Sequence[Sequence[int]] | NDArray[Any] | Failed
_AnyInt: TypeAlias = int | None | Failed
_AnyTuple: TypeAlias = tuple[Any, ...] | list[Any] | Failed
_AnyItems: TypeAlias = AbstractSet[Any] | tuple[Any, ...] | list[Any] | Failed
_AnyFunction: TypeAlias = Callable[..., Any] | _FunctionValue | Failed

_Grid: TypeAlias = tuple[tuple[int, ...], ...]
_IJ: TypeAlias = tuple[int, int]
_Cell: TypeAlias = tuple[int, _IJ]
_Object: TypeAlias = frozenset[_Cell]
_Indices: TypeAlias = frozenset[_IJ]

def invoke(function: Any, *args: Any) -> Any:
    """A function value of the arguments, or Failed; anything else in its place fails too."""

# --- numbers ---

def add(a: _AnyInt | _AnyTuple, b: _AnyInt | _AnyTuple) -> Any:
    """Sum."""

def subtract(a: _AnyInt | _AnyTuple, b: _AnyInt | _AnyTuple) -> Any:
    """Difference."""

def multiply(a: _AnyInt | _AnyTuple, b: _AnyInt | _AnyTuple) -> Any:
    """Product."""

def divide(a: _AnyInt | _AnyTuple, b: _AnyInt | _AnyTuple) -> Any:
    """Quotient, rounded down."""

def modulo(a: _AnyInt | _AnyTuple, b: _AnyInt | _AnyTuple) -> Any:
    """Remainder, with the sign of b."""

def invert(n: _AnyInt | _AnyTuple) -> Any:
    """The number with its sign turned."""

def double(n: _AnyInt | _AnyTuple) -> Any:
    """Twice the number."""

def halve(n: _AnyInt | _AnyTuple) -> Any:
    """Half the number, rounded down."""

def increment(n: _AnyInt | _AnyTuple) -> Any:
    """One more."""

def decrement(n: _AnyInt | _AnyTuple) -> Any:
    """One less."""

def sign(n: _AnyInt | _AnyTuple) -> Any:
    """-1, 0 or 1."""

def crement(n: _AnyInt | _AnyTuple) -> Any:
    """One further from zero; zero stays."""

def even(n: _AnyInt) -> bool | Failed:
    """Whether the number is even."""

def positive(n: _AnyInt) -> bool | Failed:
    """Whether the number is above zero."""

def greater(a: _AnyInt, b: _AnyInt) -> bool | Failed:
    """Whether a is above b."""

def flip(b: _AnyInt) -> bool | Failed:
    """Logical not."""

def both(a: _AnyInt, b: _AnyInt) -> bool | Failed:
    """Logical and."""

def either(a: _AnyInt, b: _AnyInt) -> bool | Failed:
    """Logical or."""

def equality(a: Any, b: Any) -> bool | Failed:
    """Whether two values of any kind are the same."""

def toivec(i: _AnyInt) -> _IJ | Failed:
    """The step (i, 0)."""

def tojvec(j: _AnyInt) -> _IJ | Failed:
    """The step (0, j)."""

def astuple(a: Any, b: Any) -> tuple[Any, Any] | Failed:
    """The pair (a, b)."""

def interval(start: _AnyInt, stop: _AnyInt, step: _AnyInt) -> tuple[int, ...] | Failed:
    """The numbers from start, step by step, before stop."""

def identity(x: Any) -> Any:
    """The value itself."""

def branch(condition: _AnyInt, a: Any, b: Any) -> Any:
    """A where the condition holds, else b."""

# --- containers ---

def size(container: _AnyItems) -> int | Failed:
    """How many items there are."""

def contained(value: Any, container: _AnyItems) -> bool | Failed:
    """Whether the value is among the items."""

def combine(a: _AnyItems, b: _AnyItems) -> Any:
    """Tuples joined end to end, sets united; the kind of a."""

def intersection(a: _AnyItems, b: _AnyItems) -> frozenset[Any] | Failed:
    """Items in both sets."""

def difference(a: _AnyItems, b: _AnyItems) -> frozenset[Any] | Failed:
    """Items of a that are not in b."""

def insert(value: Any, container: _AnyItems) -> frozenset[Any] | Failed:
    """The set with one more item."""

def remove(value: Any, container: _AnyItems) -> Any:
    """The container without any item equal to the value."""

def initset(value: Any) -> frozenset[Any] | Failed:
    """The set of just this value."""

def repeat(item: Any, n: _AnyInt) -> tuple[Any, ...] | Failed:
    """A tuple of the item, n times."""

def dedupe(container: _AnyTuple) -> tuple[Any, ...] | Failed:
    """The tuple with only the first of equal items."""

def difference_tuple(a: _AnyTuple, b: _AnyItems) -> tuple[Any, ...] | Failed:
    """Items of a that are not in b, in their order."""

def merge(containers: _AnyItems) -> Any:
    """The items of the items: one level flatter, in the kind of the outer container."""

def totuple(container: _AnyItems) -> tuple[Any, ...] | Failed:
    """The items as a tuple, a set's ascending."""

def first(container: _AnyItems) -> Any:
    """The first item."""

def second(container: _AnyItems) -> Any:
    """The second item."""

def last(container: _AnyItems) -> Any:
    """The last item."""

def other(container: _AnyItems, value: Any) -> Any:
    """The first item that is not the value."""

def itemcount(container: _AnyItems, value: Any) -> int | Failed:
    """How many items are equal to the value."""

def get_nth_t(container: _AnyTuple, rank: _AnyInt) -> Any:
    """The item of a tuple at a place, from the end where negative."""

def get_nth_f(container: _AnyItems, rank: _AnyInt) -> Any:
    """The item of a set at a place in its order, from the end where negative."""

def maximum(container: _AnyItems) -> int | Failed:
    """The greatest number; 0 of nothing."""

def minimum(container: _AnyItems) -> int | Failed:
    """The least number; 0 of nothing."""

def mostcommon(container: _AnyItems) -> Any:
    """The item that occurs most; the least of several."""

def leastcommon(container: _AnyItems) -> Any:
    """The item that occurs least; the least of several."""

def order(container: _AnyItems, key: _AnyFunction) -> tuple[Any, ...] | Failed:
    """The items as a tuple, by ascending key; items of one key keep their order."""

def argmax(container: _AnyItems, key: _AnyFunction) -> Any:
    """The item with the greatest key; the first of several."""

def argmin(container: _AnyItems, key: _AnyFunction) -> Any:
    """The item with the least key; the first of several."""

def valmax(container: _AnyItems, key: _AnyFunction) -> Any:
    """The greatest key; of nothing, key(0)."""

def valmin(container: _AnyItems, key: _AnyFunction) -> Any:
    """The least key; of nothing, key(0)."""

def sfilter(container: _AnyItems, condition: _AnyFunction) -> Any:
    """The items for which the condition holds."""

def mfilter(container: _AnyItems, condition: _AnyFunction) -> Any:
    """The items for which the condition holds, merged."""

def extract(container: _AnyItems, condition: _AnyFunction) -> Any:
    """The first item for which the condition holds; later items are not tried."""

def sizefilter(container: _AnyItems, n: _AnyInt) -> Any:
    """The set of items of size n."""

def product(a: _AnyItems, b: _AnyItems) -> frozenset[tuple[Any, Any]] | Failed:
    """The set of pairs of an item of a with an item of b."""

def pair(a: _AnyItems, b: _AnyItems) -> tuple[tuple[Any, Any], ...] | Failed:
    """Tuple of pairs, item by item, as long as the shorter."""

# --- functions ---

def compose(outer: _AnyFunction, inner: _AnyFunction) -> _Function:
    """X -> outer(inner(x))."""

def chain(h: _AnyFunction, g: _AnyFunction, f: _AnyFunction) -> _Function:
    """X -> h(g(f(x)))."""

def fork(outer: _AnyFunction, a: _AnyFunction, b: _AnyFunction) -> _Function:
    """X -> outer(a(x), b(x))."""

def matcher(function: _AnyFunction, target: Any) -> _Function:
    """X -> function(x) == target."""

def rbind(function: _AnyFunction, fixed: Any) -> _Function:
    """The function with its last argument fixed."""

def lbind(function: _AnyFunction, fixed: Any) -> _Function:
    """The function with its first argument fixed."""

def power(function: _AnyFunction, n: Any) -> _Function:
    """The function applied n times, n at least 1."""

def apply(function: _AnyFunction, container: _AnyItems) -> Any:
    """The function of each item, in the same kind of container."""

def rapply(functions: _AnyItems, value: Any) -> Any:
    """Each function of the value, in the same kind of container."""

def mapply(function: _AnyFunction, container: _AnyItems) -> Any:
    """The function of each item, merged."""

def papply(function: _AnyFunction, a: _AnyItems, b: _AnyItems) -> tuple[Any, ...] | Failed:
    """The function of each pair of items of two tuples in step, as long as the shorter."""

def mpapply(function: _AnyFunction, a: _AnyItems, b: _AnyItems) -> tuple[Any, ...] | Failed:
    """The function of each pair of items of two tuples in step, merged."""

def prapply(function: _AnyFunction, a: _AnyItems, b: _AnyItems) -> frozenset[Any] | Failed:
    """The set of the function of every item of a with every item of b."""

def fold(container: _AnyItems, initial: Any, function: _AnyFunction) -> Any:
    """The last state: initial, then for each item the function of the pair (state, item)."""

def iterate(function: _AnyFunction, condition: _AnyFunction, initial: Any) -> Any:
    """The function applied to initial again and again, while the condition holds."""

# --- colour and shape ---

def mostcolor(element: _AnyGrid | _AnyItems) -> int | Failed:
    """The colour of most cells; the least of several."""

def leastcolor(element: _AnyGrid | _AnyItems) -> int | Failed:
    """The colour of fewest cells among those there; the least of several."""

def palette(element: _AnyGrid | _AnyItems) -> frozenset[int] | Failed:
    """The set of colours."""

def p_g(grid: _AnyGrid) -> tuple[int, ...] | Failed:
    """The colours of a grid, ascending."""

def numcolors(element: _AnyGrid | _AnyItems) -> int | Failed:
    """How many colours there are."""

def color(patch: _AnyItems) -> int | Failed:
    """The colour of an object's first cell."""

def colorcount(element: _AnyGrid | _AnyItems, colour: _AnyInt) -> int | Failed:
    """How many cells have the colour."""

def colorfilter(objects: _AnyItems, colour: _AnyInt) -> frozenset[_Object] | Failed:
    """The objects whose first cell has the colour."""

def height(piece: _AnyGrid | _AnyItems) -> int | Failed:
    """Rows of a grid, or of a patch's box; 0 of nothing."""

def width(piece: _AnyGrid | _AnyItems) -> int | Failed:
    """Columns of a grid, or of a patch's box; 0 of nothing."""

def shape(piece: _AnyGrid | _AnyItems) -> _IJ | Failed:
    """Height and width."""

def portrait(piece: _AnyGrid | _AnyItems) -> bool | Failed:
    """Whether it is taller than wide."""

def square(piece: _AnyGrid | _AnyItems) -> bool | Failed:
    """Whether a grid is as tall as wide, or a patch a full square."""

def vline(patch: _AnyItems) -> bool | Failed:
    """Whether the patch is one full vertical line."""

def hline(patch: _AnyItems) -> bool | Failed:
    """Whether the patch is one full horizontal line."""

def toindices(patch: _AnyItems) -> _Indices | Failed:
    """The places of a patch, without colours."""

def uppermost(patch: _AnyItems) -> int | Failed:
    """The first row."""

def lowermost(patch: _AnyItems) -> int | Failed:
    """The last row."""

def leftmost(patch: _AnyItems) -> int | Failed:
    """The first column."""

def rightmost(patch: _AnyItems) -> int | Failed:
    """The last column."""

def ulcorner(patch: _AnyItems) -> _IJ | Failed:
    """The upper left corner of the box; () of nothing."""

def urcorner(patch: _AnyItems) -> _IJ | Failed:
    """The upper right corner of the box; () of nothing."""

def llcorner(patch: _AnyItems) -> _IJ | Failed:
    """The lower left corner of the box; () of nothing."""

def lrcorner(patch: _AnyItems) -> _IJ | Failed:
    """The lower right corner of the box; () of nothing."""

def center(patch: _AnyItems) -> _IJ | Failed:
    """The middle of the box, rounded towards its end."""

def centerofmass(patch: _AnyItems) -> _IJ | Failed:
    """The mean place, rounded down; () of nothing."""

def corners(patch: _AnyItems) -> _Indices | Failed:
    """The four corners of the box."""

def hmatching(a: _AnyItems, b: _AnyItems) -> bool | Failed:
    """Whether two patches share a row."""

def vmatching(a: _AnyItems, b: _AnyItems) -> bool | Failed:
    """Whether two patches share a column."""

def manhattan(a: _AnyItems, b: _AnyItems) -> int | Failed:
    """The least distance, in rows plus columns, of a place of a from a place of b."""

def adjacent(a: _AnyItems, b: _AnyItems) -> bool | Failed:
    """Whether the least distance is 1."""

def bordering(patch: _AnyItems, grid: _AnyGrid) -> bool | Failed:
    """Whether the patch reaches an edge of the grid."""

def position(a: _AnyItems, b: _AnyItems) -> _IJ | Failed:
    """The direction from a to b by their centres."""

def gravitate(source: _AnyItems, destination: _AnyItems) -> _IJ | Failed:
    """The way source moves, straight, until it is adjacent to destination, 42 steps at most."""

# --- grids ---

def rot90(grid: _AnyGrid) -> _Grid | Failed:
    """A quarter turn clockwise."""

def rot180(grid: _AnyGrid) -> _Grid | Failed:
    """Half a turn."""

def rot270(grid: _AnyGrid) -> _Grid | Failed:
    """A quarter turn anticlockwise."""

def hmirror(piece: _AnyGrid | _AnyItems) -> Any:
    """Rows in reverse."""

def vmirror(piece: _AnyGrid | _AnyItems) -> Any:
    """Columns in reverse."""

def dmirror(piece: _AnyGrid | _AnyItems) -> Any:
    """Transposed: mirrored at the diagonal from the upper left."""

def cmirror(piece: _AnyGrid | _AnyItems) -> Any:
    """Mirrored at the diagonal from the upper right."""

def crop(grid: _AnyGrid, start: _AnyTuple, dims: _AnyTuple) -> _Grid | Failed:
    """The part that Python slices from start, dims long, would take."""

def subgrid(patch: _AnyItems, grid: _AnyGrid) -> _Grid | Failed:
    """The part of the grid in the patch's box."""

def hconcat(a: _AnyGrid, b: _AnyGrid) -> _Grid | Failed:
    """B to the right of a, as tall as the lower of them."""

def vconcat(a: _AnyGrid, b: _AnyGrid) -> _Grid | Failed:
    """B below a."""

def hsplit(grid: _AnyGrid, n: _AnyInt) -> tuple[_Grid, ...] | Failed:
    """N equal parts from left to right; where n does not divide, one column between them is left out."""

def vsplit(grid: _AnyGrid, n: _AnyInt) -> tuple[_Grid, ...] | Failed:
    """N equal parts from top to bottom; where n does not divide, one row between them is left out."""

def tophalf(grid: _AnyGrid) -> _Grid | Failed:
    """The upper half, without a middle row."""

def bottomhalf(grid: _AnyGrid) -> _Grid | Failed:
    """The lower half, without a middle row."""

def lefthalf(grid: _AnyGrid) -> _Grid | Failed:
    """The left half, without a middle column."""

def righthalf(grid: _AnyGrid) -> _Grid | Failed:
    """The right half, without a middle column."""

def upscale(element: _AnyGrid | _AnyItems, n: _AnyInt) -> Any:
    """Each cell as n by n cells; an object keeps its upper left corner."""

def hupscale(grid: _AnyGrid, n: _AnyInt) -> _Grid | Failed:
    """Each cell n times as wide."""

def vupscale(grid: _AnyGrid, n: _AnyInt) -> _Grid | Failed:
    """Each cell n times as tall."""

def downscale(grid: _AnyGrid, n: _AnyInt) -> _Grid | Failed:
    """Every n-th row and column, from the first."""

def trim(grid: _AnyGrid) -> _Grid | Failed:
    """The grid without its outer ring of cells."""

def compress(grid: _AnyGrid) -> _Grid | Failed:
    """The grid without rows and columns of a single colour."""

def canvas(colour: _AnyInt, dims: _AnyTuple) -> _Grid | Failed:
    """A grid of one colour."""

def cellwise(a: _AnyGrid, b: _AnyGrid, fallback: _AnyInt) -> _Grid | Failed:
    """Where two grids have the same cell that cell, else the fallback; the shape of a."""

def replace(grid: _AnyGrid, replacee: _AnyInt, replacer: _AnyInt) -> _Grid | Failed:
    """The grid with one colour in place of another."""

def switch(grid: _AnyGrid, a: _AnyInt, b: _AnyInt) -> _Grid | Failed:
    """The grid with two colours exchanged."""

def index(grid: _AnyGrid, loc: _AnyTuple) -> int | None | Failed:
    """The colour at a place; None off the grid."""

def fill(grid: _AnyGrid, colour: _AnyInt, patch: _AnyItems) -> _Grid | Failed:
    """The grid with the colour on the patch."""

def underfill(grid: _AnyGrid, colour: _AnyInt, patch: _AnyItems) -> _Grid | Failed:
    """The grid with the colour on the patch, only where its most common colour was."""

def paint(grid: _AnyGrid, obj: _AnyItems) -> _Grid | Failed:
    """The grid with the object's cells; of two on one place the greater colour."""

def underpaint(grid: _AnyGrid, obj: _AnyItems) -> _Grid | Failed:
    """The grid with the object's cells, only where its most common colour was."""

def cover(grid: _AnyGrid, patch: _AnyItems) -> _Grid | Failed:
    """The grid with its most common colour on the patch."""

def shift(patch: _AnyItems, directions: _AnyTuple) -> Any:
    """The patch moved."""

def move(grid: _AnyGrid, obj: _AnyItems, offset: _AnyTuple) -> _Grid | Failed:
    """The grid with the object covered where it was and painted where it moved."""

# --- objects and patches ---

def objects(grid: _AnyGrid, univalued: _AnyInt, diagonal: _AnyInt, without_bg: _AnyInt) -> frozenset[_Object] | Failed:
    """Connected components: of one colour each or any, 4 or 8 neighbours, the most common colour left out or not."""

def o_g(grid: _AnyGrid, mode: _AnyInt) -> frozenset[_Object] | Failed:
    """As objects; of mode, bit 4 is univalued, 2 diagonal, 1 without_bg."""

def partition(grid: _AnyGrid) -> frozenset[_Object] | Failed:
    """One object for each colour."""

def fgpartition(grid: _AnyGrid) -> frozenset[_Object] | Failed:
    """One object for each colour but the most common."""

def frontiers(grid: _AnyGrid) -> frozenset[_Object] | Failed:
    """The rows and the columns of a single colour, as objects."""

def asindices(grid: _AnyGrid) -> _Indices | Failed:
    """Every place of the grid."""

def asobject(grid: _AnyGrid) -> _Object | Failed:
    """Every cell of the grid."""

def ofcolor(grid: _AnyGrid, colour: _AnyInt) -> _Indices | Failed:
    """The places of one colour."""

def toobject(patch: _AnyItems, grid: _AnyGrid) -> _Object | Failed:
    """The cells of the grid at the patch's places, those that lie on it."""

def recolor(colour: _AnyInt, patch: _AnyItems) -> _Object | Failed:
    """The patch in one colour."""

def normalize(patch: _AnyItems) -> Any:
    """The patch moved so that its box starts at the origin."""

def backdrop(patch: _AnyItems) -> _Indices | Failed:
    """Every place in the patch's box."""

def delta(patch: _AnyItems) -> _Indices | Failed:
    """The places of the box that are not in the patch."""

def box(patch: _AnyItems) -> _Indices | Failed:
    """The outline of the patch's box."""

def inbox(patch: _AnyItems) -> _Indices | Failed:
    """The outline one inside the patch's box."""

def outbox(patch: _AnyItems) -> _Indices | Failed:
    """The outline one outside the patch's box."""

def dneighbors(loc: _AnyTuple) -> _Indices | Failed:
    """The four places beside, above and below."""

def ineighbors(loc: _AnyTuple) -> _Indices | Failed:
    """The four places diagonally next."""

def neighbors(loc: _AnyTuple) -> _Indices | Failed:
    """The eight places around."""

def connect(a: _AnyTuple, b: _AnyTuple) -> _Indices | Failed:
    """The straight or diagonal line from a to b, both included; else nothing."""

def shoot(start: _AnyTuple, direction: _AnyTuple) -> _Indices | Failed:
    """The line from start, 42 steps in the direction."""

def vfrontier(loc: _AnyTuple) -> _Indices | Failed:
    """The thirty places of the column, from row 0."""

def hfrontier(loc: _AnyTuple) -> _Indices | Failed:
    """The thirty places of the row, from column 0."""

def occurrences(grid: _AnyGrid, obj: _AnyItems) -> _Indices | Failed:
    """The upper left corners of where the grid holds the object's cells."""

def hperiod(obj: _AnyItems) -> int | Failed:
    """The least number of columns after which the object repeats itself; its width if it does not."""

def vperiod(obj: _AnyItems) -> int | Failed:
    """The least number of rows after which the object repeats itself; its height if it does not."""

# --- completing ---

def mirrorfill(grid: _AnyGrid, colour: _AnyInt, mode: _AnyInt) -> _Grid | Failed:
    """The grid with cells of the colour filled by its mirror images: mode bits 4 columns, 2 rows, 1 transposed."""

def gridperiod(grid: _AnyGrid, colour: _AnyInt) -> _IJ | Failed:
    """The rows and columns after which the grid repeats itself, cells of the colour being unknown; least area first."""

def periodfill(grid: _AnyGrid, colour: _AnyInt, period: _AnyTuple) -> _Grid | Failed:
    """The grid with cells of the colour filled from the first known cell that is whole periods away."""

def drift(grid: _AnyGrid, colour: _AnyInt) -> _IJ | Failed:
    """The shift, at most 8 rows and columns, under which most cells agree, none differ; the colour is unknown."""

def driftfill(grid: _AnyGrid, colour: _AnyInt, shift: _AnyTuple) -> _Grid | Failed:
    """The grid with cells of the colour filled from the nearest known cell that is whole shifts away, ahead first."""

# --- rays ---

def look(grid: _AnyGrid, ground: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """For each cell the first colour but the ground that is seen from it in the direction; -1 where there is none."""

def smear(grid: _AnyGrid, ground: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """The grid with every colour but the ground run in the direction, over the ground alone."""

def beam(grid: _AnyGrid, colour: _AnyInt, ground: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """The grid with one colour run in the direction, over the ground, until anything else is in its way."""

def bridge(grid: _AnyGrid, ground: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """The grid with ground between two cells of one colour, in the direction, filled with that colour."""

def cellfall(grid: _AnyGrid, ground: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """The grid with every cell but the ground moved in the direction as far as it goes, each line by itself."""

def regionfall(grid: _AnyGrid, ground: _AnyInt, diagonal: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """The grid with every region of one colour but the ground moved in the direction until it rests on something."""

# --- lattices ---

def seam(grid: _AnyGrid, ground: _AnyInt) -> int | Failed:
    """The colour but the ground of most rows and columns that have only one, the least of several."""

def panes(grid: _AnyGrid, colour: _AnyInt) -> tuple[_Grid, ...] | Failed:
    """The parts that full rows and columns of the colour leave of the grid, row by row."""

def panecount(grid: _AnyGrid, colour: _AnyInt) -> _IJ | Failed:
    """How many panes full rows and columns of the colour leave, down and across."""

def panefill(grid: _AnyGrid, colour: _AnyInt, values: _AnyTuple) -> _Grid | Failed:
    """The grid with each pane, between full lines of the colour, filled with its value."""

def panepaint(grid: _AnyGrid, colour: _AnyInt, images: _AnyTuple) -> _Grid | Failed:
    """The grid with each pane, between full lines of the colour, replaced by the image for it."""

def torows(numbers: _AnyTuple, n: _AnyInt) -> _Grid | Failed:
    """The numbers as a grid with rows of n."""

def hvconcat(images: _AnyTuple, n: _AnyInt) -> _Grid | Failed:
    """Images of one shape laid side by side, in rows of n."""

def overlay(images: _AnyTuple, ground: _AnyInt) -> _Grid | Failed:
    """Images of one shape over one another, later ones on top; cells of the ground let through what lies below."""

def paste(grid: _AnyGrid, image: _AnyGrid, start: _AnyTuple) -> _Grid | Failed:
    """The grid with an image on it, its upper left corner at start; what lies off the grid is cut off."""

def window(grid: _AnyGrid, start: _AnyTuple, dims: _AnyTuple, colour: _AnyInt) -> _Grid | Failed:
    """The part of the grid from start on, dims large; the colour where that is off the grid."""

def tilegrid(grid: _AnyGrid, dims: _AnyTuple) -> _Grid | Failed:
    """A grid of the size dims, filled with copies of the given one from the upper left."""

def mirrortile(grid: _AnyGrid, dims: _AnyTuple) -> _Grid | Failed:
    """A grid of the size dims, filled with copies of the given one, every other one mirrored."""

def rescale(grid: _AnyGrid, dims: _AnyTuple) -> _Grid | Failed:
    """The grid stretched or shrunk to the size dims."""

# --- measures ---

def colormask(grid: _AnyGrid, colour: _AnyInt) -> _Grid | Failed:
    """1 where the grid has the colour, else 0."""

def ramp(dims: _AnyTuple, step: _AnyTuple) -> _Grid | Failed:
    """A grid of the size dims that counts from 0 at the upper left, by step with each row and each column."""

def wrap(grid: _AnyGrid, n: _AnyInt) -> _Grid | Failed:
    """Each number of the grid modulo n."""

def cellmin(a: _AnyGrid, b: _AnyGrid) -> _Grid | Failed:
    """The lesser of two grids' numbers at each place."""

def cellmax(a: _AnyGrid, b: _AnyGrid) -> _Grid | Failed:
    """The greater of two grids' numbers at each place."""

def enclosed(grid: _AnyGrid, ground: _AnyInt, diagonal: _AnyInt) -> _Indices | Failed:
    """The places of the ground that no way over the ground, by sides or also by corners, joins with the edge."""

def regionsize(grid: _AnyGrid, diagonal: _AnyInt) -> _Grid | Failed:
    """Of each cell how many cells its region of one colour has, at most 127."""

def inset(grid: _AnyGrid, diagonal: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """Of each cell how far it is from the end, in the direction, of the box of its region of one colour."""

def ranks(grid: _AnyGrid, ground: _AnyInt) -> _Grid | Failed:
    """Of each cell how many different numbers of the grid are greater; the ground stays and does not count."""

def rankof(value: _AnyInt, container: _AnyItems) -> int | Failed:
    """How many different numbers of the container are greater."""

def distance(grid: _AnyGrid, colour: _AnyInt, diagonal: _AnyInt) -> _Grid | Failed:
    """Of each cell how many steps, by sides or also by corners, it is from the colour; at most 127."""

def nearfill(grid: _AnyGrid, ground: _AnyInt, steps: _AnyInt, diagonal: _AnyInt) -> _Grid | Failed:
    """The grid with ground in the colour of the nearest other cell at most so many steps away, the first of several."""

def neighborcount(grid: _AnyGrid, colour: _AnyInt, diagonal: _AnyInt) -> _Grid | Failed:
    """Of each cell how many of its neighbours, by sides or also by corners, have the colour."""

def linecount(grid: _AnyGrid, colour: _AnyInt, direction: _AnyTuple) -> _Grid | Failed:
    """Of each cell how many cells of the colour lie on the line through it in the direction; at most 127."""

# --- rules ---

def colororder(grid: _AnyGrid) -> tuple[int, ...] | Failed:
    """The colours of the grid, those of most cells first, of as many the lesser first."""

def encode(grid: _AnyGrid, colours: _AnyTuple) -> _Grid | Failed:
    """Each colour of the grid as its place, from 0, in a list of colours."""

def decode(grid: _AnyGrid, colours: _AnyTuple) -> _Grid | Failed:
    """Each number of the grid as the colour at that place, from 0, in a list of colours."""

def decide(table: _AnyGrid, a: _AnyGrid, b: _AnyGrid, c: _AnyGrid) -> _Grid | Failed:
    """The image by a rule: rows (values of a, b, c, colour) or without c or b; -1, -2, -3 copy a, b, c."""

# --- constants ---

T: Final = True
F: Final = False
ZERO: Final = 0
ONE: Final = 1
TWO: Final = 2
THREE: Final = 3
FOUR: Final = 4
FIVE: Final = 5
SIX: Final = 6
SEVEN: Final = 7
EIGHT: Final = 8
NINE: Final = 9
TEN: Final = 10
NEG_ONE: Final = -1
NEG_TWO: Final = -2
HUNDRED: Final = 100
THOUSAND: Final = 1000
DOWN: Final = (1, 0)
RIGHT: Final = (0, 1)
UP: Final = (-1, 0)
LEFT: Final = (0, -1)
ORIGIN: Final = (0, 0)
UNITY: Final = (1, 1)
NEG_UNITY: Final = (-1, -1)
UP_RIGHT: Final = (-1, 1)
DOWN_LEFT: Final = (1, -1)
ZERO_BY_TWO: Final = (0, 2)
TWO_BY_ZERO: Final = (2, 0)
TWO_BY_TWO: Final = (2, 2)
THREE_BY_THREE: Final = (3, 3)
R0: Final = 0
R1: Final = 1
R2: Final = 2
R3: Final = 3
R4: Final = 4
R5: Final = 5
R6: Final = 6
R7: Final = 7
F0: Final = 0
F1: Final = 1
F2: Final = 2
F3: Final = 3
F4: Final = 4
F5: Final = 5
F6: Final = 6
F7: Final = 7
F8: Final = 8
F9: Final = 9
L1: Final = -1
L2: Final = -2
L3: Final = -3
L4: Final = -4
L5: Final = -5
L6: Final = -6
L7: Final = -7
L8: Final = -8
L9: Final = -9
