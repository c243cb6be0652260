from __future__ import annotations

from arcbatt.compiler.abi import CODES, FIXED_COST, HIDDEN_ARG, VERSION_TEXT
from arcbatt.compiler.lower.disassemble import disassemble
from arcbatt.compiler.lower.layout import TypeTable
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.types import GRID, IJ, INT, OBJECTS, Set, parse_type
from compiler.support import LIBRARY

GOLDEN = f"""\
version {VERSION_TEXT}: 96 words of code, 28 of image, 8 types
input I s1
constant s4 Int = 3
constant s6 IJ = (1, -1)
     0  s9 {{Object}} = o_g(s1 Grid, s4 Int)  cost to c12
    15  s13 {{Int}} = LOOP_APPLY(s9 {{Object}}, s6 IJ)  strict 1
          body 0 (s16 Object) gives s19 Int
    63      CHARGE 2 + c12 x 3
    69      s19 Int = SIZE(s16 Object)  times 1
    80      s21 Int = NTH(s13 {{Int}}, s4 Int)  times 0  costs 9  hidden last
    94      END_BODY
    35  s23 (IJ, Grid) = ASTUPLE(s6 IJ, s1 Grid)
    48  s21 Int = PART(s23 (IJ, Grid))  from word 1
    61  HALT
output solve_a s23 (IJ, Grid)
left out solve_b: no form
"""


def hand_written() -> Code:
    """A little of everything; it need not make sense."""
    types = TypeTable()
    pair = parse_type("(IJ, Grid)")
    numbers = {kind: types.number(kind) for kind in (GRID, INT, IJ, OBJECTS, Set(INT), pair)}
    grid, integer, place, objects, ints, both = numbers.values()
    obj = types.number(OBJECTS.item)
    o_g = next(number for number, variant in enumerate(VARIANTS) if variant.name == "o_g")
    never = 0xFFFFFFFF
    main = [
        [o_g, 0, 9, never, 12, 2, 2, objects, 1, 4, grid, integer, 0, 0, 0],
        [CODES["LOOP_APPLY"], 0, 13, never, 0, 1, 2, ints, 9, 6, objects, place, 0, 1, 63, 19, integer, 1, 16, obj],
        [CODES["ASTUPLE"], 0, 23, never, 0, 2, 2, both, 6, 1, place, grid, 0],
        [CODES["PART"], 0, 21, never, 0, 1, 1, integer, 23, both, 0, 0, 1],
        [CODES["HALT"], 0],
    ]
    body = [
        [CODES["CHARGE"], 0, 2, 1, 12, 3],
        [CODES["SIZE"], 0, 19, 1, 0, 1, 1, integer, 16, obj, 0],
        [CODES["NTH"], 0, 21, 0, 0, 2, 2, integer, 13, 4, ints, integer, FIXED_COST | HIDDEN_ARG, 9],
        [CODES["END_BODY"], 0],
    ]
    words: list[int] = []
    for instruction in [*main, *body]:
        words += [instruction[0], len(instruction), *instruction[2:]]
    image = [0] * 28
    image[5], image[7], image[8] = 3, 1, 0xFFFFFFFF
    return Code(words, types, image, {"solve_a": (23, pair)}, {"I": 1}, {"solve_b": "no form"})


def test_a_little_of_everything():
    assert disassemble(hand_written()) == GOLDEN


def test_the_library():
    engine = CpuEngine.of(LIBRARY[::10])
    text = disassemble(engine.code)
    assert text.count("\noutput ") == len(engine.code.outputs)
    assert "operation" not in text
    assert text.count("HALT") == 1
