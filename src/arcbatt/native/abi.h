// What Python and C++ share. Generated from compiler/abi.py by `make native`; do not edit.
//
// Lists are macros: AB_CODES(ROW) is ROW(name) for every operation, and so on.
// clang-format off
#pragma once

#include "core/portability.h"

namespace arcbatt {

// A digest of all that is declared here.
constexpr u64 ABI_VERSION = 0x1651549c5f3e4c64ull;

// What became of a value. Of several failed arguments a call takes the least status, so the order is the precedence:
// what the engine could not do comes before what the language says fails, in the language's own order.
enum Status : u32 {
    OK = 0,
    OVERFLOW_ = 1,  // the arena is too small: run again with a bigger one
    ESCAPE = 2,  // the value has no form here (a ragged grid, a colour beyond a byte): run on the reference
    LIMIT = 3,
    TYPE = 4,
    EMPTY = 5,
    BOUNDS = 6,
    ZERO_DIVISION = 7,
    EMPTY_TUPLE = 8,  // no failure: the empty tuple where an IJ is meant (the corner of nothing)
};

// Kinds of types.
enum Kind : u32 {
    K_INT = 0,
    K_OPT = 1,
    K_IJ = 2,
    K_CELL = 3,
    K_GRID = 4,
    K_SET = 5,
    K_SEQ = 6,
    K_TUP = 7,
};

// Operations of the interpreter beyond the native functions: its own, generic primitives, then those with bodies.
enum Code : u32 {
    HALT = 1000,
    END_BODY = 1001,
    CHARGE = 1002,
    COPY = 1003,
    CAST = 1004,
    NEVER = 1005,
    GUARD = 1006,
    CHOOSE = 1007,
    POWER_COUNT = 1008,
    AS_EMPTY = 1009,
    PAIRED = 1010,
    UNEQUAL = 1011,
    EQUAL_EMPTY = 1012,
    MERGE_GRIDS = 1013,
    PART = 1014,
    CELLS = 1015,
    CUSTOM = 1016,
    COUNT = 1017,
    ABSOLUTE = 1018,
    EQUAL = 1019,
    ASTUPLE = 1020,
    COPY_COUNTED = 1021,
    BRANCH = 1022,
    SIZE = 1023,
    CONTAINED = 1024,
    COMBINE = 1025,
    INTERSECTION = 1026,
    DIFFERENCE = 1027,
    INSERT = 1028,
    REMOVE = 1029,
    INITSET = 1030,
    REPEAT = 1031,
    DEDUPE = 1032,
    MERGE = 1033,
    NTH = 1034,
    OTHER = 1035,
    ITEMCOUNT = 1036,
    MAXIMUM = 1037,
    MINIMUM = 1038,
    MOSTCOMMON = 1039,
    LEASTCOMMON = 1040,
    SIZEFILTER = 1041,
    PRODUCT = 1042,
    PAIR = 1043,
    LOOP_CHOOSE = 1044,
    LOOP_POWER = 1045,
    LOOP_ORDER = 1046,
    LOOP_ARGMAX = 1047,
    LOOP_ARGMIN = 1048,
    LOOP_VALMAX = 1049,
    LOOP_VALMIN = 1050,
    LOOP_SFILTER = 1051,
    LOOP_MFILTER = 1052,
    LOOP_EXTRACT = 1053,
    LOOP_APPLY = 1054,
    LOOP_RAPPLY = 1055,
    LOOP_MAPPLY = 1056,
    LOOP_PAPPLY = 1057,
    LOOP_MPAPPLY = 1058,
    LOOP_PRAPPLY = 1059,
    LOOP_FOLD = 1060,
    LOOP_ITERATE = 1061,
};

// Flags of an instruction, its first extra word.
enum Flag : u32 {
    MULTIPLIES = 1,  // the sizes of its two arguments, multiplied, count as steps
    HIDDEN_ARG = 2,  // its last argument is not written in the program (the rank of `first`)
    FIXED_COST = 8,  // the second extra word is what it costs
    OVER_FUNCTIONS = 16,  // a loop over functions made from the items: each counts for one
    FUNCTIONS_VALUE = 32,  // and its second argument is the value they are called with
    NEVER_EQUAL = 64,  // the value it looks for is of a kind no item has
    ORIGINALS = 128,  // behind its arguments stand the forms they had in the program, which are what counts
    COLUMNAR = 256,  // a loop whose body can run for many items at once
    AS_PART = 1024,  // what it counts is a part of a tuple, so that it counts for 1 at least
};

// What the hash of a value is taken over.
enum Token : u64 {
    T_NUMBER = 1,
    T_NONE = 2,
    T_TUPLE = 3,
    T_SET = 4,
    T_FUNCTION = 5,  // of the reference alone
};

// Statuses of calls that no engine has run.
enum CallStatus : u8 {
    NOT_RUN = 254,
    NOT_OF_TYPE = 255,
};

// Codes of expressions over cells.
enum CellCode : u32 {
    CELL_NUMBER = 0,
    CELL_ARG = 1,
    CELL_X = 2,
    CELL_I = 3,
    CELL_J = 4,
    CELL_H = 5,
    CELL_W = 6,
    CELL_AT = 7,
    CELL_ADD = 8,
    CELL_SUBTRACT = 9,
    CELL_MULTIPLY = 10,
    CELL_DIVIDE = 11,
    CELL_MODULO = 12,
    CELL_LEAST = 13,
    CELL_MOST = 14,
    CELL_EQUAL = 15,
    CELL_UNEQUAL = 16,
    CELL_LESS = 17,
    CELL_NO_MORE = 18,
    CELL_AND = 19,
    CELL_OR = 20,
    CELL_NEGATE = 21,
    CELL_MAGNITUDE = 22,
    CELL_NOT = 23,
    CELL_WHERE = 24,
};

// What a wave does with its nodes: calls, or one of the steps of a loop (native/waves/loops.h).
enum WavePhase : u32 {
    WAVE_CALLS = 0,
    WAVE_OPEN = 1,  // how many items each call of a loop has
    WAVE_FRAMES = 2,  // memory for what a body has for each item
    WAVE_OWNERS = 3,  // of each item the loop's call it is of
    WAVE_MAPS = 4,  // and the calls around that
    WAVE_LOAD = 5,  // a parameter of a body, from the item
    WAVE_CHARGES = 6,  // steps of an item for what was taken out of its body
    WAVE_ADVANCE = 7,  // what a power's body gave is its parameter next
    WAVE_GATHER = 8,  // what a loop's call gives, from what its body gave for the items
};

// Which item of its container a parameter takes, for the k-th of a loop's items.
enum WaveLoad : u32 {
    LOAD_ITEM = 0,
    LOAD_LEFT = 1,  // of pairs: k over the count of the second container
    LOAD_RIGHT = 2,  // and what is left of that
    LOAD_VALUE = 3,  // none: a value to begin with, and how often the body is called
};

constexpr u32 FIRST_LOOP = 1044u;  // opcodes from here on have bodies
constexpr i32 MAX_SIDE = 1024;  // limits of the language
constexpr i32 MAX_CELLS = 65536;
constexpr u32 MAX_ITEMS = 65536u;
constexpr u32 MAX_SIZE = 1048576u;
constexpr u64 MAX_STEPS = 200000000ull;
constexpr i32 MAX_FUNCTION_CALLS = 4000;
constexpr u32 MAX_DEPTH = 100u;
constexpr u32 MAX_CALL_DEPTH = 200u;
constexpr u32 MAX_LEVELS = 256u;
constexpr i32 MAX_POWER = 65536;
constexpr u32 MAX_ITEM_WORDS = 8u;  // words of an item of a container
constexpr u32 MAX_TUPLE_WORDS = 32u;  // words of a tuple that is no item, if it were one
constexpr u32 MAX_TYPE_DEPTH = 4u;  // containers inside one another
constexpr u32 MAX_FRAMES = 12u;  // bodies inside one another
constexpr u32 MAX_ARGS = 4u;  // arguments of a call, but for those that only have to be there
constexpr u32 MAX_COLUMN_ROWS = 512u;  // words of the slots of a columnar body
constexpr u32 MAX_COLUMN_WORDS = 4u;  // words of a value there
constexpr u32 MAX_CELL_WORDS = 256u;  // words of an expression over cells
constexpr u32 MAX_CELL_STACK = 16u;  // values it holds at once
constexpr u32 NOWHERE = 4294967295u;  // no place
constexpr i32 NONE = -2147483647 - 1;  // None, where an integer or None is meant
constexpr u32 IJ_BITS = 16u;  // of the row and of the column in the key of an IJ (core/values.h)
constexpr u32 PLACE_BITS = 12u;  // of the row and of the column in the key of a Cell,
constexpr u32 COLOUR_BITS = 8u;  // and of its colour
constexpr u32 KIND_BITS = 255u;  // of a word of a shape (core/digest.h) that is a kind
constexpr u32 BOOL_BITS = 8u;  // the first of the bits above that say which numbers of a scalar are booleans
constexpr u64 GOLDEN = 0x9E3779B97F4A7C15ull;  // of hashes: what places are multiplied by, and the seeds
constexpr u64 MIX_1 = 0xBF58476D1CE4E5B9ull;
constexpr u64 MIX_2 = 0x94D049BB133111EBull;
constexpr u64 GRID_SEED = 1735551332ull;
constexpr u64 VALUE_SEED = 0x76616C7565ull;
constexpr u64 FAILED_SEED = 1717660012ull;
constexpr u64 MANY_SEED = 1835101817ull;
constexpr u32 POOL_UNIT = 16u;  // of a pool on a GPU: bytes of grids, words of values
constexpr u32 MOST_GIANTS = 16384u;  // calls of a wave that are left to blocks
constexpr u32 THREAD_PIECE = 64u;  // words of the heap that a group of a wave takes at a time: a thread,
constexpr u32 WARP_PIECE = 4096u;  // a warp,
constexpr u32 BLOCK_PIECE = 131072u;  // a block, which is for what is large

// What an instruction begins with; behind it stand the slots of its arguments, their types, and extra words. HALT,
// END_BODY and CHARGE have the first two words alone in common with it.
struct InstructionHead {
    u32 op, length;
    u32 dst;  // the slot of the result
    i32 times;  // how often it counts towards the steps of the loop it is in; -1 outside of loops
    u32 cost_place;  // where its own steps are kept for bodies that are charged for them; 0 for nowhere
    u32 strict;  // how many arguments, from the first, fail it when they have failed
    u32 count;  // of arguments
    u32 type;  // of the result
};

// A body as its loop names it; behind it stand slot and type of each parameter.
struct BodyHead {
    u32 code;  // its place
    u32 result;  // a slot
    u32 type;  // of the result
    u32 params;
};

// Behind its bodies, what a columnar loop needs; then a bit for each word of the body's slots, then code.
struct ColumnsHead {
    u32 first, rows;  // where the body's slots are
    u32 scope;  // how many of the loops around it must stay at the same item for its containers to stay the same
    u32 result;  // a place
    u32 code_words;
};

// A row of the table of types.
struct TypeDesc {
    u32 kind;
    u32 item;  // of a set or tuple of any length: the type of its items
    u32 slot_words, item_words;  // how many a value takes in a slot, and in a container
    u32 leaves;  // the size of a value, where that is the same for all; else 0
    u32 flat_first, flat_count;  // of a tuple of known parts: those, in the table of parts
    u32 scalar;  // whether it holds no offsets
};

// An output or an argument of a program.
struct TypedSlot {
    u32 slot, type;
};

// Many grids in one buffer of bytes; samples and demonstrations name them by number.
struct Packed {
    const u8 *cells;
    const i64 *offset;
    const i32 *height, *width;
    const i32 *input;  // of each sample
    const i32 *expected;  // of each sample; -1 where it is not known
    const i32 *task;  // of each sample
    const i32 *first;  // of each task, its first demonstration
    const i32 *count;  // of each task, how many
    const i32 *demo;  // two grids per demonstration
};

// Where the values of a node are, its slots one behind the other: a call of index i has the i-th, or, with a map, that
// of the number the map has for i. A constant has a stride of 0.
struct WavePlace {
    u32 base, stride;  // in words of the heap
    u64 map;  // the address of numbers, or 0
};

// A group's piece of the heap, which it keeps from wave to wave.
struct WaveArena {
    u32 top, capacity;
};

// A node of a wave, but for its places.
struct WaveNode {
    u64 count;  // the address of how many indexes its domain has
    u64 frames;  // the address of the frame of a loop's first body, or 0
    u32 times;  // how often its steps count
    u32 which;  // a number that the phase knows
};

// Nodes of a wave one behind the other that have the same domain.
struct WaveRun {
    u64 count;  // the address of how many indexes that has
    u32 first, nodes;  // the number of the first node, and how many there are
};

// The values of one domain: a slot of so many words for each index, the slots of a kind one behind the other.
struct WaveFrame {
    u64 opened;  // items that calls of the loop have asked for so far
    u32 base;  // where it begins in the heap
    u32 count;  // of indexes
    u32 words;  // for each index
    u32 most;  // indexes that there were at a time so far
    u64 patches, patch_count;  // the places that name it
};

// What a frame changes in a place once it is there.
struct WavePatch {
    u32 place;  // its number
    u32 frame;  // that of the frame the slot is in, or NOWHERE where its base stays
    u32 offset;  // of the slot in that frame, for each index
    u32 map;  // where the map is in the new frame, for each index, or NOWHERE for none
};

// Calls of a wave that take a warp too long; behind it the number of the node and the index of each.
struct WaveGiants {
    u32 count;  // how many there are, or would be
    u32 done;  // blocks that are through with them
    u32 most;  // how many there were at most so far
    u32 room;  // how many may be put on it: none where no blocks come after the wave
};

// A wave: one operation, by its types, for some nodes of the graph and every index of their domains.
struct WaveLaunch {
    u64 heap, heap_words;
    u64 top;  // of the heap: where the next piece begins; behind it, how often there was no room for one
    u64 arenas, max_steps;
    u64 places;  // of each node those of its result, of its cost, of its steps, of its arguments, and others
    u64 node_places;  // how many these are
    u64 nodes, node_count;
    u64 runs, run_count;  // all nodes, by domain
    u64 phase, code, types, parts;  // the instruction and the types, where the kernel was not compiled for them
    u64 giants;  // the address of a list of calls that are left to blocks, or 0
    u64 giant_items;  // how many items such a call has more than
    u64 few_words;  // up to which a call's arguments make it a thread's, beyond which a warp's; 0 for all of them
};

// Placing the inputs of samples and tasks; a stride of 0 for what no program uses.
struct WaveInputs {
    u64 heap, heap_words, top, arenas;
    u64 samples, tasks;
    WavePlace input, expected, demonstrations;
    Packed packed;
};

// A node whose values are looked at, and the column of the results they go to.
struct WaveLooked {
    WavePlace place;
    u64 shape, shape_words, column;
};

// Looking at the values of some nodes, each so many; without `matches` they are not compared with what is expected.
struct WaveLook {
    u64 heap, heap_words, top, arenas;
    u64 looked, looked_count, count;
    Packed samples;
    u64 columns, statuses, matches, agreement, hashes;
    u64 pool, pool_bytes, pool_next, grid_offset, grid_height, grid_width, largest;
};

// Values of one node as words for the host: of each its status, and where its words are in the pool, and how many.
struct WaveTake {
    u64 heap;
    WavePlace place;
    u64 count, shape, shape_words;
    u64 statuses, starts, lengths;
    u64 pool, pool_words, pool_next;
};

// Every struct and its size, every field and where it begins, in bytes.
#define AB_STRUCTS(STRUCT, FIELD) \
    STRUCT(InstructionHead, 32) \
    FIELD(InstructionHead, op, 0) \
    FIELD(InstructionHead, length, 4) \
    FIELD(InstructionHead, dst, 8) \
    FIELD(InstructionHead, times, 12) \
    FIELD(InstructionHead, cost_place, 16) \
    FIELD(InstructionHead, strict, 20) \
    FIELD(InstructionHead, count, 24) \
    FIELD(InstructionHead, type, 28) \
    STRUCT(BodyHead, 16) \
    FIELD(BodyHead, code, 0) \
    FIELD(BodyHead, result, 4) \
    FIELD(BodyHead, type, 8) \
    FIELD(BodyHead, params, 12) \
    STRUCT(ColumnsHead, 20) \
    FIELD(ColumnsHead, first, 0) \
    FIELD(ColumnsHead, rows, 4) \
    FIELD(ColumnsHead, scope, 8) \
    FIELD(ColumnsHead, result, 12) \
    FIELD(ColumnsHead, code_words, 16) \
    STRUCT(TypeDesc, 32) \
    FIELD(TypeDesc, kind, 0) \
    FIELD(TypeDesc, item, 4) \
    FIELD(TypeDesc, slot_words, 8) \
    FIELD(TypeDesc, item_words, 12) \
    FIELD(TypeDesc, leaves, 16) \
    FIELD(TypeDesc, flat_first, 20) \
    FIELD(TypeDesc, flat_count, 24) \
    FIELD(TypeDesc, scalar, 28) \
    STRUCT(TypedSlot, 8) \
    FIELD(TypedSlot, slot, 0) \
    FIELD(TypedSlot, type, 4) \
    STRUCT(Packed, 80) \
    FIELD(Packed, cells, 0) \
    FIELD(Packed, offset, 8) \
    FIELD(Packed, height, 16) \
    FIELD(Packed, width, 24) \
    FIELD(Packed, input, 32) \
    FIELD(Packed, expected, 40) \
    FIELD(Packed, task, 48) \
    FIELD(Packed, first, 56) \
    FIELD(Packed, count, 64) \
    FIELD(Packed, demo, 72) \
    STRUCT(WavePlace, 16) \
    FIELD(WavePlace, base, 0) \
    FIELD(WavePlace, stride, 4) \
    FIELD(WavePlace, map, 8) \
    STRUCT(WaveArena, 8) \
    FIELD(WaveArena, top, 0) \
    FIELD(WaveArena, capacity, 4) \
    STRUCT(WaveNode, 24) \
    FIELD(WaveNode, count, 0) \
    FIELD(WaveNode, frames, 8) \
    FIELD(WaveNode, times, 16) \
    FIELD(WaveNode, which, 20) \
    STRUCT(WaveRun, 16) \
    FIELD(WaveRun, count, 0) \
    FIELD(WaveRun, first, 8) \
    FIELD(WaveRun, nodes, 12) \
    STRUCT(WaveFrame, 40) \
    FIELD(WaveFrame, opened, 0) \
    FIELD(WaveFrame, base, 8) \
    FIELD(WaveFrame, count, 12) \
    FIELD(WaveFrame, words, 16) \
    FIELD(WaveFrame, most, 20) \
    FIELD(WaveFrame, patches, 24) \
    FIELD(WaveFrame, patch_count, 32) \
    STRUCT(WavePatch, 16) \
    FIELD(WavePatch, place, 0) \
    FIELD(WavePatch, frame, 4) \
    FIELD(WavePatch, offset, 8) \
    FIELD(WavePatch, map, 12) \
    STRUCT(WaveGiants, 16) \
    FIELD(WaveGiants, count, 0) \
    FIELD(WaveGiants, done, 4) \
    FIELD(WaveGiants, most, 8) \
    FIELD(WaveGiants, room, 12) \
    STRUCT(WaveLaunch, 144) \
    FIELD(WaveLaunch, heap, 0) \
    FIELD(WaveLaunch, heap_words, 8) \
    FIELD(WaveLaunch, top, 16) \
    FIELD(WaveLaunch, arenas, 24) \
    FIELD(WaveLaunch, max_steps, 32) \
    FIELD(WaveLaunch, places, 40) \
    FIELD(WaveLaunch, node_places, 48) \
    FIELD(WaveLaunch, nodes, 56) \
    FIELD(WaveLaunch, node_count, 64) \
    FIELD(WaveLaunch, runs, 72) \
    FIELD(WaveLaunch, run_count, 80) \
    FIELD(WaveLaunch, phase, 88) \
    FIELD(WaveLaunch, code, 96) \
    FIELD(WaveLaunch, types, 104) \
    FIELD(WaveLaunch, parts, 112) \
    FIELD(WaveLaunch, giants, 120) \
    FIELD(WaveLaunch, giant_items, 128) \
    FIELD(WaveLaunch, few_words, 136) \
    STRUCT(WaveInputs, 176) \
    FIELD(WaveInputs, heap, 0) \
    FIELD(WaveInputs, heap_words, 8) \
    FIELD(WaveInputs, top, 16) \
    FIELD(WaveInputs, arenas, 24) \
    FIELD(WaveInputs, samples, 32) \
    FIELD(WaveInputs, tasks, 40) \
    FIELD(WaveInputs, input, 48) \
    FIELD(WaveInputs, expected, 64) \
    FIELD(WaveInputs, demonstrations, 80) \
    FIELD(WaveInputs, packed, 96) \
    STRUCT(WaveLooked, 40) \
    FIELD(WaveLooked, place, 0) \
    FIELD(WaveLooked, shape, 16) \
    FIELD(WaveLooked, shape_words, 24) \
    FIELD(WaveLooked, column, 32) \
    STRUCT(WaveLook, 232) \
    FIELD(WaveLook, heap, 0) \
    FIELD(WaveLook, heap_words, 8) \
    FIELD(WaveLook, top, 16) \
    FIELD(WaveLook, arenas, 24) \
    FIELD(WaveLook, looked, 32) \
    FIELD(WaveLook, looked_count, 40) \
    FIELD(WaveLook, count, 48) \
    FIELD(WaveLook, samples, 56) \
    FIELD(WaveLook, columns, 136) \
    FIELD(WaveLook, statuses, 144) \
    FIELD(WaveLook, matches, 152) \
    FIELD(WaveLook, agreement, 160) \
    FIELD(WaveLook, hashes, 168) \
    FIELD(WaveLook, pool, 176) \
    FIELD(WaveLook, pool_bytes, 184) \
    FIELD(WaveLook, pool_next, 192) \
    FIELD(WaveLook, grid_offset, 200) \
    FIELD(WaveLook, grid_height, 208) \
    FIELD(WaveLook, grid_width, 216) \
    FIELD(WaveLook, largest, 224) \
    STRUCT(WaveTake, 96) \
    FIELD(WaveTake, heap, 0) \
    FIELD(WaveTake, place, 8) \
    FIELD(WaveTake, count, 24) \
    FIELD(WaveTake, shape, 32) \
    FIELD(WaveTake, shape_words, 40) \
    FIELD(WaveTake, statuses, 48) \
    FIELD(WaveTake, starts, 56) \
    FIELD(WaveTake, lengths, 64) \
    FIELD(WaveTake, pool, 72) \
    FIELD(WaveTake, pool_words, 80) \
    FIELD(WaveTake, pool_next, 88)
#define AB_SIZE(type, size) static_assert(sizeof(type) == size, #type " has another size in abi.py");
#if AB_DEVICE  // NVRTC has no offsetof
#define AB_OFFSET(type, field, offset)
#else
#define AB_OFFSET(type, field, offset) \
    static_assert(__builtin_offsetof(type, field) == offset, #type "." #field " lies elsewhere in abi.py");
#endif
AB_STRUCTS(AB_SIZE, AB_OFFSET)
#undef AB_SIZE
#undef AB_OFFSET

}  // namespace arcbatt

// Names of statuses, which are numbered from 0 on, and of operations.
#define AB_STATUSES(ROW) \
    ROW(OK) \
    ROW(OVERFLOW_) \
    ROW(ESCAPE) \
    ROW(LIMIT) \
    ROW(TYPE) \
    ROW(EMPTY) \
    ROW(BOUNDS) \
    ROW(ZERO_DIVISION) \
    ROW(EMPTY_TUPLE)
#define AB_CODES(ROW) \
    ROW(HALT) \
    ROW(END_BODY) \
    ROW(CHARGE) \
    ROW(COPY) \
    ROW(CAST) \
    ROW(NEVER) \
    ROW(GUARD) \
    ROW(CHOOSE) \
    ROW(POWER_COUNT) \
    ROW(AS_EMPTY) \
    ROW(PAIRED) \
    ROW(UNEQUAL) \
    ROW(EQUAL_EMPTY) \
    ROW(MERGE_GRIDS) \
    ROW(PART) \
    ROW(CELLS) \
    ROW(CUSTOM) \
    ROW(COUNT) \
    ROW(ABSOLUTE) \
    ROW(EQUAL) \
    ROW(ASTUPLE) \
    ROW(COPY_COUNTED) \
    ROW(BRANCH) \
    ROW(SIZE) \
    ROW(CONTAINED) \
    ROW(COMBINE) \
    ROW(INTERSECTION) \
    ROW(DIFFERENCE) \
    ROW(INSERT) \
    ROW(REMOVE) \
    ROW(INITSET) \
    ROW(REPEAT) \
    ROW(DEDUPE) \
    ROW(MERGE) \
    ROW(NTH) \
    ROW(OTHER) \
    ROW(ITEMCOUNT) \
    ROW(MAXIMUM) \
    ROW(MINIMUM) \
    ROW(MOSTCOMMON) \
    ROW(LEASTCOMMON) \
    ROW(SIZEFILTER) \
    ROW(PRODUCT) \
    ROW(PAIR) \
    ROW(LOOP_CHOOSE) \
    ROW(LOOP_POWER) \
    ROW(LOOP_ORDER) \
    ROW(LOOP_ARGMAX) \
    ROW(LOOP_ARGMIN) \
    ROW(LOOP_VALMAX) \
    ROW(LOOP_VALMIN) \
    ROW(LOOP_SFILTER) \
    ROW(LOOP_MFILTER) \
    ROW(LOOP_EXTRACT) \
    ROW(LOOP_APPLY) \
    ROW(LOOP_RAPPLY) \
    ROW(LOOP_MAPPLY) \
    ROW(LOOP_PAPPLY) \
    ROW(LOOP_MPAPPLY) \
    ROW(LOOP_PRAPPLY) \
    ROW(LOOP_FOLD) \
    ROW(LOOP_ITERATE)
#define AB_GENERIC_CALLS(ROW) \
    ROW(COPY) \
    ROW(CAST) \
    ROW(NEVER) \
    ROW(POWER_COUNT) \
    ROW(AS_EMPTY) \
    ROW(PAIRED) \
    ROW(UNEQUAL) \
    ROW(EQUAL_EMPTY) \
    ROW(MERGE_GRIDS) \
    ROW(PART) \
    ROW(CELLS) \
    ROW(CUSTOM) \
    ROW(EQUAL) \
    ROW(ASTUPLE) \
    ROW(COPY_COUNTED) \
    ROW(BRANCH) \
    ROW(SIZE) \
    ROW(CONTAINED) \
    ROW(COMBINE) \
    ROW(INTERSECTION) \
    ROW(DIFFERENCE) \
    ROW(INSERT) \
    ROW(REMOVE) \
    ROW(INITSET) \
    ROW(REPEAT) \
    ROW(DEDUPE) \
    ROW(MERGE) \
    ROW(NTH) \
    ROW(OTHER) \
    ROW(ITEMCOUNT) \
    ROW(MAXIMUM) \
    ROW(MINIMUM) \
    ROW(MOSTCOMMON) \
    ROW(LEASTCOMMON) \
    ROW(SIZEFILTER) \
    ROW(PRODUCT) \
    ROW(PAIR)

// Codes over cells: name, how many values one takes, how many words stand behind it.
#define AB_CELL_CODES(ROW) \
    ROW(NUMBER, 0, 1) \
    ROW(ARG, 0, 1) \
    ROW(X, 0, 0) \
    ROW(I, 0, 0) \
    ROW(J, 0, 0) \
    ROW(H, 0, 0) \
    ROW(W, 0, 0) \
    ROW(AT, 2, 0) \
    ROW(ADD, 2, 0) \
    ROW(SUBTRACT, 2, 0) \
    ROW(MULTIPLY, 2, 0) \
    ROW(DIVIDE, 2, 0) \
    ROW(MODULO, 2, 0) \
    ROW(LEAST, 2, 0) \
    ROW(MOST, 2, 0) \
    ROW(EQUAL, 2, 0) \
    ROW(UNEQUAL, 2, 0) \
    ROW(LESS, 2, 0) \
    ROW(NO_MORE, 2, 0) \
    ROW(AND, 2, 0) \
    ROW(OR, 2, 0) \
    ROW(NEGATE, 1, 0) \
    ROW(MAGNITUDE, 1, 0) \
    ROW(NOT, 1, 0) \
    ROW(WHERE, 3, 0)

// Native functions: opcode, name, C++ types of the result and of the parameters.
#define AB_VARIANTS(ROW) \
    ROW(0, add, i32, i32, i32) /* add: Int, Int -> Int */ \
    ROW(1, add, IJ, IJ, IJ) /* add: IJ, IJ -> IJ */ \
    ROW(2, add, IJ, i32, IJ) /* add: Int, IJ -> IJ */ \
    ROW(3, add, IJ, IJ, i32) /* add: IJ, Int -> IJ */ \
    ROW(4, subtract, i32, i32, i32) /* subtract: Int, Int -> Int */ \
    ROW(5, subtract, IJ, IJ, IJ) /* subtract: IJ, IJ -> IJ */ \
    ROW(6, subtract, IJ, i32, IJ) /* subtract: Int, IJ -> IJ */ \
    ROW(7, subtract, IJ, IJ, i32) /* subtract: IJ, Int -> IJ */ \
    ROW(8, multiply, i32, i32, i32) /* multiply: Int, Int -> Int */ \
    ROW(9, multiply, IJ, IJ, IJ) /* multiply: IJ, IJ -> IJ */ \
    ROW(10, multiply, IJ, i32, IJ) /* multiply: Int, IJ -> IJ */ \
    ROW(11, multiply, IJ, IJ, i32) /* multiply: IJ, Int -> IJ */ \
    ROW(12, divide, i32, i32, i32) /* divide: Int, Int -> Int */ \
    ROW(13, divide, IJ, IJ, IJ) /* divide: IJ, IJ -> IJ */ \
    ROW(14, divide, IJ, i32, IJ) /* divide: Int, IJ -> IJ */ \
    ROW(15, divide, IJ, IJ, i32) /* divide: IJ, Int -> IJ */ \
    ROW(16, modulo, i32, i32, i32) /* modulo: Int, Int -> Int */ \
    ROW(17, modulo, IJ, IJ, IJ) /* modulo: IJ, IJ -> IJ */ \
    ROW(18, modulo, IJ, i32, IJ) /* modulo: Int, IJ -> IJ */ \
    ROW(19, modulo, IJ, IJ, i32) /* modulo: IJ, Int -> IJ */ \
    ROW(20, invert, i32, i32) /* invert: Int -> Int */ \
    ROW(21, invert, IJ, IJ) /* invert: IJ -> IJ */ \
    ROW(22, double_, i32, i32) /* double: Int -> Int */ \
    ROW(23, double_, IJ, IJ) /* double: IJ -> IJ */ \
    ROW(24, halve, i32, i32) /* halve: Int -> Int */ \
    ROW(25, halve, IJ, IJ) /* halve: IJ -> IJ */ \
    ROW(26, increment, i32, i32) /* increment: Int -> Int */ \
    ROW(27, increment, IJ, IJ) /* increment: IJ -> IJ */ \
    ROW(28, decrement, i32, i32) /* decrement: Int -> Int */ \
    ROW(29, decrement, IJ, IJ) /* decrement: IJ -> IJ */ \
    ROW(30, sign, i32, i32) /* sign: Int -> Int */ \
    ROW(31, sign, IJ, IJ) /* sign: IJ -> IJ */ \
    ROW(32, crement, i32, i32) /* crement: Int -> Int */ \
    ROW(33, crement, IJ, IJ) /* crement: IJ -> IJ */ \
    ROW(34, even, i32, i32) /* even: Int -> Bool */ \
    ROW(35, positive, i32, i32) /* positive: Int -> Bool */ \
    ROW(36, greater, i32, i32, i32) /* greater: Int, Int -> Bool */ \
    ROW(37, flip, i32, i32) /* flip: Bool -> Bool */ \
    ROW(38, both, i32, i32, i32) /* both: Bool, Bool -> Bool */ \
    ROW(39, either, i32, i32, i32) /* either: Bool, Bool -> Bool */ \
    ROW(40, toivec, IJ, i32) /* toivec: Int -> IJ */ \
    ROW(41, tojvec, IJ, i32) /* tojvec: Int -> IJ */ \
    ROW(42, interval, IntSeq, i32, i32, i32) /* interval: Int, Int, Int -> [Int] */ \
    ROW(43, mostcolor, i32, Grid) /* mostcolor: Grid -> Int */ \
    ROW(44, mostcolor, i32, Object) /* mostcolor: Object -> Int */ \
    ROW(45, leastcolor, i32, Grid) /* leastcolor: Grid -> Int */ \
    ROW(46, leastcolor, i32, Object) /* leastcolor: Object -> Int */ \
    ROW(47, palette, Ints, Grid) /* palette: Grid -> {Int} */ \
    ROW(48, palette, Ints, Object) /* palette: Object -> {Int} */ \
    ROW(49, p_g, IntSeq, Grid) /* p_g: Grid -> [Int] */ \
    ROW(50, numcolors, i32, Grid) /* numcolors: Grid -> Int */ \
    ROW(51, numcolors, i32, Object) /* numcolors: Object -> Int */ \
    ROW(52, color, i32, Object) /* color: Object -> Int */ \
    ROW(53, colorcount, i32, Grid, i32) /* colorcount: Grid, Int -> Int */ \
    ROW(54, colorcount, i32, Object, i32) /* colorcount: Object, Int -> Int */ \
    ROW(55, colorfilter, Objects, Objects, i32) /* colorfilter: {Object}, Int -> {Object} */ \
    ROW(56, colorfilter, Objects, ObjectSeq, i32) /* colorfilter: [Object], Int -> {Object} */ \
    ROW(57, height, i32, Grid) /* height: Grid -> Int */ \
    ROW(58, height, i32, Object) /* height: Object -> Int */ \
    ROW(59, height, i32, Indices) /* height: Indices -> Int */ \
    ROW(60, width, i32, Grid) /* width: Grid -> Int */ \
    ROW(61, width, i32, Object) /* width: Object -> Int */ \
    ROW(62, width, i32, Indices) /* width: Indices -> Int */ \
    ROW(63, shape, IJ, Grid) /* shape: Grid -> IJ */ \
    ROW(64, shape, IJ, Object) /* shape: Object -> IJ */ \
    ROW(65, shape, IJ, Indices) /* shape: Indices -> IJ */ \
    ROW(66, portrait, i32, Grid) /* portrait: Grid -> Bool */ \
    ROW(67, portrait, i32, Object) /* portrait: Object -> Bool */ \
    ROW(68, portrait, i32, Indices) /* portrait: Indices -> Bool */ \
    ROW(69, square, i32, Grid) /* square: Grid -> Bool */ \
    ROW(70, square, i32, Object) /* square: Object -> Bool */ \
    ROW(71, square, i32, Indices) /* square: Indices -> Bool */ \
    ROW(72, vline, i32, Object) /* vline: Object -> Bool */ \
    ROW(73, vline, i32, Indices) /* vline: Indices -> Bool */ \
    ROW(74, hline, i32, Object) /* hline: Object -> Bool */ \
    ROW(75, hline, i32, Indices) /* hline: Indices -> Bool */ \
    ROW(76, toindices, Indices, Object) /* toindices: Object -> Indices */ \
    ROW(77, toindices, Indices, Indices) /* toindices: Indices -> Indices */ \
    ROW(78, uppermost, i32, Object) /* uppermost: Object -> Int */ \
    ROW(79, uppermost, i32, Indices) /* uppermost: Indices -> Int */ \
    ROW(80, lowermost, i32, Object) /* lowermost: Object -> Int */ \
    ROW(81, lowermost, i32, Indices) /* lowermost: Indices -> Int */ \
    ROW(82, leftmost, i32, Object) /* leftmost: Object -> Int */ \
    ROW(83, leftmost, i32, Indices) /* leftmost: Indices -> Int */ \
    ROW(84, rightmost, i32, Object) /* rightmost: Object -> Int */ \
    ROW(85, rightmost, i32, Indices) /* rightmost: Indices -> Int */ \
    ROW(86, ulcorner, IJ, Object) /* ulcorner: Object -> IJ */ \
    ROW(87, ulcorner, IJ, Indices) /* ulcorner: Indices -> IJ */ \
    ROW(88, urcorner, IJ, Object) /* urcorner: Object -> IJ */ \
    ROW(89, urcorner, IJ, Indices) /* urcorner: Indices -> IJ */ \
    ROW(90, llcorner, IJ, Object) /* llcorner: Object -> IJ */ \
    ROW(91, llcorner, IJ, Indices) /* llcorner: Indices -> IJ */ \
    ROW(92, lrcorner, IJ, Object) /* lrcorner: Object -> IJ */ \
    ROW(93, lrcorner, IJ, Indices) /* lrcorner: Indices -> IJ */ \
    ROW(94, center, IJ, Object) /* center: Object -> IJ */ \
    ROW(95, center, IJ, Indices) /* center: Indices -> IJ */ \
    ROW(96, centerofmass, IJ, Object) /* centerofmass: Object -> IJ */ \
    ROW(97, centerofmass, IJ, Indices) /* centerofmass: Indices -> IJ */ \
    ROW(98, corners, Indices, Object) /* corners: Object -> Indices */ \
    ROW(99, corners, Indices, Indices) /* corners: Indices -> Indices */ \
    ROW(100, hmatching, i32, Object, Object) /* hmatching: Object, Object -> Bool */ \
    ROW(101, hmatching, i32, Object, Indices) /* hmatching: Object, Indices -> Bool */ \
    ROW(102, hmatching, i32, Indices, Object) /* hmatching: Indices, Object -> Bool */ \
    ROW(103, hmatching, i32, Indices, Indices) /* hmatching: Indices, Indices -> Bool */ \
    ROW(104, vmatching, i32, Object, Object) /* vmatching: Object, Object -> Bool */ \
    ROW(105, vmatching, i32, Object, Indices) /* vmatching: Object, Indices -> Bool */ \
    ROW(106, vmatching, i32, Indices, Object) /* vmatching: Indices, Object -> Bool */ \
    ROW(107, vmatching, i32, Indices, Indices) /* vmatching: Indices, Indices -> Bool */ \
    ROW(108, manhattan, i32, Object, Object) /* manhattan: Object, Object -> Int */ \
    ROW(109, manhattan, i32, Object, Indices) /* manhattan: Object, Indices -> Int */ \
    ROW(110, manhattan, i32, Indices, Object) /* manhattan: Indices, Object -> Int */ \
    ROW(111, manhattan, i32, Indices, Indices) /* manhattan: Indices, Indices -> Int */ \
    ROW(112, adjacent, i32, Object, Object) /* adjacent: Object, Object -> Bool */ \
    ROW(113, adjacent, i32, Object, Indices) /* adjacent: Object, Indices -> Bool */ \
    ROW(114, adjacent, i32, Indices, Object) /* adjacent: Indices, Object -> Bool */ \
    ROW(115, adjacent, i32, Indices, Indices) /* adjacent: Indices, Indices -> Bool */ \
    ROW(116, bordering, i32, Object, Grid) /* bordering: Object, Grid -> Bool */ \
    ROW(117, bordering, i32, Indices, Grid) /* bordering: Indices, Grid -> Bool */ \
    ROW(118, position, IJ, Object, Object) /* position: Object, Object -> IJ */ \
    ROW(119, position, IJ, Object, Indices) /* position: Object, Indices -> IJ */ \
    ROW(120, position, IJ, Indices, Object) /* position: Indices, Object -> IJ */ \
    ROW(121, position, IJ, Indices, Indices) /* position: Indices, Indices -> IJ */ \
    ROW(122, gravitate, IJ, Object, Object) /* gravitate: Object, Object -> IJ */ \
    ROW(123, gravitate, IJ, Object, Indices) /* gravitate: Object, Indices -> IJ */ \
    ROW(124, gravitate, IJ, Indices, Object) /* gravitate: Indices, Object -> IJ */ \
    ROW(125, gravitate, IJ, Indices, Indices) /* gravitate: Indices, Indices -> IJ */ \
    ROW(126, rot90, Grid, Grid) /* rot90: Grid -> Grid */ \
    ROW(127, rot180, Grid, Grid) /* rot180: Grid -> Grid */ \
    ROW(128, rot270, Grid, Grid) /* rot270: Grid -> Grid */ \
    ROW(129, hmirror, Grid, Grid) /* hmirror: Grid -> Grid */ \
    ROW(130, hmirror, Object, Object) /* hmirror: Object -> Object */ \
    ROW(131, hmirror, Indices, Indices) /* hmirror: Indices -> Indices */ \
    ROW(132, vmirror, Grid, Grid) /* vmirror: Grid -> Grid */ \
    ROW(133, vmirror, Object, Object) /* vmirror: Object -> Object */ \
    ROW(134, vmirror, Indices, Indices) /* vmirror: Indices -> Indices */ \
    ROW(135, dmirror, Grid, Grid) /* dmirror: Grid -> Grid */ \
    ROW(136, dmirror, Object, Object) /* dmirror: Object -> Object */ \
    ROW(137, dmirror, Indices, Indices) /* dmirror: Indices -> Indices */ \
    ROW(138, cmirror, Grid, Grid) /* cmirror: Grid -> Grid */ \
    ROW(139, cmirror, Object, Object) /* cmirror: Object -> Object */ \
    ROW(140, cmirror, Indices, Indices) /* cmirror: Indices -> Indices */ \
    ROW(141, crop, Grid, Grid, IJ, IJ) /* crop: Grid, IJ, IJ -> Grid */ \
    ROW(142, subgrid, Grid, Object, Grid) /* subgrid: Object, Grid -> Grid */ \
    ROW(143, subgrid, Grid, Indices, Grid) /* subgrid: Indices, Grid -> Grid */ \
    ROW(144, hconcat, Grid, Grid, Grid) /* hconcat: Grid, Grid -> Grid */ \
    ROW(145, vconcat, Grid, Grid, Grid) /* vconcat: Grid, Grid -> Grid */ \
    ROW(146, hsplit, GridSeq, Grid, i32) /* hsplit: Grid, Int -> [Grid] */ \
    ROW(147, vsplit, GridSeq, Grid, i32) /* vsplit: Grid, Int -> [Grid] */ \
    ROW(148, tophalf, Grid, Grid) /* tophalf: Grid -> Grid */ \
    ROW(149, bottomhalf, Grid, Grid) /* bottomhalf: Grid -> Grid */ \
    ROW(150, lefthalf, Grid, Grid) /* lefthalf: Grid -> Grid */ \
    ROW(151, righthalf, Grid, Grid) /* righthalf: Grid -> Grid */ \
    ROW(152, upscale, Grid, Grid, i32) /* upscale: Grid, Int -> Grid */ \
    ROW(153, upscale, Object, Object, i32) /* upscale: Object, Int -> Object */ \
    ROW(154, hupscale, Grid, Grid, i32) /* hupscale: Grid, Int -> Grid */ \
    ROW(155, vupscale, Grid, Grid, i32) /* vupscale: Grid, Int -> Grid */ \
    ROW(156, downscale, Grid, Grid, i32) /* downscale: Grid, Int -> Grid */ \
    ROW(157, trim, Grid, Grid) /* trim: Grid -> Grid */ \
    ROW(158, compress, Grid, Grid) /* compress: Grid -> Grid */ \
    ROW(159, canvas, Grid, i32, IJ) /* canvas: Int, IJ -> Grid */ \
    ROW(160, cellwise, Grid, Grid, Grid, i32) /* cellwise: Grid, Grid, Int -> Grid */ \
    ROW(161, replace, Grid, Grid, i32, i32) /* replace: Grid, Int, Int -> Grid */ \
    ROW(162, switch_, Grid, Grid, i32, i32) /* switch: Grid, Int, Int -> Grid */ \
    ROW(163, index, OptInt, Grid, IJ) /* index: Grid, IJ -> Int? */ \
    ROW(164, fill, Grid, Grid, i32, Object) /* fill: Grid, Int, Object -> Grid */ \
    ROW(165, fill, Grid, Grid, i32, Indices) /* fill: Grid, Int, Indices -> Grid */ \
    ROW(166, underfill, Grid, Grid, i32, Object) /* underfill: Grid, Int, Object -> Grid */ \
    ROW(167, underfill, Grid, Grid, i32, Indices) /* underfill: Grid, Int, Indices -> Grid */ \
    ROW(168, paint, Grid, Grid, Object) /* paint: Grid, Object -> Grid */ \
    ROW(169, paint, Grid, Grid, CellSeq) /* paint: Grid, [Cell] -> Grid */ \
    ROW(170, underpaint, Grid, Grid, Object) /* underpaint: Grid, Object -> Grid */ \
    ROW(171, underpaint, Grid, Grid, CellSeq) /* underpaint: Grid, [Cell] -> Grid */ \
    ROW(172, cover, Grid, Grid, Object) /* cover: Grid, Object -> Grid */ \
    ROW(173, cover, Grid, Grid, Indices) /* cover: Grid, Indices -> Grid */ \
    ROW(174, shift, Object, Object, IJ) /* shift: Object, IJ -> Object */ \
    ROW(175, shift, Indices, Indices, IJ) /* shift: Indices, IJ -> Indices */ \
    ROW(176, move, Grid, Grid, Object, IJ) /* move: Grid, Object, IJ -> Grid */ \
    ROW(177, objects, Objects, Grid, i32, i32, i32) /* objects: Grid, Bool, Bool, Bool -> {Object} */ \
    ROW(178, o_g, Objects, Grid, i32) /* o_g: Grid, Int -> {Object} */ \
    ROW(179, partition, Objects, Grid) /* partition: Grid -> {Object} */ \
    ROW(180, fgpartition, Objects, Grid) /* fgpartition: Grid -> {Object} */ \
    ROW(181, frontiers, Objects, Grid) /* frontiers: Grid -> {Object} */ \
    ROW(182, asindices, Indices, Grid) /* asindices: Grid -> Indices */ \
    ROW(183, asobject, Object, Grid) /* asobject: Grid -> Object */ \
    ROW(184, ofcolor, Indices, Grid, i32) /* ofcolor: Grid, Int -> Indices */ \
    ROW(185, toobject, Object, Object, Grid) /* toobject: Object, Grid -> Object */ \
    ROW(186, toobject, Object, Indices, Grid) /* toobject: Indices, Grid -> Object */ \
    ROW(187, recolor, Object, i32, Object) /* recolor: Int, Object -> Object */ \
    ROW(188, recolor, Object, i32, Indices) /* recolor: Int, Indices -> Object */ \
    ROW(189, normalize, Object, Object) /* normalize: Object -> Object */ \
    ROW(190, normalize, Indices, Indices) /* normalize: Indices -> Indices */ \
    ROW(191, backdrop, Indices, Object) /* backdrop: Object -> Indices */ \
    ROW(192, backdrop, Indices, Indices) /* backdrop: Indices -> Indices */ \
    ROW(193, delta, Indices, Object) /* delta: Object -> Indices */ \
    ROW(194, delta, Indices, Indices) /* delta: Indices -> Indices */ \
    ROW(195, box, Indices, Object) /* box: Object -> Indices */ \
    ROW(196, box, Indices, Indices) /* box: Indices -> Indices */ \
    ROW(197, inbox, Indices, Object) /* inbox: Object -> Indices */ \
    ROW(198, inbox, Indices, Indices) /* inbox: Indices -> Indices */ \
    ROW(199, outbox, Indices, Object) /* outbox: Object -> Indices */ \
    ROW(200, outbox, Indices, Indices) /* outbox: Indices -> Indices */ \
    ROW(201, dneighbors, Indices, IJ) /* dneighbors: IJ -> Indices */ \
    ROW(202, ineighbors, Indices, IJ) /* ineighbors: IJ -> Indices */ \
    ROW(203, neighbors, Indices, IJ) /* neighbors: IJ -> Indices */ \
    ROW(204, connect, Indices, IJ, IJ) /* connect: IJ, IJ -> Indices */ \
    ROW(205, shoot, Indices, IJ, IJ) /* shoot: IJ, IJ -> Indices */ \
    ROW(206, vfrontier, Indices, IJ) /* vfrontier: IJ -> Indices */ \
    ROW(207, hfrontier, Indices, IJ) /* hfrontier: IJ -> Indices */ \
    ROW(208, occurrences, Indices, Grid, Object) /* occurrences: Grid, Object -> Indices */ \
    ROW(209, hperiod, i32, Object) /* hperiod: Object -> Int */ \
    ROW(210, vperiod, i32, Object) /* vperiod: Object -> Int */ \
    ROW(211, mirrorfill, Grid, Grid, i32, i32) /* mirrorfill: Grid, Int, Int -> Grid */ \
    ROW(212, gridperiod, IJ, Grid, i32) /* gridperiod: Grid, Int -> IJ */ \
    ROW(213, periodfill, Grid, Grid, i32, IJ) /* periodfill: Grid, Int, IJ -> Grid */ \
    ROW(214, drift, IJ, Grid, i32) /* drift: Grid, Int -> IJ */ \
    ROW(215, driftfill, Grid, Grid, i32, IJ) /* driftfill: Grid, Int, IJ -> Grid */ \
    ROW(216, look, Grid, Grid, i32, IJ) /* look: Grid, Int, IJ -> Grid */ \
    ROW(217, smear, Grid, Grid, i32, IJ) /* smear: Grid, Int, IJ -> Grid */ \
    ROW(218, beam, Grid, Grid, i32, i32, IJ) /* beam: Grid, Int, Int, IJ -> Grid */ \
    ROW(219, bridge, Grid, Grid, i32, IJ) /* bridge: Grid, Int, IJ -> Grid */ \
    ROW(220, cellfall, Grid, Grid, i32, IJ) /* cellfall: Grid, Int, IJ -> Grid */ \
    ROW(221, regionfall, Grid, Grid, i32, i32, IJ) /* regionfall: Grid, Int, Bool, IJ -> Grid */ \
    ROW(222, seam, i32, Grid, i32) /* seam: Grid, Int -> Int */ \
    ROW(223, panes, GridSeq, Grid, i32) /* panes: Grid, Int -> [Grid] */ \
    ROW(224, panecount, IJ, Grid, i32) /* panecount: Grid, Int -> IJ */ \
    ROW(225, panefill, Grid, Grid, i32, IntSeq) /* panefill: Grid, Int, [Int] -> Grid */ \
    ROW(226, panepaint, Grid, Grid, i32, GridSeq) /* panepaint: Grid, Int, [Grid] -> Grid */ \
    ROW(227, torows, Grid, IntSeq, i32) /* torows: [Int], Int -> Grid */ \
    ROW(228, hvconcat, Grid, GridSeq, i32) /* hvconcat: [Grid], Int -> Grid */ \
    ROW(229, overlay, Grid, GridSeq, i32) /* overlay: [Grid], Int -> Grid */ \
    ROW(230, paste, Grid, Grid, Grid, IJ) /* paste: Grid, Grid, IJ -> Grid */ \
    ROW(231, window, Grid, Grid, IJ, IJ, i32) /* window: Grid, IJ, IJ, Int -> Grid */ \
    ROW(232, tilegrid, Grid, Grid, IJ) /* tilegrid: Grid, IJ -> Grid */ \
    ROW(233, mirrortile, Grid, Grid, IJ) /* mirrortile: Grid, IJ -> Grid */ \
    ROW(234, rescale, Grid, Grid, IJ) /* rescale: Grid, IJ -> Grid */ \
    ROW(235, colormask, Grid, Grid, i32) /* colormask: Grid, Int -> Grid */ \
    ROW(236, ramp, Grid, IJ, IJ) /* ramp: IJ, IJ -> Grid */ \
    ROW(237, wrap, Grid, Grid, i32) /* wrap: Grid, Int -> Grid */ \
    ROW(238, cellmin, Grid, Grid, Grid) /* cellmin: Grid, Grid -> Grid */ \
    ROW(239, cellmax, Grid, Grid, Grid) /* cellmax: Grid, Grid -> Grid */ \
    ROW(240, enclosed, Indices, Grid, i32, i32) /* enclosed: Grid, Int, Bool -> Indices */ \
    ROW(241, regionsize, Grid, Grid, i32) /* regionsize: Grid, Bool -> Grid */ \
    ROW(242, inset, Grid, Grid, i32, IJ) /* inset: Grid, Bool, IJ -> Grid */ \
    ROW(243, ranks, Grid, Grid, i32) /* ranks: Grid, Int -> Grid */ \
    ROW(244, rankof, i32, i32, Ints) /* rankof: Int, {Int} -> Int */ \
    ROW(245, rankof, i32, i32, IntSeq) /* rankof: Int, [Int] -> Int */ \
    ROW(246, distance, Grid, Grid, i32, i32) /* distance: Grid, Int, Bool -> Grid */ \
    ROW(247, nearfill, Grid, Grid, i32, i32, i32) /* nearfill: Grid, Int, Int, Bool -> Grid */ \
    ROW(248, neighborcount, Grid, Grid, i32, i32) /* neighborcount: Grid, Int, Bool -> Grid */ \
    ROW(249, linecount, Grid, Grid, i32, IJ) /* linecount: Grid, Int, IJ -> Grid */ \
    ROW(250, colororder, IntSeq, Grid) /* colororder: Grid -> [Int] */ \
    ROW(251, encode, Grid, Grid, IntSeq) /* encode: Grid, [Int] -> Grid */ \
    ROW(252, decode, Grid, Grid, IntSeq) /* decode: Grid, [Int] -> Grid */ \
    ROW(253, decide, Grid, Grid, Grid, Grid, Grid) /* decide: Grid, Grid, Grid, Grid -> Grid */

// Those on numbers alone; those that cost the product of their arguments' sizes; those that fail for type given () for
// an IJ, at once or after they have looked at their grid.
#define AB_SCALARS(ROW) \
    ROW(0, add, i32, i32, i32) /* add: Int, Int -> Int */ \
    ROW(1, add, IJ, IJ, IJ) /* add: IJ, IJ -> IJ */ \
    ROW(2, add, IJ, i32, IJ) /* add: Int, IJ -> IJ */ \
    ROW(3, add, IJ, IJ, i32) /* add: IJ, Int -> IJ */ \
    ROW(4, subtract, i32, i32, i32) /* subtract: Int, Int -> Int */ \
    ROW(5, subtract, IJ, IJ, IJ) /* subtract: IJ, IJ -> IJ */ \
    ROW(6, subtract, IJ, i32, IJ) /* subtract: Int, IJ -> IJ */ \
    ROW(7, subtract, IJ, IJ, i32) /* subtract: IJ, Int -> IJ */ \
    ROW(8, multiply, i32, i32, i32) /* multiply: Int, Int -> Int */ \
    ROW(9, multiply, IJ, IJ, IJ) /* multiply: IJ, IJ -> IJ */ \
    ROW(10, multiply, IJ, i32, IJ) /* multiply: Int, IJ -> IJ */ \
    ROW(11, multiply, IJ, IJ, i32) /* multiply: IJ, Int -> IJ */ \
    ROW(12, divide, i32, i32, i32) /* divide: Int, Int -> Int */ \
    ROW(13, divide, IJ, IJ, IJ) /* divide: IJ, IJ -> IJ */ \
    ROW(14, divide, IJ, i32, IJ) /* divide: Int, IJ -> IJ */ \
    ROW(15, divide, IJ, IJ, i32) /* divide: IJ, Int -> IJ */ \
    ROW(16, modulo, i32, i32, i32) /* modulo: Int, Int -> Int */ \
    ROW(17, modulo, IJ, IJ, IJ) /* modulo: IJ, IJ -> IJ */ \
    ROW(18, modulo, IJ, i32, IJ) /* modulo: Int, IJ -> IJ */ \
    ROW(19, modulo, IJ, IJ, i32) /* modulo: IJ, Int -> IJ */ \
    ROW(20, invert, i32, i32) /* invert: Int -> Int */ \
    ROW(21, invert, IJ, IJ) /* invert: IJ -> IJ */ \
    ROW(22, double_, i32, i32) /* double: Int -> Int */ \
    ROW(23, double_, IJ, IJ) /* double: IJ -> IJ */ \
    ROW(24, halve, i32, i32) /* halve: Int -> Int */ \
    ROW(25, halve, IJ, IJ) /* halve: IJ -> IJ */ \
    ROW(26, increment, i32, i32) /* increment: Int -> Int */ \
    ROW(27, increment, IJ, IJ) /* increment: IJ -> IJ */ \
    ROW(28, decrement, i32, i32) /* decrement: Int -> Int */ \
    ROW(29, decrement, IJ, IJ) /* decrement: IJ -> IJ */ \
    ROW(30, sign, i32, i32) /* sign: Int -> Int */ \
    ROW(31, sign, IJ, IJ) /* sign: IJ -> IJ */ \
    ROW(32, crement, i32, i32) /* crement: Int -> Int */ \
    ROW(33, crement, IJ, IJ) /* crement: IJ -> IJ */ \
    ROW(34, even, i32, i32) /* even: Int -> Bool */ \
    ROW(35, positive, i32, i32) /* positive: Int -> Bool */ \
    ROW(36, greater, i32, i32, i32) /* greater: Int, Int -> Bool */ \
    ROW(37, flip, i32, i32) /* flip: Bool -> Bool */ \
    ROW(38, both, i32, i32, i32) /* both: Bool, Bool -> Bool */ \
    ROW(39, either, i32, i32, i32) /* either: Bool, Bool -> Bool */ \
    ROW(40, toivec, IJ, i32) /* toivec: Int -> IJ */ \
    ROW(41, tojvec, IJ, i32) /* tojvec: Int -> IJ */
#define AB_MULTIPLIES(ROW) \
    ROW(108) /* manhattan: Object, Object -> Int */ \
    ROW(109) /* manhattan: Object, Indices -> Int */ \
    ROW(110) /* manhattan: Indices, Object -> Int */ \
    ROW(111) /* manhattan: Indices, Indices -> Int */ \
    ROW(112) /* adjacent: Object, Object -> Bool */ \
    ROW(113) /* adjacent: Object, Indices -> Bool */ \
    ROW(114) /* adjacent: Indices, Object -> Bool */ \
    ROW(115) /* adjacent: Indices, Indices -> Bool */ \
    ROW(122) /* gravitate: Object, Object -> IJ */ \
    ROW(123) /* gravitate: Object, Indices -> IJ */ \
    ROW(124) /* gravitate: Indices, Object -> IJ */ \
    ROW(125) /* gravitate: Indices, Indices -> IJ */ \
    ROW(208) /* occurrences: Grid, Object -> Indices */
#define AB_EMPTY_TUPLE_FAILS(ROW) \
    ROW(1) /* add: IJ, IJ -> IJ */ \
    ROW(2) /* add: Int, IJ -> IJ */ \
    ROW(3) /* add: IJ, Int -> IJ */ \
    ROW(5) /* subtract: IJ, IJ -> IJ */ \
    ROW(6) /* subtract: Int, IJ -> IJ */ \
    ROW(7) /* subtract: IJ, Int -> IJ */ \
    ROW(9) /* multiply: IJ, IJ -> IJ */ \
    ROW(10) /* multiply: Int, IJ -> IJ */ \
    ROW(11) /* multiply: IJ, Int -> IJ */ \
    ROW(13) /* divide: IJ, IJ -> IJ */ \
    ROW(14) /* divide: Int, IJ -> IJ */ \
    ROW(15) /* divide: IJ, Int -> IJ */ \
    ROW(17) /* modulo: IJ, IJ -> IJ */ \
    ROW(18) /* modulo: Int, IJ -> IJ */ \
    ROW(19) /* modulo: IJ, Int -> IJ */ \
    ROW(21) /* invert: IJ -> IJ */ \
    ROW(23) /* double: IJ -> IJ */ \
    ROW(25) /* halve: IJ -> IJ */ \
    ROW(27) /* increment: IJ -> IJ */ \
    ROW(29) /* decrement: IJ -> IJ */ \
    ROW(31) /* sign: IJ -> IJ */ \
    ROW(33) /* crement: IJ -> IJ */ \
    ROW(141) /* crop: Grid, IJ, IJ -> Grid */ \
    ROW(159) /* canvas: Int, IJ -> Grid */ \
    ROW(174) /* shift: Object, IJ -> Object */ \
    ROW(175) /* shift: Indices, IJ -> Indices */ \
    ROW(201) /* dneighbors: IJ -> Indices */ \
    ROW(202) /* ineighbors: IJ -> Indices */ \
    ROW(203) /* neighbors: IJ -> Indices */ \
    ROW(204) /* connect: IJ, IJ -> Indices */ \
    ROW(205) /* shoot: IJ, IJ -> Indices */ \
    ROW(206) /* vfrontier: IJ -> Indices */ \
    ROW(207) /* hfrontier: IJ -> Indices */ \
    ROW(213) /* periodfill: Grid, Int, IJ -> Grid */ \
    ROW(215) /* driftfill: Grid, Int, IJ -> Grid */ \
    ROW(216) /* look: Grid, Int, IJ -> Grid */ \
    ROW(217) /* smear: Grid, Int, IJ -> Grid */ \
    ROW(218) /* beam: Grid, Int, Int, IJ -> Grid */ \
    ROW(219) /* bridge: Grid, Int, IJ -> Grid */ \
    ROW(220) /* cellfall: Grid, Int, IJ -> Grid */ \
    ROW(221) /* regionfall: Grid, Int, Bool, IJ -> Grid */ \
    ROW(230) /* paste: Grid, Grid, IJ -> Grid */ \
    ROW(231) /* window: Grid, IJ, IJ, Int -> Grid */ \
    ROW(232) /* tilegrid: Grid, IJ -> Grid */ \
    ROW(233) /* mirrortile: Grid, IJ -> Grid */ \
    ROW(234) /* rescale: Grid, IJ -> Grid */ \
    ROW(236) /* ramp: IJ, IJ -> Grid */ \
    ROW(242) /* inset: Grid, Bool, IJ -> Grid */ \
    ROW(249) /* linecount: Grid, Int, IJ -> Grid */
#define AB_EMPTY_TUPLE_AFTER_GRID(ROW) \
    ROW(163) /* index: Grid, IJ -> Int? */

// Loops that can run columnar; that look for the best item; and that give its value.
#define AB_COLUMNAR_LOOPS(ROW) \
    ROW(LOOP_ORDER) \
    ROW(LOOP_ARGMAX) \
    ROW(LOOP_ARGMIN) \
    ROW(LOOP_VALMAX) \
    ROW(LOOP_VALMIN) \
    ROW(LOOP_SFILTER) \
    ROW(LOOP_MFILTER) \
    ROW(LOOP_EXTRACT) \
    ROW(LOOP_APPLY) \
    ROW(LOOP_PAPPLY) \
    ROW(LOOP_PRAPPLY)
#define AB_BEST_LOOPS(ROW) \
    ROW(LOOP_ARGMAX) \
    ROW(LOOP_ARGMIN) \
    ROW(LOOP_VALMAX) \
    ROW(LOOP_VALMIN)
#define AB_BEST_VALUE_LOOPS(ROW) \
    ROW(LOOP_VALMAX) \
    ROW(LOOP_VALMIN)

// How the check on load writes a type.
#define AB_PATTERNS(ROW) \
    ROW(i32, "I") \
    ROW(OptInt, "O") \
    ROW(IJ, "P") \
    ROW(Cell, "K") \
    ROW(Grid, "G") \
    ROW(Indices, "{P}") \
    ROW(Object, "{K}") \
    ROW(Ints, "{I}") \
    ROW(IntSeq, "[I]") \
    ROW(Objects, "{{K}}") \
    ROW(ObjectSeq, "[{K}]") \
    ROW(GridSeq, "[G]") \
    ROW(CellSeq, "[K]")

// The arrays of packed samples: type of an entry, name.
#define AB_PACKED(ROW) \
    ROW(u8, cells) \
    ROW(i64, offset) \
    ROW(i32, height) \
    ROW(i32, width) \
    ROW(i32, input) \
    ROW(i32, expected) \
    ROW(i32, task) \
    ROW(i32, first) \
    ROW(i32, count) \
    ROW(i32, demo)
