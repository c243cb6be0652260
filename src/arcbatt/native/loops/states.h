// What loops that carry a state have in common.
#pragma once

#include "loops/loop.h"

namespace arcbatt {
namespace loops {

AB_FN u32 state_words(const Machine& m, Ins ins) { return m.types[ins.type()].slot_words; }

// A part of a state that has words in the arena: where, how many, and the word that says where.
struct StatePart {
    u32 place, words;
    u32* at;
};

// The parts of a state with words from `base` on, by their places; false where one has containers in it.
AB_FN bool state_parts(Machine& m, u32 base, u32 type, u32* state, StatePart* parts, u32& n) {
    auto add = [&](u32 part) {
        u32 words = data_words(m.types, part, state);
        if (!one_level(m.types, part)) return false;
        if (words && state[0] >= base) {
            u32 k = n++;
            for (; k > 0 && parts[k - 1].place > state[0]; --k) parts[k] = parts[k - 1];
            parts[k] = StatePart{state[0], words, state};
        }
        state += m.types[part].slot_words;
        return true;
    };
    n = 0;
    const TypeDesc& t = m.types[type];
    return t.kind == K_TUP ? m.types.each_part(t, add) : add(type);
}

// Drop what a body left in the arena from `base` on but for the state it gave, which moves down to there; parts may
// share words. A state with containers in containers stays where it is, and all else with it.
AB_CALL void keep_state(Machine& m, u32 base, u32 type, u32* state) {
    StatePart parts[MAX_TUPLE_WORDS];
    u32 n;
    if (!state_parts(m, base, type, state, parts, n)) return;
    u32 to = base;
    for (u32 k = 0; k < n;) {
        u32 from = parts[k].place, end = from, first = k;
        for (; k < n && (k == first || parts[k].place < end); ++k) end = most(end, parts[k].place + parts[k].words);
        m.c.g.sync();  // before some lane says where they are then
        m.c.g.move_down(m.c.a.at(to), m.c.a.at(from), end - from);
        for (u32 j = first; j < k; ++j) *parts[j].at = parts[j].place - from + to;
        to += end - from;
    }
    m.c.a.top = to;
}

}  // namespace loops
}  // namespace arcbatt
