// Per-lane loops: items of a loop shared out among the lanes of a group, a round of them at a time
// (loops/lane_rounds.h runs the body for them).
#pragma once

#include "loops/columnar.h"

#if AB_LANES > 1

namespace arcbatt {
namespace loops {

constexpr u32 LEAST_LANES = 4;      // fewer items are not worth lanes
constexpr u32 WIDE_PER_LANE = 16;   // a loop inside this wide is the one to run per-lane
constexpr u32 WIDE_COLUMNAR = 128;  // and so is a columnar one this wide
constexpr u32 ROUND_ITEMS = 256;    // at most

AB_FN LanesRef lanes_of(Ins ins) { return LanesRef{body_of(ins, bodies(ins)).w}; }

// Note how wide loops inside a loop are.
AB_FN void widen(Frame& f, u64 per_lane, u64 columnar) {
    f.inner_per_lane = most(f.inner_per_lane, per_lane);
    f.inner_columnar = most(f.inner_columnar, columnar);
}

// Whether the next items are for lanes. Where there are loops inside, the first item shows how wide they are: whether
// the lanes do better inside.
AB_FN bool lanes_suit(const Frame& f, Ins ins) {
    if (!ins.has(PER_LANE) || f.body || f.index < f.slow_until || f.n - f.index < LEAST_LANES) return false;
    switch (lanes_of(ins).inside()) {
        case NO_LOOPS:
            return true;
        case COLUMN_LOOPS:
            return f.index && f.inner_columnar < WIDE_COLUMNAR;
    }
    return f.index && f.inner_per_lane < WIDE_PER_LANE;
}

AB_FN Taken end_by_round(Machine& m, Frame& f, Status s, u64 cost) {
    m.steps += cost;
    f.slow_until = f.index;
    return Taken{true, s};
}

// Take what the lanes found for the items of a round: all of it, or how the loop ended by it.
AB_FN Taken take_results(Machine& m, Ins ins, Frame& f, const LaneRound& round, u32 mark) {
    u32 n = round.n;
    u32 good = u32(m.c.g.min_of(n, i32(n), [&](u32 k) { return round.status(k) == OK ? i32(n) : i32(k); }));
    u32 last = stops_at(m.c, ins, round.words(), good);
    u64 cost = round.steps_before(last < good ? last + 1 : good);
    if (m.steps + cost > m.max_steps) return end_by_round(m, f, LIMIT, cost);  // all went well, but for too long
    if (last < good) {
        stop(m, ins, f.index + last);
        return end_by_round(m, f, OK, cost);
    }
    if (good < n) {
        Status s = round.status(good);
        cost += round.steps(good);
        if (s == OVERFLOW_ || s == EMPTY_TUPLE || s == ESCAPE || m.steps + cost > m.max_steps) return Taken{false, OK};
        return end_by_round(m, f, s, cost);
    }
    if (!accept_round(m, ins, f, round, mark)) return Taken{false, OK};
    f.index += n;
    f.slow_until = f.index;
    m.trips += n;
    m.steps += cost;
    return Taken{false, OK};
}

// Run the body for the next items, each lane some of them; where that does not work, they are to be run one by one.
AB_CALL Taken take_round(Machine& m, Ins ins, Frame& f) {
    Ctx& c = m.c;
    BodyRef body = body_of(ins, 0);
    LanesRef shape = lanes_of(ins);
    // Loops are suspended only between rounds, so where bodies may take long, a round is one item per lane at first.
    if (f.round_items == 0) f.round_items = m.time_slice && shape.inside() != NO_LOOPS ? AB_LANES : ROUND_ITEMS;
    u32 n = u32(least(f.n - f.index, u64(f.round_items))), mark = c.a.top;
    i64 before = clock_ticks();
    u32 place = c.a.take(LaneRound::table_words(n, m.types[body.type()].slot_words));
    f.slow_until = f.index + n;  // unless all goes well
    if (place == NOWHERE) return Taken{false, OK};
    LaneRound round{m, ins, body, shape, f.index, n, c.a.at(place), LaneRoom(c.a)};
    Taken taken{false, OK};
    if (m.trips + n <= m.max_trips && round.room.words >= shape.rows() + LEAST_HEAP) {
        c.g.each(AB_LANES, [&](u32 lane) { round.run(lane); });
        taken = take_results(m, ins, f, round, mark);
    }
    if (f.slow_until > f.index) c.a.top = mark;
    if (m.time_slice && c.g.from_one([&] { return clock_ticks() - before < m.time_slice / 64; }))
        f.round_items = least(2 * f.round_items, ROUND_ITEMS);
    return taken;
}

}  // namespace loops
}  // namespace arcbatt
#endif
