// What loops have in common. A kind of loop is a struct of static functions in a file of its own, over `Loop`, which
// has those that most kinds share; loops/kinds.h finds the kind by opcode.
#pragma once

#include "exec/plain_calls.h"
#include "loops/columns.h"

namespace arcbatt {
namespace loops {

AB_FN u32 bodies(Ins ins) { return ins.extra()[1]; }
AB_FN BodyRef body_of(Ins ins, u32 which) {
    BodyRef body{ins.extra() + 2};
    for (u32 k = 0; k < which; ++k) body = body.next();
    return body;
}
// What stands behind the bodies.
AB_FN ColumnsRef columns_of(Ins ins) { return ColumnsRef{body_of(ins, bodies(ins)).w}; }

// The container that is argument k of a loop.
AB_FN u32 count_in(Machine& m, Ins ins, u32 k) { return m.value(ins.arg(k))[1]; }
AB_FN u32* items_in(Machine& m, Ins ins, u32 k) { return m.c.a.at(m.value(ins.arg(k))[0]); }
AB_FN u32 item_words(const Machine& m, Ins ins, u32 k) { return m.types[m.item_type(ins.arg_type(k))].item_words; }
// The words of an item of a loop's result, where that is a container.
AB_FN u32 result_words(const Machine& m, Ins ins) { return m.types[m.item_type(ins.type())].item_words; }

// --- before the first item ---

// What a call costs that walks a container, or `two`; functions made from the items count for one each.
AB_CALL void charge_walk(Machine& m, Ins ins, bool two) {
    if (ins.has(OVER_FUNCTIONS))
        m.steps += 1 + count_in(m, ins, 0) + (ins.has(FUNCTIONS_VALUE) ? m.size_of(ins.arg_type(1), ins.arg(1)) : 1);
    else
        m.steps += 2 + m.size_of(ins.arg_type(0), ins.arg(0)) + (two ? m.size_of(ins.arg_type(1), ins.arg(1)) : 0);
}

// Room for a list of so many items.
AB_FN Status take_room(Machine& m, Frame& f, u64 items, u32 words) {
    if (items == 0) return OK;
    f.acc = m.c.a.take(items * words);
    if (f.acc == NOWHERE) return OVERFLOW_;
    f.acc_room = u32(items);
    return OK;
}

// --- items ---

// Parameter k of a body: an item of the container that is argument k.
AB_INLINE void load_parameter(Machine& m, Ins ins, BodyRef body, u32 k, u64 index) {
    u32 type = body.param_type(k), place = body.param(k);
    *m.slot(place) = OK;
    unbox(m.types, type, items_in(m, ins, k) + index * m.types[type].item_words, m.value(place));
}

// Drop what the body left in the arena but for its result, which moves down to where the body started.
AB_FN void keep_result(Machine& m, u32 mark, u32 type, u32* item) {
    if (!one_level(m.types, type)) return;
    u32 words = data_words(m.types, type, item), place = item[0];
    if (place >= mark && words) {
        m.c.g.move_down(m.c.a.at(mark), m.c.a.at(place), words);
        item[0] = mark;
        m.c.a.top = mark + words;
    } else {
        m.c.a.top = mark;
    }
}

// --- after the last item ---

AB_CALL Status charge_result(Machine& m, Ins ins) {
    u64 size;
    Status s = m.measure(ins.type(), m.value(ins.dst()), size);
    if (s != OK) return s;
    m.steps += size;
    return m.steps > m.max_steps ? LIMIT : OK;
}
// The loop's result is a container.
AB_FN Status put_items(Machine& m, Ins ins, generic::Items items) {
    generic::put(m.value(ins.dst()), items);
    return charge_result(m, ins);
}

// --- kinds ---

// A kind of loop. Beside these functions it has its own of
//   Status prepare(Machine&, Ins, Frame&)      the trip count, what the call costs, room for a list of results
//   Status accept(Machine&, Ins, Frame&, BodyRef, bool& done)
//                                              take the body's result for an item; `done` where the loop's is there
//   Status finish(Machine&, Ins, Frame&)       the loop's result once every item was seen
struct Loop {
    // Whether it takes what its body gives, whatever number that is, and goes through all of its items.
    static constexpr bool TAKES_ANY_NUMBER = false;

    // The body that runs for the next item, and its parameters for an item.
    static AB_FN u32 body(const Frame& f) { return f.body; }
    static AB_FN void load(Machine& m, Ins ins, BodyRef body, u64 index) {
        if (body.params()) load_parameter(m, ins, body, 0, index);
    }

    // Columnar: the parameters for a chunk of items, and what the body gave for all n of them; false where these must
    // be run one by one.
    static AB_CALL void load_chunk(Machine& m, Ins ins, BodyRef body, const ColumnRun& run) {
        run.load(body, 0, items_in(m, ins, 0), [](u32 k) { return k; });
    }
    static AB_FN bool accept_chunk(Machine&, Ins, Frame&, BodyRef, Column, u32) { return false; }
    // The first of n results that decides the loop's; n if there is none. `stop` puts the loop's, by the item's number.
    static AB_FN u32 stops_at(const Ctx&, const u32*, u32 n) { return n; }
    static AB_FN void stop(Machine&, Ins, u64) {}
};

}  // namespace loops
}  // namespace arcbatt
