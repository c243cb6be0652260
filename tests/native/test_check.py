"""The check on load: everything lowered passes, and each kind of harm is refused with its place."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt import _core
from arcbatt.calls.custom import op, remove_op
from arcbatt.compiler.abi import (
    CELL_CODES,
    CODES,
    COLUMNAR,
    COLUMNS,
    FIXED_COST,
    MULTIPLIES,
    TYPE_DESC,
    TYPED_SLOT,
    VERSION,
)
from arcbatt.compiler.lower.lower import Code
from arcbatt.compiler.lower.shapes import typed_shape
from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.data.packing import pack_samples
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.outputs import STATUS
from arcbatt.language.sample import Sample
from arcbatt.language.types import GRID, INT, parse_type
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_programs

LOOP_BODY = """
    x1 = objects(I, T, F, T)
    x2 = apply(compose(rbind(multiply, size(x1)), size), x1)
    x3 = sfilter(x1, compose(rbind(greater, TWO), size))
    x4 = insert(UNITY, initset(DOWN))
    x5 = astuple(size(x2), fill(I, THREE, x4))
    x6 = astuple(first(x5), manhattan(first(x3), last(x1)))
    x7 = mapply(toindices, x3)
    return astuple(x6, combine(x4, x7))
"""
NUMBERS = {variant.name: number for number, variant in reversed(list(enumerate(VARIANTS)))} | CODES


class Words:
    """Lowered code as arrays to be spoiled."""

    def __init__(self, text: str = LOOP_BODY) -> None:
        code: Code = CpuEngine.of([parse_program(f"def solve_a(I):{text}")]).code
        assert not code.rejected
        self.code = list(code.words)
        self.rows = [list(row) for row in code.types.rows]
        self.types = code.types
        self.parts = list(code.types.parts)
        self.image = list(code.image)
        self.outputs = [[slot, code.types.number(kind)] for slot, kind in code.outputs.values()]
        self.shapes = [typed_shape(kind) for _, kind in code.outputs.values()]
        self.inputs = [code.inputs.get(name, 0) for name in ("I", "S", "C")]

    def load(self, version: int = VERSION):
        return _core.program(
            version=version,
            code=np.array(self.code, np.uint32),
            types=TYPE_DESC.rows(self.rows),
            parts=np.array(self.parts, np.uint32),
            image=np.array(self.image, np.uint32),
            outputs=TYPED_SLOT.rows(self.outputs),
            inputs=tuple(self.inputs),
            arguments=TYPED_SLOT.rows([]),
        )

    def at(self, name: str, which: int = 0) -> int:
        """Where an operation stands."""
        places, at = [], 0
        while at < len(self.code):
            if self.code[at] in (NUMBERS[name], *(n for n, v in enumerate(VARIANTS) if v.name == name)):
                places.append(at)
            at += self.code[at + 1]
        return places[which]

    def extra(self, at: int) -> int:
        return at + 8 + 2 * self.code[at + 6]

    def constant_set(self) -> int:
        """The words of the one constant set of places, in the image."""
        at = self.at("fill")
        slot = self.code[at + 8 + 2]
        assert self.image[slot + 2] == 2
        return self.image[slot + 1]


def refused(words: Words) -> str:
    with pytest.raises(ValueError, match="bytecode that cannot be run: ") as error:
        words.load()
    return str(error.value).removeprefix("bytecode that cannot be run: ")


def test_what_is_lowered_passes():
    Words().load()
    CpuEngine.of(LIBRARY)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_random_programs_and_mutants_pass(seed):
    CpuEngine.of(random_programs(seed))


def test_deep_nests_of_loops_are_left_out_when_lowered():
    body, text = "size", "I"
    for _ in range(13):
        body = f"lbind(apply, {body})"
    for _ in range(14):
        text = f"initset({text})"
    engine = CpuEngine.of([parse_program(f"def solve_a(I):\n    return apply({body}, {text})\n")])
    assert "too deep" in engine.code.rejected["solve_a"]


def test_another_version_is_refused():
    with pytest.raises(ValueError, match=f"version {1:016x}, this compiled core runs version {VERSION:016x}; build"):
        Words().load(version=1)


def spoil_opcode(w: Words) -> None:
    w.code[w.at("SIZE")] = 999


def spoil_end(w: Words) -> None:
    del w.code[-2:]


def spoil_length(w: Words) -> None:
    w.code[w.at("SIZE") + 1] = 0


def spoil_result_place(w: Words) -> None:
    w.code[w.at("fill") + 2] = len(w.image)


def spoil_overlap(w: Words) -> None:
    w.code[w.at("fill") + 2] += 1


def spoil_argument_type(w: Words) -> None:
    at = w.at("fill")
    w.code[at + 8 + 3] = w.types.number(INT)


def spoil_argument_kind(w: Words) -> None:
    at = w.at("fill")
    w.code[at + 8 + 3] = w.types.number(parse_type("Indices"))


def spoil_call(w: Words) -> None:
    """A call of a function that takes other types."""
    w.code[w.at("fill")] = NUMBERS["crop"]


def spoil_argument_slot(w: Words) -> None:
    """An offset taken for a grid: the set of objects has as many words."""
    w.code[w.at("fill") + 8] = w.code[w.at("objects") + 2]


def spoil_alias(w: Words) -> None:
    at = w.at("fill")
    w.code[at + 2] = w.code[at + 8]


def spoil_order(w: Words) -> None:
    """The first instruction reads what the second writes."""
    w.code[w.at("objects") + 9] = w.code[w.at("SIZE") + 2]


def spoil_strict(w: Words) -> None:
    w.code[w.at("fill") + 5] = 0


def spoil_flags(w: Words) -> None:
    w.code[w.extra(w.at("fill"))] |= 1 << 20


def spoil_product_cost(w: Words) -> None:
    w.code[w.extra(w.at("manhattan"))] &= ~MULTIPLIES


def spoil_fixed_cost(w: Words) -> None:
    w.code[w.extra(w.at("fill"))] |= FIXED_COST


def spoil_body_twice(w: Words) -> None:
    w.code[w.extra(w.at("LOOP_SFILTER")) + 2] = w.code[w.extra(w.at("LOOP_APPLY")) + 2]


def spoil_body_place(w: Words) -> None:
    w.code[w.extra(w.at("LOOP_APPLY")) + 2] += 1


def spoil_body_is_main(w: Words) -> None:
    w.code[w.extra(w.at("LOOP_APPLY")) + 2] = 0


def spoil_body_end(w: Words) -> None:
    w.code[w.at("END_BODY")] = CODES["HALT"]


def spoil_body_result(w: Words) -> None:
    """A filter's body that gives an object."""
    extra = w.extra(w.at("LOOP_SFILTER"))
    w.code[extra + 3], w.code[extra + 4] = w.code[extra + 6], w.code[extra + 7]


def spoil_parameter(w: Words) -> None:
    w.code[w.extra(w.at("LOOP_APPLY")) + 7] = w.types.number(parse_type("Indices"))


def spoil_parameters(w: Words) -> None:
    extra, at = w.extra(w.at("LOOP_APPLY")), w.at("LOOP_APPLY")
    w.code[extra + 5] = 0
    del w.code[extra + 6 : extra + 8]
    w.code[at + 1] -= 2
    for name in ("LOOP_APPLY", "LOOP_SFILTER", "LOOP_MAPPLY"):
        w.code[w.extra(w.at(name)) + 2] -= 2


def spoil_escape_from_body(w: Words) -> None:
    """What a body wrote is gone when it has ended."""
    at = w.at("fill")
    extra = w.extra(w.at("LOOP_SFILTER"))
    w.code[at + 10], w.code[at + 13] = w.code[extra + 6], w.code[extra + 7]


def spoil_walked(w: Words) -> None:
    """A body that writes what its loop walks."""
    loop = w.at("LOOP_MAPPLY")
    inner = w.code[w.extra(loop) + 2]
    assert w.code[inner] == NUMBERS["toindices"]
    w.code[inner + 2] = w.code[w.extra(loop) + 3] = w.code[loop + 8]


def spoil_loop_strict(w: Words) -> None:
    w.code[w.at("LOOP_APPLY") + 5] = 0


def spoil_bodies(w: Words) -> None:
    w.code[w.extra(w.at("LOOP_APPLY")) + 1] = 0


def spoil_columns(w: Words) -> None:
    w.code[w.extra(w.at("LOOP_APPLY"))] |= COLUMNAR


def spoil_cost_place(w: Words) -> None:
    w.code[w.at("fill") + 4] = w.code[w.at("fill") + 2]


def spoil_output(w: Words) -> None:
    w.outputs[0][1] = w.types.number(INT)


def spoil_output_place(w: Words) -> None:
    w.outputs[0][0] = 10**6


def spoil_input(w: Words) -> None:
    w.inputs[0] = 10**6


def spoil_two_inputs(w: Words) -> None:
    w.inputs[2] = w.inputs[0]


def spoil_constant_order(w: Words) -> None:
    at = w.constant_set()
    w.image[at : at + 2] = reversed(w.image[at : at + 2])


def spoil_constant_count(w: Words) -> None:
    w.image[w.code[w.at("fill") + 10] + 2] = 70_000


def spoil_constant_offset(w: Words) -> None:
    w.image[w.code[w.at("fill") + 10] + 1] = len(w.image) - 1


def spoil_constant_in_slots(w: Words) -> None:
    w.image[w.code[w.at("fill") + 10] + 1] = w.inputs[0]


def spoil_constant_status(w: Words) -> None:
    w.image[w.code[w.at("fill") + 10]] = 3


def spoil_type_kind(w: Words) -> None:
    w.rows[0][0] = 9


def spoil_type_cycle(w: Words) -> None:
    number = w.types.number(parse_type("{Object}"))
    w.rows[number][1] = number


def spoil_type_words(w: Words) -> None:
    w.rows[w.types.number(GRID)][2] = 1


def spoil_type_parts(w: Words) -> None:
    w.rows[next(n for n, row in enumerate(w.rows) if row[0] == 7)][5] = len(w.parts)


SPOILED = {
    spoil_opcode: "an unknown operation, 999, at word 19",
    spoil_end: "code that does not end",
    spoil_length: "SIZE at word 19: does not end",
    spoil_result_place: "fill at word .*: its result is outside the slots",
    spoil_overlap: "outside the slots",
    spoil_argument_type: "fill at word .*: an argument is outside the slots",
    spoil_argument_kind: "fill at word .* reads {IJ} from slot 1, which holds Grid",
    spoil_call: "crop at word .*: does not take Grid, Int, {IJ} and give Grid",
    spoil_argument_slot: "fill at word .* reads Grid from slot .*, which holds {{Cell}}",
    spoil_alias: "fill at word .*: its result is one of its arguments",
    spoil_order: "objects at word 0 reads Int from slot .*, which holds nothing",
    spoil_strict: "fill at word .*: must fail with its arguments",
    spoil_flags: "fill at word .*: flags",
    spoil_product_cost: "manhattan at word .*: flags 0",
    spoil_fixed_cost: "fill at word .*: has no fixed cost",
    spoil_body_twice: "is read twice",
    spoil_body_place: "at word",
    spoil_body_is_main: "objects at word 0: is read twice",
    spoil_body_end: "HALT at word .*: stands in a body",
    spoil_body_result: "LOOP_SFILTER at word .*: does not take a body that gives {Cell} and give {{Cell}}",
    spoil_parameter: "LOOP_APPLY at word .*: a parameter is no item of what it walks",
    spoil_parameters: "LOOP_APPLY at word .*: a body takes 0 parameters",
    spoil_escape_from_body: "fill at word .* reads {Cell} from slot .*, which holds nothing",
    spoil_walked: "toindices at word .*: writes slot .*, which its body needs again",
    spoil_loop_strict: "LOOP_APPLY at word .*: must fail with what it walks",
    spoil_bodies: "LOOP_APPLY at word .*: has words behind its bodies",
    spoil_columns: "LOOP_APPLY at word .*: its columns are not well formed",
    spoil_cost_place: "fill at word .*: its cost is outside the slots",
    spoil_output: "an output outside the slots: ",
    spoil_output_place: "an output outside the slots: 1000000",
    spoil_input: "an input outside the slots: 1000000",
    spoil_two_inputs: "an input outside the slots",
    spoil_constant_order: "the constant at .*: a set that is not sorted",
    spoil_constant_count: "the constant at .*: too many items",
    spoil_constant_offset: "the constant at .*: it lies outside the image",
    spoil_constant_in_slots: "the constant at .*: it lies in a slot",
    spoil_constant_status: "the constant at .*: it has a status",
    spoil_type_kind: "type 0: kind 9 is none",
    spoil_type_cycle: "type .*: its items are of no type before it",
    spoil_type_words: "type .*: its words are not those of its kind and parts",
    spoil_type_parts: "type .*: its parts are outside the table of parts",
}


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__.removeprefix("spoil_"))
def test_spoiled_code_is_refused_with_a_reason_and_a_place(spoil):
    words = Words()
    spoil(words)
    reason = refused(words)
    assert re.search(SPOILED[spoil], reason), reason


def test_code_that_charges_nothing_ends_all_the_same():
    """Calls that count for nothing keep loops from reaching the limit of steps: the number of trips ends them."""
    words = Words(
        """
    f = compose(size, fork(lbind(prapply, add), asindices, asindices))
    return apply(f, repeat(I, TEN))
"""
    )
    outer = words.extra(words.at("LOOP_APPLY")) + 2
    at = words.code[outer]
    while words.code[at] != CODES["END_BODY"]:
        if words.code[at] != CODES["CHARGE"]:
            words.code[at + 3] = 0
        at += words.code[at + 1]
    loop = words.extra(words.at("LOOP_PRAPPLY"))
    words.code[words.code[loop + 2] + 3] = 0
    columns = loop + 2 + 4 + 2 * words.code[loop + 5]
    at = columns + COLUMNS.words + (words.code[columns + 1] + 31) // 32
    while words.code[at] != CODES["CHARGE"]:
        at += words.code[at + 1]
    words.code[at + 2] = 0
    data = pack_samples([Sample(((0,) * 30,) * 30)])
    packed = _core.packed(vars(data))
    for max_steps, wanted in ((100_000, "escape"), (5_000_000, "ok")):
        limits = _core.Limits(words=1 << 22, most_words=1 << 22, max_steps=max_steps)
        ((status, _),) = _core.values(words.load(), packed, 0, shapes=words.shapes, limits=limits)
        assert STATUS[status] == wanted


def test_any_change_of_one_word_is_refused_or_harmless():
    """Huge numbers anywhere in the code: nearly all places are refused."""
    clean, seen = Words(), 0
    for place in range(len(clean.code)):
        words = copy.copy(clean)
        words.code = list(clean.code)
        words.code[place] = 0x7FFFFFFF
        try:
            words.load()
        except ValueError:
            seen += 1
    assert seen > len(clean.code) * 3 // 4


@pytest.fixture
def own():
    """Words of a program with an expression over cells."""

    def own(grid, by):
        """Greater by a number, or what is outside."""

    op("Grid, Int -> Grid", cells="where(x == 0, at(0, by), x + by)")(own)
    yield lambda: Words("\n    return own(I, TWO)\n")
    remove_op("own")


def expression(words):
    """Where the words of the expression are: the number outside, how many there are, the code."""
    at = words.at("CELLS")
    return at + 8 + 2 * words.code[at + 6] + 2


UNSOUND = {
    "an unknown code": lambda code, at: code.__setitem__(at + 2, 99),
    "a value too few": lambda code, at: code.__setitem__(at + 2, CELL_CODES["ADD"]),
    "a value too many": lambda code, at: code.__setitem__(-1, CELL_CODES["X"]),
    "an argument that is not there": lambda code, at: code.__setitem__(
        at + 2 + code[at + 2 :].index(CELL_CODES["ARG"]) + 1, 1
    ),
    "fewer words than there are": lambda code, at: code.__setitem__(at + 1, code[at + 1] - 1),
    "more words than there are": lambda code, at: code.__setitem__(at + 1, 250),
}


@pytest.mark.parametrize("harm", UNSOUND)
def test_expressions_are_checked(own, harm):
    words = own()
    words.load()
    at = words.at("CELLS")
    end = at + words.code[at + 1]
    code, tail = words.code[:end], words.code[end:]
    UNSOUND[harm](code, expression(words))
    words.code = code + tail
    with pytest.raises(ValueError, match=r"CELLS at word .* has no sound expression"):
        words.load()


def test_an_operation_of_ones_own_must_be_there_and_fit(own):
    words = own()
    at = words.at("CELLS")
    words.code[at] = CODES["CUSTOM"]
    with pytest.raises(ValueError, match="no custom operation has the number"):
        words.load()
    number = words.code[expression_place := at + 8 + 2 * words.code[at + 6] + 2]
    assert _core.add_custom(number ^ 5, "G:G", 1)
    words.code[expression_place] = number ^ 5
    with pytest.raises(ValueError, match=r"CUSTOM at word .* does not take Grid, Int and give Grid"):
        words.load()
    assert _core.add_custom(number ^ 6, "GI:G", 1)
    words.code[expression_place] = number ^ 6
    words.load()
