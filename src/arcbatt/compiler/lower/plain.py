"""Lowering of calls of plain primitives: a native function for the types at hand, or its own operation."""

from __future__ import annotations

from typing import Final

from arcbatt.compiler.abi import CODES, HIDDEN_ARG, MAX_ARGS, ORIGINALS
from arcbatt.compiler.custom import CellKernel, Kernel, kernel_of
from arcbatt.compiler.lower.casts import costs_differ, different
from arcbatt.compiler.lower.emitter import Emitter, Site, Value
from arcbatt.compiler.lower.generic import Call, flags_of, lower_generic
from arcbatt.compiler.lower.layout import LowerError
from arcbatt.compiler.lower.variants import CELL_SEQUENCE, NUMBER, Variant
from arcbatt.compiler.typed import BodyNode, TypedNode
from arcbatt.language.spec import Does, Fact, OpSpec, always_fails
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, CELL, INT, NEVER, OPT_INT, Rule, Seq, Tup, Type, as_seq

_NO_COLOUR: Final = 1 << 20


def lower_plain(out: Emitter, site: Site, node: TypedNode | BodyNode, args: list[Value]) -> Value:
    """Write a call of a plain primitive."""
    spec = current().op(node.op)
    types = tuple([arg.type for arg in args])
    if NEVER in types or (node.type == NEVER and (spec.loop or always_fails(spec, types))):
        return out.emit(site, CODES["NEVER"], args[:MAX_ARGS], node.type, extra=(flags_of(spec),))
    if Fact.FIRST_CELL in spec.facts and isinstance(args[0].type, (Seq, Tup)):
        return _of_first_cell(out, site, spec, args[0])
    if Fact.ANY_COLOUR in spec.facts and args[1].type not in (INT, BOOL, OPT_INT):
        return _of_no_colour(out, site, spec, args)
    rule = _rule_for(spec, types, node.type)
    if spec.generic:
        return lower_generic(out, site, Call(spec, node.type, args, rule))
    if spec.kernel and (kernel := kernel_of(spec.name)):
        return _custom(out, site, kernel, spec.name, args)
    variant = Variant(spec.name, rule)
    if variant not in NUMBER:
        raise LowerError(f"no native {spec.name} of {rule}")
    given, flags = _given(out, site.code, rule, args)
    value = out.emit(site, NUMBER[variant], given, rule.result, extra=(flags_of(spec) | flags,))
    return Value(value.slot, node.type, value.cost) if not different(rule.result, node.type) else value


def _given(out: Emitter, code: list[int], rule: Rule, args: list[Value]) -> tuple[list[Value], int]:
    """Arguments in the forms of a rule, followed by themselves where these count in its cost; and the flag for that."""
    cast = [out.cast(code, arg, param) for arg, param in zip(args, rule.params, strict=True)]
    if any(costs_differ(arg.type, param) for arg, param in zip(args, rule.params, strict=True)):
        return [*cast, *args], ORIGINALS
    return cast, 0


def _custom(out: Emitter, site: Site, kernel: Kernel, name: str, args: list[Value]) -> Value:
    """A custom operation that has a kernel."""
    if name in out.without:
        raise LowerError(out.without[name])
    given, flags = _given(out, site.code, kernel.rule, args)
    if isinstance(kernel, CellKernel):
        op, words = CODES["CELLS"], kernel.words
    else:
        op, words = CODES["CUSTOM"], (kernel.number,)
        out.custom.add(name)
    return out.emit(site, op, given, kernel.rule.result, extra=(flags, *words))


def _of_no_colour(out: Emitter, site: Site, spec: OpSpec, args: list[Value]) -> Value:
    """Cells of a colour that is no number: none, for what looking at them costs."""
    rule = _rule_for(spec, (args[0].type, INT), INT)
    none = out.constant(INT, ("Int", str(_NO_COLOUR)), _NO_COLOUR)
    given = [out.cast(site.code, args[0], rule.params[0]), none, *args]
    return out.emit(site, NUMBER[Variant(spec.name, rule)], given, INT, extra=(ORIGINALS,))


def _of_first_cell(out: Emitter, site: Site, spec: OpSpec, arg: Value) -> Value:
    """The colour of the first of a tuple of cells, for what the tuple costs."""
    items = arg if isinstance(arg.type, Seq) else out.cast(site.code, arg, Seq(CELL))
    assert isinstance(items.type, Seq)
    item = items.type.item
    if not isinstance(item, Tup) or item.parts[0] not in (INT, BOOL):
        raise LowerError(f"{spec.name} of {arg.type}")
    rank = out.constant(INT, ("Int", "0"), 0)
    uncounted = Site(site.code, 0)
    first = out.emit(uncounted, CODES["NTH"], [items, rank], item, extra=(HIDDEN_ARG,))
    return out.emit(site, CODES["PART"], [first, arg], INT, extra=(ORIGINALS, 0))


def _rule_for(spec: OpSpec, types: tuple[Type, ...], result: Type) -> Rule:
    """The rule inference chose, with its variables filled in."""
    if Fact.CELLS_IN_ORDER in spec.facts and as_seq(types[1]) == Seq(CELL):
        return CELL_SEQUENCE
    for exact in (True, False):
        if rule := spec.rule_for(types, exact=exact):
            return rule
    if spec.does in (Does.CHOOSE, Does.SIZE):  # a branch by a constant, the size of a tuple: typed where they stand
        return Rule(types, result)
    raise LowerError(f"no rule of {spec.name} takes ({', '.join(map(str, types))})")
