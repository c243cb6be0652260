// Finding the objects of many grids at once, before any program runs: programs that ask for those of their input copy
// them. One warp per grid and mode, with its labels in shared memory; what does not fit there, programs find
// themselves.
#pragma once

#include "ops/objects.h"

#if AB_LANES > 1

namespace arcbatt {

constexpr u32 OBJECTS_AT_ONCE = 8;  // grids a group takes at a time

AB_FN u32 find_objects(const ObjectsLaunch& p, const Group& g, objects_impl::NearRoom room, u32 number, u32 mode) {
    u32 h = u32(device_pointer<const i32>(p.height)[number]), w = u32(device_pointer<const i32>(p.width)[number]);
    const u8* from = device_pointer<const u8>(p.cells) + device_pointer<const i64>(p.offset)[number];
    u32 place = NOWHERE;
    objects_impl::find_near(g, from, h, w, room, mode, [&](auto& labels, u32 count, u32 cells) {
        u32 words = 2 + 2 * count + cells;
        u32 at = g.from_one([&] { return fetch_add(*device_pointer<u32>(p.pool_next), words); });
        if (u64(at) + words > p.pool_words) return;
        u32* to = device_pointer<u32>(p.pool) + at;
        to[0] = count;
        to[1] = cells;
        labels.write(count, 0, to + 2, to + 2 + 2 * count);
        place = at;
    });
    return place;
}

// The work of a group.
AB_FN void run_objects(const ObjectsLaunch& p, const Group& g, objects_impl::NearRoom room) {
    for (;;) {
        u32 first = g.from_one([&] { return fetch_add(*device_pointer<u32>(p.next), OBJECTS_AT_ONCE); });
        if (first >= p.count) return;
        for (u32 k = first; k < least(u64(first) + OBJECTS_AT_ONCE, p.count); ++k) {
            u32 number = device_pointer<const u32>(p.numbers)[k];
            for (u32 rest = u32(p.modes); rest; rest &= rest - 1) {
                u32 mode = lowest_bit(rest), place = find_objects(p, g, room, number, mode);
                if (place != NOWHERE) device_pointer<u32>(p.places)[mode * p.grids + number] = place;
            }
        }
    }
}

}  // namespace arcbatt

#if AB_DEVICE
extern "C" __global__ void __launch_bounds__(arcbatt::OBJECT_GROUPS* AB_LANES)
    arcbatt_objects(const arcbatt::ObjectsLaunch* launch) {
    using namespace arcbatt;
    extern __shared__ u32 rooms[];
    u32 most_cells = u32(launch->most_cells), group = threadIdx.x / AB_LANES;
    run_objects(*launch, Group{},
                objects_impl::NearRoom{rooms + group * objects_impl::NearRoom::size(most_cells), most_cells});
}
#endif

#endif
