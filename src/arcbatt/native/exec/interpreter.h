// The interpreter: linear bytecode over slots, loops by an explicit stack of frames. It goes from one instruction to
// the next; machine.h names the layers it stands on.
#pragma once

#include "loops/loop_exits.h"

namespace arcbatt {

struct Interpreter : LoopExits {
    AB_FN void run(u32 pc) {
        while (code[pc] != HALT) {
            pc = instruction(pc);
#if AB_OWN_SLOTS || AB_LANES > 1
            if (pc == NOWHERE) break;
#endif
        }
        c.g.sync();
    }

    // Run one instruction; where the next one is.
    AB_FN u32 instruction(u32 pc) {
        c.g.sync();  // what one instruction wrote may be written over by the next
        Ins ins{code + pc};
        u32 op = ins.op();
        if (op == END_BODY) {
#if AB_OWN_SLOTS
            if (depth == floor) return NOWHERE;
#endif
            return end_body();
        }
        if (op >= LOOP_APPLY) return begin_loop(pc, ins);
        if (op == CHARGE)
            owe(ins);
        else
            plain(ins);
        return pc + ins.length();
    }

    AB_CALL u32 begin_loop(u32 pc, Ins ins) {
        u32 op = ins.op();
        Status s = first_failure(ins, 0, ins.strict());
        // A bound () matters where the body uses it; as what is walked it has no form.
        if (s == EMPTY_TUPLE) s = status(ins.arg(0)) == EMPTY_TUPLE || walks_two(op, ins, EMPTY_TUPLE) ? ESCAPE : OK;
        if (s != OK) {
            if (ins.cost_place()) *slot(ins.cost_place()) = 0;
            return fail_loop(pc, ins, s);
        }
        if (depth == MAX_FRAMES) return fail_loop(pc, ins, ESCAPE);
        if (depth == 0) {
            capacity = c.a.capacity;
            turns = 0;
            rooms = 0;
        }
        Frame& f = frames[depth];
        f.loop = pc;
        f.body = 0;
        f.index = f.slow = 0;
        f.acc = f.acc_n = f.acc_room = 0;
        f.best_index = NOWHERE;
        f.no_columns = 0;
        f.outer_steps = steps;
        f.n = 0;
        if (depth == 0) trips = 0;
        if (op == LOOP_CHOOSE) {
            f.body = *value(ins.arg(0)) ? 0 : 1;
            f.n = 1;
            steps = 0;
        } else {
            if (op != LOOP_POWER || ins.times() >= 0) steps = 0;
            s = prepare(ins, f);
            if (s != OK) {
                *slot(ins.dst()) = s;
                return close(f, ins);
            }
        }
#if AB_LANES > 1
        f.widest = f.columns = 0;
        f.start = 0;
        f.turn_items = 0;
        if (depth) widen(frames[depth - 1], ins.has(PER_LANE) ? f.n : 0, ins.has(COLUMNAR) ? f.n : 0);
#endif
        ++depth;
        return next_item(f, ins);
    }

    AB_CALL u32 next_item(Frame& f, Ins ins) {
        if (too_late()) return leave_loops();
        if (ins.has(COLUMNAR) && f.n >= LEAST_COLUMN && f.body == 0 && !f.no_columns) {
            Taken taken{false, OK};
            while (f.index < f.n && f.index >= f.slow && !taken.ended && !f.no_columns) {
                if (too_late()) return leave_loops();
                u32 m = u32(least(f.n - f.index, u64(CHUNK)));
                if (take_chunk(f, ins, m, taken))
                    f.index += m;
                else if (ins.has(PER_LANE))
                    f.no_columns = 1;
                else
                    f.slow = f.index + m;
            }
            if (taken.ended) return end_loop(f, ins, taken.status);
        }
#if AB_LANES > 1
        while (lanes_suit(f, ins)) {
            Taken taken = take_by_lanes(f, ins);
            if (taken.ended) return end_loop(f, ins, taken.status);
            if (too_late()) return leave_loops();
        }
        if (f.index >= f.n && depth == edge) return end_part(OK);
        f.item_steps = steps;
#endif
        if (f.index >= f.n) {
            --depth;
            *slot(ins.dst()) = finish(f, ins);
            return close(f, ins);
        }
        c.g.sync();  // the last item's result may be its parameter
        if (ins.op() == LOOP_RAPPLY) f.body = u32(f.index);
        BodyRef body = body_of(ins, f.body);
        load_params(ins, body, f.index);
        f.mark = c.a.top;
        f.turn = ++turns;
        return body.code();
    }

    AB_CALL u32 end_body() {
        Frame& f = frames[depth - 1];
        Ins ins{code + f.loop};
        BodyRef body = body_of(ins, f.body);
        Status s = status(body.result());
        if (ins.op() == LOOP_CHOOSE) {
            --depth;
            *slot(ins.dst()) = s;
            if (s == OK) copy_words(value(ins.dst()), value(body.result()), types[ins.type()].slot_words);
            return close(f, ins);
        }
        bool outermost_power = ins.op() == LOOP_POWER && ins.times() < 0;
        if (steps > max_steps && !outermost_power) s = least(s == OK ? LIMIT : s, LIMIT);
        bool done = false;
        if (s == EMPTY_TUPLE || ++trips > max_trips) s = ESCAPE;
        if (s == OK) s = accept(f, ins, body, done);
        if (s != OK || done) return end_loop(f, ins, s);
        ++f.index;
        return next_item(f, ins);
    }

    // End a loop that has failed, or whose result stands already.
    AB_FN u32 end_loop(Frame& f, Ins ins, Status s) {
#if AB_LANES > 1
        if (depth == edge) return end_part(s);
#endif
        --depth;
        *slot(ins.dst()) = s;
        if (s == OK) *slot(ins.dst()) = charge_result(ins);
        return close(f, ins);
    }
};

}  // namespace arcbatt
