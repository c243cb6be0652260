// A machine: what runs code, its slots, the frames of its loops, and its account of steps.
//
// A slot is a status word and the words of a value; code.h says how instructions lie. The layers above it each add what
// they are named for, up to the Interpreter:
//   Machine, Casts, GenericCalls, PlainCalls, Loops, LoopResults, ColumnLoops, LaneLoops, LoopExits, Interpreter
#pragma once

#include "exec/code.h"
#include "loops/columns.h"
#include "ops/containers.h"

namespace arcbatt {

// How many trips through bodies an outermost loop may take before it escapes. Each trip of lowered code costs a step or
// is one of a thousand at most; this stops code that charges nothing.
AB_FN u64 trips_for(u64 max_steps) { return 2 * max_steps + (1u << 20); }

struct Frame {
    u32 loop;  // place of the loop's instruction
    u32 body;  // which of its bodies runs
    u32 mark;  // top of the arena when the body started
    u32 acc, acc_n, acc_room;
    u64 index, n;
    u64 outer_steps;
    u64 turn;  // a number no other run of a body has
    u64 slow;  // items before this one are taken one by one
    u32 best[MAX_ITEM_WORDS];
    u32 best_index;
    u32 no_columns;  // whether it is not to be run by columns any more
#if AB_LANES > 1
    u64 widest;      // items of the loops inside it that could run by lanes, at most
    u64 columns;     // and of those by columns
    u32 turn_items;  // how many of its items lanes take together; 0 before they did
    u32 none;
    u64 item_steps;  // steps when its item began
    u64 start;       // the first item of this run of it
#endif
};

constexpr u32 MAX_ROOMS = 8;  // for columns of loops

struct Machine {
    Ctx c;
    Types types;
    const u32* code;
    u64 steps;
    u64 max_steps;
    u64 trips;      // through bodies, since the outermost loop began
    u64 max_trips;  // beyond this it escapes
    u32 depth;
    Frame frames[MAX_FRAMES];
    u32 capacity;  // of the arena, before columns took some
    u64 turns;
    u32 rooms;
    ColumnRoom room[MAX_ROOMS];
#if AB_OWN_SLOTS
    u32 floor;  // the depth at which the end of a body is the end of the run
#endif
#if AB_LANES > 1
    i64 patience;  // after how many ticks loops are left; 0 for any number
    i64 started;
    bool late;      // whether they were
    u32 edge;       // the depth of a loop of which only a part is run, whose end is the end of the run; 0 for none
    Status ended;   // how that came out
    Status failed;  // why a loop ended that was shared out
#endif

    AB_FN u32* slot(u32 place) { return c.a.at(place); }
    AB_FN Status status(u32 place) { return Status(*c.a.at(place)); }
    AB_FN u32* value(u32 place) { return c.a.at(place) + 1; }

    AB_FN bool is_set(u32 type) const { return types[type].kind == K_SET; }
    AB_FN u32 item_type(u32 type) const { return types[type].item; }
    AB_FN Status boxed(Ins ins, u32 k, u32* item) { return box(types, ins.arg_type(k), value(ins.arg(k)), item); }

    AB_FN Status first_failure(Ins ins, u32 from, u32 to) {
        u32 worst = OK;
        for (u32 k = from; k < to; ++k) {
            u32 s = status(ins.arg(k));
            if (s == LIMIT) return LIMIT;  // whatever a value is that has no form here, this comes before it
            if (s != OK && (worst == OK || s < worst)) worst = s;
        }
        return Status(worst);
    }

    AB_FN u64 size_of(u32 type, u32 place) { return size_in_slot(c, types, type, value(place)); }

    // Fails where a result is beyond a limit; its size goes to `size`.
    AB_FN Status measure(u32 type, const u32* words, u64& size) {
        const TypeDesc& t = types[type];
        size = size_in_slot(c, types, type, words);
        if (t.kind != K_SET && t.kind != K_SEQ) return OK;
        return words[1] > MAX_ITEMS || size > MAX_SIZE ? LIMIT : OK;
    }

    // Settle what a call cost: charged as often as it is written, and kept where bodies owe it.
    AB_FN void settle(Ins ins, u64 cost) {
        if (ins.times() > 0) {
            steps += u64(ins.times()) * cost;
            if (steps > max_steps) *slot(ins.dst()) = LIMIT;
        }
        if (ins.cost_place()) *slot(ins.cost_place()) = u32(least(cost, u64(0xFFFFFFFFu)));
    }
};

}  // namespace arcbatt
