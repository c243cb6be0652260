// Columnar loops: chunks of a loop's items all at once (loops/columns.h runs the body for them).
#pragma once

#include "loops/kinds.h"

namespace arcbatt {
namespace loops {

constexpr u32 LEAST_COLUMN = 4;     // fewer items are not worth columns
constexpr u32 MOST_KEPT = 1 << 13;  // more are not kept
constexpr u32 MOST_INNER = 4;       // so many times longer than a chunk may be what a loop inside it walks

// What came of the next items of a loop, taken together.
struct Taken {
    bool ended;  // the loop is done or has failed, as the status says
    Status status;
};

// The columns of a loop in their room.
struct ColumnWords {
    u32 *spread, *passing, *kept_steps, *kept;
    AB_FN ColumnWords(u32* at, ColumnsRef shape, u32 width)
        : spread(at),
          passing(at + SPREAD_WORDS),
          kept_steps(passing + (shape.rows() + 1) * CHUNK),
          kept(kept_steps + 2 * (width / CHUNK)) {}

    // The steps of kept columns that depend on sizes, by chunk.
    AB_FN u64 steps(u32 start) const {
        const u32* mine = kept_steps + 2 * (start / CHUNK);
        return mine[0] | u64(mine[1]) << 32;
    }
    AB_FN void set_steps(u32 start, u64 steps) const {
        u32* mine = kept_steps + 2 * (start / CHUNK);
        mine[0] = u32(steps);
        mine[1] = u32(steps >> 32);
    }
};

// Room for the columns of the loop at a place in the code, what is known of its n items brought up to date; null where
// there is none.
AB_FN ColumnRoom* column_room(Machine& m, u32 loop, u64 n, ColumnsRef shape) {
    u64 run_id = shape.scope() ? m.frames[shape.scope() - 1].run_id : 0;
    ColumnRoom* room = m.room;
    u32 mine = 0;
    while (mine < m.rooms && room[mine].loop != loop) ++mine;
    if (mine < m.rooms && (!room[mine].width || room[mine].width >= n)) {
        if (room[mine].run_id != run_id) room[mine].known = 0;
        room[mine].run_id = run_id;
        return room + mine;
    }
    bool keeps = false;
    for (u32 k = 0; k < (shape.rows() + 31) / 32; ++k) keeps = keeps || shape.kept()[k];
    if (mine == MAX_ROOMS || (keeps && n > MOST_KEPT)) return nullptr;
    u32 width = keeps ? (u32(n) + CHUNK - 1) / CHUNK * CHUNK : 0;
    u64 words = SPREAD_WORDS + u64(shape.rows() + 1) * (CHUNK + width) + 2 * (width / CHUNK);
    if (2 * words > m.c.a.capacity - m.c.a.top) return nullptr;
    m.c.a.capacity -= u32(words);
    room[mine] = ColumnRoom{loop, m.c.a.capacity, width, 0, run_id};
    if (mine == m.rooms) ++m.rooms;
    return room + mine;
}

// --- a loop inside a columnar body ---

// The best of a container's items for each item of the chunk: its value, and which item it is of.
struct BestRows {
    u32 *value, *item;
};
// The better of what was best before and what an item gives.
struct Better {
    u32 value, item;
};

// Compute what depends on the container's n items alone, as far as that is not known yet.
AB_INLINE bool keep_inner_columns(Machine& m, Ins ins, u32 n, ColumnsRef shape, ColumnRoom& room, ColumnWords at) {
    for (u32 start = room.known; start < n; start = room.known) {
        u32 some = least(n - start, CHUNK);
        ColumnRun all{m.c, m.types, shape, at.kept, room.width, at.passing, at.spread, start, some, KEPT_ONLY, 0, 0};
        all.load(body_of(ins, 0), 0, items_in(m, ins, 0), [](u32 k) { return k; });
        if (!all.run(shape.code())) return false;
        at.set_steps(start, all.kept_cost);
        room.known = start + some;
    }
    return true;
}

// Run the inner body for one of the container's n items after the other, each time for the whole chunk.
AB_INLINE bool find_inner_best(Machine& m, Ins ins, u32 n, ColumnRun& run, InnerItem& item, BestRows best) {
    bool greatest = Best::greatest(ins);
    for (; item.item < n; ++item.item) {
        if (!run.run(item.shape.code())) return false;
        Column result = run.column(item.shape.result());
        bool first = item.item == 0;
        m.c.g.mapped<Better>(
            run.m,
            [&](u32 k, Better& r) {
                i32 now = i32(result.at[k]), before = i32(best.value[k]);
                bool better = first || (greatest ? now > before : now < before);
                r = Better{u32(better ? now : before), better ? item.item : best.item[k]};
                return false;
            },
            [&](u32 k, Better r) {
                best.value[k] = r.value;
                best.item[k] = r.item;
            });
    }
    return true;
}

AB_INLINE void put_inner_best(Machine& m, Ins ins, u32 n, BestRows best, Column out) {
    if (Best::gives_value(ins)) {
        m.c.g.each(n, [&](u32 k) { out.at[k] = best.value[k]; });
        return;
    }
    u32 type = m.item_type(ins.arg_type(0)), words = m.types[type].slot_words, stride = m.types[type].item_words;
    const u32* items = items_in(m, ins, 0);
    m.c.g.each(n, [&](u32 k) {
        u32 slot[3 * MAX_ITEM_WORDS];
        unbox(m.types, type, items + u64(best.item[k]) * stride, slot);
        for (u32 w = 0; w < words; ++w) out.word(w, k) = slot[w];
    });
}

AB_CALL bool run_inner_best(Machine& m, ColumnRun& run, Ins ins) {
    bool stays = run.shape.keeps(ins.dst());
    if (run.pass == PASSING_ONLY && stays) return true;
    if (m.status(ins.arg(0)) != OK) return false;
    u32 n = count_in(m, ins, 0), chunk = run.m;
    ColumnsRef shape = columns_of(ins);
    if (n == 0 || n > MOST_INNER * chunk || shape.keeps(shape.result()) || m.trips + u64(n) * chunk > m.max_trips)
        return false;
    m.trips += u64(n) * chunk;
    ColumnRoom* room = column_room(m, u32(ins.w - m.code), n, shape);
    if (!room || !room->width) return false;
    ColumnWords at(m.c.a.at(room->place), shape, room->width);
    if (!keep_inner_columns(m, ins, n, shape, *room, at)) return false;
    u64 cost = 2 + m.size_of(ins.arg_type(0), ins.arg(0));
    for (u32 start = 0; start < n; start += CHUNK) cost += at.steps(start);
    cost *= chunk;

    InnerItem item{shape, at.kept, room->width, 0};
    BestRows best{at.passing, at.passing + CHUNK};  // rows that keep nothing here
    u64 cost_before = run.cost;
    Pass pass_before = run.pass;
    run.cost = 0;
    run.pass = PASSING_ONLY;
    run.inner = &item;
    if (!find_inner_best(m, ins, n, run, item, best)) return false;
    run.inner = nullptr;
    run.pass = pass_before;

    Column out = run.column(ins.dst());
    put_inner_best(m, ins, chunk, best, out);
    cost = (cost + run.cost + run.sizes(ins.type(), out, false)) * u32(ins.times());
    run.cost = cost_before;
    (stays ? run.kept_cost : run.cost) += cost;
    return true;
}

// --- chunks ---

// Take what the body gave for n items, which cost so many steps; false where they must be run one by one.
AB_FN bool take_results(Machine& m, Ins ins, Frame& f, Column result, u32 n, u64 cost, Taken& taken) {
    if (m.steps + cost > m.max_steps) {  // all went well, but for too long
        if (!takes_any_number(ins)) return false;
        m.steps += cost;
        taken = Taken{true, LIMIT};
        return true;
    }
    u32 last = stops_at(m.c, ins, result.at, n);
    if (last < n) {
        stop(m, ins, f.index + last);
        m.steps += cost / n * (last + 1);
        taken = Taken{true, OK};
        return true;
    }
    if (!accept_chunk(m, ins, f, body_of(ins, 0), result, n)) return false;
    m.steps += cost;
    return true;
}

// Run the body for the next n items all at once; false where they must be run one by one.
AB_CALL bool take_chunk(Machine& m, Ins ins, Frame& f, u32 n, Taken& taken) {
    ColumnsRef shape = columns_of(ins);
    ColumnRoom* r = column_room(m, f.loop, f.n, shape);
    if (!r || m.trips + n > m.max_trips) return false;
    m.trips += n;
    u32 start = u32(f.index);
    ColumnWords at(m.c.a.at(r->place), shape, r->width);
    Pass pass = start + n <= r->known ? PASSING_ONLY : ALL_COLUMNS;
    ColumnRun run{m.c, m.types, shape, at.kept, r->width, at.passing, at.spread, start, n, pass, 0, 0};
    load_chunk(m, ins, body_of(ins, 0), run);
    u32 mark = m.c.a.top;
    bool ordinary = run.run(shape.code(), [&](Ins inner) { return run_inner_best(m, run, inner); });
    m.c.a.top = mark;
    if (!ordinary) return false;
    if (r->width) {
        if (pass == PASSING_ONLY) {
            run.kept_cost = at.steps(start);
        } else {
            at.set_steps(start, run.kept_cost);
            r->known = start + n;
        }
    }
    return take_results(m, ins, f, run.column(shape.result()), n, run.cost + run.kept_cost, taken);
}

}  // namespace loops
}  // namespace arcbatt
