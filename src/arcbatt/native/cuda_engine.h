// The GPU target: a launch of resident groups, each with an arena of its own, that take work items until none is left.
// An item is a slice of the programs and a sample. backends/cuda.py builds the tables and reads the results.
#pragma once

#include "digest.h"
#include "samples.h"

namespace arcbatt {

// A lowered slice: places in the blob of all slices' words.
struct Slice {
    u32 code, types, parts, image, image_words, outputs, output_count;
    u32 input_slot, samples_slot, expected_slot;
};
// One of its outputs; its shape is as digest.h reads it.
struct SliceOutput {
    u32 slot, type, column, shape, shape_words;
};

// Everything a launch needs, as 64-bit words in device memory; addresses are 0 for what is not asked for.
struct Launch {
    u64 blob, slices, items, item_count, next_item;
    u64 arenas, arena_words, max_steps;
    u64 cells, offset, height, width, input, expected, task, first, count, demo;
    u64 columns, statuses, matches, agreement, hashes;
    u64 pool, pool_bytes, pool_next, grid_offset, grid_height, grid_width, largest;  // grids that are kept
    u64 again, again_count;                                                          // items that did not fit
    u64 ticks;                                                                       // of each item, over 16
};

template <class T>
AB_FN T* device_pointer(u64 address) {
    return reinterpret_cast<T*>(address);
}

// What an output that is OK is to those who compare it; see digest.h.
struct SeenThere {
    bool grid;
    i32 h, w;
    const i8* cells;
    u64 hash;
};
AB_FN Status look_at(Ctx& c, bool nothing, const u32* words, const u32* shape, u32 length, bool hashed,
                     SeenThere& out) {
    if (length == 1 && shape[0] == K_GRID) {
        Grid g = Form<Grid>::load(words);
        if (g.h > 0 && g.w > 0) {
            out = SeenThere{true, g.h, g.w, cells(c, g), 0};
            if (hashed) out.hash = hash_grid(c.g, out.cells, g.h, g.w);
            return OK;
        }
    }
    u32 room = c.a.take(5);
    if (room == NOWHERE) return OVERFLOW_;
    u32* found = c.a.at(room);
    c.g.one([&] {
        Reader reader;
        if (nothing)
            reader.tuple(0);
        else
            read_value(c, shape, length, words, reader);
        found[0] = reader.is_grid();
        found[1] = u32(reader.h);
        found[2] = u32(reader.w);
        found[3] = u32(reader.hash());
        found[4] = u32(reader.hash() >> 32);
    });
    out = SeenThere{found[0] != 0, i32(found[1]), i32(found[2]), nullptr, found[3] | u64(found[4]) << 32};
    if (!out.grid) return OK;
    u32 place = c.a.take((u64(out.h) * u64(out.w) + 3) / 4);
    if (place == NOWHERE) return OVERFLOW_;
    i8* to = reinterpret_cast<i8*>(c.a.at(place));
    c.g.one([&] {
        Reader reader;
        reader.out = to;
        read_value(c, shape, length, words, reader);
    });
    out.cells = to;
    if (hashed) out.hash = hash_grid(c.g, to, out.h, out.w);
    return OK;
}

// Where the results go, by sample and column.
struct DeviceResults {
    const Launch& p;
    const Packed& data;

    AB_FN Status put(Interpreter& m, i32 sample, const SliceOutput& output, const u32* shape) const {
        u64 place = u64(sample) * p.columns + output.column;
        Status s = m.status(output.slot);
        bool nothing = s == VOID_;  // the corner of nothing is the empty tuple
        if (nothing) s = OK;
        SeenThere seen{false, 0, 0, nullptr, 0};
        if (s == OK) s = look_at(m.c, nothing, m.value(output.slot), shape, output.shape_words, p.hashes != 0, seen);
        device_pointer<u8>(p.statuses)[place] = u8(s);
        if (p.hashes) device_pointer<u64>(p.hashes)[place] = s == OK ? seen.hash : hash_failed(s);
        if (s != OK || !seen.grid) return s;
        compare(m.c, sample, place, seen);
        if (p.pool) keep(m.c, place, seen);
        return OK;
    }

    AB_FN void compare(const Ctx& c, i32 sample, u64 place, const SeenThere& seen) const {
        i32 expected = data.expected[sample];
        if (expected < 0 || seen.h != data.height[expected] || seen.w != data.width[expected]) return;
        const u8* wanted = data.cells + data.offset[expected];
        u32 n = u32(seen.h) * u32(seen.w);
        u32 same = u32(c.g.sum_of(n, [&](u32 k) { return u8(seen.cells[k]) == wanted[k]; }));
        device_pointer<u16>(p.agreement)[place] = u16(least(same, 65535u));
        device_pointer<u8>(p.matches)[place] = same == n;
    }

    AB_FN void keep(const Ctx& c, u64 place, const SeenThere& seen) const {
        u32 n = u32(seen.h) * u32(seen.w);
        if (n > p.largest) return;
        u32 unit = c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.pool_next), (n + 15) / 16); });
        u64 start = u64(unit) * 16;
        device_pointer<i64>(p.grid_offset)[place] = i64(start);
        device_pointer<i32>(p.grid_height)[place] = seen.h;
        device_pointer<i32>(p.grid_width)[place] = seen.w;
        if (start + n > p.pool_bytes) return;  // the host sees how much was wanted, and runs again with that
        i8* to = device_pointer<i8>(p.pool) + start;
        c.g.each(n, [&](u32 k) { to[k] = seen.cells[k]; });
    }
};

AB_FN void run_items(const Launch& p, Group lanes, u32 group) {
    const u32* blob = device_pointer<const u32>(p.blob);
    const Slice* slices = device_pointer<const Slice>(p.slices);
    const u32* items = device_pointer<const u32>(p.items);
    Packed data{device_pointer<const u8>(p.cells),   device_pointer<const i64>(p.offset),
                device_pointer<const i32>(p.height), device_pointer<const i32>(p.width),
                device_pointer<const i32>(p.input),  device_pointer<const i32>(p.expected),
                device_pointer<const i32>(p.task),   device_pointer<const i32>(p.first),
                device_pointer<const i32>(p.count),  device_pointer<const i32>(p.demo)};
    DeviceResults results{p, data};
    Interpreter m{};
    m.c.g = lanes;
    m.c.a = Arena{device_pointer<u32>(p.arenas) + u64(group) * p.arena_words, 0, u32(p.arena_words)};
    m.max_steps = p.max_steps;
    m.max_trips = trips_for(p.max_steps);
    u32 loaded = NOWHERE;
    for (;;) {
        u32 item = m.c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.next_item), 1); });
        if (item >= p.item_count) return;
        i64 start = clock_ticks();
        u32 number = items[2 * item];
        i32 sample = i32(items[2 * item + 1]);
        Slice slice = slices[number];
        if (loaded != number) {
            const u32* image = blob + slice.image;
            u32* to = m.c.a.base;
            m.c.g.each(slice.image_words, [&](u32 k) { to[k] = image[k]; });
            loaded = number;
        }
        m.types = Types{reinterpret_cast<const TypeDesc*>(blob + slice.types), blob + slice.parts};
        m.code = blob + slice.code;
        m.c.a.top = slice.image_words;
        m.steps = 0;
        m.depth = 0;
        Inputs{m, data}.put(slice.input_slot, slice.samples_slot, slice.expected_slot, sample);
        m.run(0);
        m.c.g.sync();
        bool overflowed = false;
        for (u32 k = 0; k < slice.output_count; ++k) {
            const SliceOutput& output = reinterpret_cast<const SliceOutput*>(blob + slice.outputs)[k];
            overflowed = results.put(m, sample, output, blob + output.shape) == OVERFLOW_ || overflowed;
        }
        m.c.g.one([&] {
            if (overflowed) device_pointer<u32>(p.again)[fetch_add(*device_pointer<u32>(p.again_count), 1)] = item;
            if (p.ticks) device_pointer<u32>(p.ticks)[item] = u32((clock_ticks() - start) >> 4);
        });
    }
}

}  // namespace arcbatt

#if AB_DEVICE
#ifndef AB_THREADS
#define AB_THREADS 128
#endif
#ifndef AB_BLOCKS
#define AB_BLOCKS 4
#endif

extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS) arcbatt_run(const arcbatt::Launch* launch) {
    arcbatt::run_items(*launch, arcbatt::Group{}, (blockIdx.x * blockDim.x + threadIdx.x) / AB_LANES);
}
#endif
