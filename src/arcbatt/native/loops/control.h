// The way of a loop: begin, the next items, the end of a body, the end of the loop. Each function says where the next
// instruction is. The items of a loop run columnar where they can, else one by one.
#pragma once

#include "loops/columnar.h"

namespace arcbatt {
namespace loops {

// Leave a loop: its steps are charged to the loop around it as often as it is written.
AB_FN u32 close(Machine& m, Ins ins, Frame& f) {
    if (m.depth == 0) m.c.a.capacity = m.capacity;
    u64 cost = m.steps;
    m.steps = f.outer_steps;
    m.charge_call(ins, cost);
    m.spend(cost);
    return f.loop + ins.length();
}

// End a loop that has failed, or whose result stands already.
AB_CALL u32 end(Machine& m, Ins ins, Frame& f, Status s) {
    --m.depth;
    *m.slot(ins.dst()) = s;
    if (s == OK) *m.slot(ins.dst()) = charge_result(m, ins);
    return close(m, ins, f);
}

// Run items in chunks as far as that works; whether the loop ended by it.
AB_FN bool run_chunks(Machine& m, Ins ins, Frame& f, u32& next) {
    Taken taken{false, OK};
    while (f.index < f.n && f.index >= f.slow_until && !taken.ended && !f.not_columnar) {
        u32 n = u32(least(f.n - f.index, u64(CHUNK)));
        if (take_chunk(m, ins, f, n, taken))
            f.index += n;
        else if (columns_of(ins).has_loops())
            f.not_columnar = 1;  // too much to try again
        else
            f.slow_until = f.index + n;
    }
    if (taken.ended) next = end(m, ins, f, taken.status);
    return taken.ended;
}

AB_CALL u32 next_item(Machine& m, Ins ins, Frame& f) {
    u32 next = 0;
    if (ins.has(COLUMNAR) && f.n >= LEAST_COLUMN && f.body == 0 && !f.not_columnar && run_chunks(m, ins, f, next))
        return next;
    if (f.index >= f.n) {
        --m.depth;
        *m.slot(ins.dst()) = finish(m, ins, f);
        return close(m, ins, f);
    }
    m.c.g.sync();  // the last item's result may be its parameter
    f.body = body_for(ins, f);
    BodyRef body = body_of(ins, f.body);
    load(m, ins, body, f.index);
    f.mark = m.c.a.top;
    f.run_id = ++m.run_ids;
    return body.code();
}

AB_CALL u32 begin(Machine& m, u32 pc, Ins ins) {
    Status s = m.first_failure(ins, 0, ins.strict());
    // A bound () matters where the body uses it; as what is walked it has no form.
    if (s == EMPTY_TUPLE) {
        bool walked = m.status(ins.arg(0)) == EMPTY_TUPLE || (takes_two(ins) && m.status(ins.arg(1)) == EMPTY_TUPLE);
        s = walked ? ESCAPE : OK;
    }
    if (s != OK && ins.cost_place()) *m.slot(ins.cost_place()) = 0;
    if (s == OK && m.depth == MAX_FRAMES) s = ESCAPE;
    if (s != OK) {
        *m.slot(ins.dst()) = s;
        return pc + ins.length();
    }
    if (m.depth == 0) {
        m.capacity = m.c.a.capacity;
        m.run_ids = 0;
        m.rooms = 0;
        m.trips = 0;
    }
    Frame& f = m.frames[m.depth];
    f.loop = pc;
    f.body = 0;
    f.index = f.slow_until = 0;
    f.acc = f.acc_n = f.acc_room = 0;
    f.best_index = NOWHERE;
    f.not_columnar = 0;
    f.outer_steps = m.steps;
    f.n = 0;
    m.steps = 0;
    s = prepare(m, ins, f);
    if (s == OK && m.steps > m.max_steps) s = LIMIT;
    if (s != OK) {
        *m.slot(ins.dst()) = s;
        return close(m, ins, f);
    }
    ++m.depth;
    return next_item(m, ins, f);
}

AB_CALL u32 end_body(Machine& m) {
    Frame& f = m.frames[m.depth - 1];
    Ins ins{m.code + f.loop};
    BodyRef body = body_of(ins, f.body);
    if (ins.op() == LOOP_CHOOSE) {
        --m.depth;
        *m.slot(ins.dst()) = Choose::take(m, ins, body);
        return close(m, ins, f);
    }
    Status s = m.status(body.result());
    if (m.steps > m.max_steps) s = least(s == OK ? LIMIT : s, LIMIT);
    bool done = false;
    if (s == EMPTY_TUPLE || ++m.trips > m.max_trips) s = ESCAPE;
    if (s == OK) s = accept(m, ins, f, body, done);
    if (s != OK || done) return end(m, ins, f, s);
    ++f.index;
    return next_item(m, ins, f);
}

}  // namespace loops
}  // namespace arcbatt
