// The kinds of loops by opcode.
#pragma once

#include "loops/apply.h"
#include "loops/best.h"
#include "loops/choose.h"
#include "loops/extract.h"
#include "loops/fold.h"
#include "loops/iterate.h"
#include "loops/mapply.h"
#include "loops/mfilter.h"
#include "loops/mpapply.h"
#include "loops/order.h"
#include "loops/papply.h"
#include "loops/power.h"
#include "loops/prapply.h"
#include "loops/rapply.h"
#include "loops/sfilter.h"

namespace arcbatt {
namespace loops {

// f(kind), which must give the same type for all of them.
template <class F>
AB_INLINE auto with_kind(u32 op, F f) {
    switch (op) {
        case LOOP_MAPPLY:
            return f(Mapply{});
        case LOOP_SFILTER:
            return f(Sfilter{});
        case LOOP_MFILTER:
            return f(Mfilter{});
        case LOOP_ORDER:
            return f(Order{});
#define AB_CASE(op) case op:
            AB_BEST_LOOPS(AB_CASE)
#undef AB_CASE
            return f(Best{});
        case LOOP_EXTRACT:
            return f(Extract{});
        case LOOP_PAPPLY:
            return f(Papply{});
        case LOOP_MPAPPLY:
            return f(Mpapply{});
        case LOOP_PRAPPLY:
            return f(Prapply{});
        case LOOP_RAPPLY:
            return f(Rapply{});
        case LOOP_CHOOSE:
            return f(Choose{});
        case LOOP_POWER:
            return f(Power{});
        case LOOP_FOLD:
            return f(Fold{});
        case LOOP_ITERATE:
            return f(Iterate{});
        default:
            return f(Apply{});
    }
}

// The functions of a loop's kind; loops/loop.h says what they are.

// A value beside what is walked is a second argument as well.
AB_FN bool takes_two(Ins ins) { return ins.has(FUNCTIONS_VALUE) || walks_two(ins.op()); }
AB_FN bool takes_any_number(Ins ins) {
    return with_kind(ins.op(), [](auto kind) { return kind.TAKES_ANY_NUMBER; });
}
AB_FN Status prepare(Machine& m, Ins ins, Frame& f) {
    return with_kind(ins.op(), [&](auto kind) { return kind.prepare(m, ins, f); });
}
AB_FN u32 body_for(Ins ins, const Frame& f) {
    return with_kind(ins.op(), [&](auto kind) { return kind.body(f); });
}
AB_INLINE void load(Machine& m, Ins ins, BodyRef body, u64 index) {
    with_kind(ins.op(), [&](auto kind) { kind.load(m, ins, body, index); });
}
AB_FN Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool& done) {
    return with_kind(ins.op(), [&](auto kind) { return kind.accept(m, ins, f, body, done); });
}
AB_FN Status finish(Machine& m, Ins ins, Frame& f) {
    return with_kind(ins.op(), [&](auto kind) { return kind.finish(m, ins, f); });
}
AB_FN void load_chunk(Machine& m, Ins ins, BodyRef body, const ColumnRun& run) {
    with_kind(ins.op(), [&](auto kind) { kind.load_chunk(m, ins, body, run); });
}
AB_FN bool accept_chunk(Machine& m, Ins ins, Frame& f, BodyRef body, Column result, u32 n) {
    return with_kind(ins.op(), [&](auto kind) { return kind.accept_chunk(m, ins, f, body, result, n); });
}
AB_FN u32 stops_at(const Ctx& c, Ins ins, const u32* results, u32 n) {
    return with_kind(ins.op(), [&](auto kind) { return kind.stops_at(c, results, n); });
}
AB_FN void stop(Machine& m, Ins ins, u64 index) {
    with_kind(ins.op(), [&](auto kind) { kind.stop(m, ins, index); });
}

}  // namespace loops
}  // namespace arcbatt
