// Instructions: how they lie in the code, their numbers and flags.
//
// An instruction is
//   op, length, slot of the result, times, cost place, strict, count, type of the result, argument slots, their types,
//   extras
// `times` says how often the call counts towards the steps of the loop it is in (-1: it is not in one); `cost place` is
// where its own steps are kept for bodies that owe them (0: nowhere). The first `strict` arguments fail it when they
// have failed. A loop's extras are flags, the number of bodies, and the bodies: code place, result slot, result type,
// parameter count, parameter slots and types; behind them what by_lanes.h needs where it can run by lanes, then what
// columns.h needs where it can run by columns.
#pragma once

#include "core/types.h"

namespace arcbatt {

enum Code : u32 {
#define AB_CODE(name, number) name = number,
#include "codes.inc"
#undef AB_CODE
};

// Flags of an instruction, its first extra word.
enum Flag : u32 {
    MULTIPLIES = 1,        // the sizes of its two arguments, multiplied, count as steps
    HIDDEN_ARG = 2,        // its last argument is not written in the program (the rank of `first`)
    FIXED_COST = 8,        // the second extra word is what it costs
    NEVER_EQUAL = 64,      // the value it looks for is of a kind no item has
    ORIGINALS = 128,       // behind its arguments stand the forms they had in the program, which are what counts
    OVER_FUNCTIONS = 16,   // a loop over functions made from the items: each counts for one
    FUNCTIONS_VALUE = 32,  // and its second argument is the value they are called with
    COLUMNAR = 256,        // a loop whose body can run for many items at once
    PER_LANE = 512,        // a loop whose body the lanes of a group can run, each for items of its own
};

constexpr u32 MAX_ARGS = 4;

struct Ins {
    const u32* w;
    AB_FN u32 op() const { return w[0]; }
    AB_FN u32 length() const { return w[1]; }
    AB_FN u32 dst() const { return w[2]; }
    AB_FN i32 times() const { return i32(w[3]); }
    AB_FN u32 cost_place() const { return w[4]; }
    AB_FN u32 strict() const { return w[5]; }
    AB_FN u32 count() const { return w[6]; }
    AB_FN u32 type() const { return w[7]; }
    AB_FN u32 arg(u32 k) const { return w[8 + k]; }
    AB_FN u32 arg_type(u32 k) const { return w[8 + count() + k]; }
    AB_FN const u32* extra() const { return w + 8 + 2 * count(); }
    AB_FN bool has(u32 flag) const { return extra()[0] & flag; }
};

// What an CHARGE is for: a number of steps, and what calls cost as often as they are owed.
AB_FN u64 owed(const Arena& a, Ins ins) {
    u64 steps = ins.w[2];
    for (u32 k = 0; k < ins.w[3]; ++k) steps += u64(*a.at(ins.w[4 + 2 * k])) * ins.w[5 + 2 * k];
    return steps;
}

struct BodyRef {
    const u32* w;
    AB_FN u32 code() const { return w[0]; }
    AB_FN u32 result() const { return w[1]; }
    AB_FN u32 type() const { return w[2]; }
    AB_FN u32 params() const { return w[3]; }
    AB_FN u32 param(u32 k) const { return w[4 + 2 * k]; }
    AB_FN u32 param_type(u32 k) const { return w[5 + 2 * k]; }
    AB_FN BodyRef next() const { return BodyRef{w + 4 + 2 * params()}; }
};

// What a loop needs to run by columns: its body's slots lie together; `scope` says how many loops around it must stand
// still for what it walks to be the same; where the result is; a bit for each word of the slots says whether it depends
// on nothing but what the loop walks; then the body's code for columns, up to END_BODY.
//
// That code has calls whose times and costs do not matter, loops, and
//   GUARD    values from outside that must be there
//   CHARGE      steps of an item
//   COUNT    the size of a value, or the product of the sizes of two, counts `times` steps
//   ABSOLUTE a number without its sign
// An argument may be a part of a value of the body: the place of the word before its first.
struct ColumnsRef {
    const u32* w;
    static constexpr u32 HEAD = 5;
    AB_FN u32 first() const { return w[0]; }
    AB_FN u32 rows() const { return w[1]; }
    AB_FN u32 scope() const { return w[2]; }
    AB_FN u32 result() const { return w[3]; }
    AB_FN const u32* kept() const { return w + HEAD; }
    AB_FN u32 bit_words() const { return (rows() + 31) / 32; }
    AB_FN const u32* code() const { return w + HEAD + bit_words(); }
    AB_FN u32 code_words() const { return w[4]; }
    AB_FN bool keeps(u32 place) const { return kept()[(place - w[0]) / 32] >> (place - w[0]) % 32 & 1u; }
    AB_FN bool varies(u32 place) const { return place - w[0] < w[1]; }
};

// What a loop needs to run by lanes: its body's slots lie together, and which loops there are in it.
struct LanesRef {
    const u32* w;
    AB_FN u32 first() const { return w[0]; }
    AB_FN u32 rows() const { return w[1]; }
    AB_FN u32 inside() const { return w[2]; }
};
enum LoopsInside : u32 { NO_LOOPS = 0, COLUMN_LOOPS = 1, LANE_LOOPS = 2 };  // the last: some that can run by lanes
constexpr u32 LANES_WORDS = 3;

// What stands behind a loop's bodies, `behind` being where that is.
AB_FN ColumnsRef columns_behind(Ins loop, const u32* behind) {
    return ColumnsRef{behind + (loop.has(PER_LANE) ? LANES_WORDS : 0)};
}

}  // namespace arcbatt
