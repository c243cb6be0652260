// Per-lane execution: each lane of a group runs a loop's body for its own items, as a group of one lane. The headers
// are compiled once more for that (lane_library.h, which engine/cuda/source.py writes), with slots of its own for the
// body; all else is read where the group has it. Results are taken in the order of the items.
//
// As with columns, what is out of the ordinary makes a round give up, and the loop goes through its items one by one.
//
// This header runs a round of items; loops/per_lane.h runs a loop in rounds.
#pragma once

#include "exec/dispatch.h"
#include "exec/machine.h"

#if AB_LANES > 1
#include "lane_library.h"

namespace arcbatt {

namespace own = arcbatt_lane;

constexpr u32 LEAST_HEAP = 256;   // words a lane needs beside its slots
constexpr u32 SKIPPED = 0xFFFFu;  // in place of a status

// Room in an arena for lanes: a section each, at its far end, and before them a quarter of it for what is gathered.
struct LaneRoom {
    u32 low, first, words;
    AB_FN explicit LaneRoom(const Arena& a) {
        low = (a.capacity - a.top) / 4;
        words = (a.capacity - a.top - low) / AB_LANES;
        first = a.top + low;
    }
    AB_FN u32 section(u32 lane) const { return first + lane * words; }
};

// Some items of a loop, as a table of rows: of every item the status, its steps in two words, and the words of what
// the body gave.
struct LaneRound {
    const Machine& m;
    Ins loop;
    BodyRef body;
    LanesRef shape;
    u64 start;  // the first item
    u32 n;      // how many there are
    u32* table;
    LaneRoom room;

    AB_FN u32& at(u32 row, u32 k) const { return table[row * n + k]; }
    AB_FN Status status(u32 k) const { return Status(at(0, k)); }
    AB_FN u64 steps(u32 k) const { return at(1, k) | u64(at(2, k)) << 32; }
    AB_FN u32* words() const { return table + 3 * n; }
    static AB_FN u64 table_words(u32 n, u32 slot_words) { return u64(n) * (3 + slot_words); }

    // The lane's items one after the other, up to one that fails.
    AB_FN void run(u32 lane) const {
        u32 place = room.section(lane), rows = shape.rows(), end = place + room.words, depth = m.depth;
        own::Machine one;
        one.c.a = own::Arena{m.c.a.base, place + rows, end, shape.first(), rows, place};
        one.types = own::Types{reinterpret_cast<const own::TypeDesc*>(m.types.table), m.types.parts};
        one.code = m.code;
#if !AB_DEVICE
        one.c.stop = m.c.stop;
#endif
        one.max_steps = m.max_steps;
        one.trips = 0;
        one.max_trips = m.max_trips;
        one.depth = one.end_depth = depth;
        one.capacity = end;
        one.run_ids = m.run_ids;
        one.rooms = 0;
        for (u32 k = 0; k < depth; ++k) one.frames[k].run_id = m.frames[k].run_id;
        copy_words(m.c.a.at(place), m.c.a.at(shape.first()), rows);
        u32 words = m.types[body.type()].slot_words;
        for (u32 k = lane; k < n; k += AB_LANES) {
            u32 mark = one.c.a.top;
            own::loops::load(one, own::Ins{loop.w}, own::BodyRef{body.w}, start + k);
            one.frames[depth - 1].run_id = ++one.run_ids;
            one.steps = 0;
            own::Interpreter::run(one, body.code());
            // What was cut short by a stop has no outcome; the group looks again.
            u32 s = one.c.stopped() ? u32(ESCAPE) : u32(one.status(body.result()));
            u32* value = one.value(body.result());
            at(0, k) = s;
            at(1, k) = u32(one.steps);
            at(2, k) = u32(one.steps >> 32);
            if (s != u32(OK)) {
                for (k += AB_LANES; k < n; k += AB_LANES) at(0, k) = SKIPPED;
                return;
            }
            u32 result[3 * MAX_ITEM_WORDS];
            copy_words(result, value, words);
            own::loops::keep_result(one, mark, body.type(), result);
            for (u32 w = 0; w < words; ++w) word(w, k) = result[w];
        }
    }
    AB_FN u32& word(u32 w, u32 k) const { return words()[w * n + k]; }

    AB_FN u64 steps_before(u32 end) const {
        return u64(m.c.g.sum_of(end, [&](u32 k) { return i64(steps(k)); }));
    }

    // Bring the items' data together from `to` on, in order; how many words that is, or NOWHERE if they do not fit.
    AB_FN u32 gather(Arena& a, u32 to) const {
        u32 type = body.type(), between = a.top;
        auto length = [&](u32 k) {
            u32 pair[2] = {word(0, k), word(1, k)};
            return pair[0] < room.first ? 0 : data_words(m.types, type, pair);
        };
        u32 total = m.c.g.scan(n, length, [&](u32 k, u32 place) { at(1, k) = place; });
        if (total > room.low) return NOWHERE;
        m.c.g.each(n, [&](u32 k) {
            u32 count = length(k);
            const u32* from = a.at(word(0, k));
            u32* there = a.at(between + at(1, k));
            for (u32 w = 0; w < count; ++w) there[w] = from[w];
            if (word(0, k) >= room.first) word(0, k) = to + at(1, k);
        });
        return total;
    }
};

}  // namespace arcbatt
#endif
