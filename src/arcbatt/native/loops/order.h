// order: the items by ascending key, those of one key as they stood.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

// The list has an entry for each item: what the body gave, which is the key, and the item's number.
struct Order : Loop {
    static AB_FN u32 entry_words(const Machine& m, Ins ins) { return m.types[body_of(ins, 0).type()].item_words + 1; }

    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, false);
        return take_room(m, f, f.n, entry_words(m, ins));
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool&) {
        u32 words = entry_words(m, ins);
        u32* entry = m.c.a.at(f.acc) + f.acc_n * words;
        Status s = box(m.types, body.type(), m.value(body.result()), entry);
        if (s != OK) return s;
        entry[words - 1] = f.acc_n++;
        if (m.types[body.type()].scalar) m.c.a.top = f.mark;
        return OK;
    }

    static AB_CALL bool accept_chunk(Machine& m, Ins, Frame& f, BodyRef, Column result, u32 n) {
        u32* acc = m.c.a.at(f.acc);
        m.c.g.each(n, [&](u32 k) {
            acc[2 * (f.acc_n + k)] = int_key(i32(result.at[k]));
            acc[2 * (f.acc_n + k) + 1] = f.acc_n + k;
        });
        f.acc_n += n;
        return true;
    }

    static AB_CALL Status finish(Machine& m, Ins ins, Frame& f) {
        Ctx& c = m.c;
        u32 key_type = body_of(ins, 0).type(), stride = entry_words(m, ins), n = f.acc_n;
        u32* entries = c.a.at(f.acc);
        auto before = [&](const u32* a, const u32* b) {
            i32 order = compare_items(c, m.types, key_type, a, b);
            return order < 0 || (order == 0 && a[stride - 1] < b[stride - 1]);
        };
        order_items<MAX_ITEM_WORDS + 1>(c, entries, n, stride, before);
        generic::Items result;
        Status s = generic::make(c, m.types, m.item_type(ins.arg_type(0)), n, result);
        if (s != OK) return s;
        u32 words = item_words(m, ins, 0);
        const u32* from = items_in(m, ins, 0);
        u32* to = c.a.at(result.off);
        c.g.each(n, [&](u32 k) { copy_words(to + k * words, from + entries[k * stride + stride - 1] * words, words); });
        return put_items(m, ins, result);
    }
};

}  // namespace loops
}  // namespace arcbatt
