// choose: one of two bodies, once. It fails as that body does; its steps are those of that body.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

struct Choose : Loop {
    static AB_FN Status prepare(Machine& m, Ins ins, Frame& f) {
        f.body = *m.value(ins.arg(0)) ? 0 : 1;
        f.n = 1;
        return OK;
    }
    static AB_FN void load(Machine&, Ins, BodyRef, u64) {}

    // Its result once the body has ended, however it did. It ends with that, so there is nothing to accept or finish.
    static AB_FN Status take(Machine& m, Ins ins, BodyRef body) {
        Status s = m.status(body.result());
        if (s == OK) copy_words(m.value(ins.dst()), m.value(body.result()), m.types[ins.type()].slot_words);
        return s;
    }
    static AB_FN Status accept(Machine&, Ins, Frame&, BodyRef, bool&) { return OK; }
    static AB_FN Status finish(Machine&, Ins, Frame&) { return OK; }
};

}  // namespace loops
}  // namespace arcbatt
