// rapply: what each of several functions gives for one value. A body is a function, and there are no items.
#pragma once

#include "loops/apply.h"

namespace arcbatt {
namespace loops {

struct Rapply : Apply {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = bodies(ins);
        m.steps += 1 + f.n + m.size_of(ins.arg_type(0), ins.arg(0));
        return take_room(m, f, f.n, result_words(m, ins));
    }

    static AB_FN u32 body(const Frame& f) { return u32(f.index); }
    static AB_FN void load(Machine&, Ins, BodyRef, u64) {}
};

}  // namespace loops
}  // namespace arcbatt
