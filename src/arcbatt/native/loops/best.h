// argmax, argmin, valmax, valmin: the item for which the body gives the greatest or least value, or that value; of
// several the first.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

struct Best : Loop {
    static constexpr bool TAKES_ANY_NUMBER = true;

    static AB_FN bool greatest(Ins ins) { return ins.op() == LOOP_ARGMAX || ins.op() == LOOP_VALMAX; }
    static AB_FN bool gives_value(Ins ins) { return gives_best_value(ins.op()); }

    // The second body of valmax and valmin is what they are without any item.
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, false);
        if (f.n) return OK;
        if (!gives_value(ins)) return EMPTY;
        if (bodies(ins) < 2) return ESCAPE;
        f.body = 1;
        f.n = 1;
        return OK;
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool&) {
        u32 key[MAX_ITEM_WORDS];
        Status s = box(m.types, body.type(), m.value(body.result()), key);
        if (s != OK) return s;
        if (better(m, ins, f, key)) {
            copy_words(f.best, key, m.types[body.type()].item_words);
            f.best_index = u32(f.index);
        }
        if (m.types[body.type()].scalar) m.c.a.top = f.mark;
        return OK;
    }
    static AB_FN bool better(Machine& m, Ins ins, const Frame& f, const u32* key) {
        if (f.best_index == NOWHERE) return true;
        i32 order = compare_items(m.c, m.types, body_of(ins, 0).type(), key, f.best);
        return greatest(ins) ? order > 0 : order < 0;
    }

    static AB_CALL bool accept_chunk(Machine& m, Ins ins, Frame& f, BodyRef, Column result, u32 n) {
        auto number = [&](u32 k) { return i32(result.at[k]); };
        i32 best = greatest(ins) ? m.c.g.max_of(n, INT_LEAST, number) : m.c.g.min_of(n, INT_MOST, number);
        i32 at = m.c.g.min_of(n, i32(n), [&](u32 k) { return number(k) == best ? i32(k) : i32(n); });
        i32 before = key_int(f.best[0]);
        if (f.best_index == NOWHERE || (greatest(ins) ? best > before : best < before)) {
            f.best[0] = int_key(best);
            f.best_index = u32(f.index) + u32(at);
        }
        return true;
    }

    static AB_CALL Status finish(Machine& m, Ins ins, Frame& f) {
        u32* out = m.value(ins.dst());
        if (gives_value(ins))
            unbox(m.types, body_of(ins, 0).type(), f.best, out);
        else
            unbox(m.types, m.item_type(ins.arg_type(0)), items_in(m, ins, 0) + f.best_index * item_words(m, ins, 0),
                  out);
        return charge_result(m, ins);
    }
};

}  // namespace loops
}  // namespace arcbatt
