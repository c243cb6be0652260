// fold: a state, changed by the body for each item. The body's parameter is the pair of both: the words of the state,
// then those of the item.
#pragma once

#include "loops/states.h"

namespace arcbatt {
namespace loops {

struct Fold : Loop {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = count_in(m, ins, 0);
        charge_walk(m, ins, true);
        copy_words(state(m, ins), m.value(ins.arg(1)), state_words(m, ins));
        f.acc = m.c.a.top;
        return OK;
    }
    static AB_CALL void load(Machine& m, Ins ins, BodyRef body, u64 index) {
        *m.slot(body.param(0)) = OK;
        unbox(m.types, m.item_type(ins.arg_type(0)), items_in(m, ins, 0) + index * item_words(m, ins, 0),
              state(m, ins) + state_words(m, ins));
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool&) {
        copy_words(state(m, ins), m.value(body.result()), state_words(m, ins));
        keep_state(m, f.acc, ins.type(), state(m, ins));
        return OK;
    }
    static AB_CALL Status finish(Machine& m, Ins ins, Frame&) {
        copy_words(m.value(ins.dst()), state(m, ins), state_words(m, ins));
        return charge_result(m, ins);
    }

   private:
    static AB_FN u32* state(Machine& m, Ins ins) { return m.value(body_of(ins, 0).param(0)); }
};

}  // namespace loops
}  // namespace arcbatt
