"""Choices and loops of Python: what is chosen or repeated becomes a function of the values it reads.

Only the chosen one of two functions is called, so an `if` is `branch(condition, f, g)(values)`. A loop that only
gathers items is `apply` or `mapply`, as comprehensions are; any other `for` is a `fold` whose state is the names that
the body assigns, and a `while` an `iterate`. A `break` or `return` in a loop sets a mark in the state.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import Final

from arcbatt.language.program import Call, Const, Expr, Name
from arcbatt.syntax.captures import Captures, Entry
from arcbatt.syntax.dialect import python_words
from arcbatt.syntax.flow import alive, assigned, breaks, called_method, changed, flow, leaves, names_read, returns
from arcbatt.syntax.functions import Dict, Env, Function, Items, Value

_GATHERS: Final = python_words()["gathers"]
_UNASSIGNED: Final = Const(0)
"""What a name stands for that is not assigned on the way that was taken."""
_GOES_ON, _BROKEN, _RETURNED = Const(0), Const(1), Const(2)
"""Marks in the state of a loop."""
_MARKS: Final = ("break", "return")
"""What the mark and what was returned are called beside the names of a state; no name of the text can be."""


class Exit(Enum):
    """How statements are left."""

    END = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()


Finish = Callable[[Exit, Value | None], Value | None]
"""What statements give that are left so, if they do; a return has a value."""
Side = Callable[[], Value | None]
Shapes = dict[str, Dict | None]
"""Of names, the dictionaries they are, if they are."""


class Control(Captures):
    """Reads statements that choose and repeat, and expressions that do."""

    def statement(self, node: ast.stmt, env: Env, depth: int) -> None:
        """Read a statement that neither chooses nor repeats."""
        raise NotImplementedError

    def unpack(self, target: ast.expr, value: Value, env: Env, depth: int) -> None:
        """Bind a name, or names in parentheses to the items of a value."""
        raise NotImplementedError

    def bind_name(self, name: str, value: Value, env: Env, node: ast.AST) -> None:
        """From here on the name stands for the value."""
        raise NotImplementedError

    def block(
        self, statements: Sequence[ast.stmt], env: Env, depth: int, live: frozenset[str], finish: Finish
    ) -> Value | None:
        """What statements give, if they do; `live` are the names that are read behind them."""
        for at, (node, behind) in enumerate(zip(statements, alive(statements, live), strict=True)):
            rest = statements[at + 1 :]
            match node:
                case ast.Return(value=None):
                    self.at.illegal(node, "return without a value", "write `return <expression>`")
                case ast.Return(value=ast.expr() as value):
                    return finish(Exit.RETURN, self.value(value, env, depth))
                case ast.Raise():
                    return finish(Exit.RETURN, self.syntax("failing", [], node, depth))
                case ast.Assert(test=test):
                    fails = ast.copy_location(ast.If(test, [], [ast.copy_location(ast.Raise(), node)]), node)
                    return self.block([fails, *rest], env, depth, live, finish)
                case ast.Break():
                    return finish(Exit.BREAK, None)
                case ast.Continue():
                    return finish(Exit.CONTINUE, None)
                case ast.If(test=test, body=body, orelse=orelse):
                    known = self.known_truth(test, env, depth)
                    if known is not None:
                        return self.block([*(body if known else orelse), *rest], env, depth, live, finish)
                    if leaves([node]):
                        ways = [*body, *rest], [*orelse, *rest]
                        sides = [partial(self.block, way, env, depth + 1, live, finish) for way in ways]
                        read = flow(ways[0]).reads | flow(ways[1]).reads | live
                        return self.split(self.condition(test, env, depth), sides, read, env, node, depth)
                    self.join(node, behind, env, depth)
                case ast.For() | ast.While():
                    mark, env.values["return"] = self.loop(node, behind, env, depth)
                    if returns(node.body):
                        ends: Side = lambda: finish(Exit.RETURN, env.values["return"])  # noqa: E731
                        goes_on = partial(self.block, rest, env, depth + 1, live, finish)
                        condition = self.operator(ast.Eq(), [mark, _RETURNED], ast.Constant(0), depth)
                        read = flow(rest).reads | live | {"return"}
                        return self.split(condition, [ends, goes_on], read, env, node, depth)
                case _:
                    self.statement(node, env, depth)
        return finish(Exit.END, None)

    # --- choices ---

    def known_truth(self, test: ast.expr, env: Env, depth: int) -> bool | None:
        """Whether a condition holds, where the text says so: a constant, or a comparison of two."""
        match test:
            case ast.Constant(value=bool() | int() as value):
                return bool(value)
            case ast.Name():
                known = self.constant(self.name(test, env))
                return None if known is None else bool(known)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
                if all(isinstance(side, ast.Name | ast.Constant | ast.UnaryOp) for side in (left, right)):
                    one, two = (self.constant(self.value(side, env, depth)) for side in (left, right))
                    if one is not None and two is not None:
                        return (one == two) == isinstance(op, ast.Eq)
        return None

    def condition(self, node: ast.expr, env: Env, depth: int) -> Value:
        """What an expression stands for that is asked whether it is true."""
        return self.tested(self.value(node, env, depth))

    def one_of(self, test: Value, one: Value, two: Value, node: ast.AST, depth: int) -> Value:
        """One of two values, both of which are there."""
        if isinstance(one, Dict) and isinstance(two, Dict) and self.alike(one, two):
            return one.of(self.syntax("choice", [test, one.pairs, two.pairs], node, depth))
        return self.syntax("choice", [test, one, two], node, depth)

    def split(
        self,
        condition: Value,
        sides: Sequence[Side],
        read: frozenset[str],
        env: Env,
        node: ast.AST,
        depth: int,
    ) -> Expr:
        """One of two values, the other of which is not computed; `read` are names that are read for them."""
        test = self.as_value(self.kept("test", condition, node), node, depth)
        made = []
        with self.entered(env, read, node, depth) as entry:
            for side in sides:
                with self.unchanged(env):
                    value = side()
                    if value is None:
                        self.at.illegal(node, "missing return", "every way through a function ends in `return`")
                    made.append(self.as_value(value, node, depth))
        return self.chosen(test, entry, made, node, depth)

    def chosen(self, test: Expr, entry: Entry, sides: Sequence[Expr], node: ast.AST, depth: int) -> Expr:
        """The call of one of two functions."""
        self.wrote_out = True
        functions = [self.combinators.late(entry.param, side) for side in sides]
        which = self.syntax("choice", [test, *functions], node, depth)
        return Call(self.as_value(which, node, depth), (entry.argument,), self.at.number(node))

    def join(self, node: ast.If, behind: frozenset[str], env: Env, depth: int) -> None:
        """An if that is not left early: the names it assigns stand for what the chosen side assigns."""
        condition = self.condition(node.test, env, depth)
        names = sorted((assigned(node.body) | assigned(node.orelse)) & behind)
        if not names:
            return
        read = flow(node.body).reads | flow(node.orelse).reads | frozenset(names)

        def state(_: Exit, __: Value | None) -> Value:
            now = [self.now(name, env) for name in names]
            for name, value in zip(names, now, strict=True):
                if value is not _UNASSIGNED:
                    self.shape(name, value, shapes, node)
            return Items(tuple(now))

        shapes: Shapes = {}
        ways = node.body, node.orelse
        sides = [partial(self.block, way, env, depth + 1, frozenset(names), state) for way in ways]
        if _is_plain(node.body) and _is_plain(node.orelse):
            self.join_plain(names, condition, sides, env, node, depth)
            return
        paired = [partial(self.paired, side, node, depth) for side in sides]
        self.bind_state(names, self.split(condition, paired, read, env, node, depth), shapes, env, node)

    def join_plain(
        self,
        names: Sequence[str],
        condition: Value,
        sides: Sequence[Side],
        env: Env,
        node: ast.AST,
        depth: int,
    ) -> None:
        """The same where both sides only give names other names and numbers: nothing can fail that is not chosen."""
        test = self.kept("test", condition, node)
        values = []
        for side in sides:
            with self.unchanged(env), self.later():
                given = side()
                assert isinstance(given, Items)
                values.append(given.items)
        for name, one, two in zip(names, *values, strict=True):
            same = not isinstance(one, Items) and one == two
            self.bind_name(name, one if same else self.one_of(test, one, two, node, depth), env, node)

    def choice(self, node: ast.IfExp, env: Env, depth: int) -> Value:
        """`a if condition else b`: only the chosen side is computed, unless neither can fail."""
        known = self.known_truth(node.test, env, depth)
        if known is not None:
            return self.value(node.body if known else node.orelse, env, depth)
        condition = self.condition(node.test, env, depth)
        if isinstance(node.body, ast.Name | ast.Constant) and isinstance(node.orelse, ast.Name | ast.Constant):
            one, two = (self.value(side, env, depth) for side in (node.body, node.orelse))
            return self.one_of(condition, one, two, node, depth)
        read = names_read(node.body) | names_read(node.orelse)
        return self.split(condition, self.sides(node.body, node.orelse, env, depth), read, env, node, depth)

    def sides(self, one: ast.expr, two: ast.expr, env: Env, depth: int) -> list[Side]:
        """Two expressions, to be read when it is time."""
        return [lambda: self.value(one, env, depth), lambda: self.value(two, env, depth)]

    def logic(self, node: ast.BoolOp, env: Env, depth: int) -> Value:
        """`and` and `or`: a side that can fail is computed only where the sides before it do not decide."""
        made = self.condition(node.values[0], env, depth)
        guarded = any(isinstance(part, ast.Constant) and part.value is None for part in ast.walk(node))
        for side in node.values[1:]:
            with self.later():
                tried = self.condition(side, env, depth)
            if not guarded and not isinstance(tried, Function | Items | Dict) and not self.can_fail(tried):
                made = self.operator(node.op, [made, tried], node, depth)
                continue
            made = self.kept("side", made, node)
            sides: list[Side] = [
                lambda side=side: self.condition(side, env, depth),  # type: ignore[misc]
                lambda: env.values["and"],
            ]
            with self.unchanged(env):
                env.values["and"] = made
                in_turn = sides if isinstance(node.op, ast.And) else sides[::-1]
                made = self.split(made, in_turn, names_read(side) | {"and"}, env, node, depth)
        return made

    def can_fail(self, expr: Expr) -> bool:
        """Whether computing an expression may fail for values of the right types."""
        if not isinstance(expr, Call) or self.combinators.base(expr) is not None:
            return False
        spec = self.words.ops.get(expr.function.id) if isinstance(expr.function, Name) else None
        if spec is None or spec.can_fail or spec.loop:
            return True
        return any(map(self.can_fail, expr.args))

    # --- loops ---

    def loop(self, node: ast.For | ast.While, behind: frozenset[str], env: Env, depth: int) -> tuple[Value, Value]:
        """A loop; the names it assigns stand for what it leaves in them. Gives its mark, and what it returned."""
        if node.orelse:
            self.at.illegal(
                node.orelse[0], "`else` of a loop is not legal in a program", "use a name for what is found"
            )
        targets = assigned([ast.Assign([node.target], ast.Constant(0))]) if isinstance(node, ast.For) else frozenset()
        if clash := sorted(targets & changed(node.body)):
            self.at.illegal(node, f"{clash[0]!r} is an item, and the loop changes it", "make a new value of it")
        if isinstance(node, ast.For):
            walked = [node.iter, *(node.iter.args if isinstance(node.iter, ast.Call) else [])]
            lists = [one.id for one in walked if isinstance(one, ast.Name) and not self.dictionary(one, env)]
            if own := sorted(changed(node.body).intersection(lists)):
                self.at.illegal(node.iter, f"the loop changes {own[0]!r}, its own items", f"write list({own[0]})")
            self.mark_items(node.target, node.iter, env)
        inside = flow(node.body)
        again = inside.reads - targets | (names_read(node.test) if isinstance(node, ast.While) else frozenset())
        names = sorted((assigned(node.body) | targets) & (again | behind))
        stops, gives = breaks(node.body) or returns(node.body), returns(node.body)
        if not names and not gives:
            return _GOES_ON, _UNASSIGNED
        read = again | frozenset(names) | (names_read(node.iter) if isinstance(node, ast.For) else frozenset())
        if isinstance(node, ast.For) and not stops and (kind := self.gathered(node.body, names, env)):
            self.gather(node, kind, names[0], read, env, depth)
            return _GOES_ON, _UNASSIGNED
        marks = _MARKS[: stops + gives]
        for mark in marks:
            env.values[mark] = _GOES_ON
        every = [*marks, *names]
        build = self.folded if isinstance(node, ast.For) else self.repeated
        shapes: Shapes = {}
        for name in every:
            self.shape(name, self.now(name, env), shapes, node)
        made = self.once(env, read | frozenset(every), node, depth, lambda: build(node, every, shapes, env, depth))  # type: ignore[arg-type]
        self.bind_state(every, made, shapes, env, node)
        given = [env.values.pop(mark) for mark in marks]
        return (given[0], given[-1]) if marks else (_GOES_ON, _UNASSIGNED)

    def now(self, name: str, env: Env) -> Value:
        """What a name stands for that statements assign."""
        return env.values.get(name, _UNASSIGNED)

    def paired(self, side: Side, node: ast.AST, depth: int) -> Expr:
        """Values as one: pairs of pairs."""
        values = side()
        assert isinstance(values, Items)
        return self.combinators.pairs([self.as_value(self.tested(value), node, depth) for value in values.items])

    def shape(self, name: str, value: Value, shapes: Shapes, node: ast.AST) -> None:
        """Remember whether a name is a dictionary; it is one on every way, or on none."""
        now = value if isinstance(value, Dict) else None
        before = shapes.setdefault(name, now)
        if (now is None) != (before is None) or (now and before and not self.alike(now, before)):
            self.at.illegal(node, f"{name!r} is a dictionary on some ways only, or of two kinds", "assign {} before")
        shapes[name] = now

    def alike(self, one: Dict, two: Dict) -> bool:
        """Whether two dictionaries give the same for keys that are not there."""
        return one.default == two.default

    def parts(self, whole: Expr, names: Sequence[str], shapes: Shapes) -> list[Value]:
        """The values that names have in a state."""
        found: list[Value] = list(self.combinators.parts(whole, len(names)))
        return [
            shape.of(part) if (shape := shapes.get(name)) else part for name, part in zip(names, found, strict=True)
        ]

    def bind_state(self, names: Sequence[str], state: Expr, shapes: Shapes, env: Env, node: ast.AST) -> None:
        """Names stand for the parts of a state."""
        whole = self.kept("state", state, node) if len(names) > 1 else state
        assert not isinstance(whole, Function | Items | Dict)
        for name, part in zip(names, self.parts(whole, names, shapes), strict=True):
            if name in _MARKS:
                env.values[name] = self.kept("mark", part, node)
            else:
                self.bind_name(name, part, env, node)

    def state(self, names: Sequence[str], env: Env, node: ast.AST, depth: int) -> Expr:
        """What names stand for, as one value."""
        return self.paired(lambda: Items(tuple(self.now(name, env) for name in names)), node, depth)

    def step(self, node: ast.For | ast.While, names: Sequence[str], shapes: Shapes, env: Env, depth: int) -> Expr:
        """The state once the body has run."""

        def finish(how: Exit, value: Value | None) -> Value:
            with self.unchanged(env):
                if how is Exit.BREAK:
                    env.values["break"] = _BROKEN
                if how is Exit.RETURN:
                    assert value is not None
                    env.values["break"], env.values["return"] = _RETURNED, value
                for name in names:
                    self.shape(name, self.now(name, env), shapes, node)
                return self.state(names, env, node, depth)

        made = self.block(node.body, env, depth + 1, frozenset(names), finish)
        assert made is not None
        return self.as_value(made, node, depth)

    def while_on(
        self, made: Expr, param: Name, names: Sequence[str], other: Expr, env: Env, node: ast.AST, depth: int
    ) -> Expr:
        """What is made of a state that has no mark yet; of another one `other`."""
        if names[0] != "break":
            return made
        mark = self.as_value(env.values["break"], node, depth)
        test = self.as_value(self.operator(ast.Eq(), [mark, _GOES_ON], ast.Constant(0), depth), node, depth)
        return self.chosen(test, Entry(param, param), [made, other], node, depth)

    def folded(self, node: ast.For, names: Sequence[str], shapes: Shapes, env: Env, depth: int) -> Value:
        """A for loop: the state of the names after the last item."""
        items = self.walked(self.value(node.iter, env, depth), node.iter, depth)
        start = self.state(names, env, node, depth)
        param = self.fresh()
        before, item = self.combinators.parts(param, 2)
        with self.later(), self.unchanged(env):
            env.values.update(zip(names, self.parts(before, names, shapes), strict=True))
            with self.unchanged(env):
                self.unpack(node.target, item, env, depth)
                made = self.step(node, names, shapes, env, depth)
            made = self.while_on(made, param, names, before, env, node, depth)
            function = self.combinators.late(param, made)
        return self.syntax("folded", [items, start, function], node, depth)

    def repeated(self, node: ast.While, names: Sequence[str], shapes: Shapes, env: Env, depth: int) -> Value:
        """A while loop: the state of the names once the condition no longer holds."""
        start = self.state(names, env, node, depth)
        param = self.fresh()
        with self.later(), self.unchanged(env):
            env.values.update(zip(names, self.parts(param, names, shapes), strict=True))
            test = self.as_value(self.condition(node.test, env, depth), node, depth)
            goes_on = self.combinators.late(param, self.while_on(test, param, names, Const(False), env, node, depth))
            function = self.combinators.late(param, self.step(node, names, shapes, env, depth))
        return self.syntax("repeated", [function, goes_on, start], node, depth)

    # --- loops that gather ---

    def gathered(self, body: Sequence[ast.stmt], names: Sequence[str], env: Env) -> str:
        """Of a loop that does nothing but put items into a list or set, which of them it is; else nothing."""
        if len(names) != 1 or isinstance(self.now(names[0], env), Dict):
            return ""
        uses = sum(isinstance(part, ast.Name) and part.id == names[0] for one in body for part in ast.walk(one))
        kinds = []
        for part in (part for one in body for part in ast.walk(one)):
            method = called_method(part.value) if isinstance(part, ast.Expr) else None
            if method and method[0] == names[0] and method[1] in _GATHERS and _of_name(part):  # type: ignore[arg-type]
                kinds.append(_GATHERS[method[1]].split()[0])
        return kinds[0] if len(kinds) == uses and len(set(kinds)) == 1 else ""

    def gather(self, node: ast.For, kind: str, name: str, read: frozenset[str], env: Env, depth: int) -> None:
        """A loop that puts items into a list or set: all of what it puts there, behind what was there before."""
        is_set = kind == "set"
        before = self.name(ast.copy_location(ast.Name(name, ast.Load()), node), env)
        empty = self.constant_of("empty_set") if is_set else Items(())

        def build() -> Value:
            walked = self.walked(self.value(node.iter, env, depth), node.iter, depth)
            items = self.syntax("as_set" if is_set else "ordered", [walked], node, depth)
            param = self.fresh()
            with self.later(), self.unchanged(env):
                env.values[name] = empty
                self.unpack(node.target, param, env, depth)
                made = self.block(node.body, env, depth + 1, frozenset({name}), lambda _, __: env.values[name])
                assert made is not None
                one = self.only_item(made)
                each = self.combinators.late(param, self.as_value(made if one is None else one, node, depth))
            return self.syntax("mapped_flat" if one is None else "mapped", [each, items], node, depth)

        found: Value = self.once(env, read - {name}, node, depth, build)
        if not (self.is_empty_set(before) or (isinstance(before, Items) and not before.items)):
            found = self.syntax("joined", [before, found], node, depth)
        self.bind_name(name, found, env, node)

    def only_item(self, value: Value) -> Value | None:
        """The one item of a list or set as it is written."""
        if isinstance(value, Items):
            return value.items[0] if len(value.items) == 1 else None
        set_of_one = self.words.syntax["set_of_one"]
        return value.args[0] if isinstance(value, Call) and value.function == set_of_one else None

    # --- comprehensions ---

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, env: Env, depth: int) -> Value:
        """The items that a comprehension gives, as a tuple or a set."""
        kind = "as_set" if isinstance(node, ast.SetComp) else "ordered"
        return self.once(
            env, names_read(node), node, depth, lambda: self.generated(kind, node.elt, node.generators, env, depth)
        )

    def generated(
        self, kind: str, item: ast.expr, generators: Sequence[ast.comprehension], env: Env, depth: int
    ) -> Value:
        """What the generators of a comprehension give: each is a loop in the one before."""
        own, *inner = generators
        if own.is_async:
            self.at.illegal(own.iter, "`async` is not legal in a program", "leave it out")
        items = self.syntax(kind, [self.walked(self.value(own.iter, env, depth), own.iter, depth)], own.iter, depth)
        for condition in own.ifs:
            test = self.of_item(own, env, item, depth, lambda scope, at=condition: self.condition(at, scope, depth))  # type: ignore[misc]
            items = self.syntax("filtered", [items, test], condition, depth)
        if not inner:
            if isinstance(item, ast.Name) and isinstance(own.target, ast.Name) and item.id == own.target.id:
                return items
            each = self.of_item(own, env, item, depth, lambda scope: self.value(item, scope, depth))
            return self.syntax("mapped", [each, items], item, depth)
        each = self.of_item(own, env, item, depth, lambda scope: self.generated(kind, item, inner, scope, depth + 1))
        return self.syntax("mapped_flat", [each, items], item, depth)

    def of_item(
        self, own: ast.comprehension, env: Env, node: ast.AST, depth: int, body: Callable[[Env], Value]
    ) -> Expr:
        """The function of an item that gives what `body` does."""
        self.wrote_out = True
        param = self.fresh()
        scope = Env({}, env, env.find)
        self.mark_items(own.target, own.iter, scope)
        with self.later():
            self.unpack(own.target, param, scope, depth)
            return self.combinators.late(param, self.as_value(body(scope), node, depth))


def _of_name(node: ast.Expr) -> bool:
    """Whether a method is called of a name itself."""
    return isinstance(node.value, ast.Call) and isinstance(getattr(node.value.func, "value", None), ast.Name)


def _is_plain(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements only give names the values of other names, or numbers."""
    return all(
        isinstance(one, ast.Pass)
        or (
            isinstance(one, ast.Assign)
            and all(isinstance(target, ast.Name) for target in one.targets)
            and isinstance(one.value, ast.Name | ast.Constant)
        )
        for one in statements
    )


Control.readers = {
    **Captures.readers,
    ast.IfExp: Control.choice,
    ast.BoolOp: Control.logic,
    ast.ListComp: Control.comprehension,
    ast.SetComp: Control.comprehension,
    ast.GeneratorExp: Control.comprehension,
}
