// Plain calls: instructions without bodies, what they cost, and what becomes of arguments that failed.
#pragma once

#include "exec/generic_calls.h"

namespace arcbatt {

// More than a single call can cost that only walks its arguments and result.
constexpr u64 MOST_LINEAR_STEPS = 8 * u64(MAX_SIZE);

// --- () in place of an IJ ---

// What a call makes of it: what looks at the IJ before all else fails, the rest is left alone.
AB_FN Status empty_tuple_argument(u32 op) {
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

// Whether a call is made with it, and its outcome: what looks at a grid first may fail for that, and no IJ of a
// container equals ().
template <class M, class I>
AB_FN bool takes_empty_tuple(const M& m, I ins) {
    switch (ins.op()) {
#define AB_CASE(number) case number:
        AB_EMPTY_TUPLE_AFTER_GRID(AB_CASE)
#undef AB_CASE
        return true;
    }
    return ins.op() == REMOVE && m.types[m.item_type(ins.type())].kind == K_IJ;
}
template <class M, class I>
AB_FN Status call_with_empty_tuple(M& m, I ins, u32* out) {
    if (ins.op() != REMOVE) return Form<Grid>::load(m.value(ins.arg(0))).h == 0 ? EMPTY : TYPE;
    copy_words(out, m.value(ins.arg(1)), 2);
    return OK;
}

// --- calls ---

// What an instruction asks for, on the words of its arguments.
template <class M, class I>
AB_FN Status dispatch(M& m, I ins, const u32* const* args, u32* out) {
    u32 op = ins.op();
    return op < HALT ? call_variant(m.c, op, args, out) : generic_call(m, ins, args, out);
}

template <class M, class I>
AB_FN Status call_operation(M& m, I ins, u32* out) {
    const u32* args[MAX_ARGS];
    u32 count = least(ins.count(), MAX_ARGS);
    for (u32 k = 0; k < count; ++k) args[k] = m.value(ins.arg(k));
    return dispatch(m, ins, args, out);
}

// The first argument, unless another one failed.
template <class M, class I>
AB_INLINE void guard(M& m, I ins, u32* dst) {
    Status s = m.first_failure(ins, 1, ins.count());
    if (s == OK || s == EMPTY_TUPLE) s = m.status(ins.arg(0));
    *dst = s;
    if (s == OK) copy_words(dst + 1, m.value(ins.arg(0)), m.types[ins.type()].slot_words);
}

// The second or the third argument, whatever became of the other.
template <class M, class I>
AB_INLINE void choose(M& m, I ins, u32* dst) {
    u32 from = ins.arg(*m.value(ins.arg(0)) ? 1 : 2);
    *dst = m.status(from);
    if (*dst == OK) copy_words(dst + 1, m.value(from), m.types[ins.type()].slot_words);
}

// A call that the compiler made for one that stands in a program counts nowhere, and no steps of its own can fail it.
template <class I>
AB_INLINE bool is_helper(I ins) {
    return ins.times() == 0 && !ins.cost_place();
}

// A call of which every size is known from the types.
template <class M, class I>
AB_INLINE void fixed_cost_call(M& m, I ins, u32* dst) {
    Status s = call_operation(m, ins, dst + 1);
    *dst = s;
    u64 cost = ins.extra()[1] - (s == OK ? 0 : m.types[ins.type()].leaves);  // without a result, of its arguments alone
    if (ins.times() > 0 || ins.cost_place()) m.charge_call(ins, cost);
    if (cost > m.max_steps && !is_helper(ins)) *dst = LIMIT;
}

// What the arguments of a call cost, as they are written in the program.
template <class M, class I>
AB_INLINE u64 argument_cost(M& m, I ins, bool with_empty_tuple) {
    u32 flags = ins.extra()[0];
    u32 first = flags & ORIGINALS ? ins.count() / 2 : 0;
    u32 written = ins.count() - first - (flags & HIDDEN_ARG ? 1 : 0);
    u64 cost = 1, product = 1;
    ins.each_arg([&](auto k) {
        if (k < first || k >= first + written) return;
        u32 from = ins.arg(k);
        bool nothing = with_empty_tuple && m.status(from) == EMPTY_TUPLE;
        u64 size = nothing ? 0 : m.size_of(ins.arg_type(k), from);
        cost += size;
        if (k < first + 2) product *= size;
    });
    return flags & MULTIPLIES ? cost + product : cost;
}

AB_INLINE bool costs_nothing(u32 op) {
    return op == CAST || op == COPY || op == POWER_COUNT || op == AS_EMPTY || op == PAIRED;
}

// Whether anything can come of what a call costs.
template <class M, class I>
AB_INLINE bool is_counted(M& m, I ins) {
    if (costs_nothing(ins.op()) || is_helper(ins)) return false;
    return ins.times() > 0 || ins.cost_place() || m.max_steps < MOST_LINEAR_STEPS;
}

// A call whose cost is measured, where anything can come of that.
template <class M, class I>
AB_INLINE void measured_call(M& m, I ins, bool with_empty_tuple, u32* dst) {
    bool free = costs_nothing(ins.op()), counted = is_counted(m, ins);
    bool multiplies = ins.has(MULTIPLIES);
    u64 cost = counted || multiplies ? argument_cost(m, ins, with_empty_tuple) : 0;
    Status s = multiplies && cost > m.max_steps ? LIMIT
               : with_empty_tuple               ? call_with_empty_tuple(m, ins, dst + 1)
                                                : call_operation(m, ins, dst + 1);
    u64 size = 0;
    if (s == OK && !free && (counted || m.types[ins.type()].kind >= K_SET)) s = m.measure(ins.type(), dst + 1, size);
    if (s == OK) cost += size;
    *dst = counted && cost > m.max_steps ? LIMIT : s;
    if (counted) m.charge_call(ins, cost);
    if (multiplies) m.spend(cost);
}

// A call that is made, and fails for an empty tuple where it wants a pair.
template <class M, class I>
AB_INLINE void refuse_empty_tuple(M& m, I ins, u32* dst) {
    u64 cost = is_counted(m, ins) ? argument_cost(m, ins, true) : 0;
    *dst = cost > m.max_steps ? Status(LIMIT) : empty_tuple_argument(ins.op());
    m.charge_call(ins, cost);
}

template <class M, class I>
AB_CALL void plain_call(M& m, I ins) {
    u32* dst = m.slot(ins.dst());
    if (ins.op() == GUARD) return guard(m, ins, dst);
    Status s = m.first_failure(ins, 0, ins.strict());
    bool with_empty_tuple = s == EMPTY_TUPLE && takes_empty_tuple(m, ins);
    if (s == EMPTY_TUPLE && !with_empty_tuple) return refuse_empty_tuple(m, ins, dst);
    if (s != OK && !with_empty_tuple) {
        *dst = s;
        if (ins.cost_place()) *m.slot(ins.cost_place()) = 0;
        return;
    }
    if (ins.op() == CHOOSE) return choose(m, ins, dst);
    if (ins.has(FIXED_COST)) return fixed_cost_call(m, ins, dst);
    measured_call(m, ins, with_empty_tuple, dst);
}

// What a body costs beside the calls in it that count themselves.
AB_FN void charge(Machine& m, Ins ins) { m.steps += charged_steps(m.c.a, ins); }

}  // namespace arcbatt
