// Loops by columns: chunks of a loop's items all at once (columns.h runs the body for them).
#pragma once

#include "loop_results.h"

namespace arcbatt {

constexpr u32 LEAST_COLUMN = 4;     // fewer items are not worth columns
constexpr u32 MOST_KEPT = 1 << 13;  // more are not kept

struct ColumnLoops : LoopResults {
    // Room for a loop's columns, what it knows brought up to date; null where there is none.
    AB_FN ColumnRoom* columns_of(Frame& f, ColumnsRef shape) {
        u64 turn = shape.scope() ? frames[shape.scope() - 1].turn : 0;
        u32 mine = 0;
        while (mine < rooms && room[mine].loop != f.loop) ++mine;
        if (mine < rooms && (!room[mine].width || room[mine].width >= f.n)) {
            if (room[mine].turn != turn) room[mine].known = 0;
            room[mine].turn = turn;
            return room + mine;
        }
        bool keeps = false;
        for (u32 k = 0; k < (shape.rows() + 31) / 32; ++k) keeps = keeps || shape.kept()[k];
        if (mine == MAX_ROOMS || (keeps && f.n > MOST_KEPT)) return nullptr;
        u32 width = keeps ? (u32(f.n) + CHUNK - 1) / CHUNK * CHUNK : 0;
        u64 words = SPREAD_WORDS + u64(shape.rows() + 1) * (CHUNK + width) + 2 * (width / CHUNK);
        if (2 * words > c.a.capacity - c.a.top) return nullptr;
        c.a.capacity -= u32(words);
        room[mine] = ColumnRoom{f.loop, c.a.capacity, width, 0, turn};
        if (mine == rooms) ++rooms;
        return room + mine;
    }

    // Take the next items all at once; false where they must be taken one by one.
    AB_FN bool take_chunk(Frame& f, Ins ins, u32 m, bool& done) {
        ColumnsRef shape{body_of(ins, bodies(ins)).w};
        ColumnRoom* r = columns_of(f, shape);
        if (!r || trips + m > max_trips) return false;
        trips += m;
        BodyRef body = body_of(ins, 0);
        u32 start = u32(f.index), op = ins.op();
        u32 *spread = c.a.at(r->place), *passing = spread + SPREAD_WORDS;
        u32* kept_steps = passing + (shape.rows() + 1) * CHUNK;
        u32* kept = kept_steps + 2 * (r->width / CHUNK);
        bool known = start + m <= r->known;
        ColumnRun run{c, types, shape, kept, r->width, passing, spread, start, m, known, 0, 0};
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
        bool ordinary = run.run(code, body.code());
        c.a.top = mark;
        if (!ordinary) return false;
        if (r->width) {
            u32* mine = kept_steps + 2 * (start / CHUNK);
            if (known) {
                run.kept_cost = mine[0] | u64(mine[1]) << 32;
            } else {
                mine[0] = u32(run.kept_cost);
                mine[1] = u32(run.kept_cost >> 32);
                r->known = start + m;
            }
        }
        u64 cost = run.cost + run.kept_cost;
        if (steps + cost > max_steps) return false;
        Column result = shape.varies(body.result()) ? run.column(body.result()) : Column{nullptr, 0};
        if (!result.at) return false;
        if (op == LOOP_EXTRACT) {
            i32 first = c.g.min_of(m, i32(m), [&](u32 k) { return result.at[k] ? i32(k) : i32(m); });
            done = first < i32(m);
            if (!done) {
                steps += cost;
                return true;
            }
            u32 inner = item_type(ins.arg_type(0));
            unbox(types, inner, items + (start + u32(first)) * types[inner].item_words, value(ins.dst()));
            steps += cost / m * u32(first + 1);
            return true;
        }
        if (!accept_chunk(f, ins, body, result, m)) return false;
        steps += cost;
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
