"""Programs that would take very long: containers of nothing, values and functions that double, loops in loops."""

from __future__ import annotations

import random
from typing import Final

from arcbatt.language.primitives.containers import initset
from arcbatt.language.primitives.numbers import identity, invert

_EMPTY: Final = (
    "repeat(mostcolor(I), ZERO)",
    "repeat(I, ZERO)",
    "difference(asindices(I), asindices(I))",
    "crop(I, ORIGIN, ORIGIN)",
    "repeat((), 65536)",
)
_LARGE: Final = (
    "interval(ZERO, 65536, ONE)",
    "asindices(canvas(ZERO, (250, 250)))",
    "asobject(canvas(mostcolor(I), (255, 255)))",
    "totuple(asindices(upscale(I, SEVEN)))",
    "repeat(asindices(canvas(ZERO, (30, 30))), 1000)",
    "product(interval(ZERO, 250, ONE), interval(ZERO, 250, ONE))",
    "apply(toivec, interval(ZERO, 65000, ONE))",
)
_KEYS: Final = (
    *(one.__name__ for one in (identity, invert, initset)),
    "rbind(astuple, ONE)",
    "fork(astuple, identity, invert)",
)
_ENDS: Final = ("size(x3)", "equality(x3, x2)", "contained(x0, x2)", "order(x3, size)")
_DOUBLING: Final = (
    "astuple({x}, {x})",
    "repeat({x}, TWO)",
    "initset(astuple({x}, {x}))",
    "product(repeat({x}, TWO), initset({x}))",
    "apply(lbind(astuple, {x}), repeat({x}, TWO))",
    "combine(totuple(initset({x})), repeat({x}, TWO))",
)
_FUNCTIONS: Final = (
    "compose({x}, {x})",
    "fork(hconcat, {x}, {x})",
    "power({x}, TWO)",
    "power({x}, 1000)",
    "chain({x}, {x}, {x})",
    "lbind(rapply, astuple({x}, {x}))",
)
_WHOLE: Final = (
    # A loop in a loop, over as many items as there may be.
    ("x = interval(ZERO, 60000, ONE)", "return apply(compose(size, rbind(sfilter, even)), repeat(x, 15))"),
    ("x = {large}", "return size(prapply(astuple, x, x))"),
    ("x = {large}", "return apply(lbind(sfilter, x), apply(rbind, repeat(equality, 5000)))"),
    ("x = {large}", "return order(x, {key})"),
    ("x = {large}", "return order(apply({key}, totuple(x)), {key})"),
    ("x = {large}", "return argmax(x, compose(rbind(argmin, {key}), lbind(repeat, x)))"),
    ("x = {large}", "return mapply(lbind(repeat, ONE), totuple(x))"),
    ("x = {large}", "return size(mapply(compose(lbind(lbind, astuple), identity), x))"),
    ("x = {large}", "return mostcommon(apply({key}, totuple(x)))"),
    ("x = {large}", "return dedupe(apply({key}, totuple(x)))"),
    ("x = {large}", "return contained(ZERO, apply(rbind(contained, x), totuple(x)))"),
    ("x = {large}", "return difference(x, apply({key}, x))"),
    ("x = {large}", "return difference_tuple(totuple(x), apply({key}, totuple(x)))"),
    ("x = {large}", "return fold(totuple(x), ZERO, fork(add, first, compose(size, lbind(repeat, x))))"),
    ("x = {large}", "return fold(totuple(x), x, compose(rbind(order, {key}), first))"),
    ("x = {large}", "return iterate(rbind(order, {key}), lbind(contained, first(x)), totuple(x))"),
    ("f = rbind(add, ONE)", "return iterate(f, rbind(lbind(greater, 2147483647), ZERO), height(I))"),
    ("x = {large}", "return iterate(identity, lbind(contained, first(x)), x)"),
    # Thousands of calls, each as long as one may be.
    ("f = power(compose(vmirror, hmirror), 100000)", "return power(f, 10000)(I)"),
    ("f = power(rbind(upscale, ONE), 65536)", "x = repeat(canvas(ZERO, (100, 100)), 100)", "return apply(f, x)"),
    ("f = power(compose(first, initset), 2147483647)", "return f(I)"),
    ("f = power(rbind(add, ONE), 190000000)", "return add(f(ZERO), height(I))"),
    ("x = canvas(ZERO, (1000, 1000))", "return apply(rbind(occurrences, asobject(I)), repeat(x, 60))"),
    ("x = canvas(ZERO, (1000, 1000))", "return apply(rbind(o_g, R5), repeat(x, 1))"),
    ("x = asobject(canvas(ZERO, (200, 200)))", "return apply(hperiod, repeat(x, 20))"),
    ("x = asindices(canvas(ZERO, (200, 200)))", "return manhattan(x, shift(x, (1000, 1000)))"),
    ("x = asindices(canvas(ZERO, (60, 60)))", "return apply(lbind(gravitate, x), apply(lbind(shift, x), x))"),
)
REPRODUCTIONS: Final = (
    "e = repeat(mostcolor(I), ZERO); x = repeat(e, 65536); y = repeat(x, 65536); z = repeat(y, 65536); return size(z)",
    "x = repeat(repeat((), 65536), 65536); return size(x)",
    "x = repeat(repeat(difference(asindices(I), asindices(I)), 65536), 65536); return contained(ZERO, x)",
    "f = power(compose(first, initset), 100000000); return power(f, 10000)(I)",
    "f = power(rbind(add, ONE), 199000000); x = interval(ZERO, 10000, ONE); return apply(f, x)",
    "return power(rbind(add, first(difference(asindices(I), asindices(I)))), multiply(height(I), 1000))(UNITY)",
    "x = asindices(canvas(ZERO, (200, 200))); return order(x, lbind(repeat, x))",
    "x = interval(ZERO, 60000, ONE); return order(x, compose(lbind(interval, ZERO), rbind(multiply, ZERO)))",
    "x = interval(ZERO, 3000, ONE); return argmax(x, compose(rbind(apply, x), lbind(lbind, add)))",
    "x = interval(ZERO, 3000, ONE); return order(x, compose(rbind(apply, x), lbind(lbind, astuple)))",
    "x = interval(ZERO, 60000, ONE); y = interval(ZERO, 3000, ONE); "
    "return order(x, compose(lbind(combine, y), rbind(repeat, ONE)))",
)
"""What once hung or took very long, and its near relations: lines of programs."""


def reproduction(number: int, name: str) -> str:
    """One of what once hung, as text."""
    return f"def {name}(I):\n" + "".join(f"    {line}\n" for line in REPRODUCTIONS[number].split("; "))


def bomb(draw: random.Random, name: str) -> str:
    """A program, as text."""
    match draw.randrange(4):
        case 0:
            lines = [f"x0 = {draw.choice(_EMPTY)}", *(f"x{k} = repeat(x{k - 1}, 65536)" for k in (1, 2, 3))]
            lines.append(f"return {draw.choice(_ENDS)}")
        case 1:
            count, line = draw.choice((15, 19, 60, 500)), draw.choice(_DOUBLING)
            lines = ["x0 = I", *(f"x{k} = {line.format(x=f'x{k - 1}')}" for k in range(1, count + 1))]
            result = draw.choice(("x{0}", "size(x{0})", "equality(x{0}, x{0})"))
            lines.append(f"return {result.format(count)}")
        case 2:
            count, line = draw.choice((8, 20, 60, 500)), draw.choice(_FUNCTIONS)
            lines = ["x0 = vmirror", *(f"x{k} = {line.format(x=f'x{k - 1}')}" for k in range(1, count + 1))]
            result = draw.choice(("x{0}(I)", "apply(x{0}, repeat(I, 1000))", "initset(x{0})"))
            lines.append(f"return {result.format(count)}")
        case _:
            given = {"large": draw.choice(_LARGE), "key": draw.choice(_KEYS)}
            lines = [line.format(**given) for line in draw.choice(_WHOLE)]
    return f"def {name}(I):\n" + "".join(f"    {line}\n" for line in lines)
