// Loops shared out among groups. A loop that uses up its time slice is suspended where it stands: the group's arena, as
// far as it is filled, and its frames are saved as a *checkpoint*. Other groups run parts of the loop's next items,
// each from a copy of the checkpoint, and save what they found, a *share*. Then a group resumes from the checkpoint,
// with the shares in the order of the items, as if it had gone through these items itself.
//
// A part that uses up its time slice is suspended likewise. Which loops are suspended, and when, depends on the clock;
// what comes of them does not: steps are added up, the first failure counts, and where it cannot be told which of a
// failure and the limit of steps came first, the item does not fit (OVERFLOW_) and is run elsewhere.
#pragma once

#include "exec/interpreter.h"

#if AB_LANES > 1

namespace arcbatt {

constexpr u32 FRAME_WORDS = sizeof(Frame) / 4;
static_assert(sizeof(Frame) % 4 == 0, "frames are words");

// What comes before a checkpoint's frames and arena.
struct CheckpointHead {
    u32 depth, top, part_depth, none;
    u64 steps, spent, trips, run_ids;
};
// What comes before the listed items and the data of a share.
struct ShareHead {
    u32 status, acc_n, best_index, data_words;
    u64 steps, trips;
    u32 best[MAX_ITEM_WORDS];
};

struct Shares {
    Machine& m;

    AB_FN Frame& frame() const { return m.frames[m.depth - 1]; }
    AB_FN Ins loop() const { return Ins{m.code + frame().loop}; }

    // --- checkpoints ---
    AB_FN u64 checkpoint_words(u32 level) const {
        return sizeof(CheckpointHead) / 4 + u64(level + 1) * FRAME_WORDS + top_at(level);
    }
    AB_FN u64 steps_at(u32 level) const { return level + 1 == m.depth ? m.steps : m.frames[level].item_steps; }
    AB_FN u32 top_at(u32 level) const { return level + 1 == m.depth ? m.c.a.top : m.frames[level].mark; }

    // Save the loop at a level, and what is around it; its item that was being run starts anew.
    AB_FN void save(u32 level, u32* to) const {
        CheckpointHead head{level + 1, top_at(level), m.part_depth, 0, steps_at(level), m.spent, m.trips, m.run_ids};
        m.c.g.one([&] { *reinterpret_cast<CheckpointHead*>(to) = head; });
        u32* at = to + sizeof(CheckpointHead) / 4;
        const u32* frames = reinterpret_cast<const u32*>(m.frames);
        for (u32 k = 0; k < head.depth * FRAME_WORDS; ++k) at[k] = frames[k];
        at += head.depth * FRAME_WORDS;
        const u32* from = m.c.a.base;
        m.c.g.each(head.top, [&](u32 k) { at[k] = from[k]; });
    }

    AB_FN void restore(const u32* from) const {
        CheckpointHead head = *reinterpret_cast<const CheckpointHead*>(from);
        from += sizeof(CheckpointHead) / 4;
        u32* frames = reinterpret_cast<u32*>(m.frames);
        for (u32 k = 0; k < head.depth * FRAME_WORDS; ++k) frames[k] = from[k];
        from += head.depth * FRAME_WORDS;
        u32* to = m.c.a.base;
        m.c.g.each(head.top, [&](u32 k) { to[k] = from[k]; });
        m.c.a.top = head.top;
        m.capacity = m.c.a.capacity;
        m.depth = head.depth;
        m.part_depth = head.part_depth;
        m.suspended = false;
        m.started = clock_ticks();
        m.steps = head.steps;
        m.spent = head.spent;
        m.trips = head.trips;
        m.run_ids = head.run_ids;
        m.rooms = 0;
    }

    // --- parts ---
    // Run items of the loop that was restored, up to `end`, or to the end of the time slice.
    AB_FN void run_part(u32 start, u32 end) const {
        Frame& f = frame();
        f.index = f.start = start;
        f.n = end;
        f.acc_n = 0;
        f.best_index = NOWHERE;
        m.steps = m.trips = 0;
        m.part_depth = m.depth;
        m.part_status = OK;
        run_from(loops::next_item(m, loop(), f));
    }
    AB_FN void run_from(u32 pc) const {
        if (pc != NOWHERE) Interpreter::run(m, pc);
        m.c.g.sync();
    }

    // What the part found, made as short as it can be; then its words. `before` is where the arena's top was.
    AB_FN void end_part() const {
        if (m.part_status == OK) loops::shorten_list(m, loop(), frame());
    }
    AB_FN u64 share_words(u32 before) const {
        if (m.part_status != OK) return sizeof(ShareHead) / 4;
        return sizeof(ShareHead) / 4 + u64(frame().acc_n) * loops::list_words(m, loop()) + (m.c.a.top - before);
    }
    AB_FN void save_share(u32 before, u32* to) const {
        const Frame& f = frame();
        Ins ins = loop();
        bool good = m.part_status == OK;
        ShareHead head{
            u32(m.part_status), good ? f.acc_n : 0, f.best_index, good ? m.c.a.top - before : 0, m.steps, m.trips, {}};
        for (u32 k = 0; k < MAX_ITEM_WORDS; ++k) head.best[k] = f.best[k];
        m.c.g.one([&] { *reinterpret_cast<ShareHead*>(to) = head; });
        u32* at = to + sizeof(ShareHead) / 4;
        u32 listed = head.acc_n * loops::list_words(m, ins);
        const u32 *acc = m.c.a.at(f.acc), *data = m.c.a.at(before);
        m.c.g.each(listed, [&](u32 k) { at[k] = acc[k]; });
        m.c.g.each(head.data_words, [&](u32 k) { at[listed + k] = data[k]; });
    }

    // --- resuming ---
    // Add a share to the loop that was restored; false where the loop ended by it. A missing share does not fit.
    AB_FN bool merge(const u32* from, u32 before) const {
        if (!from) return fail(OVERFLOW_);
        ShareHead head = *reinterpret_cast<const ShareHead*>(from);
        Status s = Status(head.status);
        bool beyond = m.steps + head.steps > m.max_steps;
        if (s != OK) {
            if (s != LIMIT && beyond) s = OVERFLOW_;  // which came first cannot be told
            m.steps += head.steps;
            return fail(s);
        }
        m.steps += head.steps;
        m.trips += head.trips;
        if (beyond) return fail(LIMIT);
        Frame& f = frame();
        Ins ins = loop();
        u32 words = loops::list_words(m, ins), listed = head.acc_n * words, n = head.acc_n;
        loops::make_room(m, ins, f, n);
        if (words && u64(f.acc_n) + n > f.acc_room) return fail(OVERFLOW_);
        u32 place = m.c.a.take(head.data_words);
        if (place == NOWHERE) return fail(OVERFLOW_);
        const u32* items = from + sizeof(ShareHead) / 4;
        u32 *acc = m.c.a.at(f.acc) + f.acc_n * words, *data = m.c.a.at(place);
        bool moved = loops::list_has_places(m, ins);
        m.c.g.each(n * (words ? 1 : 0), [&](u32 k) {
            for (u32 w = 0; w < words; ++w) acc[k * words + w] = items[k * words + w];
            if (moved && acc[k * words] >= before) acc[k * words] += place - before;
        });
        m.c.g.each(head.data_words, [&](u32 k) { data[k] = items[listed + k]; });
        f.acc_n += n;
        loops::merge_best(m, ins, f, head.best, head.best_index);
        return true;
    }
    AB_FN bool fail(Status s) const {
        m.failed = s;
        return false;
    }

    // Go on with the first item no part had, or behind the loop where a share failed it.
    AB_FN void resume(bool all_merged, u32 next) const {
        Frame& f = frame();
        m.part_status = OK;
        if (all_merged) f.index = next;
        run_from(all_merged ? loops::next_item(m, loop(), f) : loops::end(m, loop(), f, m.failed));
    }
};

}  // namespace arcbatt
#endif
