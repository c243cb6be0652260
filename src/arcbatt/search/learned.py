"""Features from programs that are known: the programs themselves, and the parts that several of them have in common."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from arcbatt.language.expressions import Call, Expr, Name, live_lines, names, substituted
from arcbatt.language.program import Program
from arcbatt.search.features import Feature
from arcbatt.support.text import counted

FAMILY: Final = "learned"
WHOLE: Final = 3.0
"""What a whole program costs in a description: it is one of many, and seen once."""
CHEAPEST: Final = 1.0
TIER: Final = 1
"""Late: most of them repeat what the first tier has, and in it they would slow every task."""
LONGEST: Final = 600
"""Characters of a feature; parts that are written out where they are shared grow fast."""


def learned_features(programs: Sequence[Program], most: int = 1000) -> list[Feature]:
    """Features over I from programs: common parts, the more programs have one the cheaper, and whole programs.

    Parts that need more than I are left out. Whether a part is an image shows when it is run; what is none does
    nothing but take its time.
    """
    seen: Counter[str] = Counter()
    whole: dict[str, None] = {}
    for program in programs:
        result = _written_out(program)
        if result is None:
            continue
        texts = set(_parts(result, set(program.params)))
        seen.update(texts)
        whole[str(result)] = None
    ordered = sorted(seen.items(), key=lambda one: (-one[1], one[0]))
    common = [(text, many) for text, many in ordered if many > 1 and text not in whole]
    found = [Feature(text, max(CHEAPEST, WHOLE - math.log2(many) / 2), FAMILY, TIER) for text, many in common]
    found += [Feature(text, WHOLE, FAMILY, TIER) for text in whole if len(text) <= LONGEST]
    return found[:most]


def said(features: Sequence[Feature]) -> str:
    """How many features were learned, in words."""
    whole = sum(one.cost == WHOLE for one in features)
    return (
        f"{counted(len(features), 'feature')} learned: {whole:,} programs, {len(features) - whole:,} parts of several"
    )


def _written_out(program: Program) -> Expr | None:
    """A program as one expression over I; None where it is too long or needs more than I."""
    known: dict[str, Expr] = {}
    lengths: dict[str, int] = {}
    for line in live_lines(program):
        lengths[line.target] = _length(line.value, lengths)
        if lengths[line.target] > 10 * LONGEST:
            return None
        known[line.target] = substituted(line.value, known)
    result = substituted(program.result, known)
    used = names(result)
    return result if "I" in used and not used & ({*program.params} - {"I"}) and isinstance(result, Call) else None


def _length(expr: Expr, lengths: Mapping[str, int]) -> int:
    """The characters, about, of an expression once its names are written out."""
    if isinstance(expr, Name):
        return lengths.get(expr.id, len(expr.id))
    if isinstance(expr, Call):
        return 2 + sum(_length(part, lengths) for part in (expr.function, *expr.args))
    return len(str(expr))


def _parts(expr: Expr, params: set[str]) -> Iterator[str]:
    """The texts of all calls in an expression that take I, one that is given as a function left out."""
    if not isinstance(expr, Call):
        return
    text = str(expr)
    if len(text) <= LONGEST and names(expr) & params and isinstance(expr.function, Name):
        yield text
    for part in (expr.function, *expr.args):
        yield from _parts(part, params)
