// power: a function called with what it gave, a number of times. The body's parameter holds the value.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

struct Power : Loop {
    static AB_FN Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = *m.value(ins.arg(1));
        copy_words(m.value(body_of(ins, 0).param(0)), m.value(ins.arg(0)), m.types[ins.type()].slot_words);
        return OK;
    }
    static AB_FN void load(Machine& m, Ins, BodyRef body, u64) { *m.slot(body.param(0)) = OK; }

    static AB_FN Status accept(Machine& m, Ins ins, Frame&, BodyRef body, bool&) {
        copy_words(m.value(body.param(0)), m.value(body.result()), m.types[ins.type()].slot_words);
        return OK;
    }
    static AB_FN Status finish(Machine& m, Ins ins, Frame&) {
        copy_words(m.value(ins.dst()), m.value(body_of(ins, 0).param(0)), m.types[ins.type()].slot_words);
        return OK;
    }
};

}  // namespace loops
}  // namespace arcbatt
