// Plain calls: instructions without bodies, what they cost, and what becomes of arguments that failed.
#pragma once

#include "exec/generic_calls.h"

namespace arcbatt {

// More than a single call can cost that only walks its arguments and result.
constexpr u64 MOST_LINEAR_STEPS = 8 * u64(MAX_SIZE);

struct PlainCalls : GenericCalls {
    AB_CALL void plain(Ins ins) {
        u32 op = ins.op();
        u32* dst = slot(ins.dst());
        if (op == GUARD) {
            Status guard = first_failure(ins, 1, ins.count());
            if (guard == OK || guard == EMPTY_TUPLE) guard = status(ins.arg(0));
            *dst = guard;
            if (guard == OK) copy_words(dst + 1, value(ins.arg(0)), types[ins.type()].slot_words);
            return;
        }
        Status s = first_failure(ins, 0, ins.strict());
        bool with_empty_tuple = s == EMPTY_TUPLE && takes_empty_tuple(ins);
        if (s != OK && !with_empty_tuple) {
            *dst = s != EMPTY_TUPLE ? s : empty_tuple_argument(op);
            if (ins.cost_place()) *slot(ins.cost_place()) = 0;
            return;
        }
        if (op == CHOOSE) {
            u32 from = ins.arg(*value(ins.arg(0)) ? 1 : 2);
            *dst = status(from);
            if (*dst == OK) copy_words(dst + 1, value(from), types[ins.type()].slot_words);
            return;
        }
        u32 flags = ins.extra()[0];
        if (flags & FIXED_COST) {  // every size is known from the types
            s = call(ins, dst + 1);
            *dst = s;
            // A call that fails owes for its arguments alone.
            u64 cost = ins.extra()[1] - (s == OK ? 0 : types[ins.type()].leaves);
            if (ins.times() >= 0 || ins.cost_place()) settle(ins, cost);
            if (cost > max_steps) *dst = LIMIT;
            return;
        }
        bool free = op == CAST || op == COPY || op == POWER_COUNT || op == AS_EMPTY;
        bool counted = !free && (ins.times() >= 0 || ins.cost_place() || max_steps < MOST_LINEAR_STEPS);
        bool multiplies = flags & MULTIPLIES;
        u64 cost = 0;
        if (counted || multiplies) {
            cost = 1;
            u64 sizes[MAX_ARGS];
            u32 first = flags & ORIGINALS ? ins.count() / 2 : 0;
            u32 written = ins.count() - first - (flags & HIDDEN_ARG ? 1 : 0);
            for (u32 k = 0; k < written; ++k) {
                u32 from = ins.arg(first + k);
                sizes[k] = with_empty_tuple && status(from) == EMPTY_TUPLE ? 0 : size_of(ins.arg_type(first + k), from);
                cost += sizes[k];
            }
            if (multiplies) cost += sizes[0] * sizes[1];
        }
        s = multiplies && cost > max_steps ? LIMIT
            : with_empty_tuple             ? call_with_empty_tuple(ins, dst + 1)
                                           : call(ins, dst + 1);
        u64 size = 0;
        const TypeDesc& type = types[ins.type()];
        if (s == OK && !free && (counted || type.kind >= K_SET)) s = measure(ins.type(), dst + 1, size);
        if (s == OK) cost += size;
        *dst = counted && cost > max_steps ? LIMIT : s;
        if (counted) settle(ins, cost);
    }

    AB_FN Status call(Ins ins, u32* out) {
        const u32* args[MAX_ARGS];
        u32 count = least(ins.count(), MAX_ARGS);
        for (u32 k = 0; k < count; ++k) args[k] = value(ins.arg(k));
        u32 op = ins.op();
        if (op < HALT) return call_variant(c, op, args, out);
        return generic_call(ins, args, out);
    }

    // What a call makes of () in place of an IJ: what looks at the IJ before all else fails, the rest is left alone.
    AB_FN Status empty_tuple_argument(u32 op) const {
        switch (op) {
#define AB_CASE(number) case number:
            AB_EMPTY_TUPLE_FAILS(AB_CASE)
#undef AB_CASE
            return TYPE;
            case PART:
                return EMPTY;
        }
        return ESCAPE;
    }

    // Whether a call is made with () in place of an IJ, and its outcome: what looks at a grid first may fail for that,
    // and no IJ of a container equals ().
    AB_FN bool takes_empty_tuple(Ins ins) const {
        switch (ins.op()) {
#define AB_CASE(number) case number:
            AB_EMPTY_TUPLE_AFTER_GRID(AB_CASE)
#undef AB_CASE
            return true;
        }
        return ins.op() == REMOVE && types[item_type(ins.type())].kind == K_IJ;
    }
    AB_FN Status call_with_empty_tuple(Ins ins, u32* out) {
        if (ins.op() != REMOVE) return Form<Grid>::load(value(ins.arg(0))).h == 0 ? EMPTY : TYPE;
        copy_words(out, value(ins.arg(1)), 2);
        return OK;
    }

    AB_FN void owe(Ins ins) { steps += owed(c.a, ins); }
};

}  // namespace arcbatt
