"""The limits that are part of the language: beyond one, a result is *failed: limit* on every backend.

A value's *size* is 1 for a number, None or a function, and for a set or tuple the sum of the sizes of
its items, where each item counts at least 1, even an empty one. So an IJ has 2, a Cell 3, a grid its
cells (or, without columns, its rows), a set of objects 3 for each cell. What a program returns is
measured with all that functions in it are made of: a function counts for 1 and the sizes of its parts,
functions and values alike, as often as it holds them.

Steps are charged to the outermost call of a program line, everything done inside it (loop bodies
included) counted in: a call costs 1, plus the sizes of its arguments, plus the size of its result.
Primitives that compare every item of one argument with every item of another (`product` in the op
table's cost column) also cost the product of those two sizes. What a call of a function value at the
outermost level does is charged primitive by primitive, what a power does together. Making a function
costs 2 and 1 for each of its parts: in a loop it is charged as any call, outside of loops only to all
calls together.

On their own tasks the 400 public solvers reach grids 147 wide, sets of 8,500 items and 35 million
steps, so each limit leaves a margin above what people write.
"""

from __future__ import annotations

from typing import Final

INT_MIN: Final = -(2**31)
INT_MAX: Final = 2**31 - 1

MAX_SIDE: Final = 1_024
"""Rows or columns of a grid."""

MAX_CELLS: Final = 65_536
"""Cells of a grid."""

MAX_ITEMS: Final = 65_536
"""Items of a set or tuple."""

MAX_SIZE: Final = 1_048_576
"""The size of a value."""

MAX_DEPTH: Final = 100
"""Functions inside one another in a function value, those in sets and tuples bound into it included."""

MAX_FUNCTION_CALLS: Final = 4_000
"""Primitives in a function value: `compose(f, g)` has those of f and g, `power(f, n)` those of f, `lbind(f, x)` those
of f and of every function that x is or holds.

The most that public programs of calls alone have is 240; loops that are written in Python can be a single function, and
those that language models wrote have up to 1,500.
"""

MAX_POWER: Final = 65_536
"""How often `power` applies its function."""

MAX_CALL_DEPTH: Final = 200
"""Calls of functions inside one another when a program runs, the primitives they come to included."""

MAX_LEVELS: Final = 256
"""Sets, tuples and functions inside one another in a value."""

MAX_STEPS: Final = 200_000_000
"""Steps of one outermost call; a run may ask for fewer."""

MAX_TOTAL_STEPS: Final = 1_000_000_000
"""Steps of all outermost calls of one evaluation, a program on a sample, together; a run may ask for fewer.

Equal calls count once: the same function of the same arguments as the program writes them, which are what lines and
calls give, where the order of arguments does not matter in either order. The public programs that solve their task
take 44 million at most.
"""

SEARCH_STEPS: Final = 3_000_000
"""The same for search, where many programs are tried and few are any good."""

MAX_FILE_BYTES: Final = 256 * 1024 * 1024
"""Bytes of one solver file."""

MAX_PROGRAM_BYTES: Final = 1024 * 1024
"""Bytes of the text of one program."""

MAX_CALLS: Final = 10_000
"""Calls written in one program."""

MAX_NESTING: Final = 100
"""Calls written inside one another."""
