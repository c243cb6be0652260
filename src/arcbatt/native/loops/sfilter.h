// sfilter: the items for which the body holds.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

struct Sfilter : Loop {
    static constexpr bool TAKES_ANY_NUMBER = true;

    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, false);
        return take_room(m, f, f.n, item_words(m, ins, 0));
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool&) {
        bool holds = *m.value(body.result()) != 0;
        m.c.a.top = f.mark;
        if (!holds) return OK;
        u32 words = item_words(m, ins, 0);
        copy_words(m.c.a.at(f.acc) + f.acc_n * words, items_in(m, ins, 0) + f.index * words, words);
        ++f.acc_n;
        return OK;
    }

    static AB_CALL bool accept_chunk(Machine& m, Ins ins, Frame& f, BodyRef, Column result, u32 n) {
        u32 words = item_words(m, ins, 0);
        const u32* items = items_in(m, ins, 0) + u32(f.index) * words;
        u32* acc = m.c.a.at(f.acc);
        f.acc_n += m.c.g.compact(
            n, [&](u32 k) { return result.at[k] != 0; },
            [&](u32 k, u32 at) { copy_words(acc + (f.acc_n + at) * words, items + k * words, words); });
        return true;
    }

    static AB_CALL Status finish(Machine& m, Ins ins, Frame& f) {
        return put_items(m, ins, generic::Items{f.acc, f.acc_n});
    }
};

}  // namespace loops
}  // namespace arcbatt
