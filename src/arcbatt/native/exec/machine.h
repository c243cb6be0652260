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
#if AB_LANES > 1
    u64 inner_per_lane;  // items of the loops inside it that could run per-lane, at most
    u64 inner_columnar;  // and of those that could run columnar
    u32 round_items;     // how many of its items a per-lane round takes; 0 before the first
    u32 none;
    u64 item_steps;  // steps when its item began
    u64 start;       // the first item of this run of it
#endif
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
#if AB_OWN_SLOTS
    u32 end_depth;  // the depth at which the end of a body is the end of the run
#endif
#if AB_LANES > 1
    i64 time_slice;  // after how many ticks loops are suspended; 0 for never
    i64 started;
    bool suspended;
    u32 part_depth;      // of a loop of which only a part is run, whose end is the end of the run; 0 for none
    Status part_status;  // how that came out
    Status failed;       // why a loop ended that was shared out
#endif

    AB_FN void spend(u64 steps) {
        if (depth == 0) spent += steps;
    }
    AB_FN bool overspent() const { return spent >= spent_end; }
};

}  // namespace arcbatt
