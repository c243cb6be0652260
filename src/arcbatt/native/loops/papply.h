// papply: apply to the items of two containers in pairs, as far as both go.
#pragma once

#include "loops/apply.h"

namespace arcbatt {
namespace loops {

struct Papply : Apply {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) {
        return prepare_pairs(m, ins, f, result_words(m, ins));
    }
    static AB_FN Status prepare_pairs(Machine& m, Ins ins, Frame& f, u32 words) {
        f.n = least(count_in(m, ins, 0), count_in(m, ins, 1));
        charge_walk(m, ins, true);
        return take_room(m, f, f.n, words);
    }

    static AB_FN void load(Machine& m, Ins ins, BodyRef body, u64 index) {
        load_parameter(m, ins, body, 0, index);
        load_parameter(m, ins, body, 1, index);
    }
    static AB_CALL void load_chunk(Machine& m, Ins ins, BodyRef body, const ColumnRun& run) {
        for (u32 k = 0; k < 2; ++k) run.load(body, k, items_in(m, ins, k), [](u32 i) { return i; });
    }
};

}  // namespace loops
}  // namespace arcbatt
