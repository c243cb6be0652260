// The machine: everything that running code changes. Its slots and values are in an arena; frames are the loops it is
// in; it counts steps, and keeps room for the columns of columnar loops.
//
// A slot is a status word and the words of a value; exec/code.h says how instructions lie. What instructions do is in
// functions that take a machine: exec/plain_calls.h, exec/generic_calls.h, exec/casts.h and loops/.
// exec/interpreter.h goes from one instruction to the next.
#pragma once

#include "exec/call_state.h"

namespace arcbatt {

// How many trips through bodies an outermost loop may take before it escapes. Each trip of lowered code costs a step or
// is one of a thousand at most; this stops code that charges nothing.
AB_FN u64 trips_for(u64 max_steps) { return 2 * max_steps + (1u << 20); }

// A loop that runs.
struct Frame {
    u32 loop;  // place of the loop's instruction
    u32 body;  // which of its bodies runs
    u32 mark;  // top of the arena when the body started
    u32 acc, acc_n, acc_room;
    u64 index, n;
    u64 outer_steps;
    u64 run_id;      // a number no other run of a body has
    u64 slow_until;  // items before this one are run one by one
    u32 best[MAX_ITEM_WORDS];
    u32 best_index;
    u32 not_columnar;  // whether it is not to run columnar any more
};

// Where the columns of a loop are: at the far end of the arena, until the outermost loop is done.
struct ColumnRoom {
    u32 loop;    // place of the loop's instruction
    u32 place;   // of the words: those for spreading, rows of a chunk, steps of kept columns by chunk, kept rows
    u32 width;   // how many items kept rows have room for
    u32 known;   // for how many items they are there
    u64 run_id;  // and in which run of the body they depend on
};
constexpr u32 MAX_ROOMS = 8;

struct Machine : CallState<Types> {
    const u32* code;
    u64 spent;      // steps of outermost calls that their types alone do not bound: loops, and products of sizes
    u64 spent_end;  // with as many the run ends, and what it was for does not fit
    u64 trips;      // through bodies, since the outermost loop began
    u64 max_trips;  // beyond this it escapes
    u32 depth;
    Frame frames[MAX_FRAMES];
    u32 capacity;  // of the arena, before columns took some
    u64 run_ids;   // how many were given
    u32 rooms;
    ColumnRoom room[MAX_ROOMS];

    AB_FN void spend(u64 steps) {
        if (depth == 0) spent += steps;
    }
    AB_FN bool overspent() const { return spent >= spent_end; }
};

}  // namespace arcbatt
