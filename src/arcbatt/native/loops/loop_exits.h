// Loops left before their end: those that take too long, so that other groups can take items of them (shares.h), and
// those of which only a part is run.
#pragma once

#include "loops/per_lane_loops.h"

namespace arcbatt {

#if AB_LANES > 1
struct LoopExits : LaneLoops {
    // Whether loops are to be left as they are, for others to take their items (shares.h).
    AB_FN bool too_late() {
        late = patience && c.g.from_one([&] { return clock_ticks() - started > patience; });
        if (late && level_to_share() == NOWHERE) {
            late = false;
            started = clock_ticks();
        }
        return late;
    }

    AB_FN u32 leave_loops() {
        c.a.capacity = capacity;
        return NOWHERE;
    }

    // The outermost loop that others can take items of; NOWHERE if there is none.
    AB_FN u32 level_to_share() const {
        for (u32 level = edge ? edge - 1 : 0; level < depth; ++level) {
            const Frame& f = frames[level];
            Ins ins{code + f.loop};
            if (f.body == 0 && f.n - f.index >= 2 * grain(level) && f.n < NOWHERE && can_share(ins)) return level;
        }
        return NOWHERE;
    }

    // How many items of a loop are run at once: parts of it are no smaller.
    AB_FN u32 grain(u32 level) const {
        const Frame& f = frames[level];
        Ins ins{code + f.loop};
        if (ins.extra()[0] & COLUMNAR) return 8 * AB_LANES;  // what columns cost beside their items has to pay
        return lanes_suit(f, ins) ? AB_LANES : 1;
    }

    AB_FN bool can_share(Ins ins) const {
        u32 type = body_of(ins, 0).type();
        switch (ins.op()) {
            case LOOP_SFILTER:
            case LOOP_MFILTER:
                return true;
            case LOOP_ARGMAX:
            case LOOP_ARGMIN:
            case LOOP_VALMAX:
            case LOOP_VALMIN:
                return types[type].scalar;
            case LOOP_APPLY:
            case LOOP_PAPPLY:
            case LOOP_PRAPPLY:
            case LOOP_MAPPLY:
            case LOOP_MPAPPLY:
                return one_level(types, type);
        }
        return false;
    }

    AB_FN u32 end_part(Status s) {
        ended = s;
        c.a.capacity = capacity;
        return NOWHERE;
    }
};
#else
struct LoopExits : LaneLoops {
    AB_FN bool too_late() { return false; }
    AB_FN u32 leave_loops() { return NOWHERE; }
};
#endif

}  // namespace arcbatt
