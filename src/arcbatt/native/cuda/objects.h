// Finding the objects of many grids at once, before any program runs: programs that ask for those of their input copy
// them. One warp per grid and mode, with its labels in shared memory; what does not fit there, programs find
// themselves.
#pragma once

#include "ops/objects.h"

#if AB_LANES > 1

namespace arcbatt {

constexpr u32 OBJECTS_AT_ONCE = 8;  // grids a group takes at a time

// A group's room in shared memory: a tally of colours, labels, the cells.
struct ObjectsRoom {
    u32* words;
    u32 most_cells;
    static constexpr u32 COLOURS = objects_impl::Labels<u16>::COLOURS;
    static constexpr u32 ROWS = objects_impl::Labels<u16>::ROWS;
    static AB_FN u32 size(u32 most_cells) { return COLOURS + ROWS * most_cells / 2 + most_cells / 4; }
    AB_FN u16* labels() const { return reinterpret_cast<u16*>(words + COLOURS); }
    AB_FN i8* cells() const { return reinterpret_cast<i8*>(words + COLOURS + ROWS * most_cells / 2); }
};
static_assert(sizeof(u32) * ObjectsRoom::COLOURS == OBJECT_GROUP_BYTES, "abi.py says otherwise");
static_assert(sizeof(u16) * ObjectsRoom::ROWS + sizeof(i8) == OBJECT_CELL_BYTES, "abi.py says otherwise");

template <class R>
AB_FN u32 find_objects(const ObjectsLaunch& p, const Group& g, ObjectsRoom room, u32 number, R rules, bool without) {
    using Found = objects_impl::Labels<u16, R>;
    u32 h = u32(device_pointer<const i32>(p.height)[number]), w = u32(device_pointer<const i32>(p.width)[number]);
    const u8* from = device_pointer<const u8>(p.cells) + device_pointer<const i64>(p.offset)[number];
    u32 n = h * w;
    if (n == 0 || n > room.most_cells) return NOWHERE;
    i8* mine = room.cells();
    bool beyond = g.flagged(n, [&](u32 k) {
        mine[k] = i8(from[k]);
        return from[k] >= Found::COLOURS;
    });
    if (beyond) return NOWHERE;
    Found labels(g, mine, h, w, rules, room.labels(), room.words);
    u32 cells = labels.begin(without);
    labels.find();
    u32 count = labels.number(cells), words = 2 + 2 * count + cells;
    u32 place = g.from_one([&] { return fetch_add(*device_pointer<u32>(p.pool_next), words); });
    if (u64(place) + words > p.pool_words) return NOWHERE;
    u32* to = device_pointer<u32>(p.pool) + place;
    to[0] = count;
    to[1] = cells;
    labels.write(count, 0, to + 2, to + 2 + 2 * count);
    return place;
}

AB_FN u32 find_objects(const ObjectsLaunch& p, const Group& g, ObjectsRoom room, u32 number, u32 mode) {
    using objects_impl::FixedRules;
    bool without = mode & 1;
    switch (mode >> 1) {
        case 0:
            return find_objects(p, g, room, number, FixedRules<false, false>{}, without);
        case 1:
            return find_objects(p, g, room, number, FixedRules<false, true>{}, without);
        case 2:
            return find_objects(p, g, room, number, FixedRules<true, false>{}, without);
    }
    return find_objects(p, g, room, number, FixedRules<true, true>{}, without);
}

// The work of a group.
AB_FN void run_objects(const ObjectsLaunch& p, const Group& g, ObjectsRoom room) {
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
    run_objects(*launch, Group{}, ObjectsRoom{rooms + group * ObjectsRoom::size(most_cells), most_cells});
}
#endif

#endif
