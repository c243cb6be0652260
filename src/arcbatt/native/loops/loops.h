// Loops: their bodies and parameters, what they need and cost before the first item, and leaving them at the end.
#pragma once

#include "exec/plain_calls.h"

namespace arcbatt {

struct Loops : PlainCalls {
    AB_FN BodyRef body_of(Ins ins, u32 which) const {
        BodyRef body{ins.extra() + 2};
        for (u32 k = 0; k < which; ++k) body = body.next();
        return body;
    }
    AB_FN u32 bodies(Ins ins) const { return ins.extra()[1]; }

    AB_FN u32 fail_loop(u32 pc, Ins ins, Status s) {
        *slot(ins.dst()) = s;
        return pc + ins.length();
    }

    // Whether a loop takes a second container (or a value beside it) and that has the status.
    AB_FN bool walks_two(u32 op, Ins ins, Status wanted) {
        bool second = op == LOOP_PAPPLY || op == LOOP_MPAPPLY || op == LOOP_PRAPPLY || op == LOOP_POWER ||
                      (ins.extra()[0] & FUNCTIONS_VALUE);
        return second && status(ins.arg(1)) == wanted;
    }

    // The trip count, room for results, and what the call itself costs.
    AB_CALL Status prepare(Ins ins, Frame& f) {
        u32 op = ins.op(), inner = types[ins.type()].item;
        const u32* first = value(ins.arg(0));
        u32 flags = ins.extra()[0];
        if (op != LOOP_RAPPLY && op != LOOP_POWER) f.n = first[1];
        u64 room = 0, words = 0;
        switch (op) {
            case LOOP_RAPPLY:
                f.n = bodies(ins);
                steps += 1 + f.n + size_of(ins.arg_type(0), ins.arg(0));
                room = f.n;
                words = types[inner].item_words;
                break;
            case LOOP_POWER:
                f.n = *value(ins.arg(1));
                break;
            case LOOP_PAPPLY:
            case LOOP_MPAPPLY:
                f.n = least(first[1], value(ins.arg(1))[1]);
                room = f.n;
                words = op == LOOP_PAPPLY ? types[inner].item_words : 2;
                break;
            case LOOP_PRAPPLY:
                f.n = u64(first[1]) * value(ins.arg(1))[1];
                room = least(f.n, u64(2 * MAX_ITEMS));
                words = types[inner].item_words;
                break;
            case LOOP_APPLY:
                room = f.n;
                words = types[inner].item_words;
                break;
            case LOOP_MAPPLY:
                room = f.n;
                words = 2;
                break;
            case LOOP_SFILTER:
            case LOOP_MFILTER:
                room = f.n;
                words = types[item_type(ins.arg_type(0))].item_words;
                break;
            case LOOP_ORDER:
                room = f.n;
                words = types[body_of(ins, 0).type()].item_words + 1;
                break;
            default:
                break;
        }
        if (flags & OVER_FUNCTIONS) {
            steps += 1 + first[1] + (flags & FUNCTIONS_VALUE ? size_of(ins.arg_type(1), ins.arg(1)) : 1);
        } else if (op != LOOP_RAPPLY && op != LOOP_POWER) {
            bool two = op == LOOP_PAPPLY || op == LOOP_MPAPPLY || op == LOOP_PRAPPLY;
            steps += 2 + size_of(ins.arg_type(0), ins.arg(0)) + (two ? size_of(ins.arg_type(1), ins.arg(1)) : 0);
        }
        if (room) {
            f.acc = c.a.take(room * words);
            if (f.acc == NOWHERE) return OVERFLOW_;
            f.acc_room = u32(room);
        }
        if (op == LOOP_POWER) copy_words(value(body_of(ins, 0).param(0)), first, types[ins.type()].slot_words);
        if ((op == LOOP_VALMAX || op == LOOP_VALMIN) && f.n == 0) {
            if (bodies(ins) < 2) return ESCAPE;
            f.body = 1;
            f.n = 1;
        }
        if ((op == LOOP_ARGMAX || op == LOOP_ARGMIN || op == LOOP_EXTRACT) && f.n == 0) return EMPTY;
        return steps > max_steps ? LIMIT : OK;
    }

    AB_FN void load_param(BodyRef body, u32 k, u32 container_slot, u64 index) {
        u32 type = body.param_type(k);
        u32 place = body.param(k);
        *slot(place) = OK;
        unbox(types, type, c.a.at(value(container_slot)[0]) + index * types[type].item_words, value(place));
    }

    // A body's parameters for one item.
    AB_FN void load_params(Ins ins, BodyRef body, u64 index) {
        u32 op = ins.op();
        if (op == LOOP_PAPPLY || op == LOOP_MPAPPLY) {
            load_param(body, 0, ins.arg(0), index);
            load_param(body, 1, ins.arg(1), index);
        } else if (op == LOOP_PRAPPLY) {
            u32 m = value(ins.arg(1))[1];
            load_param(body, 0, ins.arg(0), index / m);
            load_param(body, 1, ins.arg(1), index % m);
        } else if (op == LOOP_POWER) {
            *slot(body.param(0)) = OK;
        } else if (body.params()) {
            load_param(body, 0, ins.arg(0), index);
        }
    }

#if AB_LANES > 1
    static AB_FN void widen(Frame& f, u64 by_lanes, u64 by_columns) {
        f.widest = most(f.widest, by_lanes);
        f.columns = most(f.columns, by_columns);
    }
#endif

    AB_FN Status charge_result(Ins ins) {
        u64 size;
        Status s = measure(ins.type(), value(ins.dst()), size);
        if (s != OK) return s;
        if (ins.op() == LOOP_POWER) return OK;
        steps += size;
        return steps > max_steps ? LIMIT : OK;
    }

    // Leave a loop: its steps are charged to the loop around it as often as it is written.
    AB_FN u32 close(Frame& f, Ins ins) {
#if AB_LANES > 1
        if (depth) widen(frames[depth - 1], f.widest, f.columns);
#endif
        if (depth == 0) c.a.capacity = capacity;
        u64 cost = steps;
        steps = f.outer_steps;
        if (ins.op() == LOOP_POWER && ins.times() < 0) return f.loop + ins.length();
        settle(ins, cost);
        return f.loop + ins.length();
    }
};

}  // namespace arcbatt
