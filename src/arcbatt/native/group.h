// A group of lanes runs one work item. Control flow and scalars are the same in all lanes; work over arrays is written
// as regions that a group spreads over its lanes. A region must not depend on the order of its indexes, and sees what
// earlier regions wrote. With one lane a region is a plain loop; emulated lanes walk it in an order no plain loop
// would, so that code which leans on order fails its tests without a GPU.
#pragma once

#include "portability.h"

namespace arcbatt {

struct Group {
    // f(i) for every i below n.
    template <class F>
    AB_FN void each(u32 n, F f) const {
#if AB_LANES == 1
        for (u32 i = 0; i < n; ++i) f(i);
#else
        for (u32 lane = AB_LANES; lane-- > 0;)
            for (u32 i = lane; i < n; i += AB_LANES) f(i);
#endif
    }

    // Whether f(i) holds for some i below n.
    template <class F>
    AB_FN bool any(u32 n, F f) const {
#if AB_LANES == 1
        for (u32 i = 0; i < n; ++i)
            if (f(i)) return true;
        return false;
#else
        bool found = false;
        each(n, [&](u32 i) { found = f(i) || found; });
        return found;
#endif
    }

    // f(i) for every i below n; whether it held for some.
    template <class F>
    AB_FN bool flagged(u32 n, F f) const {
        bool found = false;
        each(n, [&](u32 i) { found |= f(i); });
        return found;
    }

    // The least, greatest and sum of f(i).
    template <class F>
    AB_FN i32 min_of(u32 n, i32 start, F f) const {
        i32 value = start;
        each(n, [&](u32 i) { value = least(value, i32(f(i))); });
        return value;
    }
    template <class F>
    AB_FN i32 max_of(u32 n, i32 start, F f) const {
        i32 value = start;
        each(n, [&](u32 i) { value = most(value, i32(f(i))); });
        return value;
    }
    template <class F>
    AB_FN i64 sum_of(u32 n, F f) const {
        i64 value = 0;
        each(n, [&](u32 i) { value += i64(f(i)); });
        return value;
    }

    // put(i, k) for every i with keep(i), k counting them up in order; how many there were.
    template <class K, class P>
    AB_FN u32 compact(u32 n, K keep, P put) const {
        u32 count = 0;
        for (u32 i = 0; i < n; ++i)
            if (keep(i)) put(i, count++);
        return count;
    }
};

}  // namespace arcbatt
