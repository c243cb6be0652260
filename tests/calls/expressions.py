"""Random expressions over cells, of arguments `by` (a number) and `t` (a truth)."""

from __future__ import annotations


def random_expression(draw, depth):
    """Text of a number, or of a truth."""
    if depth == 0:
        return draw.choice(["x", "i", "j", "h", "w", "by", "0", "1", "-3", "at(0, 1)", "at(-1, by)", "where(t, 1, x)"])
    a, b, c, d = (random_expression(draw, draw.randrange(depth)) for _ in range(4))
    truth = draw.choice([f"{a} < {b}", f"{a} == {b}", f"{a} != {b} and t", f"not ({a} >= {b} or {c} <= {d})"])
    return draw.choice(
        [f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} // {b})", f"({a} % {b})", f"min({a}, {b})",
         f"max({a}, {b}, {c})", f"abs({a})", f"(-{a})", f"where({truth}, {c}, {d})", f"at({a}, {b})"]
    )  # fmt: skip
