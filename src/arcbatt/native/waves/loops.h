// Loops by waves. The items of all calls of a loop are one list, in any order of the calls; a body's instructions run
// as waves over that list. Each item knows the call it is of (its owner), through which a body reads what is outside.
//
//   OPEN     each call of the loop asks for as many items as it has, and gets a segment of the list
//   FRAMES   the list is as long as all have asked for: memory for it, and the places of its values
//   OWNERS   each item gets its owner, and no steps yet
//   MAPS     and the calls around that, where the body reads what is further out
//   LOAD     each item gets its parameters
//   ...      the body's instructions, which add to the steps of their items; CHARGES and loops among them
//   GATHER   each call of the loop looks at what the body gave for its items, in order, and has its result
//
// A power has one item for each call, whose body runs again and again; ADVANCE makes what it gave the parameter.
#pragma once

#include "waves/gather.h"

namespace arcbatt {
namespace wave_loops {

// --- OPEN ---

// What there is to do for a call.
struct Opened {
    Status status;
    u64 steps, n;
    u32 body;
};

template <class M, class I>
AB_FN u64 walk_steps(M& m, I ins) {
    Known<0> first;
    Known<1> second;
    u64 one = m.size_of(ins.arg_type(first), ins.arg(0));
    if (ins.op() == LOOP_RAPPLY) return 1 + body_count(ins) + one;
    if (ins.has(OVER_FUNCTIONS))
        return 1 + m.value(ins.arg(0))[1] +
               (ins.has(FUNCTIONS_VALUE) ? m.size_of(ins.arg_type(second), ins.arg(1)) : 1);
    return 2 + one + (walks_two(ins.op()) ? m.size_of(ins.arg_type(second), ins.arg(1)) : 0);
}

template <class M, class I>
AB_FN u64 item_count(M& m, I ins) {
    u32 op = ins.op(), n = m.value(ins.arg(0))[1];
    if (op == LOOP_RAPPLY) return 1;
    if (!walks_two(op)) return n;
    u32 other = m.value(ins.arg(1))[1];
    return op == LOOP_PRAPPLY ? u64(n) * other : least(n, other);
}

template <class M, class I>
AB_FN Opened opened(M& m, I ins, u32 least_steps) {
    Status s = m.first_failure(ins, 0, ins.strict());
    bool two = walks_two(ins.op()) || ins.has(FUNCTIONS_VALUE);
    if (s == EMPTY_TUPLE) {  // matters where the body uses it; as what is walked it has no form
        bool walked = m.status(ins.arg(0)) == EMPTY_TUPLE || (two && m.status(ins.arg(1)) == EMPTY_TUPLE);
        s = walked ? ESCAPE : OK;
    }
    if (s != OK) return Opened{s, 0, 0, 0};
    if (ins.op() == LOOP_CHOOSE) return Opened{OK, 0, 1, *m.value(ins.arg(0)) ? 0u : 1u};
    if (ins.op() == LOOP_POWER) return Opened{OK, 0, 1, 0};
    Opened one{OK, walk_steps(m, ins), item_count(m, ins), 0};
    if (one.n == 0 && (looks_for_best(ins.op()) || ins.op() == LOOP_EXTRACT)) {
        one.status = !gives_best_value(ins.op()) ? EMPTY : body_count(ins) < 2 ? ESCAPE : OK;
        one.n = one.body = 1;
    }
    if (one.status == OK && one.steps > m.max_steps) one.status = LIMIT;
    // Items beyond what steps allow cannot come about: one before them fails for that, if not for something else.
    if (one.status == OK && least_steps) one.n = least(one.n, (m.max_steps - one.steps) / least_steps + 1);
    if (one.status == OK && one.n > u64(INT_MOST)) one.status = ESCAPE;
    return one;
}

template <class M, class I>
AB_FN void open_call(M& m, I ins, const WaveNode& node) {
    Opened one = opened(m, ins, node.which);
    Segment segment{m.slot(ins.dst())};
    WaveFrame* frames = device_pointer<WaveFrame>(node.frames);
    m.c.g.one([&] {
        segment.set(one.status, one.steps);
        for (u32 body = 0; body < body_count(ins); ++body) {
            bool runs = one.status == OK && (body == one.body || ins.op() == LOOP_RAPPLY);
            u32 n = runs ? u32(one.n) : 0;
            segment.set_body(body, n ? u32(fetch_add_together(frames[body].opened, n)) : 0, n);
        }
    });
}

// --- FRAMES ---

constexpr u64 MOST_OF_HEAP = 4;  // a frame takes one part of so many

// The frame of a node's domain, from the heap; without any items where there is no room for them, or it would leave
// too little for all else.
AB_FN void make_frame(const Group& g, const WaveLaunch& p, const WaveNode& node) {
    WaveFrame* all = device_pointer<WaveFrame>(node.frames);
    WaveFrame* frame = all + node.which;
    u64* top = device_pointer<u64>(p.top);
    g.one([&] {
        u64 n = frame->opened, words = (n * frame->words + 63) / 64 * 64;
        u64 most_words = n <= u64(INT_MOST) && words <= p.heap_words / MOST_OF_HEAP ? p.heap_words : 0;
        u32 at = n ? take_words(top, words, most_words) : 0;
        frame->opened = 0;
        frame->base = at == NOWHERE ? 0 : at;
        frame->count = at == NOWHERE ? 0 : u32(n);
        frame->most = most(frame->most, frame->count);
    });
    g.sync();
    const WavePatch* patches = device_pointer<const WavePatch>(frame->patches);
    WavePlace* places = device_pointer<WavePlace>(p.places);
    u32 count = frame->count, base = frame->base;
    g.each(u32(frame->patch_count), [&](u32 k) {
        const WavePatch& patch = patches[k];
        WavePlace& place = places[patch.place];
        if (patch.frame != NOWHERE) place.base = all[patch.frame].base + patch.offset * all[patch.frame].count;
        if (patch.map != NOWHERE) place.map = p.heap + 4 * (u64(base) + u64(patch.map) * count);
    });
}

// --- OWNERS, MAPS, CHARGES ---

constexpr u32 SEGMENT_PLACE = FIRST_ARG_PLACE;

template <class M>
AB_FN void own_items(M& m, const WaveNode& node, const WavePlace* places, u32 index) {
    Segment segment{m.slot(place_at(places[SEGMENT_PLACE], index))};
    if (!device_pointer<const WaveFrame>(node.frames)->count) return;
    u32 start = segment.start(node.which);
    m.c.g.each(segment.count(node.which), [&](u32 k) {
        *m.slot(place_at(places[RESULT_PLACE], start + k)) = index;
        u32* steps = m.slot(place_at(places[STEPS_PLACE], start + k));
        steps[0] = steps[1] = 0;
    });
}

template <class M>
AB_FN void map_item(M& m, const WavePlace* places, u32 index) {
    *m.slot(place_at(places[RESULT_PLACE], index)) = *m.slot(place_at(places[FIRST_ARG_PLACE], index));
}

template <class M>
AB_FN void charge_item(M& m, const WaveNode& node, const WavePlace* places, u32 index) {
    u64 steps = node.which;
    if (node.times) steps += u64(*m.slot(place_at(places[FIRST_ARG_PLACE], index))) * node.times;
    add_steps(m, places[STEPS_PLACE], index, steps);
}

// --- LOAD ---

// The arguments are containers; behind them is the segment. Of a power the value and how often; behind
// them how often is left, and the outcome.
template <class M, class I>
AB_FN void load_parameter(M& m, I ins, const WaveNode& node, const WavePlace* places, u32 index) {
    const WavePlace* behind = places + FIRST_ARG_PLACE + ins.count();
    u32* param = m.slot(ins.dst());
    *param = OK;
    u32 how = ins.extra()[0];
    if (how == LOAD_VALUE) {
        u32 turns = *m.value(ins.arg(1));
        *param = turns ? OK : TYPE;  // as advance_item leaves what is done
        copy_words(param + 1, m.value(ins.arg(0)), m.types[ins.type()].slot_words);
        *m.slot(place_at(behind[0], index)) = turns;
        *m.slot(place_at(behind[1], index)) = OK;
        return;
    }
    u32 k = index - Segment{m.slot(place_at(behind[0], index))}.start(node.which);
    if (how != LOAD_ITEM) {
        u32 n = m.value(ins.arg(1))[1];
        k = how == LOAD_LEFT ? k / n : k % n;
    }
    const u32* items = m.c.a.at(m.value(ins.arg(0))[0]);
    unbox(m.types, ins.type(), items + k * m.types[ins.type()].item_words, param + 1);
}

// --- ADVANCE ---

// The argument is what the body gave; behind it how often the body is to be called still, and the outcome. An item that
// is done has a parameter that has failed, so that its body does nothing.
template <class M, class I>
AB_FN void advance_item(M& m, I ins, const WavePlace* places, u32 index) {
    const WavePlace* behind = places + FIRST_ARG_PLACE + ins.count();
    u32* left = m.slot(place_at(behind[0], index));
    u32* param = m.slot(ins.dst());
    u32 before = *left;
    m.c.g.sync();
    if (!before) return;
    u64 steps = *reinterpret_cast<const u64*>(m.slot(place_at(places[STEPS_PLACE], index)));
    Status s = counted_status(m.status(ins.arg(0)), steps, m.max_steps);
    m.c.g.sync();  // the parameter may be what the body gives
    if (s == OK) copy_words(param + 1, m.value(ins.arg(0)), m.types[ins.type()].slot_words);
    u32 still = s == OK ? before - 1 : 0;
    *m.slot(place_at(behind[1], index)) = s;
    *param = still ? OK : TYPE;
    *left = still;
}

}  // namespace wave_loops

// A wave of a phase. `ins_of(places, index)` is the instruction with its places.
template <u32 PHASE, class M, class F>
AB_FN void run_phase(M& m, const WaveLaunch& p, WaveTeam team, F ins_of) {
    using namespace wave_loops;
    if constexpr (PHASE == WAVE_CALLS) {
        run_calls(m, p, team, ins_of);
    } else if constexpr (PHASE == WAVE_FRAMES) {
        const WaveNode* nodes = device_pointer<const WaveNode>(p.nodes);
        for (u32 k = team.number; k < p.node_count; k += team.groups) make_frame(m.c.g, p, nodes[k]);
    } else if constexpr (PHASE == WAVE_GATHER) {
        in_room(m, p, team, [&](WaveRoom& room) {
#if AB_LANES > 32
            each_giant(m, p, team, [&](const WaveNode& node, const WavePlace* places, u32 index) {
                gather_call(m, room, ins_of(places, index), node, places, index);
            });
#else
            each_index(m.c.g, p, team, [&](const WaveNode& node, const WavePlace* places, u32 index) {
                auto ins = ins_of(places, index);
                auto content = [&](u64 enough) { return gathered_content(m, ins, node, places, index, enough); };
                if (left_to_blocks(m, p, node, index, content)) return;
                gather_call(m, room, ins, node, places, index);
            });
#endif
        });
    } else {
        in_room(m, p, team, [&](WaveRoom&) {
            each_index(m.c.g, p, team, [&](const WaveNode& node, const WavePlace* places, u32 index) {
                (void)node;
                if constexpr (PHASE == WAVE_OPEN) open_call(m, ins_of(places, index), node);
                if constexpr (PHASE == WAVE_OWNERS) own_items(m, node, places, index);
                if constexpr (PHASE == WAVE_MAPS) map_item(m, places, index);
                if constexpr (PHASE == WAVE_LOAD) load_parameter(m, ins_of(places, index), node, places, index);
                if constexpr (PHASE == WAVE_CHARGES) charge_item(m, node, places, index);
                if constexpr (PHASE == WAVE_ADVANCE) advance_item(m, ins_of(places, index), places, index);
            });
        });
    }
}

}  // namespace arcbatt
