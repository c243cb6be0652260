// What became of a value. Of several failed arguments a call takes the least status, so the order is the precedence:
// what the engine could not do comes before what the language says fails, in the language's own order.
#pragma once

#include "core/portability.h"

namespace arcbatt {

enum Status : u32 {
    OK = 0,
    OVERFLOW_ = 1,  // the arena is too small: run again with a bigger one
    ESCAPE = 2,     // the value has no form here (a ragged grid, a colour beyond a byte): run on the reference
    LIMIT = 3,
    TYPE = 4,
    EMPTY = 5,
    BOUNDS = 6,
    ZERO_DIVISION = 7,
    EMPTY_TUPLE = 8,  // no failure: the empty tuple where an IJ is meant (the corner of nothing)
};

// The limits of the language; generated code checks that they are those of limits.py.
constexpr i32 MAX_SIDE = 1024;
constexpr i32 MAX_CELLS = 65536;
constexpr u32 MAX_ITEMS = 65536;
constexpr u32 MAX_SIZE = 1048576;
constexpr u64 MAX_STEPS = 200000000;
constexpr i32 MAX_FUNCTION_CALLS = 1000;

}  // namespace arcbatt
