// The way of a sample's grids into an arena.
#pragma once

#include "core/packed.h"
#include "exec/dispatch.h"
#include "exec/machine.h"

namespace arcbatt {

// What a program reads, put into the arena in front of what it computes.
template <class M>
struct Inputs {
    M& m;
    const Packed& data;

    AB_FN Status place_grid(i32 number, u32* words) {
        Grid g;
        Status s = make_grid(m.c, data.height[number], data.width[number], g);
        if (s != OK) return s == LIMIT ? ESCAPE : s;  // inputs may be beyond what results may be
        i8* to = cells(m.c, g);
        const u8* from = data.cells + data.offset[number];
        m.c.g.each(u32(g.h) * u32(g.w), [&](u32 k) { to[k] = i8(from[k]); });
        Form<Grid>::store(words, g);
        return OK;
    }
    AB_FN void put_grid(u32 slot, i32 number) {
        if (number < 0)
            *m.slot(slot) = EMPTY;
        else
            *m.slot(slot) = place_grid(number, m.value(slot));
    }
    AB_FN void put_samples(u32 slot, i32 task) {
        u32 n = u32(data.count[task]);
        u32 off = m.c.a.take(u64(n) * 4);
        Status s = off == NOWHERE ? OVERFLOW_ : OK;
        for (u32 k = 0; k < 2 * n && s == OK; ++k)
            s = place_grid(data.demo[2 * data.first[task] + i32(k)], m.c.a.at(off + 2 * k));
        u32* words = m.slot(slot);
        words[0] = s;
        words[1] = off;
        words[2] = n;
    }
    // Slots are 0 where a program does not use the input.
    AB_FN void put(u32 input_slot, u32 samples_slot, u32 expected_slot, i32 sample) {
        if (input_slot) put_grid(input_slot, data.input[sample]);
        if (expected_slot) put_grid(expected_slot, data.expected[sample]);
        if (samples_slot) put_samples(samples_slot, data.task[sample]);
    }
};
template <class M>
Inputs(M&, const Packed&) -> Inputs<M>;

}  // namespace arcbatt
