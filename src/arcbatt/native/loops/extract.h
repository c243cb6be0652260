// extract: the first item for which the body holds.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

struct Extract : Loop {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, false);
        return f.n == 0 ? EMPTY : OK;
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool& done) {
        done = *m.value(body.result()) != 0;
        m.c.a.top = f.mark;
        if (done) stop(m, ins, f.index);
        return OK;
    }

    static AB_FN bool accept_chunk(Machine&, Ins, Frame&, BodyRef, Column, u32) { return true; }
    static AB_FN u32 stops_at(const Ctx& c, const u32* results, u32 n) {
        return u32(c.g.min_of(n, i32(n), [&](u32 k) { return results[k] ? i32(k) : i32(n); }));
    }
    static AB_FN void stop(Machine& m, Ins ins, u64 index) {
        unbox(m.types, m.item_type(ins.arg_type(0)), items_in(m, ins, 0) + index * item_words(m, ins, 0),
              m.value(ins.dst()));
    }

    static AB_FN Status finish(Machine&, Ins, Frame&) { return EMPTY; }
};

}  // namespace loops
}  // namespace arcbatt
