// Loops shared out among groups. A loop that takes too long is left where it stands: the group's arena, as far as it is
// filled, and its frames are put aside as a *halt*. Other groups take parts of the loop's next items, each from a copy
// of the halt, and put aside what they found, a *share*. Then a group takes up the halt again, with the shares in the
// order of the items, as if it had gone through these items itself.
//
// A part that takes too long is halted in turn. Which loops are left, and when, depends on the clock; what comes of
// them does not: steps are added up, the first failure counts, and where it cannot be told which of a failure and the
// limit of steps came first, the item does not fit (OVERFLOW_) and is run elsewhere.
#pragma once

#include "exec/interpreter.h"

#if AB_LANES > 1

namespace arcbatt {

constexpr u32 FRAME_WORDS = sizeof(Frame) / 4;
static_assert(sizeof(Frame) % 4 == 0, "frames are words");

// What comes before a halt's frames and arena.
struct HaltHead {
    u32 depth, top, edge, none;
    u64 steps, trips, turns;
};
// What comes before the listed items and the data of a share.
struct ShareHead {
    u32 status, acc_n, best_index, data_words;
    u64 steps, trips;
    u32 best[MAX_ITEM_WORDS];
};

struct Shares {
    Interpreter& m;

    AB_FN Frame& frame() const { return m.frames[m.depth - 1]; }
    AB_FN Ins loop() const { return Ins{m.code + frame().loop}; }

    // Words an item of the loop's list has.
    static AB_FN u32 stride(const Interpreter& m, Ins ins) {
        u32 type = m.body_of(ins, 0).type();
        switch (ins.op()) {
            case LOOP_SFILTER:
            case LOOP_MFILTER:
                return m.types[m.item_type(ins.arg_type(0))].item_words;
            case LOOP_MAPPLY:
            case LOOP_MPAPPLY:
                return m.types[type].kind == K_INT ? 0 : 2;
            case LOOP_APPLY:
            case LOOP_PAPPLY:
            case LOOP_PRAPPLY:
                return m.types[m.item_type(ins.type())].item_words;
        }
        return 0;
    }
    // Whether the items of the list hold places in the arena that the body filled.
    static AB_FN bool places(const Interpreter& m, Ins ins) {
        u32 op = ins.op();
        return op != LOOP_SFILTER && op != LOOP_MFILTER && !m.types[m.body_of(ins, 0).type()].scalar;
    }

    // --- halts ---
    AB_FN u64 halt_words(u32 level) const {
        return sizeof(HaltHead) / 4 + u64(level + 1) * FRAME_WORDS + top_at(level);
    }
    AB_FN u64 steps_at(u32 level) const { return level + 1 == m.depth ? m.steps : m.frames[level].item_steps; }
    AB_FN u32 top_at(u32 level) const { return level + 1 == m.depth ? m.c.a.top : m.frames[level].mark; }

    // Put aside the loop at a level, and what is around it; its item that was being run starts anew.
    AB_FN void save(u32 level, u32* to) const {
        HaltHead head{level + 1, top_at(level), m.edge, 0, steps_at(level), m.trips, m.turns};
        m.c.g.one([&] { *reinterpret_cast<HaltHead*>(to) = head; });
        u32* at = to + sizeof(HaltHead) / 4;
        const u32* frames = reinterpret_cast<const u32*>(m.frames);
        for (u32 k = 0; k < head.depth * FRAME_WORDS; ++k) at[k] = frames[k];
        at += head.depth * FRAME_WORDS;
        const u32* from = m.c.a.base;
        m.c.g.each(head.top, [&](u32 k) { at[k] = from[k]; });
    }

    AB_FN void restore(const u32* from) const {
        HaltHead head = *reinterpret_cast<const HaltHead*>(from);
        from += sizeof(HaltHead) / 4;
        u32* frames = reinterpret_cast<u32*>(m.frames);
        for (u32 k = 0; k < head.depth * FRAME_WORDS; ++k) frames[k] = from[k];
        from += head.depth * FRAME_WORDS;
        u32* to = m.c.a.base;
        m.c.g.each(head.top, [&](u32 k) { to[k] = from[k]; });
        m.c.a.top = head.top;
        m.capacity = m.c.a.capacity;
        m.depth = head.depth;
        m.edge = head.edge;
        m.late = false;
        m.started = clock_ticks();
        m.steps = head.steps;
        m.trips = head.trips;
        m.turns = head.turns;
        m.rooms = 0;
    }

    // --- parts ---
    // Run items of the loop that was restored, up to `end`. False where that was left in turn.
    AB_FN bool run_part(u32 start, u32 end) const {
        Frame& f = frame();
        f.index = f.start = start;
        f.n = end;
        f.acc_n = 0;
        f.best_index = NOWHERE;
        m.steps = m.trips = 0;
        m.edge = m.depth;
        m.ended = OK;
        return go_on();
    }
    AB_FN bool go_on() const {
        u32 pc = m.next_item(frame(), loop());
        while (pc != NOWHERE && m.code[pc] != HALT) pc = m.instruction(pc);
        m.c.g.sync();
        return !m.late;
    }

    // Where the loop makes a set, what the part found is one already: fewer items to hand over, and to sort in the end.
    AB_FN void settle_list() const {
        Ins ins = loop();
        bool made = ins.op() == LOOP_APPLY || ins.op() == LOOP_PAPPLY || ins.op() == LOOP_PRAPPLY;
        if (m.ended != OK || !made || !m.is_set(ins.type())) return;
        Frame& f = frame();
        f.acc_n = settle_items(m.c, m.types, m.item_type(ins.type()), m.c.a.at(f.acc), f.acc_n);
    }

    // What the part found; `before` is where the arena's top was.
    AB_FN u64 share_words(u32 before) const {
        if (m.ended != OK) return sizeof(ShareHead) / 4;
        return sizeof(ShareHead) / 4 + u64(frame().acc_n) * stride(m, loop()) + (m.c.a.top - before);
    }
    AB_FN void give(u32 before, u32* to) const {
        const Frame& f = frame();
        Ins ins = loop();
        bool good = m.ended == OK;
        ShareHead head{
            u32(m.ended), good ? f.acc_n : 0, f.best_index, good ? m.c.a.top - before : 0, m.steps, m.trips, {}};
        for (u32 k = 0; k < MAX_ITEM_WORDS; ++k) head.best[k] = f.best[k];
        m.c.g.one([&] { *reinterpret_cast<ShareHead*>(to) = head; });
        u32* at = to + sizeof(ShareHead) / 4;
        u32 listed = head.acc_n * stride(m, ins);
        const u32 *acc = m.c.a.at(f.acc), *data = m.c.a.at(before);
        m.c.g.each(listed, [&](u32 k) { at[k] = acc[k]; });
        m.c.g.each(head.data_words, [&](u32 k) { at[listed + k] = data[k]; });
    }

    // --- taking up a halt again ---
    // Take a share of the loop that was restored; false where the loop ended by it. A missing share does not fit.
    AB_FN bool take(const u32* from, u32 before) const {
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
        u32 words = stride(m, ins), listed = head.acc_n * words, n = head.acc_n;
        if (ins.op() == LOOP_PRAPPLY && u64(f.acc_n) + n > f.acc_room)
            f.acc_n = settle_items(m.c, m.types, m.item_type(ins.type()), m.c.a.at(f.acc), f.acc_n);
        if (words && u64(f.acc_n) + n > f.acc_room) return fail(OVERFLOW_);
        u32 place = m.c.a.take(head.data_words);
        if (place == NOWHERE) return fail(OVERFLOW_);
        const u32* items = from + sizeof(ShareHead) / 4;
        u32 *acc = m.c.a.at(f.acc) + f.acc_n * words, *data = m.c.a.at(place);
        bool moved = places(m, ins);
        m.c.g.each(n * (words ? 1 : 0), [&](u32 k) {
            for (u32 w = 0; w < words; ++w) acc[k * words + w] = items[k * words + w];
            if (moved && acc[k * words] >= before) acc[k * words] += place - before;
        });
        m.c.g.each(head.data_words, [&](u32 k) { data[k] = items[listed + k]; });
        f.acc_n += n;
        if (head.best_index != NOWHERE) take_best(f, ins, head);
        return true;
    }
    AB_FN void take_best(Frame& f, Ins ins, const ShareHead& head) const {
        u32 op = ins.op(), type = m.body_of(ins, 0).type();
        i32 order = f.best_index == NOWHERE ? 0 : compare_items(m.c, m.types, type, head.best, f.best);
        bool better = op == LOOP_VALMAX || op == LOOP_ARGMAX ? order > 0 : order < 0;
        if (f.best_index != NOWHERE && !better) return;
        for (u32 k = 0; k < MAX_ITEM_WORDS; ++k) f.best[k] = head.best[k];
        f.best_index = head.best_index;
    }
    AB_FN bool fail(Status s) const {
        m.failed = s;
        return false;
    }

    // Go on with the first item nobody took, or behind the loop where it failed. False where that was left in turn.
    AB_FN bool finish(bool all_taken, u32 next) const {
        Frame& f = frame();
        m.ended = OK;
        if (all_taken) {
            f.index = next;
            return go_on();
        }
        u32 pc = m.end_loop(f, loop(), m.failed);
        while (pc != NOWHERE && m.code[pc] != HALT) pc = m.instruction(pc);
        m.c.g.sync();
        return !m.late;
    }
};

}  // namespace arcbatt
#endif
