// apply: a container of what the body gives for each item.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

struct Apply : Loop {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, false);
        return take_room(m, f, f.n, result_words(m, ins));
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool&) {
        u32 type = m.item_type(ins.type());
        u32* item = m.c.a.at(f.acc) + f.acc_n * m.types[type].item_words;
        Status s = box(m.types, type, m.value(body.result()), item);
        if (s != OK) return s;
        if (m.types[type].scalar)
            m.c.a.top = f.mark;
        else
            keep_result(m, f.mark, type, item);
        ++f.acc_n;
        return OK;
    }

    static AB_CALL bool accept_chunk(Machine& m, Ins, Frame& f, BodyRef body, Column result, u32 n) {
        if (f.acc_n + n > f.acc_room) return false;
        u32 kind = m.types[body.type()].kind, words = m.types[body.type()].slot_words;
        u32* acc = m.c.a.at(f.acc);
        bool beyond = m.c.g.flagged(n, [&](u32 k) {
            u32 slot[3];
            for (u32 w = 0; w < words; ++w) slot[w] = result.word(w, k);
            return box_part(kind, slot, acc + f.acc_n + k) != OK;
        });
        if (beyond) return false;
        f.acc_n += n;
        return true;
    }

    static AB_CALL Status finish(Machine& m, Ins ins, Frame& f) {
        if (m.is_set(ins.type())) sort_list(m, ins, f);
        return put_items(m, ins, generic::Items{f.acc, f.acc_n});
    }

    // Sort the list as a set.
    static AB_FN void sort_list(Machine& m, Ins ins, Frame& f) {
        f.acc_n = sort_unique_items(m.c, m.types, m.item_type(ins.type()), m.c.a.at(f.acc), f.acc_n);
    }
};

}  // namespace loops
}  // namespace arcbatt
