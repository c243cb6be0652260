// prapply: the set of what the body gives for each pair of an item of one container and one of another.
#pragma once

#include "loops/apply.h"

namespace arcbatt {
namespace loops {

// There can be more pairs than room for what the body gives: a list that is full is sorted as a set, and goes on.
struct Prapply : Apply {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        f.n = u64(count_in(m, ins, 0)) * count_in(m, ins, 1);
        charge_walk(m, ins, true);
        return take_room(m, f, least(f.n, u64(2 * MAX_ITEMS)), result_words(m, ins));
    }

    static AB_FN void load(Machine& m, Ins ins, BodyRef body, u64 index) {
        u32 n = count_in(m, ins, 1);
        load_parameter(m, ins, body, 0, index / n);
        load_parameter(m, ins, body, 1, index % n);
    }
    static AB_CALL void load_chunk(Machine& m, Ins ins, BodyRef body, const ColumnRun& run) {
        u32 n = count_in(m, ins, 1);
        run.load(body, 0, items_in(m, ins, 0), [&](u32 k) { return k / n; });
        run.load(body, 1, items_in(m, ins, 1), [&](u32 k) { return k % n; });
    }

    static AB_FN Status accept(Machine& m, Ins ins, Frame& f, BodyRef body, bool& done) {
        if (f.acc_n == f.acc_room) {
            sort_list(m, ins, f);
            if (f.acc_n > MAX_ITEMS) return ESCAPE;
        }
        return Apply::accept(m, ins, f, body, done);
    }
};

}  // namespace loops
}  // namespace arcbatt
