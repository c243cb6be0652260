// What calls without bodies need of whoever runs them: memory, types, and a count of steps.
//
// `Table` is the table of types (core/types.h): numbers where code is data, as in the interpreter, or types the
// compiler knows (waves/known_types.h). An instruction is an `Ins` (exec/code.h) or one the compiler knows.
#pragma once

#include "exec/code.h"

namespace arcbatt {

template <class Table>
struct CallState {
    Ctx c;
    Table types;
    u64 steps;
    u64 max_steps;
    u64 spent;

    // What a call took, where its types alone do not bound that (exec/machine.h).
    AB_FN void spend(u64 more) { spent = more; }

    AB_FN u32* slot(u32 place) { return c.a.at(place); }
    AB_FN Status status(u32 place) { return Status(*c.a.at(place)); }
    AB_FN u32* value(u32 place) { return c.a.at(place) + 1; }

    template <class Type>
    AB_FN bool is_set(Type type) const {
        return types[type].kind == K_SET;
    }
    template <class Type>
    AB_FN auto item_type(Type type) const {
        return types[type].item;
    }
    template <class I, class Arg>
    AB_FN Status boxed(I ins, Arg k, u32* item) {
        return box(types, ins.arg_type(k), value(ins.arg(k)), item);
    }

    template <class I>
    AB_FN Status first_failure(I ins, u32 from, u32 to) {
        u32 worst = OK;
        for (u32 k = from; k < to; ++k) {
            u32 s = status(ins.arg(k));
            if (s == LIMIT) return LIMIT;  // whatever a value is that has no form here, this comes before it
            if (s != OK && (worst == OK || s < worst)) worst = s;
        }
        return Status(worst);
    }

    template <class Type>
    AB_FN u64 size_of(Type type, u32 place) {
        return size_in_slot(c, types, type, value(place), ~u64(0));
    }

    // Fails where a result is beyond a limit; its size goes to `size`.
    template <class Type>
    AB_FN Status measure(Type type, const u32* words, u64& size) {
        const auto& t = types[type];
        size = size_in_slot(c, types, type, words, MAX_SIZE);
        if (t.kind < K_SET) return OK;
        return size > MAX_SIZE || (t.kind != K_TUP && words[1] > MAX_ITEMS) ? LIMIT : OK;
    }

    // Count the steps of a call as often as it is written, and keep them where bodies charge them.
    template <class I>
    AB_FN void charge_call(I ins, u64 cost) {
        if (ins.times() > 0) {
            steps += u64(ins.times()) * cost;
            if (steps > max_steps) *slot(ins.dst()) = LIMIT;
        }
        if (ins.cost_place()) *slot(ins.cost_place()) = u32(least(cost, u64(0xFFFFFFFFu)));
    }
};

}  // namespace arcbatt
