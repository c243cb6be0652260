// iterate: a state, changed by the second body as long as the first holds of it. It is kept in the arena, where no body
// can write over it.
#pragma once

#include "loops/states.h"

namespace arcbatt {
namespace loops {

struct Iterate : Loop {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = 2 * u64(MAX_POWER) + 2;  // bodies; the limit is met before
        m.steps += 3 + m.size_of(ins.arg_type(0), ins.arg(0));
        f.acc = m.c.a.take(state_words(m, ins));
        if (f.acc == NOWHERE) return OVERFLOW_;
        copy_words(m.c.a.at(f.acc), m.value(ins.arg(0)), state_words(m, ins));
        return OK;
    }
    static AB_CALL void load(Machine& m, Ins ins, BodyRef body, u64) {
        *m.slot(body.param(0)) = OK;
        copy_words(m.value(body.param(0)), m.c.a.at(m.frames[m.depth - 1].acc), state_words(m, ins));
    }

    static AB_CALL Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool& done) {
        u32 *state = m.c.a.at(f.acc), words = state_words(m, ins);
        if (f.body == 0) {
            m.c.a.top = f.mark;
            done = *m.value(body.result()) == 0;
            if (done) copy_words(m.value(ins.dst()), state, words);
            f.body = 1;
            return !done && f.acc_n == u32(MAX_POWER) ? LIMIT : OK;
        }
        copy_words(state, m.value(body.result()), words);
        keep_state(m, f.acc + words, ins.type(), state);
        ++f.acc_n;
        f.body = 0;
        return OK;
    }
    static AB_FN Status finish(Machine&, Ins, Frame&) { return LIMIT; }
};

}  // namespace loops
}  // namespace arcbatt
