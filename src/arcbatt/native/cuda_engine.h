// The GPU target: a launch of resident groups, each with an arena of its own, that take work items until none is left.
// An item is a slice of the programs and a sample. backends/cuda.py builds the tables and reads the results.
#pragma once

#include "digest.h"
#include "samples.h"
#include "shares.h"

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

// A task of a launch's list: an item (slice and sample), a part of a loop that was shared out, or a halt to take up
// again.
struct Task {
    u32 kind, a, b, none;
};
enum TaskKind : u32 { START = 0, PART_OF = 1, TAKE_UP = 2 };

// A halt (shares.h) and whose it is: of an item, or of a part that was left in turn.
struct Halt {
    u32 slice, sample;
    u32 index, n;           // the items that are left; the host says up to which they are shared out
    u32 top;                // of the arena
    u32 parent;             // the part, or NOWHERE
    u32 first_part, parts;  // filled in by the host
    u32 grain, done;        // how many items a part has at least; how many were done, in so many steps
    u64 steps;
    u64 place;  // of its words
};
struct Part {
    u32 halt, start, end, none;
};
constexpr u64 NO_PLACE = ~u64(0);

// Everything a launch needs, as 64-bit words in device memory; addresses are 0 for what is not asked for. Work is a
// list of tasks, which a group takes one by one, or the groups of a block each one at a time (`together`); or, without
// a list, every slice with every sample of `order`, which a block takes `batch` samples at a time. A block that has a
// batch runs one instruction after the other for all its samples, so that its groups run the same code at the same
// time: a kernel of this size waits for its instructions more than for all else. That is for slices without loops,
// which take about the same time for every sample.
struct Launch {
    u64 blob, slices, tasks, work_count, next_work;
    u64 order, order_count, batch, together;
    u64 arenas, arena_words, max_steps;
    u64 cells, offset, height, width, input, expected, task, first, count, demo;
    u64 columns, statuses, matches, agreement, hashes;
    u64 pool, pool_bytes, pool_next, grid_offset, grid_height, grid_width, largest;  // grids that are kept
    u64 again, again_count;                                                          // items that did not fit
    u64 patience;  // after how many ticks the loops of a list's items are shared out; 0 for never
    u64 halts, halt_count, most_halts, parts, shares;
    u64 memory, memory_words, memory_next;  // for halts and shares
    u64 ticks;                              // of each task, over 16
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

// The groups of a block that work together.
struct Team {
    u32 block, groups, group;
    u32* shared;  // a word each for the batch and for handing out its samples
    AB_FN void sync() const {
#if AB_DEVICE
        __syncthreads();
#endif
    }
};

// The work of one group.
struct GroupWork {
    const Launch& p;
    Packed data;
    Interpreter m{};
    u32 loaded = NOWHERE;  // the slice whose image is in the arena of a group that takes tasks

    AB_FN GroupWork(const Launch& launch, Group lanes)
        : p(launch), data{device_pointer<const u8>(p.cells),   device_pointer<const i64>(p.offset),
                          device_pointer<const i32>(p.height), device_pointer<const i32>(p.width),
                          device_pointer<const i32>(p.input),  device_pointer<const i32>(p.expected),
                          device_pointer<const i32>(p.task),   device_pointer<const i32>(p.first),
                          device_pointer<const i32>(p.count),  device_pointer<const i32>(p.demo)} {
        m.c.g = lanes;
        m.max_steps = p.max_steps;
        m.max_trips = trips_for(p.max_steps);
        m.patience = i64(p.patience);
    }

    AB_FN const u32* blob() const { return device_pointer<const u32>(p.blob); }
    AB_FN const Slice& slice(u32 number) const { return device_pointer<const Slice>(p.slices)[number]; }

    AB_FN void use_arena(u32 number) {
        m.c.a = Arena{device_pointer<u32>(p.arenas) + u64(number) * p.arena_words, 0, u32(p.arena_words)};
    }
    AB_FN void use_code(const Slice& slice) {
        m.code = blob() + slice.code;
        m.types = Types{reinterpret_cast<const TypeDesc*>(blob() + slice.types), blob() + slice.parts};
    }
    AB_FN void load(const Slice& slice) {
        const u32* image = blob() + slice.image;
        u32* to = m.c.a.base;
        m.c.g.each(slice.image_words, [&](u32 k) { to[k] = image[k]; });
    }
    AB_FN void begin(const Slice& slice, i32 sample) {
        m.c.a.top = slice.image_words;
        m.steps = 0;
        m.depth = 0;
        m.edge = 0;
        m.late = false;
        m.started = clock_ticks();
        Inputs{m, data}.put(slice.input_slot, slice.samples_slot, slice.expected_slot, sample);
    }
    AB_FN void finish(u32 number, i32 sample) {
        const Slice& of = slice(number);
        bool overflowed = false;
        for (u32 k = 0; k < of.output_count; ++k) {
            const SliceOutput& output = reinterpret_cast<const SliceOutput*>(blob() + of.outputs)[k];
            Status s = DeviceResults{p, data}.put(m, sample, output, blob() + output.shape);
            overflowed = s == OVERFLOW_ || overflowed;
        }
        if (overflowed) note(number, sample);
    }
    // An item that did not fit, of which there are no results.
    AB_FN void leave(u32 number, i32 sample) const {
        const Slice& of = slice(number);
        m.c.g.each(of.output_count, [&](u32 k) {
            u32 column = reinterpret_cast<const SliceOutput*>(blob() + of.outputs)[k].column;
            device_pointer<u8>(p.statuses)[u64(sample) * p.columns + column] = u8(OVERFLOW_);
        });
        note(number, sample);
    }
    AB_FN void note(u32 number, i32 sample) const {
        m.c.g.one([&] {
            u32* pair = device_pointer<u32>(p.again) + 2 * u64(fetch_add(*device_pointer<u32>(p.again_count), 1));
            pair[0] = number;
            pair[1] = u32(sample);
        });
    }

    // --- tasks ---
    // Run one task; false where there are none left.
    AB_FN bool run(u32 number) {
        if (number >= p.work_count) return false;
        i64 start = clock_ticks();
        Task task = device_pointer<const Task>(p.tasks)[number];
        if (task.kind == START)
            run_item(task.a, i32(task.b));
        else if (task.kind == PART_OF)
            run_part(task.a);
        else
            take_up(task.a);
        if (p.ticks) m.c.g.one([&] { device_pointer<u32>(p.ticks)[number] = u32((clock_ticks() - start) >> 4); });
        return true;
    }

    AB_FN void run_item(u32 number, i32 sample) {
        use_code(slice(number));
        if (loaded != number) load(slice(number));
        loaded = number;
        begin(slice(number), sample);
        m.run(0);
        settle(number, u32(sample), NOWHERE);
    }

    // What ran to its end gives its results to the item or the part it was for; what did not is put aside.
    AB_FN void settle(u32 number, u32 sample, u32 parent) {
        if (m.late)
            put_aside(number, sample, parent);
        else if (parent == NOWHERE)
            finish(number, i32(sample));
        else
            give(parent);
    }

    AB_FN Halt* halts() const { return device_pointer<Halt>(p.halts); }
    AB_FN const Part& part(u32 number) const { return device_pointer<const Part>(p.parts)[number]; }
    AB_FN u32* words(u64 place) const { return device_pointer<u32>(p.memory) + place; }

    // Room in the memory for halts and shares, or NO_PLACE.
    AB_FN u64 room_for(u64 words) const {
        u64 place = 0, wanted = (words + 3) / 4 * 4;
        m.c.g.one([&] { place = fetch_add(*device_pointer<u64>(p.memory_next), wanted); });
        place = m.c.g.shuffle(place, 0u);
        return place + wanted <= p.memory_words ? place : NO_PLACE;
    }

    AB_FN void put_aside(u32 number, u32 sample, u32 parent) {
        u32 level = m.level_to_share();
        u64 place = room_for(Shares{m}.halt_words(level));
        u32 at = m.c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.halt_count), 1); });
        if (at >= p.most_halts || place == NO_PLACE) {
            if (parent == NOWHERE) leave(number, i32(sample));
            m.c.g.one([&] {
                if (at < p.most_halts) halts()[at] = Halt{number, sample, 0, 0, 0, parent, 0, 0, 1, 0, 0, NO_PLACE};
            });
            return;
        }
        const Frame& f = m.frames[level];
        u32 top = Shares{m}.top_at(level), grain = m.grain(level);
        u32 done = u32(f.index - f.start);
        u64 steps = Shares{m}.steps_at(level);
        Halt halt{number, sample, u32(f.index), u32(f.n), top, parent, 0, 0, grain, done, steps, place};
        m.c.g.one([&] { halts()[at] = halt; });
        Shares{m}.save(level, words(place));
    }

    AB_FN const Halt& restored(u32 number) {
        const Halt& halt = halts()[number];
        use_code(slice(halt.slice));
        loaded = halt.slice;
        Shares{m}.restore(words(halt.place));
        return halt;
    }

    AB_FN void run_part(u32 number) {
        Part one = part(number);
        Halt halt = restored(one.halt);
        Shares{m}.run_part(one.start, one.end);
        settle(halt.slice, halt.sample, number);
    }
    AB_FN void give(u32 number) {
        u32 before = halts()[part(number).halt].top;
        Shares{m}.settle_list();
        u64 place = room_for(Shares{m}.share_words(before));
        if (place == NO_PLACE) return;
        m.c.g.one([&] { device_pointer<u64>(p.shares)[number] = place; });
        Shares{m}.give(before, words(place));
    }

    AB_FN void take_up(u32 number) {
        Halt halt = restored(number);
        bool all = halt.parts != 0 || Shares{m}.fail(OVERFLOW_);
        for (u32 k = 0; k < halt.parts && all; ++k) {
            u64 place = device_pointer<const u64>(p.shares)[halt.first_part + k];
            all = Shares{m}.take(place == NO_PLACE ? nullptr : words(place), halt.top);
        }
        Shares{m}.finish(all, halt.n);
        settle(halt.slice, halt.sample, halt.parent);
    }
};

// A block's batch: samples, each with an arena, whose first word says where the sample stands.
struct Batch {
    GroupWork& work;
    Team team;
    u32 number, first, size;
    u32 round;  // the number at which handing out samples began

    // f(sample) for every sample of the batch, by whichever group is free.
    template <class F>
    AB_FN void each(F f) {
        team.sync();
        for (;;) {
            u32 k = work.m.c.g.from_one([&] { return fetch_add(team.shared[1], 1); }) - round;
            if (k >= size) break;
            work.use_arena(team.block * u32(work.p.batch) + k);
            f(device_pointer<const i32>(work.p.order)[first + k]);
        }
        round += size + team.groups;
    }

    AB_FN void run() {
        const Slice& slice = work.slice(number);
        Interpreter& m = work.m;
        work.use_code(slice);
        each([&](i32 sample) {
            work.load(slice);
            work.begin(slice, sample);
            *m.c.a.base = m.c.a.top;
        });
        for (u32 pc = 0; m.code[pc] != HALT; pc += m.code[pc + 1]) {
            each([&](i32) {
                m.c.a.top = *m.c.a.base;
                m.instruction(pc);
                m.c.g.sync();
                *m.c.a.base = m.c.a.top;
            });
        }
        each([&](i32 sample) {
            m.c.a.top = *m.c.a.base;
            work.finish(number, sample);
        });
    }
};

// The next tasks of the list for a block, one for each of its groups, until there are none: items of one slice begin
// at the same time, and their groups run the same code about the same time.
AB_FN void take_together(GroupWork& work, u32& next, Group lanes, Team team) {
    for (;;) {
        team.sync();
        if (team.group == 0) lanes.one([&] { team.shared[0] = fetch_add(next, team.groups); });
        team.sync();
        u32 first = team.shared[0];
        if (first >= work.p.work_count) return;
        work.run(first + team.group);
    }
}

// What a group does in a launch.
AB_FN void run_launch(const Launch& p, Group lanes, Team team) {
    GroupWork work(p, lanes);
    u32& next = *device_pointer<u32>(p.next_work);
    if (p.tasks) {
        work.use_arena(team.block * team.groups + team.group);
        if (p.together) return take_together(work, next, lanes, team);
        while (work.run(lanes.from_one([&] { return fetch_add(next, 1); }))) {
        }
        return;
    }
    u32 samples = u32(p.order_count), size = u32(p.batch), a_slice = (samples + size - 1) / size;
    for (;;) {
        team.sync();
        if (team.group == 0) {
            lanes.one([&] {
                team.shared[0] = fetch_add(next, 1);
                team.shared[1] = 0;
            });
        }
        team.sync();
        u32 batch = team.shared[0];
        if (batch >= p.work_count) return;
        u32 first = batch % a_slice * size;
        Batch{work, team, batch / a_slice, first, least(size, samples - first), 0}.run();
    }
}

}  // namespace arcbatt

#if AB_DEVICE
#ifndef AB_THREADS
#define AB_THREADS 512
#endif
#ifndef AB_BLOCKS
#define AB_BLOCKS 1
#endif

extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS) arcbatt_run(const arcbatt::Launch* launch) {
    using namespace arcbatt;
    __shared__ u32 shared[2];
    run_launch(*launch, Group{}, Team{blockIdx.x, AB_THREADS / AB_LANES, threadIdx.x / AB_LANES, shared});
}
#endif
