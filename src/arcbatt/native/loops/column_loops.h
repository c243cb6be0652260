// Loops by columns: chunks of a loop's items all at once (columns.h runs the body for them).
#pragma once

#include "loops/loop_results.h"

namespace arcbatt {

constexpr u32 LEAST_COLUMN = 4;     // fewer items are not worth columns
constexpr u32 MOST_KEPT = 1 << 13;  // more are not kept
// So many times longer than a chunk may be what a loop inside it walks; what is longer, lanes would have to go through.
constexpr u32 MOST_INNER = AB_LANES > 1 ? 64 : 4;

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

// What an item gives, and whether that is better than what was best before.
struct Better {
    i32 value;
    bool is;
};

struct ColumnLoops : LoopResults {
    AB_FN ColumnsRef columns_ref(Ins ins) const { return columns_behind(ins, body_of(ins, bodies(ins)).w); }

    // Room for the columns of the loop at a place in the code, what is known of its n items brought up to date; null
    // where there is none.
    AB_FN ColumnRoom* columns_of(u32 loop, u64 n, ColumnsRef shape) {
        u64 turn = shape.scope() ? frames[shape.scope() - 1].turn : 0;
        u32 mine = 0;
        while (mine < rooms && room[mine].loop != loop) ++mine;
        if (mine < rooms && (!room[mine].width || room[mine].width >= n)) {
            if (room[mine].turn != turn) room[mine].known = 0;
            room[mine].turn = turn;
            return room + mine;
        }
        bool keeps = false;
        for (u32 k = 0; k < (shape.rows() + 31) / 32; ++k) keeps = keeps || shape.kept()[k];
        if (mine == MAX_ROOMS || (keeps && n > MOST_KEPT)) return nullptr;
        u32 width = keeps ? (u32(n) + CHUNK - 1) / CHUNK * CHUNK : 0;
        u64 words = SPREAD_WORDS + u64(shape.rows() + 1) * (CHUNK + width) + 2 * (width / CHUNK);
        if (2 * words > c.a.capacity - c.a.top) return nullptr;
        c.a.capacity -= u32(words);
        room[mine] = ColumnRoom{loop, c.a.capacity, width, 0, turn};
        if (mine == rooms) ++rooms;
        return room + mine;
    }

    // Take the next items all at once; false where they must be taken one by one.
    AB_CALL bool take_chunk(Frame& f, Ins ins, u32 m, Taken& taken) {
        ColumnsRef shape = columns_ref(ins);
        ColumnRoom* r = columns_of(f.loop, f.n, shape);
        if (!r || trips + m > max_trips) return false;
        trips += m;
        BodyRef body = body_of(ins, 0);
        u32 start = u32(f.index), op = ins.op();
        ColumnWords at(c.a.at(r->place), shape, r->width);
        Pass pass = start + m <= r->known ? PASSING_ONLY : ALL_COLUMNS;
        ColumnRun run{c, types, shape, at.kept, r->width, at.passing, at.spread, start, m, pass, 0, 0};
        const u32* items = c.a.at(value(ins.arg(0))[0]);
        if (op == LOOP_PRAPPLY) {
            u32 n = value(ins.arg(1))[1];
            run.load(body, 0, items, [&](u32 k) { return k / n; });
            run.load(body, 1, c.a.at(value(ins.arg(1))[0]), [&](u32 k) { return k % n; });
        } else {
            run.load(body, 0, items, [](u32 k) { return k; });
            if (op == LOOP_PAPPLY) run.load(body, 1, c.a.at(value(ins.arg(1))[0]), [](u32 k) { return k; });
        }
        u32 mark = c.a.top;
        bool ordinary = run.run(shape.code(), [&](Ins inner) { return look_through(run, inner); });
        c.a.top = mark;
        if (!ordinary) return false;
        if (r->width) {
            if (pass == PASSING_ONLY) {
                run.kept_cost = at.steps(start);
            } else {
                at.set_steps(start, run.kept_cost);
                r->known = start + m;
            }
        }
        u64 cost = run.cost + run.kept_cost;
        Column result = run.column(shape.result());
        if (steps + cost > max_steps) {  // all went well, but for too long
            if (!never_refuses(op)) return false;
            steps += cost;
            taken = Taken{true, LIMIT};
            return true;
        }
        if (op == LOOP_EXTRACT) {
            i32 first = c.g.min_of(m, i32(m), [&](u32 k) { return result.at[k] ? i32(k) : i32(m); });
            if (first == i32(m)) {
                steps += cost;
                return true;
            }
            u32 inner = item_type(ins.arg_type(0));
            unbox(types, inner, items + (start + u32(first)) * types[inner].item_words, value(ins.dst()));
            steps += cost / m * u32(first + 1);
            taken = Taken{true, OK};
            return true;
        }
        if (!accept_chunk(f, ins, body, result, m)) return false;
        steps += cost;
        return true;
    }

    // Whether a loop takes what its body gives, whatever number that is, and goes through all of its items.
    static AB_FN bool never_refuses(u32 op) {
        return op == LOOP_SFILTER || op == LOOP_MFILTER || (op >= LOOP_ARGMAX && op <= LOOP_VALMIN);
    }

    // A loop in a body that runs by columns: the best of a container's items for each item of the chunk. What depends
    // on the container's items alone is computed first and kept; then the body runs for one of them after the other,
    // each time for the whole chunk.
    AB_CALL bool look_through(ColumnRun& run, Ins ins) {
        bool stays = run.shape.keeps(ins.dst());
        if (run.pass == PASSING_ONLY && stays) return true;
        if (status(ins.arg(0)) != OK) return false;
        u32 n = value(ins.arg(0))[1], m = run.m, op = ins.op();
        BodyRef body = body_of(ins, 0);
        ColumnsRef shape = columns_ref(ins);
        if (n == 0 || n > MOST_INNER * m || shape.keeps(shape.result()) || trips + u64(n) * m > max_trips) return false;
        trips += u64(n) * m;
        ColumnRoom* r = columns_of(u32(ins.w - code), n, shape);
        if (!r || !r->width) return false;
        ColumnWords at(c.a.at(r->place), shape, r->width);
        const u32* items = c.a.at(value(ins.arg(0))[0]);
        for (u32 start = r->known; start < n; start = r->known) {
            u32 some = least(n - start, CHUNK);
            ColumnRun all{c, types, shape, at.kept, r->width, at.passing, at.spread, start, some, KEPT_ONLY, 0, 0};
            all.load(body, 0, items, [](u32 k) { return k; });
            if (!all.run(shape.code())) return false;
            at.set_steps(start, all.kept_cost);
            r->known = start + some;
        }
        u64 cost = 2 + size_of(ins.arg_type(0), ins.arg(0));
        for (u32 start = 0; start < n; start += CHUNK) cost += at.steps(start);
        cost *= m;

        InnerItem item{shape, at.kept, r->width, 0};
        u32 *best = at.passing, *which = at.passing + CHUNK;  // rows that keep nothing here
        bool greatest = op == LOOP_ARGMAX || op == LOOP_VALMAX;
        u64 cost_before = run.cost;
        Pass pass_before = run.pass;
        run.cost = 0;
        run.pass = PASSING_ONLY;
        run.inner = &item;
        for (; item.item < n; ++item.item) {
            if (!run.run(shape.code())) return false;
            Column result = run.column(shape.result());
            c.g.mapped<Better>(
                m,
                [&](u32 k, Better& r) {
                    i32 now = i32(result.at[k]), before = i32(best[k]);
                    r = Better{now, item.item == 0 || (greatest ? now > before : now < before)};
                    return false;
                },
                [&](u32 k, Better r) {
                    if (!r.is) return;
                    best[k] = u32(r.value);
                    which[k] = item.item;
                });
        }
        run.inner = nullptr;
        run.pass = pass_before;

        Column out = run.column(ins.dst());
        if (op == LOOP_VALMAX || op == LOOP_VALMIN) {
            c.g.each(m, [&](u32 k) { out.at[k] = best[k]; });
        } else {
            u32 type = item_type(ins.arg_type(0)), words = types[type].slot_words, stride = types[type].item_words;
            c.g.each(m, [&](u32 k) {
                u32 slot[3 * MAX_ITEM_WORDS];
                unbox(types, type, items + u64(which[k]) * stride, slot);
                for (u32 w = 0; w < words; ++w) out.word(w, k) = slot[w];
            });
        }
        cost = (cost + run.cost + run.sizes(ins.type(), out)) * u32(ins.times());
        run.cost = cost_before;
        (stays ? run.kept_cost : run.cost) += cost;
        return true;
    }

    AB_FN bool accept_chunk(Frame& f, Ins ins, BodyRef body, Column result, u32 m) {
        u32 op = ins.op(), start = u32(f.index);
        u32* acc = c.a.at(f.acc);
        switch (op) {
            case LOOP_SFILTER:
            case LOOP_MFILTER: {
                u32 stride = types[item_type(ins.arg_type(0))].item_words;
                const u32* items = c.a.at(value(ins.arg(0))[0]) + start * stride;
                f.acc_n += c.g.compact(
                    m, [&](u32 k) { return result.at[k] != 0; },
                    [&](u32 k, u32 at) { copy_words(acc + (f.acc_n + at) * stride, items + k * stride, stride); });
                return true;
            }
            case LOOP_ARGMAX:
            case LOOP_VALMAX:
            case LOOP_ARGMIN:
            case LOOP_VALMIN: {
                bool greatest = op == LOOP_ARGMAX || op == LOOP_VALMAX;
                auto number = [&](u32 k) { return i32(result.at[k]); };
                i32 best = greatest ? c.g.max_of(m, INT_LEAST, number) : c.g.min_of(m, INT_MOST, number);
                i32 at = c.g.min_of(m, i32(m), [&](u32 k) { return number(k) == best ? i32(k) : i32(m); });
                i32 before = key_int(f.best[0]);
                if (f.best_index == NOWHERE || (greatest ? best > before : best < before)) {
                    f.best[0] = int_key(best);
                    f.best_index = start + u32(at);
                }
                return true;
            }
            case LOOP_ORDER:
                c.g.each(m, [&](u32 k) {
                    acc[2 * (f.acc_n + k)] = int_key(i32(result.at[k]));
                    acc[2 * (f.acc_n + k) + 1] = f.acc_n + k;
                });
                f.acc_n += m;
                return true;
            default: {
                if (f.acc_n + m > f.acc_room) return false;
                u32 kind = types[body.type()].kind, words = types[body.type()].slot_words;
                bool beyond = c.g.flagged(m, [&](u32 k) {
                    u32 slot[3];
                    for (u32 w = 0; w < words; ++w) slot[w] = result.word(w, k);
                    return box_part(kind, slot, acc + f.acc_n + k) != OK;
                });
                if (beyond) return false;
                f.acc_n += m;
                return true;
            }
        }
    }
};

}  // namespace arcbatt
