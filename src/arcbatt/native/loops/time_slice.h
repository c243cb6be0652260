// The time slice of a group: when it is used up, loops are suspended where they stand, so that other groups can take
// items of them (loops/shares.h). And the end of a loop of which only a part is run, as these do.
#pragma once

#include "loops/per_lane.h"

namespace arcbatt {
namespace loops {

#if AB_LANES > 1

// How many items of a loop run at once: parts of it are no smaller.
AB_FN u32 grain(const Machine& m, u32 level) {
    const Frame& f = m.frames[level];
    Ins ins{m.code + f.loop};
    if (ins.has(COLUMNAR)) return 8 * AB_LANES;  // what columns cost beside their items has to pay
    return lanes_suit(f, ins) ? AB_LANES : 1;
}

// The outermost loop that others can take items of; NOWHERE if there is none.
AB_CALL u32 level_to_share(const Machine& m) {
    for (u32 level = m.part_depth ? m.part_depth - 1 : 0; level < m.depth; ++level) {
        const Frame& f = m.frames[level];
        Ins ins{m.code + f.loop};
        if (f.body == 0 && f.n - f.index >= 2 * grain(m, level) && f.n < NOWHERE && can_share(m, ins)) return level;
    }
    return NOWHERE;
}

// Whether loops are to be suspended. Where there is none to share, the time slice begins anew.
AB_FN bool time_is_up(Machine& m) {
    m.suspended = m.time_slice && m.c.g.from_one([&] { return clock_ticks() - m.started > m.time_slice; });
    if (m.suspended && level_to_share(m) == NOWHERE) {
        m.suspended = false;
        m.started = clock_ticks();
    }
    return m.suspended;
}

// Both end the run of the machine: where the next instruction is.
AB_FN u32 suspend(Machine& m) {
    m.c.a.capacity = m.capacity;
    return NOWHERE;
}
AB_FN u32 end_part(Machine& m, Status s) {
    m.part_status = s;
    m.c.a.capacity = m.capacity;
    return NOWHERE;
}

#else

AB_FN bool time_is_up(Machine&) { return false; }
AB_FN u32 suspend(Machine&) { return NOWHERE; }

#endif

}  // namespace loops
}  // namespace arcbatt
