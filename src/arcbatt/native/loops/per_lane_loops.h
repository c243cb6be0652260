// Loops by lanes: items of a loop shared out among the lanes of a group (by_lanes.h runs the body for them).
#pragma once

#include "loops/column_loops.h"

namespace arcbatt {

#if AB_LANES > 1
struct LaneLoops : ColumnLoops {
    AB_FN LanesRef lanes_of(Ins ins) const { return LanesRef{body_of(ins, bodies(ins)).w}; }

    // Whether the next items are for lanes. Where there are loops inside, the first item shows how wide they are:
    // whether the lanes do better inside.
    AB_FN bool lanes_suit(const Frame& f, Ins ins) const {
        if (!(ins.extra()[0] & PER_LANE) || f.body || f.index < f.slow || f.n - f.index < LEAST_LANES) return false;
        switch (lanes_of(ins).inside()) {
            case NO_LOOPS:
                return true;
            case COLUMN_LOOPS:
                return f.index && f.columns < WIDE_COLUMNS;
        }
        return f.index && f.widest < WIDE_INSIDE;
    }

    // Take the next items, each lane some of them; where that does not work, they are to be taken one by one.
    AB_CALL Taken take_by_lanes(Frame& f, Ins ins) {
        BodyRef body = body_of(ins, 0);
        LanesRef shape = lanes_of(ins);
        // Loops are left only between turns, so where bodies may take long, a turn is an item a lane at first.
        if (f.turn_items == 0) f.turn_items = patience && shape.inside() != NO_LOOPS ? AB_LANES : LANE_TURN;
        u32 m = u32(least(f.n - f.index, u64(f.turn_items))), mark = c.a.top;
        i64 before = clock_ticks();
        u32 place = c.a.take(LaneTurn::table_words(m, types[body.type()].slot_words));
        f.slow = f.index + m;  // unless all goes well
        if (place == NOWHERE) return Taken{false, OK};
        LaneTurn turn{c, types, code, ins, body, shape, f.index, m, max_steps, max_trips, c.a.at(place), LaneRoom(c.a)};
        Taken taken{false, OK};
        if (trips + m <= max_trips && turn.room.words >= shape.rows() + LEAST_HEAP) {
            c.g.each(AB_LANES, [&](u32 lane) { turn.run(lane, depth, turns, frames); });
            taken = accept_lanes(f, ins, turn, mark);
        }
        if (f.slow > f.index) c.a.top = mark;
        if (patience && c.g.from_one([&] { return clock_ticks() - before < patience / 64; }))
            f.turn_items = least(2 * f.turn_items, LANE_TURN);
        return taken;
    }

    // What the lanes found for the items of a turn: all of it, or how the loop ended by it.
    AB_FN Taken accept_lanes(Frame& f, Ins ins, const LaneTurn& turn, u32 mark) {
        u32 m = turn.m;
        u32 good = u32(c.g.min_of(m, i32(m), [&](u32 k) { return turn.status(k) == OK ? i32(m) : i32(k); }));
        if (ins.op() == LOOP_EXTRACT) {
            u32 found = u32(c.g.min_of(good, i32(m), [&](u32 k) { return turn.words_at(0, k) ? i32(k) : i32(m); }));
            if (found < m) return found_by_lanes(f, ins, turn, found);
        }
        u64 cost = turn.steps_before(good);
        if (steps + cost > max_steps) return ended_by_lanes(f, LIMIT, cost);  // all went well, but for too long
        if (good < m) {
            Status s = turn.status(good);
            cost += turn.steps(good);
            if (s == OVERFLOW_ || s == EMPTY_TUPLE || s == ESCAPE || steps + cost > max_steps) return Taken{false, OK};
            return ended_by_lanes(f, s, cost);
        }
        if (!accept_all(f, ins, turn, mark)) return Taken{false, OK};
        f.index += m;
        f.slow = f.index;
        trips += m;
        steps += cost;
        return Taken{false, OK};
    }
    AB_FN Taken ended_by_lanes(Frame& f, Status s, u64 cost) {
        steps += cost;
        f.slow = f.index;
        return Taken{true, s};
    }
    AB_FN Taken found_by_lanes(Frame& f, Ins ins, const LaneTurn& turn, u32 found) {
        u64 cost = turn.steps_before(found + 1);
        if (steps + cost > max_steps) return ended_by_lanes(f, LIMIT, cost);
        u32 inner = item_type(ins.arg_type(0));
        const u32* items = c.a.at(value(ins.arg(0))[0]);
        unbox(types, inner, items + (f.index + found) * types[inner].item_words, value(ins.dst()));
        return ended_by_lanes(f, OK, cost);
    }

    // The results of all items, none of which failed.
    AB_FN bool accept_all(Frame& f, Ins ins, const LaneTurn& turn, u32 mark) {
        u32 op = ins.op(), type = turn.body.type(), m = turn.m;
        bool merged = op == LOOP_MAPPLY || op == LOOP_MPAPPLY;
        bool listed = merged || op == LOOP_APPLY || op == LOOP_PAPPLY || op == LOOP_PRAPPLY;
        if (!listed) {
            if (types[type].kind != K_INT || !accept_chunk(f, ins, turn.body, Column{turn.words(), m}, m)) return false;
            c.a.top = mark;
            return true;
        }
        if (merged && types[type].kind == K_INT) {  // no containers: counted, and refused at the end
            f.acc_n += m;
            c.a.top = mark;
            return true;
        }
        if (!one_level(types, type) || f.acc_n + m > f.acc_room || (merged && types[type].scalar)) return false;
        u32 stride = merged ? 2 : types[type].item_words, words = types[type].slot_words;
        u32* acc = c.a.at(f.acc) + f.acc_n * stride;
        u32 between = c.a.top, total = types[type].scalar ? 0 : turn.gather(c.a, mark);
        if (total == NOWHERE) return false;
        bool beyond = c.g.flagged(m, [&](u32 k) {
            u32 slot[3 * MAX_ITEM_WORDS];
            for (u32 w = 0; w < words; ++w) slot[w] = turn.words_at(w, k);
            return box(types, type, slot, acc + k * stride) != OK;
        });
        if (beyond) return false;
        c.g.move_down(c.a.at(mark), c.a.at(between), total);
        c.a.top = mark + total;
        f.acc_n += m;
        return true;
    }
};
#else
struct LaneLoops : ColumnLoops {};
#endif

}  // namespace arcbatt
