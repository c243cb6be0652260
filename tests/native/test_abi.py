"""What Python and C++ share: the core lies as NumPy says, and what belongs to another ABI is refused."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest

from arcbatt import _core
from arcbatt.compiler import abi
from arcbatt.compiler.declared import Struct
from arcbatt.compiler.lower.layout import TypeRow
from arcbatt.data.packing import PackedSamples, pack_samples
from arcbatt.engine import custom_build
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.cuda import compile as cuda_compile
from arcbatt.engine.outputs import REASONS, STATUS
from arcbatt.language.failures import Reason
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program
from emulated import _core_lanes

CORES = pytest.mark.parametrize("core", [_core, _core_lanes], ids=["one lane", "emulated lanes"])
ENGINE = CpuEngine.of([parse_program("def solve_a(I):\n    return I\n")])
DATA = pack_samples([Sample(((1, 2),))])


@CORES
def test_structs_lie_alike_on_both_sides(core):
    assert core.layouts() == {one.name: (one.dtype.itemsize, one.offsets) for one in abi.STRUCTS}


@CORES
def test_the_core_is_of_this_version(core):
    assert core.abi_version == abi.VERSION


def numbers(declared, path=()):
    """Where the numbers and names of a declaration are."""
    if isinstance(declared, dict):
        for key, value in declared.items():
            yield from numbers(value, (*path, key))
    elif isinstance(declared, list | tuple):
        for key, value in enumerate(declared):
            yield from numbers(value, (*path, key))
    else:
        yield path


def plain(declared):
    """The same in lists, so that it can be changed."""
    if isinstance(declared, dict):
        return {key: plain(value) for key, value in declared.items()}
    return [plain(value) for value in declared] if isinstance(declared, list | tuple) else declared


def test_the_version_changes_with_anything_that_is_declared():
    whole = plain(abi.declaration())
    assert abi.digest(whole) == abi.VERSION
    seen = {abi.VERSION}
    places = list(numbers(whole))
    for *path, last in places:
        holder = whole
        for key in path:
            holder = holder[key]
        kept = holder[last]
        holder[last] = not kept if isinstance(kept, bool) else kept + 1 if isinstance(kept, int) else f"{kept}_"
        seen.add(abi.digest(whole))
        holder[last] = kept
    assert abi.digest(whole) == abi.VERSION
    assert len(seen) == len(places) + 1 > 1000


def test_fields_in_another_order_are_another_version():
    whole = copy.deepcopy(plain(abi.declaration()))
    whole["structs"]["TypeDesc"].reverse()
    assert abi.digest(whole) != abi.VERSION


def test_names_of_fields_are_those_of_the_arrays_and_rows():
    assert abi.PACKED.names == tuple(field.name for field in dataclasses.fields(PackedSamples))
    for field in abi.PACKED.fields:
        assert np.dtype(field.pointee.replace("u8", "uint8").replace("i64", "int64").replace("i32", "int32")) == (
            getattr(DATA, field.name).dtype
        )
    assert abi.TYPE_DESC.names == TypeRow._fields


def test_statuses_are_the_reasons_of_the_language_in_their_order():
    assert [REASONS[number] for number in sorted(REASONS)] == list(Reason)
    assert (STATUS[abi.OK], STATUS[abi.OVERFLOW]) == ("ok", "overflow")


def test_a_struct_is_filled_by_name():
    pair = Struct("Pair", "Two numbers.", ("u32", "a"), ("i32", "b"))
    outer = Struct("Outer", "A pair and an address.", (pair, "pair"), ("const u8*", "cells"))
    words = outer.filled(pair={"a": 1, "b": -1}, cells=1 << 40)
    assert words.tolist() == [1, 0xFFFFFFFF, 0, 256]
    assert pair.read(words[:2]) == {"a": 1, "b": -1}
    assert (outer.words, outer.place("cells")) == (4, 2)
    assert pair.rows([(1, 2), (3, -4)]).tolist() == [1, 2, 3, 0xFFFFFFFC]
    with pytest.raises(TypeError, match=r"Outer: missing or unknown \['cells'\]"):
        outer.filled(pair={"a": 1, "b": 2})
    with pytest.raises(TypeError, match=r"Pair: missing or unknown \['b', 'c'\]"):
        outer.filled(pair={"a": 1, "c": 2}, cells=0)


def arrays(**changed):
    return {name: getattr(DATA, name) for name in abi.PACKED.names} | changed


def test_arrays_are_taken_by_name():
    _core.packed(arrays())
    without = arrays()
    del without["task"]
    with pytest.raises(TypeError, match="packed samples: there is no task"):
        _core.packed(without)
    with pytest.raises(TypeError, match="packed samples: there are 11 arrays, not 10"):
        _core.packed(arrays(tasks=DATA.task))
    with pytest.raises(TypeError, match="packed samples: cells is no array of the right type and shape"):
        _core.packed(arrays(cells="none"))


def test_results_of_another_type_are_refused():
    given = {
        "limits": _core.Limits(words=1 << 16, most_words=1 << 16, max_steps=1000),
        "threads": 1, "largest": 10, "outputs": ENGINE.first._outputs, "watch": lambda done: False,
    }  # fmt: skip
    small, big = np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.int32)
    results = {
        "statuses": small, "matches": small, "agreement": np.zeros((1, 1), np.uint16),
        "hashes": np.zeros((1, 1), np.uint64), "offset": np.zeros((1, 1), np.int64), "height": big, "width": big,
        "done": np.zeros(1, np.uint8),
    }  # fmt: skip
    packed = _core.packed(arrays())
    _core.run(ENGINE.first.loaded, packed, results=results, **given)
    with pytest.raises(TypeError, match="results: agreement is no array of the right type and shape"):
        _core.run(ENGINE.first.loaded, packed, results=results | {"agreement": big}, **given)
    given["outputs"] = ENGINE.first._outputs | {"starts": np.array([0, 9], np.uint32)}
    with pytest.raises(ValueError, match="outputs: not one column and one shape for each output"):
        _core.run(ENGINE.first.loaded, packed, results=results, **given)


def test_machine_code_is_kept_by_version(monkeypatch):
    options = cuda_compile.KernelOptions(128, 1, "waves/ends.h")
    before = cuda_compile.file_name(options, 90)
    assert before == cuda_compile.file_name(options, 90)
    monkeypatch.setattr(cuda_compile, "kernel_source", lambda *_: "a kernel of another ABI")
    with pytest.raises(cuda_compile.CompileError, match="is of another version than compiler"):
        cuda_compile.file_name(options, 90)


def test_custom_operations_are_kept_by_version(monkeypatch):
    before = custom_build.library_key("source", (), ("c++",))
    monkeypatch.setattr(custom_build, "VERSION_TEXT", "0" * 16)
    assert custom_build.library_key("source", (), ("c++",)) != before
