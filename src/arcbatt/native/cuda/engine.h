// The GPU target: a launch of resident groups, each with its own arena, that take work items until none is left.
// An item is a slice of the programs and a sample. engine/cuda/ fills the tables (abi.h) and reads the results.
#pragma once

#include "cuda/seen.h"
#include "exec/samples.h"
#include "loops/shares.h"

namespace arcbatt {

constexpr u64 NO_PLACE = ~u64(0);
constexpr u32 MOST_PARTS = 24;           // a loop is shared out in
constexpr i64 MOST_WAIT = 4000000000ll;  // ticks a group waits for tasks to come up, some seconds
constexpr u32 MOST_SLEEP = 32000;        // nanoseconds between polls, since all groups read the same words

// The groups of a block that work together.
struct Team {
    u32 block, groups, group;
    u32* shared;  // two words: for batches, and for handing out what they are of
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
    Machine m{};
    u32 loaded = NOWHERE;  // the slice whose image is in the arena of a group that takes tasks

    AB_FN GroupWork(const Launch& launch, Group lanes) : p(launch), data(p.samples) {
        m.c.g = lanes;
        m.max_steps = p.max_steps;
        m.max_trips = trips_for(p.max_steps);
        m.spent_end = p.spent_end;
        m.time_slice = i64(p.time_slice);
    }

    AB_FN Progress& progress() const { return *device_pointer<Progress>(p.progress); }
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
        m.steps = m.spent = 0;
        m.depth = 0;
        m.part_depth = 0;
        m.suspended = false;
        m.started = clock_ticks();
        Inputs{m, data}.put(slice.input_slot, slice.samples_slot, slice.expected_slot, sample);
        use_known_objects(slice, sample);
    }
    // Objects of the input that were found before, for operations that ask for them.
    AB_FN void use_known_objects(const Slice& slice, i32 sample) {
        bool there = p.objects && slice.input_slot && m.status(slice.input_slot) == OK;
        m.c.known.places = there ? device_pointer<const u32>(p.object_places) : nullptr;
        if (!there) return;
        m.c.known.pool = device_pointer<const u32>(p.objects);
        m.c.known.grids = u32(p.grids);
        m.c.known.number = u32(data.input[sample]);
        m.c.known.input = Form<Grid>::load(m.value(slice.input_slot));
    }
    AB_FN void finish(u32 number, i32 sample) {
        if (m.overspent()) return leave(number, sample);
        const Slice& of = slice(number);
        bool overflowed = false;
        for (u32 k = 0; k < of.output_count; ++k) {
            const SliceOutput& output = reinterpret_cast<const SliceOutput*>(blob() + of.outputs)[k];
            u64 place = u64(sample) * p.columns + output.column;
            Status s = put_result(m, p, data, place, sample, output.slot, blob() + output.shape, output.shape_words);
            overflowed = s == OVERFLOW_ || overflowed;
        }
        if (overflowed) list_unfit(number, sample);
    }
    // An item that did not fit, of which there are no results.
    AB_FN void give_up(u32 number, i32 sample) const {
        leave(number, sample);
        list_unfit(number, sample);
    }
    // An item that is for another tier.
    AB_FN void leave(u32 number, i32 sample) const {
        const Slice& of = slice(number);
        m.c.g.each(of.output_count, [&](u32 k) {
            u32 column = reinterpret_cast<const SliceOutput*>(blob() + of.outputs)[k].column;
            device_pointer<u8>(p.statuses)[u64(sample) * p.columns + column] = u8(OVERFLOW_);
        });
    }
    AB_FN void list_unfit(u32 number, i32 sample) const {
        m.c.g.one([&] {
            u32* pair = device_pointer<u32>(p.again) + 2 * u64(fetch_add(progress().unfit, 1));
            pair[0] = number;
            pair[1] = u32(sample);
        });
    }

    // --- tasks ---
    // Run one task of the list; false where there are none left.
    AB_FN bool run(u32 number) {
        if (number >= p.work_count) return false;
        run(device_pointer<const Task>(p.tasks)[number], number);
        return true;
    }
    AB_FN void run(Task task, u64 number) {
        i64 start = clock_ticks();
        if (task.kind == START)
            run_item(task.a, i32(task.b));
        else if (task.kind == PART_OF)
            run_part(task.a);
        else
            resume(task.a);
        m.c.g.one([&] {
            fetch_add(progress().open, u32(-1));
            if (p.ticks) device_pointer<u32>(p.ticks)[number] = u32((clock_ticks() - start) >> 4);
        });
    }

    // --- the queue ---
    AB_FN Task* queue() const { return device_pointer<Task>(p.queue); }

    // Tasks of a kind for numbers from `first` on, by one lane; what they need is written.
    AB_FN void enqueue(u32 kind, u32 first, u32 count) const {
        fetch_add(progress().open, count);
        u32 at = fetch_add(progress().tail, count);
        for (u32 k = 0; k < count; ++k) {
            Task& task = queue()[at + k];
            task.kind = kind;
            task.a = first + k;
        }
        fence();
        for (u32 k = 0; k < count; ++k) store_volatile(queue()[at + k].ready, 1);
    }
    // Take up to `most_tasks` of the queue, by one lane: how many, and the first.
    AB_FN u32 dequeue(u32 most_tasks, u32& first) const {
        if (!p.queue) return 0;
        for (;;) {
            first = load_volatile(progress().head);
            i32 there = i32(load_volatile(progress().tail) - first);  // below 0 where an older tail is seen
            u32 count = least(u32(most(there, 0)), most_tasks);
            if (count == 0 || compare_exchange(progress().head, first, first + count)) return count;
        }
    }
    // The next one for a group; waits as long as others may have some, and is NOWHERE when all is done or has taken too
    // long to wait for.
    AB_FN u32 wait_for_queued() const {
        u32 first = 0, sleep = 1000;
        for (i64 since = clock_ticks(); dequeue(1, first) == 0; sleep = least(2 * sleep, MOST_SLEEP)) {
            if (!AB_DEVICE || load_volatile(progress().open) == 0 || clock_ticks() - since > MOST_WAIT) return NOWHERE;
            wait_a_little(sleep);
        }
        return first;
    }
    // Run one that was taken. Where it does not come it stays open, and the host sees that.
    AB_FN void run_queued(u32 at) {
        u32 there = m.c.g.from_one([&] {
            i64 since = clock_ticks();
            while (!load_volatile(queue()[at].ready) && clock_ticks() - since < MOST_WAIT) wait_a_little();
            fence();
            return load_volatile(queue()[at].ready);
        });
        if (there) run(queue()[at], p.work_count + at);
    }

    AB_FN void run_item(u32 number, i32 sample) {
        use_code(slice(number));
        if (loaded != number) load(slice(number));
        loaded = number;
        begin(slice(number), sample);
        Interpreter::run(m, 0);
        end_task(number, u32(sample), NOWHERE);
    }

    // What ran to its end gives its results to the item or the part it was for; what did not is suspended.
    AB_FN void end_task(u32 number, u32 sample, u32 parent) {
        if (m.suspended)
            suspend(number, sample, parent);
        else if (parent == NOWHERE)
            finish(number, i32(sample));
        else
            give_share(parent);
    }

    AB_FN Checkpoint* checkpoints() const { return device_pointer<Checkpoint>(p.checkpoints); }
    AB_FN const Part& part(u32 number) const { return device_pointer<const Part>(p.parts)[number]; }
    AB_FN u32* words(u64 place) const { return device_pointer<u32>(p.memory) + place; }

    // Room in the memory for checkpoints and shares, or NO_PLACE.
    AB_FN u64 room_for(u64 words) const {
        u64 place = 0, wanted = (words + 31) / 32 * 32;  // whole lines of a cache, which others may have part of
        m.c.g.one([&] { place = fetch_add(*device_pointer<u64>(p.memory_next), wanted); });
        place = m.c.g.shuffle(place, 0u);
        return place + wanted <= p.memory_words ? place : NO_PLACE;
    }

    // Save a checkpoint, and share out the next items of its loop.
    AB_FN void suspend(u32 number, u32 sample, u32 parent) {
        u32 level = loops::level_to_share(m);
        u64 place = room_for(Shares{m}.checkpoint_words(level));
        u32 at = m.c.g.from_one([&] { return fetch_add(progress().checkpoints, 1); });
        if (at >= p.most_checkpoints || place == NO_PLACE) {
            if (parent == NOWHERE)
                give_up(number, i32(sample));
            else
                m.c.g.one([&] { end_part(parent); });
            return;
        }
        const Frame& f = m.frames[level];
        u32 grain = most(loops::grain(m, level), 1u), done = u32(f.index - f.start);
        u64 items = least(f.n - f.index, next_items(grain, done, Shares{m}.steps_at(level)));
        Checkpoint checkpoint{number, sample, u32(f.index), u32(f.index + items), Shares{m}.top_at(level), parent, 0, 0,
                              0,      0,      place};
        Shares{m}.save(level, words(place));
        m.c.g.one([&] { share_out(checkpoint, at, u32(least(most(items / grain, u64(1)), u64(MOST_PARTS)))); });
    }
    // How many items to share out: as many as take the loop to its limit of steps, at what those so far cost, for more
    // would be work for nothing. Where none is done yet, a few show what they cost.
    AB_FN u64 next_items(u32 grain, u32 done, u64 steps) const {
        if (done == 0) return u64(MOST_PARTS) * grain;
        double left = steps < p.max_steps ? double(p.max_steps - steps) : 0.0;
        return u64(1.1 * left * done / double(most(steps, u64(1)))) + 1 + grain;
    }
    // Make parts of a checkpoint's items, by one lane. Where there is no room for them it is resumed at once, and does
    // not fit.
    AB_FN void share_out(Checkpoint checkpoint, u32 at, u32 count) const {
        u32 first = fetch_add(progress().parts, count), items = checkpoint.n - checkpoint.index;
        if (u64(first) + count > p.most_parts) count = 0;
        checkpoint.first_part = first;
        checkpoint.parts = checkpoint.pending = count;
        checkpoints()[at] = checkpoint;
        for (u32 k = 0; k < count; ++k) {
            u32 start = checkpoint.index + u32(u64(items) * k / count),
                end = checkpoint.index + u32(u64(items) * (k + 1) / count);
            device_pointer<Part>(p.parts)[first + k] = Part{at, start, end, 0};
            device_pointer<u64>(p.shares)[first + k] = NO_PLACE;
        }
        fence();
        enqueue(count ? PART_OF : RESUME, count ? first : at, count ? count : 1);
    }
    // A part has ended, and its share is written; after the last one its loop goes on. By one lane.
    AB_FN void end_part(u32 number) const {
        u32 checkpoint = part(number).checkpoint;
        fence();
        if (fetch_add(checkpoints()[checkpoint].pending, u32(-1)) == 1) enqueue(RESUME, checkpoint, 1);
    }

    AB_FN const Checkpoint& restored(u32 number) {
        const Checkpoint& checkpoint = checkpoints()[number];
        use_code(slice(checkpoint.slice));
        loaded = checkpoint.slice;
        Shares{m}.restore(words(checkpoint.place));
        use_known_objects(slice(checkpoint.slice), i32(checkpoint.sample));
        return checkpoint;
    }

    AB_FN void run_part(u32 number) {
        Part one = part(number);
        Checkpoint checkpoint = restored(one.checkpoint);
        Shares{m}.run_part(one.start, one.end);
        end_task(checkpoint.slice, checkpoint.sample, number);
    }
    AB_FN void give_share(u32 number) {
        u32 before = checkpoints()[part(number).checkpoint].top;
        Shares{m}.end_part();
        u64 place = room_for(Shares{m}.share_words(before));
        if (place != NO_PLACE) Shares{m}.save_share(before, words(place));
        m.c.g.one([&] {
            device_pointer<u64>(p.shares)[number] = place;
            end_part(number);
        });
    }

    AB_FN void resume(u32 number) {
        Checkpoint checkpoint = restored(number);
        bool all = checkpoint.parts != 0 || Shares{m}.fail(OVERFLOW_);
        for (u32 k = 0; k < checkpoint.parts && all; ++k) {
            u64 place = device_pointer<const u64>(p.shares)[checkpoint.first_part + k];
            all = Shares{m}.merge(place == NO_PLACE ? nullptr : words(place), checkpoint.top);
        }
        Shares{m}.resume(all, checkpoint.n);
        end_task(checkpoint.slice, checkpoint.sample, checkpoint.parent);
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
        Machine& m = work.m;
        work.use_code(slice);
        each([&](i32 sample) {
            work.load(slice);
            work.begin(slice, sample);
            *m.c.a.base = m.c.a.top;
        });
        for (u32 pc = 0; m.code[pc] != HALT; pc += m.code[pc + 1]) {
            each([&](i32 sample) {
                m.c.a.top = *m.c.a.base;
                work.use_known_objects(slice, sample);
                Interpreter::instruction(m, pc);
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
// at the same time, and their groups run the same code about the same time. Queued tasks go before.
AB_FN void take_together(GroupWork& work, Group lanes, Team team) {
    constexpr u32 QUEUED = 1u << 31;
    for (;;) {
        team.sync();
        if (team.group == 0) {
            lanes.one([&] {
                u32 first = 0, queued = work.dequeue(team.groups, first);
                team.shared[0] = queued ? first : fetch_add(work.progress().next, team.groups);
                team.shared[1] = queued ? queued | QUEUED : team.groups;
            });
        }
        team.sync();
        u32 number = team.shared[0] + team.group, count = team.shared[1];
        if (!(count & QUEUED) && team.shared[0] >= work.p.work_count) return;
        if (!(count & QUEUED))
            work.run(number);
        else if (team.group < (count & ~QUEUED))
            work.run_queued(number);
    }
}

// What a group does in a launch.
AB_FN void run_launch(const Launch& p, Group lanes, Team team) {
    GroupWork work(p, lanes);
    u32& next = work.progress().next;
    if (p.tasks) {
        work.use_arena(team.block * team.groups + team.group);
        if (p.together) take_together(work, lanes, team);
        while (!p.together && work.run(lanes.from_one([&] { return fetch_add(next, 1); }))) {
        }
        for (;;) {
            u32 queued = lanes.from_one([&] { return work.wait_for_queued(); });
            if (queued == NOWHERE) return;
            work.run_queued(queued);
        }
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
