// mapply: apply, and the containers the body gave merged into one.
#pragma once

#include "loops/apply.h"

namespace arcbatt {
namespace loops {

struct Mapply : Apply {
    static constexpr u32 WORDS = 2;  // of a container

    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, false);
        return take_room(m, f, f.n, WORDS);
    }

    // Numbers cannot be merged: they are counted, and refused in the end.
    static AB_FN bool gives_numbers(const Machine& m, Ins ins) { return m.types[body_of(ins, 0).type()].kind == K_INT; }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool&) {
        if (!gives_numbers(m, ins)) {
            u32* item = m.c.a.at(f.acc) + WORDS * f.acc_n;
            copy_words(item, m.value(body.result()), WORDS);
            keep_result(m, f.mark, body.type(), item);
        }
        ++f.acc_n;
        return OK;
    }
    static AB_FN bool accept_chunk(Machine&, Ins, Frame&, BodyRef, Column, u32) { return false; }

    static AB_CALL Status finish(Machine& m, Ins ins, Frame& f) {
        if (gives_numbers(m, ins) && f.acc_n) return TYPE;
        return put_merged(m, ins, f);
    }
    static AB_FN Status put_merged(Machine& m, Ins ins, Frame& f) {
        generic::Items merged;
        u32 type = ins.type();
        Status s =
            generic::merge(m.c, m.types, m.item_type(type), m.is_set(type), generic::Items{f.acc, f.acc_n}, merged);
        return s != OK ? s : put_items(m, ins, merged);
    }
};

}  // namespace loops
}  // namespace arcbatt
