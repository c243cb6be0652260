"""The ABI: every number, flag, opcode and struct that Python and C++ share.

`make native` writes native/abi.h from what is declared here; VERSION is a digest of it, compiled into the core, so that
bytecode, machine code and a core that do not belong together refuse each other.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from arcbatt.compiler.declared import Constant, Enum, Struct
from arcbatt.compiler.lower.variants import FUNCTIONS
from arcbatt.language import limits
from arcbatt.language.table import STANDARD

# --- numbers ---
STATUSES: Final = Enum(
    "Status",
    "What became of a value. Of several failed arguments a call takes the least status, so the order is the "
    "precedence: what the engine could not do comes before what the language says fails, in the language's own order.",
    ("OK", 0),
    ("OVERFLOW_", 1, "the arena is too small: run again with a bigger one"),
    ("ESCAPE", 2, "the value has no form here (a ragged grid, a colour beyond a byte): run on the reference"),
    ("LIMIT", 3),
    ("TYPE", 4),
    ("EMPTY", 5),
    ("BOUNDS", 6),
    ("ZERO_DIVISION", 7),
    ("EMPTY_TUPLE", 8, "no failure: the empty tuple where an IJ is meant (the corner of nothing)"),
)
OK: Final = STATUSES["OK"]
OVERFLOW: Final = STATUSES["OVERFLOW_"]
ESCAPE: Final = STATUSES["ESCAPE"]
EMPTY_TUPLE: Final = STATUSES["EMPTY_TUPLE"]

KINDS: Final = Enum(
    "Kind",
    "Kinds of types.",
    ("K_INT", 0), ("K_OPT", 1), ("K_IJ", 2), ("K_CELL", 3), ("K_GRID", 4), ("K_SET", 5), ("K_SEQ", 6), ("K_TUP", 7),
)  # fmt: skip
K_INT: Final = KINDS["K_INT"]
K_OPT: Final = KINDS["K_OPT"]
K_IJ: Final = KINDS["K_IJ"]
K_CELL: Final = KINDS["K_CELL"]
K_GRID: Final = KINDS["K_GRID"]
K_SET: Final = KINDS["K_SET"]
K_SEQ: Final = KINDS["K_SEQ"]
K_TUP: Final = KINDS["K_TUP"]

_OWN: Final = (
    "HALT", "END_BODY", "CHARGE", "COPY", "CAST", "NEVER", "GUARD", "CHOOSE", "POWER_COUNT", "AS_EMPTY", "PAIRED",
    "UNEQUAL", "EQUAL_EMPTY", "MERGE_GRIDS", "PART", "CELLS", "CUSTOM", "COUNT", "ABSOLUTE",
)  # fmt: skip
"""Operations of the interpreter that are no primitive."""
_GENERIC: Final = tuple(
    dict.fromkeys(spec.generic.code or name.upper() for name, spec in STANDARD.ops.items() if spec.generic)
)
GENERIC_CALLS: Final = (
    "COPY", "CAST", "NEVER", "POWER_COUNT", "AS_EMPTY", "PAIRED", "UNEQUAL", "EQUAL_EMPTY", "MERGE_GRIDS", "PART",
    "CELLS", "CUSTOM", *_GENERIC,
)  # fmt: skip
"""Operations on values of any type that have no bodies (native/exec/generic_calls.h)."""
_LOOPS: Final = (
    "LOOP_CHOOSE",
    "LOOP_POWER",
    *(f"LOOP_{name.upper()}" for name, spec in STANDARD.ops.items() if spec.loop),
)
FIRST_CODE: Final = 1000
"""Opcodes below are those of native functions."""
FIRST_LOOP: Final = FIRST_CODE + len(_OWN) + len(_GENERIC)
"""Opcodes from here on have bodies."""
CODES: Final = Enum(
    "Code",
    "Operations of the interpreter beyond the native functions: its own, generic primitives, then those with bodies.",
    *((name, FIRST_CODE + number) for number, name in enumerate((*_OWN, *_GENERIC, *_LOOPS))),
)

_LOOP_SPECS: Final = {f"LOOP_{name.upper()}": spec.loop for name, spec in STANDARD.ops.items() if spec.loop}
LOOPS: Final[dict[str, list[str]]] = {
    "COLUMNAR": [name for name, loop in _LOOP_SPECS.items() if loop.columnar],
    "BEST": [name for name, loop in _LOOP_SPECS.items() if loop.best],
    "BEST_VALUE": [name for name, loop in _LOOP_SPECS.items() if loop.best and loop.zero],
}
"""Loops that can run columnar; that look for the best item; and that give its value in place of the item."""

FLAGS: Final = Enum(
    "Flag",
    "Flags of an instruction, its first extra word.",
    ("MULTIPLIES", 1, "the sizes of its two arguments, multiplied, count as steps"),
    ("HIDDEN_ARG", 2, "its last argument is not written in the program (the rank of `first`)"),
    ("FIXED_COST", 8, "the second extra word is what it costs"),
    ("OVER_FUNCTIONS", 16, "a loop over functions made from the items: each counts for one"),
    ("FUNCTIONS_VALUE", 32, "and its second argument is the value they are called with"),
    ("NEVER_EQUAL", 64, "the value it looks for is of a kind no item has"),
    ("ORIGINALS", 128, "behind its arguments stand the forms they had in the program, which are what counts"),
    ("COLUMNAR", 256, "a loop whose body can run for many items at once"),
    ("AS_PART", 1024, "what it counts is a part of a tuple, so that it counts for 1 at least"),
)
MULTIPLIES: Final = FLAGS["MULTIPLIES"]
HIDDEN_ARG: Final = FLAGS["HIDDEN_ARG"]
FIXED_COST: Final = FLAGS["FIXED_COST"]
OVER_FUNCTIONS: Final = FLAGS["OVER_FUNCTIONS"]
FUNCTIONS_VALUE: Final = FLAGS["FUNCTIONS_VALUE"]
NEVER_EQUAL: Final = FLAGS["NEVER_EQUAL"]
ORIGINALS: Final = FLAGS["ORIGINALS"]
COLUMNAR: Final = FLAGS["COLUMNAR"]
AS_PART: Final = FLAGS["AS_PART"]

TOKENS: Final = Enum(
    "Token",
    "What the hash of a value is taken over.",
    ("T_NUMBER", 1),
    ("T_NONE", 2),
    ("T_TUPLE", 3),
    ("T_SET", 4),
    ("T_FUNCTION", 5, "of the reference alone"),
    kind="u64",
)
CALL_STATUSES: Final = Enum(
    "CallStatus", "Statuses of calls that no engine has run.", ("NOT_RUN", 254), ("NOT_OF_TYPE", 255), kind="u8"
)

_CELL_CODES: Final = (
    ("NUMBER", 0, 1), ("ARG", 0, 1), ("X", 0, 0), ("I", 0, 0), ("J", 0, 0), ("H", 0, 0), ("W", 0, 0), ("AT", 2, 0),
    ("ADD", 2, 0), ("SUBTRACT", 2, 0), ("MULTIPLY", 2, 0), ("DIVIDE", 2, 0), ("MODULO", 2, 0), ("LEAST", 2, 0),
    ("MOST", 2, 0), ("EQUAL", 2, 0), ("UNEQUAL", 2, 0), ("LESS", 2, 0), ("NO_MORE", 2, 0), ("AND", 2, 0),
    ("OR", 2, 0), ("NEGATE", 1, 0), ("MAGNITUDE", 1, 0), ("NOT", 1, 0), ("WHERE", 3, 0),
)  # fmt: skip
CELL_CODES: Final = Enum(
    "CellCode",
    "Codes of expressions over cells.",
    *((name, number) for number, (name, _, _) in enumerate(_CELL_CODES)),
    prefix="CELL_",
)

PATTERNS: Final = {
    "i32": "I", "OptInt": "O", "IJ": "P", "Cell": "K", "Grid": "G", "Indices": "{P}", "Object": "{K}", "Ints": "{I}",
    "IntSeq": "[I]", "Objects": "{{K}}", "ObjectSeq": "[{K}]", "GridSeq": "[G]", "CellSeq": "[K]",
}  # fmt: skip
"""How the check on load (native/check/types.h) writes the types a native function takes or gives."""

CONSTANTS: Final = {
    "FIRST_LOOP": Constant("u32", FIRST_LOOP, "opcodes from here on have bodies"),
    "MAX_SIDE": Constant("i32", limits.MAX_SIDE, "limits of the language"),
    "MAX_CELLS": Constant("i32", limits.MAX_CELLS),
    "MAX_ITEMS": Constant("u32", limits.MAX_ITEMS),
    "MAX_SIZE": Constant("u32", limits.MAX_SIZE),
    "MAX_STEPS": Constant("u64", limits.MAX_STEPS),
    "MAX_FUNCTION_CALLS": Constant("i32", limits.MAX_FUNCTION_CALLS),
    "MAX_DEPTH": Constant("u32", limits.MAX_DEPTH),
    "MAX_CALL_DEPTH": Constant("u32", limits.MAX_CALL_DEPTH),
    "MAX_LEVELS": Constant("u32", limits.MAX_LEVELS),
    "MAX_POWER": Constant("i32", limits.MAX_POWER),
    "MAX_ITEM_WORDS": Constant("u32", 8, "words of an item of a container"),
    "MAX_TUPLE_WORDS": Constant("u32", 32, "words of a tuple that is no item, if it were one"),
    "MAX_TYPE_DEPTH": Constant("u32", 4, "containers inside one another"),
    "MAX_FRAMES": Constant("u32", 12, "bodies inside one another"),
    "MAX_ARGS": Constant("u32", 4, "arguments of a call, but for those that only have to be there"),
    "MAX_COLUMN_ROWS": Constant("u32", 512, "words of the slots of a columnar body"),
    "MAX_COLUMN_WORDS": Constant("u32", 4, "words of a value there"),
    "MAX_CELL_WORDS": Constant("u32", 256, "words of an expression over cells"),
    "MAX_CELL_STACK": Constant("u32", 16, "values it holds at once"),
    "NOWHERE": Constant("u32", 0xFFFFFFFF, "no place"),
    "NONE": Constant("i32", limits.INT_MIN, "None, where an integer or None is meant"),
    "IJ_BITS": Constant("u32", 16, "of the row and of the column in the key of an IJ (core/values.h)"),
    "PLACE_BITS": Constant("u32", 12, "of the row and of the column in the key of a Cell,"),
    "COLOUR_BITS": Constant("u32", 8, "and of its colour"),
    "KIND_BITS": Constant("u32", 0xFF, "of a word of a shape (core/digest.h) that is a kind"),
    "BOOL_BITS": Constant("u32", 8, "the first of the bits above that say which numbers of a scalar are booleans"),
    "GOLDEN": Constant("u64", 0x9E3779B97F4A7C15, "of hashes: what places are multiplied by, and the seeds"),
    "MIX_1": Constant("u64", 0xBF58476D1CE4E5B9),
    "MIX_2": Constant("u64", 0x94D049BB133111EB),
    "GRID_SEED": Constant("u64", 0x67726964),
    "VALUE_SEED": Constant("u64", 0x76616C7565),
    "FAILED_SEED": Constant("u64", 0x6661696C),
    "MANY_SEED": Constant("u64", 0x6D616E79),
    "POOL_UNIT": Constant("u32", 16, "of a pool on a GPU: bytes of grids, words of values"),
    "MOST_GIANTS": Constant("u32", 16384, "calls of a wave that are left to blocks"),
    "THREAD_PIECE": Constant("u32", 64, "words of the heap that a group of a wave takes at a time: a thread,"),
    "WARP_PIECE": Constant("u32", 4096, "a warp,"),
    "BLOCK_PIECE": Constant("u32", 1 << 17, "a block, which is for what is large"),
}


def constant(name: str) -> int:
    """The value of one of CONSTANTS."""
    return CONSTANTS[name].value


MAX_ARGS: Final = constant("MAX_ARGS")
MAX_FRAMES: Final = constant("MAX_FRAMES")
NOWHERE: Final = constant("NOWHERE")
POOL_UNIT: Final = constant("POOL_UNIT")
NOT_RUN: Final = CALL_STATUSES["NOT_RUN"]
NOT_OF_TYPE: Final = CALL_STATUSES["NOT_OF_TYPE"]

# --- bytecode ---
INSTRUCTION: Final = Struct(
    "InstructionHead",
    "What an instruction begins with; behind it stand the slots of its arguments, their types, and extra words. HALT, "
    "END_BODY and CHARGE have the first two words alone in common with it.",
    ("u32", "op length"),
    ("u32", "dst", "the slot of the result"),
    ("i32", "times", "how often it counts towards the steps of the loop it is in; -1 outside of loops"),
    ("u32", "cost_place", "where its own steps are kept for bodies that are charged for them; 0 for nowhere"),
    ("u32", "strict", "how many arguments, from the first, fail it when they have failed"),
    ("u32", "count", "of arguments"),
    ("u32", "type", "of the result"),
)
BODY: Final = Struct(
    "BodyHead",
    "A body as its loop names it; behind it stand slot and type of each parameter.",
    ("u32", "code", "its place"),
    ("u32", "result", "a slot"),
    ("u32", "type", "of the result"),
    ("u32", "params"),
)
COLUMNS: Final = Struct(
    "ColumnsHead",
    "Behind its bodies, what a columnar loop needs; then a bit for each word of the body's slots, then code.",
    ("u32", "first rows", "where the body's slots are"),
    ("u32", "scope", "how many of the loops around it must stay at the same item for its containers to stay the same"),
    ("u32", "result", "a place"),
    ("u32", "code_words"),
)
TYPE_DESC: Final = Struct(
    "TypeDesc",
    "A row of the table of types.",
    ("u32", "kind"),
    ("u32", "item", "of a set or tuple of any length: the type of its items"),
    ("u32", "slot_words item_words", "how many a value takes in a slot, and in a container"),
    ("u32", "leaves", "the size of a value, where that is the same for all; else 0"),
    ("u32", "flat_first flat_count", "of a tuple of known parts: those, in the table of parts"),
    ("u32", "scalar", "whether it holds no offsets"),
)
TYPED_SLOT: Final = Struct("TypedSlot", "An output or an argument of a program.", ("u32", "slot type"))

# --- samples ---
PACKED: Final = Struct(
    "Packed",
    "Many grids in one buffer of bytes; samples and demonstrations name them by number.",
    ("const u8*", "cells"),
    ("const i64*", "offset"),
    ("const i32*", "height width"),
    ("const i32*", "input", "of each sample"),
    ("const i32*", "expected", "of each sample; -1 where it is not known"),
    ("const i32*", "task", "of each sample"),
    ("const i32*", "first", "of each task, its first demonstration"),
    ("const i32*", "count", "of each task, how many"),
    ("const i32*", "demo", "two grids per demonstration"),
)

# --- waves on a GPU: numbers, and addresses that are 0 for what is not asked for ---
WAVE_PLACE: Final = Struct(
    "WavePlace",
    "Where the values of a node are, its slots one behind the other: a call of index i has the i-th, or, with a "
    "map, that of the number the map has for i. A constant has a stride of 0.",
    ("u32", "base stride", "in words of the heap"),
    ("u64", "map", "the address of numbers, or 0"),
)
WAVE_ARENA: Final = Struct(
    "WaveArena", "A group's piece of the heap, which it keeps from wave to wave.", ("u32", "top capacity")
)
WAVE_PHASES: Final = Enum(
    "WavePhase",
    "What a wave does with its nodes: calls, or one of the steps of a loop (native/waves/loops.h).",
    ("CALLS", 0),
    ("OPEN", 1, "how many items each call of a loop has"),
    ("FRAMES", 2, "memory for what a body has for each item"),
    ("OWNERS", 3, "of each item the loop's call it is of"),
    ("MAPS", 4, "and the calls around that"),
    ("LOAD", 5, "a parameter of a body, from the item"),
    ("CHARGES", 6, "steps of an item for what was taken out of its body"),
    ("ADVANCE", 7, "what a power's body gave is its parameter next"),
    ("GATHER", 8, "what a loop's call gives, from what its body gave for the items"),
    prefix="WAVE_",
)
LOADS: Final = Enum(
    "WaveLoad",
    "Which item of its container a parameter takes, for the k-th of a loop's items.",
    ("ITEM", 0),
    ("LEFT", 1, "of pairs: k over the count of the second container"),
    ("RIGHT", 2, "and what is left of that"),
    ("VALUE", 3, "none: a value to begin with, and how often the body is called"),
    prefix="LOAD_",
)
WAVE_NODE: Final = Struct(
    "WaveNode",
    "A node of a wave, but for its places.",
    ("u64", "count", "the address of how many indexes its domain has"),
    ("u64", "frames", "the address of the frame of a loop's first body, or 0"),
    ("u32", "times", "how often its steps count"),
    ("u32", "which", "a number that the phase knows"),
)
WAVE_RUN: Final = Struct(
    "WaveRun",
    "Nodes of a wave one behind the other that have the same domain.",
    ("u64", "count", "the address of how many indexes that has"),
    ("u32", "first nodes", "the number of the first node, and how many there are"),
)
WAVE_FRAME: Final = Struct(
    "WaveFrame",
    "The values of one domain: a slot of so many words for each index, the slots of a kind one behind the other.",
    ("u64", "opened", "items that calls of the loop have asked for so far"),
    ("u32", "base", "where it begins in the heap"),
    ("u32", "count", "of indexes"),
    ("u32", "words", "for each index"),
    ("u32", "most", "indexes that there were at a time so far"),
    ("u64", "patches patch_count", "the places that name it"),
)
WAVE_PATCH: Final = Struct(
    "WavePatch",
    "What a frame changes in a place once it is there.",
    ("u32", "place", "its number"),
    ("u32", "frame", "that of the frame the slot is in, or NOWHERE where its base stays"),
    ("u32", "offset", "of the slot in that frame, for each index"),
    ("u32", "map", "where the map is in the new frame, for each index, or NOWHERE for none"),
)
WAVE_GIANTS: Final = Struct(
    "WaveGiants",
    "Calls of a wave that take a warp too long; behind it the number of the node and the index of each.",
    ("u32", "count", "how many there are, or would be"),
    ("u32", "done", "blocks that are through with them"),
    ("u32", "most", "how many there were at most so far"),
    ("u32", "room", "how many may be put on it: none where no blocks come after the wave"),
)
WAVE_LAUNCH: Final = Struct(
    "WaveLaunch",
    "A wave: one operation, by its types, for some nodes of the graph and every index of their domains.",
    ("u64", "heap heap_words"),
    ("u64", "top", "of the heap: where the next piece begins; behind it, how often there was no room for one"),
    ("u64", "arenas max_steps"),
    ("u64", "places", "of each node those of its result, of its cost, of its steps, of its arguments, and others"),
    ("u64", "node_places", "how many these are"),
    ("u64", "nodes node_count"),
    ("u64", "runs run_count", "all nodes, by domain"),
    ("u64", "phase code types parts", "the instruction and the types, where the kernel was not compiled for them"),
    ("u64", "giants", "the address of a list of calls that are left to blocks, or 0"),
    ("u64", "giant_items", "how many items such a call has more than"),
    ("u64", "few_words", "up to which a call's arguments make it a thread's, beyond which a warp's; 0 for all of them"),
)
WAVE_INPUTS: Final = Struct(
    "WaveInputs",
    "Placing the inputs of samples and tasks; a stride of 0 for what no program uses.",
    ("u64", "heap heap_words top arenas"),
    ("u64", "samples tasks"),
    (WAVE_PLACE, "input expected demonstrations"),
    (PACKED, "packed"),
)
WAVE_LOOKED: Final = Struct(
    "WaveLooked",
    "A node whose values are looked at, and the column of the results they go to.",
    (WAVE_PLACE, "place"),
    ("u64", "shape shape_words column"),
)
WAVE_LOOK: Final = Struct(
    "WaveLook",
    "Looking at the values of some nodes, each so many; without `matches` they are not compared with what is expected.",
    ("u64", "heap heap_words top arenas"),
    ("u64", "looked looked_count count"),
    (PACKED, "samples"),
    ("u64", "columns statuses matches agreement hashes"),
    ("u64", "pool pool_bytes pool_next grid_offset grid_height grid_width largest"),
)
WAVE_TAKE: Final = Struct(
    "WaveTake",
    "Values of one node as words for the host: of each its status, and where its words are in the pool, and how many.",
    ("u64", "heap"),
    (WAVE_PLACE, "place"),
    ("u64", "count shape shape_words"),
    ("u64", "statuses starts lengths"),
    ("u64", "pool pool_words pool_next"),
)

# --- all of it ---
ENUMS: Final = (
    STATUSES, KINDS, CODES, FLAGS, TOKENS, CALL_STATUSES, CELL_CODES, WAVE_PHASES, LOADS,
)  # fmt: skip
STRUCTS: Final = (
    INSTRUCTION, BODY, COLUMNS, TYPE_DESC, TYPED_SLOT, PACKED, WAVE_PLACE, WAVE_ARENA, WAVE_NODE, WAVE_RUN, WAVE_FRAME,
    WAVE_PATCH, WAVE_GIANTS, WAVE_LAUNCH, WAVE_INPUTS, WAVE_LOOKED, WAVE_LOOK, WAVE_TAKE,
)  # fmt: skip


def cell_code_rows() -> list[tuple[str, int, int]]:
    """Of each code over cells its name, how many values it takes, and how many words stand behind it."""
    return list(_CELL_CODES)


def declaration() -> dict[str, Any]:
    """The whole ABI as plain data, without what is said about it."""
    return {
        "enums": {one.name: [one.kind, one.prefix, dict(one)] for one in ENUMS},
        "cells": _CELL_CODES,
        "constants": {name: [one.kind, one.value] for name, one in CONSTANTS.items()},
        "structs": {one.name: [[field.type_name, field.name] for field in one.fields] for one in STRUCTS},
        "patterns": PATTERNS,
        "functions": [one[:-1] for one in FUNCTIONS],
        "loops": LOOPS,
    }


def digest(declared: dict[str, Any]) -> int:
    """64 bits that stand for a declaration."""
    text = json.dumps(declared, sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


VERSION: Final = digest(declaration())
VERSION_TEXT: Final = f"{VERSION:016x}"
