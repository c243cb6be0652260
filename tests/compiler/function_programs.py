"""Small programs that handle functions as values, combined from containers of functions and what is done with them."""

from __future__ import annotations

from arcbatt.language.program import Program
from arcbatt.syntax import parse_program

CONTAINERS = (
    "astuple(rot90, rot180)",
    "repeat(dmirror, 3)",
    "combine(astuple(rot90, rot180), astuple(identity, hmirror))",
    "initset(vmirror)",
    "insert(hmirror, initset(vmirror))",
    "insert(compose(rot90, vmirror), insert(chain(rot90, trim, trim), initset(compose(rot90, hmirror))))",
    "insert(rbind(upscale, 2), initset(lbind(hconcat, I)))",
    "apply(lbind(rbind, upscale), interval(1, 3, 1))",
    "apply(lbind(rbind, hupscale), astuple(height(I), 2))",
    "astuple(lbind(hconcat, I), lbind(vconcat, rot90(I)))",
    "astuple(lbind(hconcat, subgrid(ofcolor(I, 3), I)), rot270)",
    "totuple(insert(hmirror, initset(vmirror)))",
    "rapply(astuple(lbind(rbind, upscale), lbind(rbind, downscale)), 2)",
    "remove(rot90, astuple(rot90, rot180))",
    "dedupe(combine(astuple(rot90, rot180), astuple(rot90, trim)))",
    "order(astuple(tophalf, lefthalf), compose(size, chain(first, rbind(rapply, I), initset)))",
    "sfilter(astuple(tophalf, rot90), chain(flip, lbind(equality, rot90), identity))",
    "apply(fork(compose, first, last), product(astuple(rot90, vmirror), initset(dmirror)))",
    "repeat(rot90, 0)",
)
"""Containers of functions of a grid."""

_ITEM = "chain(first, rbind(rapply, I), initset)"
"""A function of the container, of I."""

USES = (
    "first({0})(I)",
    "last({0})(I)",
    "rapply({0}, I)",
    "size({0})",
    "apply({1}, {0})",
    f"extract({{0}}, chain(positive, size, {_ITEM}))(I)",
    f"extract({{0}}, chain(positive, decrement, chain(size, trim, {_ITEM})))(I)",
    f"argmax({{0}}, compose(size, {_ITEM}))(I)",
    f"argmin({{0}}, chain(width, identity, {_ITEM}))(I)",
    f"valmax({{0}}, compose(height, {_ITEM}))",
    f"size(sfilter({{0}}, compose(portrait, {_ITEM})))",
    f"order(apply({_ITEM}, {{0}}), height)",
    "branch(portrait(I), first({0}), last({0}))(I)",
    "rapply(combine({0}, {0}), I)",
    "size(product({0}, {0}))",
    "apply(rbind(contained, {0}), astuple(rot90, vmirror))",
    "compose(first({0}), last({0}))(I)",
    "apply(compose(first({0}), identity), initset(I))",
    "mapply(compose(rbind(rapply, I), initset), {0})",
    "papply(fork(equality, first, last), pair({0}, {0}), {0})",
    "apply(fork(equality, first, last), pair({0}, {0}))",
    "prapply(equality, {0}, {0})",
    "power(first({0}), 2)(I)",
    "power(last({0}), height(I))(I)",
    "mostcommon({0})(I)",
    "apply(rbind(rbind(branch, first({0})), 3), astuple(T, F))",
    "get_nth_t(totuple({0}), 1)(I)",
    "astuple(first({0}), 3)",
    "size(astuple(last({0}), I))",
    "add(first({0}), 1)",
    "first({0})(I, I)",
    "first({0})(first({0}))",
    "flip(first({0}))",
    "both(first({0}), size({0}))",
)


def function_programs() -> list[Program]:
    """Each use of each container."""
    return [
        parse_program(f"def solve_{at}_{use}(I):\n    return {text.format(container, _ITEM)}\n")
        for at, container in enumerate(CONTAINERS)
        for use, text in enumerate(USES)
    ]


WRITTEN = (
    "return branch(portrait(I), lbind, rbind)(astuple, 3)(4)",
    "f = branch(portrait(I), lbind, rbind)\n    return f(subtract, 3)(height(I))",
    "return apply(branch(portrait(I), lbind, rbind)(subtract, 3), palette(I))",
    "x = astuple(rot90, 3)\n    return first(x)(I)",
    "x = branch(portrait(I), astuple(color, 3), astuple(size, 4))\n    return apply(first(x), objects(I, T, F, T))",
    "return branch(I, dmirror, identity)(I)",
    "return apply(chain(first, rbind(rapply, UNITY), compose(initset, lbind(lbind, shift))), objects(I, T, F, T))",
    "f = chain(lbind(power, outbox), size, palette)\n"
    "    return mapply(fork(rapply, compose(initset, f), identity), fgpartition(I))",
    "return branch(astuple(1, (2, 3)), 3, 4)",
    "return flip(astuple(I, 3))",
    "f = compose(lbind(power, outbox), width)\n    g = chain(initset, first, lbind(rapply, initset(f)))\n"
    "    return mapply(compose(first, fork(rapply, g, identity)), objects(I, T, F, T))",
    "return power(outbox, height(I))(asobject(I))",
    "return power(compose(rot90, power(trim, height(I))), width(I))(I)",
    "return power(power(increment, 3), height(I))(1)",
    "f = fork(add, identity, chain(first, rbind(rapply, 3), compose(initset, lbind(lbind, add))))\n"
    "    return power(f, height(I))(1)",
    "x = extract(pair(astuple(rot90, dmirror), astuple(rot270, dmirror)), chain(portrait, first, compose("
    "rbind(rapply, I), compose(initset, first))))\n    return last(x)(first(x)(I))",
    "return apply(branch(portrait(I), rbind(rbind, 3)(branch), height), I)",
    "return branch(portrait(I), height, add)(I)",
    "return branch(height(I), 3, 4)",
    "return branch(ofcolor(I, 7), 3, 4)",
    "return branch(index(I, (9, 9)), I, 4)",
    "return sfilter(objects(I, T, F, T), color)",
    "return sfilter(I, maximum)",
    "return extract(objects(I, T, F, T), compose(rbind(ofcolor, 2), rbind(subgrid, I)))",
    "return both(I, ofcolor(I, 3))",
    "return either(ofcolor(I, 7), index(I, (9, 9)))",
    "return objects(I, 2, ofcolor(I, 7), I)",
    "return apply(flip, palette(I))",
    "return apply(fork(both, identity, compose(rbind(ofcolor, 1), rbind(canvas, UNITY))), palette(I))",
    "return apply(chain(rbind(rbind(branch, 3), 4), lbind(ofcolor, I), identity), palette(I))",
    "return 3",
    "x = branch(portrait(I), I, asindices(I))\n    return size(mapply(identity, x))",
    "x = branch(greater(height(I), 2), rot90, ofcolor)\n    return x(I)",
    "return compose(3, size)(I)",
    "return size(I)(I)",
    "return power(size, 0)(I)",
    "return power(increment, 65537)(1)",
    "return power(increment, 1000)(1)",
    "return power(increment, multiply(height(I), 40000))(1)",
    "return power(lbind(add, first(ofcolor(I, 9))), multiply(height(I), 100000))(1)",
    "return apply(3, I)",
    "return apply(3, ofcolor(I, 9))",
    "return apply(size, 3)",
    "return rapply(3, I)",
    "return rapply(palette(I), I)",
    "return rapply(ofcolor(I, 9), I)",
    "return valmax(3, identity)",
    "return argmax(palette(I), 3)",
    "return merge(apply(add, palette(I)))",
    "return fork(add, size, color)(add)",
)

NOTHING = "apply(5, ofcolor(I, {0}))"
"""A container that can only be empty, or has failed."""
OF_NOTHING = (
    "{0}", "first({0})", "leastcommon(totuple({0}))", "merge({0})", "combine({0}, ofcolor(I, 1))", "size({0})",
    "equality({0}, ofcolor(I, 8))", "apply(size, {0})", "order({0}, identity)", "insert(1, {0})", "maximum({0})",
    "sizefilter({0}, 1)", "product({0}, ofcolor(I, 1))", "contained(I, {0})", "mfilter({0}, size)",
    "prapply(add, {0}, ofcolor(I, 1))", "argmax({0}, identity)", "difference(ofcolor(I, 1), {0})", "other({0}, 3)",
    "difference({0}, ofcolor(I, 1))", "pair({0}, ofcolor(I, 1))", "intersection({0}, ofcolor(I, 1))",
    "remove(I, {0})", "underfill(I, 2, remove(I, {0}))", "fill(I, 2, {0})", "rapply({0}, I)", "box({0})",
)  # fmt: skip


def programs_of_nothing() -> list[Program]:
    """Uses of containers whose items could only be failures: of an empty one, and of one that fails."""
    return [
        parse_program(f"def solve_n{k}_{colour}(I):\n    return {text.format(NOTHING.format(colour))}\n")
        for k, text in enumerate(OF_NOTHING)
        for colour in (9, 3)
    ]


CHOSEN = (
    "first(branch({1}, initset, delta)({0}))",
    "get_nth_t(repeat({0}, size(ofcolor(I, branch({1}, 3, 9)))), 0)",
    "extract(initset({0}), lbind(either, {1}))",
    "first(astuple({0}, branch({1}, initset, delta)({0})))",
    "branch({1}, identity, size)({0})",
)
"""A function, or a failure where a condition does not hold."""
MAKERS = {
    "rbind({0}, I)(hconcat)": "lbind",
    "{0}(hconcat, I)": "rbind",
    "{0}(rot90, vmirror)": "compose",
    "{0}(hconcat, identity, rot180)": "fork",
    "{0}(trim, 1)": "power",
    "compose(rbind({0}, I), identity)(hconcat)": "lbind",
    "lbind({0}, rot90)(trim)": "compose",
}
"""Calls of a combinator that give a function of a grid, and which."""
KEPT = (
    "branch(F, identity, {0})", "first(astuple({0}, rot90))", "first(repeat({0}, 1))",
    "first(apply(identity, initset({0})))", "extract(astuple({0}, rot90), T)",
    "branch(portrait(I), {0}, compose({0}, identity))",
)  # fmt: skip
"""A function that went through a value."""
BINDERS = (
    "lbind(hconcat, {0})", "compose(rbind(vconcat, {0}), rot180)", "fork(hconcat, identity, lbind(paint, {0}))",
    "power(lbind(hconcat, {0}), 2)",
)  # fmt: skip
"""Functions of a grid with a grid bound into them."""
MADE_USES = (
    "{0}(I)", "apply({0}, repeat(I, 2))", "apply({0}, repeat(I, 0))", "size(repeat({0}, 2))",
    "rapply(astuple({0}, rot90), I)", "compose(rot90, {0})(I)", "mapply(compose({0}, identity), initset(I))",
    "astuple(1, size(initset({0})))",
)  # fmt: skip


def programs_of_made() -> list[Program]:
    """Uses of functions that are made by a combinator that is there, or has failed."""
    texts = [
        use.format(maker.format(chosen.format(name, condition)))
        for chosen in CHOSEN
        for condition in ("T", "F", "portrait(I)")
        for maker, name in MAKERS.items()
        for use in MADE_USES
    ]
    return [parse_program(f"def solve_m{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]


def programs_of_bound() -> list[Program]:
    """Uses of functions into which something is bound that only its steps can fail."""
    texts = [
        use.format(kept.format(binder.format("rot90(rot270(I))")))
        for kept in KEPT
        for binder in BINDERS
        for use in (*MADE_USES, "{0}(I, I)", "compose({0}, 3)(I)", "apply({0}, 3)", "power({0}, 0)(I)")
    ]
    return [parse_program(f"def solve_b{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]


def written_programs() -> list[Program]:
    """Programs of kinds that people write."""
    return [parse_program(f"def solve_w{k}(I):\n    {text}\n") for k, text in enumerate(WRITTEN)]
