"""Mutants of programs: names replaced by others of their type, and in version 2 changes of every kind, and splices."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from arcbatt.devtools.generate.generator import VERSION
from arcbatt.devtools.generate.well_typed import CONSTANT_TYPES, call_of
from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.primitives.containers import extract, first, initset, insert, last, repeat
from arcbatt.language.primitives.functions import compose, power, rapply
from arcbatt.language.primitives.numbers import astuple, branch, identity
from arcbatt.language.primitives.shapes import height
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program, live_lines, substituted
from arcbatt.language.table import current
from arcbatt.language.types import Type

_Path = tuple[int, ...]
"""The way from an expression to a part of it: -1 the function of a call, else an argument."""
_Site = tuple[int, _Path]
"""A line and a path; in version 2 the line after the last is the result."""


def mutants(programs: list[Program], count: int, seed: int = 0, version: int = VERSION) -> Iterator[Program]:
    """So many programs, each a given one with one to three changes.

    In version 1 a change replaces a name by another of the same type. Version 2 mostly does that too; it also takes any
    name of as many arguments, chooses between two parts by a condition, passes a part through a container, repeats a
    function as often as the run says, takes values at the ends of 32 bits, calls with other numbers of arguments, and
    splices lines of one program into another.
    """
    draw, alike = random.Random(seed), _alike(version)
    if version > 1:
        changer = _Changer(programs, draw, alike, version)
        yield from (changer.mutant(number) for number in range(count))
        return
    sites = [list(_names(program, alike)) for program in programs]
    for number in range(count):
        which = draw.randrange(len(programs))
        parent, lines = programs[which], list(programs[which].lines)
        chosen = draw.sample(sites[which], min(draw.randint(1, 3), len(sites[which])))
        for at, path in chosen:
            part = part_at(lines[at].value, path)
            assert isinstance(part, Name)
            value = replaced(lines[at].value, path, _other(part, draw, alike))
            lines[at] = Assign(lines[at].target, value, lines[at].line)
        yield replace(parent, name=f"{parent.name}_{number}", lines=tuple(lines))


def crossover(programs: list[Program], count: int, seed: int = 0, version: int = VERSION) -> Iterator[Program]:
    """So many programs, each a given one with a value of another in place of one of its arguments."""
    draw = random.Random(f"crossover {seed}")
    changer = _Changer(programs, draw, _alike(version), version)
    for number in range(count):
        parent = draw.choice(programs)
        yield replace(changer.spliced(parent), name=f"{parent.name}_x{number}")


def _alike(version: int) -> dict[str, list[str]]:
    """For each primitive, those with the same signature that a version draws; for each constant, those of its type."""
    by_signature: dict[str, list[str]] = defaultdict(list)
    for spec in current().ops.values():
        if spec.since <= version:
            by_signature[spec.signature].append(spec.name)
    by_type: dict[Type, list[str]] = defaultdict(list)
    for name, kind in CONSTANT_TYPES.items():
        by_type[kind].append(name)
    alike = {spec.name: by_signature[spec.signature] for spec in current().ops.values()}
    return alike | {name: by_type[kind] for name, kind in CONSTANT_TYPES.items()}


def _other(name: Name, draw: random.Random, alike: dict[str, list[str]]) -> Name:
    return Name(draw.choice([other for other in alike[name.id] if other != name.id]))


def _names(program: Program, alike: dict[str, list[str]]) -> Iterator[_Site]:
    """Every name in the lines of a program that could be another."""
    for number, line in enumerate(program.lines):
        for path, part in parts(line.value):
            if isinstance(part, Name) and len(alike.get(part.id, ())) > 1:
                yield number, path


def parts(expr: Expr, path: _Path = ()) -> Iterator[tuple[_Path, Expr]]:
    """An expression and all parts of it, with the way to each."""
    yield path, expr
    if isinstance(expr, Call):
        for step, part in enumerate((expr.function, *expr.args), start=-1):
            yield from parts(part, (*path, step))


def part_at(expr: Expr, path: _Path) -> Expr:
    """The part at the end of a path."""
    for step in path:
        assert isinstance(expr, Call)
        expr = expr.function if step == -1 else expr.args[step]
    return expr


def replaced(expr: Expr, path: _Path, part: Expr) -> Expr:
    """The expression with another part at the end of a path."""
    if not path:
        return part
    assert isinstance(expr, Call)
    if path[0] == -1:
        return Call(replaced(expr.function, path[1:], part), expr.args, expr.line)
    args = list(expr.args)
    args[path[0]] = replaced(args[path[0]], path[1:], part)
    return Call(expr.function, tuple(args), expr.line)


_READABLE: Final = 5
"""The version from which on every mutant can be read again."""
_NUMBERS: Final = (INT_MIN, INT_MIN + 1, -1, 0, 1, 30, 31, 100, 1000, 65535, 65536, INT_MAX - 1, INT_MAX)


class _Changer:
    """Draws the changes of version 2."""

    def __init__(self, programs: list[Program], draw: random.Random, alike: dict[str, list[str]], version: int) -> None:
        self.programs, self.draw, self.alike = programs, draw, alike
        self.readable = version >= _READABLE
        ops = current().ops
        self.arity = {name: spec.arity for name, spec in ops.items()}
        drawn = [name for name, spec in ops.items() if spec.since <= version]
        self.of_arity = {k: [name for name in drawn if self.arity[name] == k] for k in set(self.arity.values())}
        self.changes: list[tuple[Callable[[Expr, list[Name]], Expr], float]] = [
            (self.any_name, 1),
            (self.chosen, 2),
            (self.through_container, 2),
            (self.repeated, 1),
            (self.number, 1),
            (self.nothing, 0.4),
            (self.miscalled, 0.4),
        ]

    def mutant(self, number: int) -> Program:
        """One program with one to three changes."""
        parent = self.draw.choice(self.programs)
        program = self.spliced(parent) if self.draw.random() < 0.15 else parent
        for _ in range(self.draw.randint(1, 3)):
            program = self.changed(program)
        return replace(program, name=f"{parent.name}_{number}")

    def changed(self, program: Program) -> Program:
        """The program with one part of it changed."""
        if self.draw.random() < 0.65 and (sites := list(_names(program, self.alike))):
            at, path = self.draw.choice(sites)
            name = part_at(program.lines[at].value, path)
            assert isinstance(name, Name)
            return _with(program, at, path, _other(name, self.draw, self.alike))
        at, path, part = self.site(program)
        above = [Name(one) for one in (*program.params, *(line.target for line in program.lines[:at]))]
        change = self.draw.choices(*zip(*self.changes, strict=True))[0]
        new = change(part, above)
        if path and path[-1] == -1 and not self.callable_at(new, program, at, path):
            return program
        named = self.readable and not path and at < len(program.lines) and not isinstance(new, Call)
        if named and program.lines[at].target in _called(program):  # what is no call there could not be read
            return program
        return _with(program, at, path, new)

    def site(self, program: Program) -> tuple[int, _Path, Expr]:
        """Some part of some line, or of the result."""
        at = self.draw.randint(0, len(program.lines))
        path, part = self.draw.choice(list(parts(_line(program, at))))
        return at, path, part

    def callable_at(self, new: Expr, program: Program, at: int, path: _Path) -> bool:
        """Whether a program may be written with this as the function of that call."""
        if isinstance(new, Call):
            return True
        call = part_at(_line(program, at), path[:-1])
        assert isinstance(call, Call)
        return isinstance(new, Name) and self.arity.get(new.id) == len(call.args)

    # --- changes: a part of a program and the variables above it, and what comes in its place ---

    def any_name(self, part: Expr, above: list[Name]) -> Expr:
        """Another name of as many arguments, or any variable or constant."""
        if isinstance(part, Name) and part.id in self.arity:
            return Name(self.draw.choice(self.of_arity[self.arity[part.id]]))
        return self.draw.choice([*above, Name(self.draw.choice(list(CONSTANT_TYPES)))])

    def other(self, part: Expr, above: list[Name]) -> Expr:
        """Something to stand beside a part: mostly of its type."""
        if isinstance(part, Name) and len(self.alike.get(part.id, ())) > 1 and self.draw.random() < 0.7:
            return _other(part, self.draw, self.alike)
        return self.any_name(part, above)

    def chosen(self, part: Expr, above: list[Name]) -> Expr:
        """The part or another, by a condition: a truth or any variable."""
        condition = self.draw.choice([Name("T"), Name("F"), *above])
        two = [part, self.other(part, above)]
        self.draw.shuffle(two)
        return call_of(branch, (condition, *two))

    def through_container(self, part: Expr, above: list[Name]) -> Expr:
        """The part put into a container and taken out again, maybe beside another."""
        other = self.other(part, above)
        single, same = call_of(initset, (part,)), Name(identity.__name__)
        return self.draw.choice(
            (
                call_of(first, (call_of(astuple, (part, other)),)),
                call_of(last, (call_of(astuple, (other, part)),)),
                call_of(first, (single,)),
                call_of(first, (call_of(insert, (other, single)),)),
                call_of(last, (call_of(repeat, (part, Const(2))),)),
                call_of(extract, (call_of(astuple, (part, other)), same)),
                call_of(first, (call_of(rapply, (call_of(initset, (same,)), part)),)),
                call_of(last, (call_of(rapply, (call_of(astuple, (same, same)), part)),)),
            )
        )

    def repeated(self, part: Expr, above: list[Name]) -> Expr:
        """A function repeated as often as the run says, or in another function."""
        if not (isinstance(part, Name) and self.arity.get(part.id) == 1):
            return self.other(part, above)
        tall = call_of(height, (Name("I"),))
        inside = call_of(compose, (self.other(part, above), part))
        return self.draw.choice((call_of(power, (part, tall)), call_of(power, (part, Const(2))), inside))

    def number(self, part: Expr, above: list[Name]) -> Expr:
        """A number at an end, or one of the run."""
        if isinstance(part, Name) and part.id in self.arity:
            return self.other(part, above)
        ways: list[Expr] = [*map(Const, _NUMBERS), Const((INT_MAX, INT_MIN)), call_of(height, (Name("I"),))]
        return self.draw.choice(ways)

    def nothing(self, part: Expr, above: list[Name]) -> Expr:
        """A container without items."""
        return call_of(repeat, (self.draw.choice([part, *above]), Const(0)))

    def miscalled(self, part: Expr, above: list[Name]) -> Expr:
        """A call with an argument too many or too few, which is only seen when it is run."""
        if not isinstance(part, Call) or not part.args:
            return self.other(part, above)
        function = call_of(first, (call_of(initset, (part.function,)),))
        fewer, more = part.args[:-1], (*part.args, part.args[-1])
        if self.readable:
            fewer = fewer or more  # without any it could not be read
        return Call(function, self.draw.choice((fewer, more)), part.line)

    # --- splices ---

    def spliced(self, program: Program) -> Program:
        """The program with a value of another program in place of one of its arguments."""
        donor = self.draw.choice(self.programs)
        if not donor.lines:
            return program
        wanted = self.draw.choice(donor.lines).target
        cut = replace(donor, result=Name(wanted))
        lines = live_lines(cut)
        taken = {line.target for line in program.lines}
        new = {line.target: f"{line.target}_{len(taken)}" for line in lines}
        known: dict[str, Expr] = {old: Name(name) for old, name in new.items()}
        moved = tuple(Assign(new[line.target], substituted(line.value, known), line.line) for line in lines)
        params = max(program.params, donor.params, key=len)
        whole = replace(program, params=params, lines=(*moved, *program.lines))
        if taken & set(new.values()):
            return program
        for _ in range(10):
            at, path, _part = self.site(whole)
            if at >= len(moved) and path and path[-1] != -1:
                return _with(whole, at, path, Name(new[wanted]))
        return whole


def _line(program: Program, at: int) -> Expr:
    return program.lines[at].value if at < len(program.lines) else program.result


def _called(program: Program) -> set[str]:
    """The variables of a program that are called, by this name or another."""
    called: set[str] = set()
    for value in (program.result, *(line.value for line in reversed(program.lines))):
        called |= {part.id for path, part in parts(value) if path and path[-1] == -1 and isinstance(part, Name)}
    for line in reversed(program.lines):
        if line.target in called and isinstance(line.value, Name):
            called.add(line.value.id)
    return called


def _with(program: Program, at: int, path: _Path, part: Expr) -> Program:
    """The program with another part in a line, or in its result."""
    value = replaced(_line(program, at), path, part)
    if at == len(program.lines):
        return replace(program, result=value)
    line = Assign(program.lines[at].target, value, program.lines[at].line)
    return replace(program, lines=(*program.lines[:at], line, *program.lines[at + 1 :]))
