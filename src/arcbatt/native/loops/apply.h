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

#if AB_LANES > 1
    static AB_FN bool accept_round(Machine& m, Ins, Frame& f, const LaneRound& round, u32 mark) {
        return accept_values(m, f, round, m.types[round.body.type()].item_words, mark);
    }
    // Values of at most one level into the list, items of which have so many words; what they point to goes to the
    // mark.
    static AB_CALL bool accept_values(Machine& m, Frame& f, const LaneRound& round, u32 stride, u32 mark) {
        u32 type = round.body.type(), n = round.n, words = m.types[type].slot_words;
        if (!one_level(m.types, type) || f.acc_n + n > f.acc_room) return false;
        u32* acc = m.c.a.at(f.acc) + f.acc_n * stride;
        u32 between = m.c.a.top, total = m.types[type].scalar ? 0 : round.gather(m.c.a, mark);
        if (total == NOWHERE) return false;
        bool beyond = m.c.g.flagged(n, [&](u32 k) {
            u32 slot[3 * MAX_ITEM_WORDS];
            for (u32 w = 0; w < words; ++w) slot[w] = round.word(w, k);
            return box(m.types, type, slot, acc + k * stride) != OK;
        });
        if (beyond) return false;
        m.c.g.move_down(m.c.a.at(mark), m.c.a.at(between), total);
        m.c.a.top = mark + total;
        f.acc_n += n;
        return true;
    }

    static AB_FN bool can_share(const Machine& m, Ins ins) { return one_level(m.types, body_of(ins, 0).type()); }
    static AB_FN u32 list_words(const Machine& m, Ins ins) { return result_words(m, ins); }
    static AB_FN bool list_has_places(const Machine& m, Ins ins) { return !m.types[body_of(ins, 0).type()].scalar; }
    // Where the loop makes a set, what a part found is one already: fewer items to hand over, and to sort in the end.
    static AB_FN void shorten_list(Machine& m, Ins ins, Frame& f) {
        if (m.is_set(ins.type())) sort_list(m, ins, f);
    }
#endif
};

}  // namespace loops
}  // namespace arcbatt
