"""Programs that are nothing but calls of primitives, one a line: most are, and they are read without looking further.

What is read is what the reader of any program gives; whatever is more than this, or wrong, is left to it.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.program import Assign, Call, Const, Expr, Name


class NotPlain(Exception):
    """There is something in a program that needs the reader of any program."""


class PlainWords(NamedTuple):
    """What names mean in plain programs."""

    values: Mapping[str, Expr]
    """Primitives and constants, by the names they have in a dialect."""
    arities: Mapping[str, int]
    """Of primitives that are called as they are, how many arguments they take."""
    reserved: Container[str]
    """Names that no line can have."""


class PlainProgram:
    """Reads the statements of one program.

    `given` are its parameters, `taken` further names that no line can have, `defined` the names that its file defines.
    """

    def __init__(
        self,
        words: PlainWords,
        given: Mapping[str, Expr],
        taken: Container[str],
        defined: Container[str],
        first_line: int,
    ) -> None:
        self.words = words
        self.given = given
        self.taken = taken
        self.defined = defined
        self.offset = first_line - 1
        self.local: dict[str, Expr] = dict(given)
        self.assigned: set[str] = set()
        self.lines: list[Assign] = []
        self.calls = 0

    def read(self, statements: Sequence[ast.stmt]) -> Expr:
        """What the program returns; its lines are in `lines`. Raises NotPlain."""
        *before, last = statements
        if type(last) is not ast.Return or last.value is None:
            raise NotPlain
        plain = [one for one in before if type(one) is not ast.Expr or type(one.value) is not ast.Constant]
        targets = [self._target(one) for one in plain]
        self.assigned = set(targets)
        if len(self.assigned) != len(targets):
            raise NotPlain
        for name, one in zip(targets, plain, strict=True):
            value = self._call(one.value)  # type: ignore[attr-defined]
            self.lines.append(Assign(name, value, self.offset + one.lineno))
            self.local[name] = Name(name)
        if type(last.value) is ast.Name:
            if last.value.id not in self.assigned:
                raise NotPlain
            return self.local[last.value.id]
        return self._call(last.value)

    def _target(self, node: ast.stmt) -> str:
        """The name that a line assigns."""
        if type(node) is not ast.Assign or len(node.targets) != 1:
            raise NotPlain
        target = node.targets[0]
        if type(target) is not ast.Name:
            raise NotPlain
        name = target.id
        if name in self.words.reserved or name in self.taken or name in self.given or name.startswith("__"):
            raise NotPlain
        return name

    def _call(self, node: ast.expr) -> Call:
        if type(node) is not ast.Call or node.keywords:
            raise NotPlain
        if type(node.func) is not ast.Name:
            return self._call_of_call(node)
        name = node.func.id
        args = tuple([self._call(arg) if type(arg) is ast.Call else self._simple(arg) for arg in node.args])
        function = self.local.get(name)
        if function is None:
            if self.words.arities.get(name) != len(args) or name in self.assigned or name in self.defined:
                raise NotPlain
            function = self.words.values[name]
        elif name in self.given:
            raise NotPlain
        self.calls += 1
        return Call(function, args, self.offset + node.lineno)

    def _call_of_call(self, node: ast.Call) -> Call:
        """A call of the function that a call gives."""
        if not node.args:
            raise NotPlain
        function = self._call(node.func)
        args = tuple([self._call(arg) if type(arg) is ast.Call else self._simple(arg) for arg in node.args])
        self.calls += 1
        return Call(function, args, self.offset + node.lineno)

    def _simple(self, node: ast.expr) -> Expr:
        """A name, a number or a tuple of numbers."""
        if type(node) is ast.Name:
            name = node.id
            found = self.local.get(name)
            if found is None:
                found = self.words.values.get(name)
                if found is None or name in self.assigned or name in self.defined:
                    raise NotPlain
            return found
        if type(node) is ast.Constant and type(node.value) is bool:
            return Const(node.value)
        if type(node) is ast.Tuple and node.elts:
            return Const(tuple(map(_number, node.elts)))
        return Const(_number(node))


def _number(node: ast.expr) -> int:
    """A number as it is written."""
    sign = 1
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub:
        sign, node = -1, node.operand
    if type(node) is ast.Constant and type(node.value) is int and INT_MIN <= sign * node.value <= INT_MAX:
        return sign * node.value
    raise NotPlain
