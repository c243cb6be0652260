// A wave: one operation, by its types, over a flat list of calls. Groups (a thread, a warp or a block each, by
// AB_LANES) take the indexes of a node's domain in turn; a domain is the samples, the tasks, or whatever else numbers
// the calls of a node.
//
// Values lie in one heap. Slots, as the interpreter has them (a status and the words of a value), are one behind the
// other by index; what they point to is in pieces that groups take from the heap and keep from wave to wave, so that
// little of it is wasted. A group that needs more takes a bigger piece and calls again; what does not fit into the heap
// at all is OVERFLOW_, which the host sees, and does again with fewer indexes, fewer nodes or more memory.
#pragma once

#include "exec/plain_calls.h"

namespace arcbatt {

AB_FN u32 place_at(const WavePlace& place, u32 index) {
    return place.base + place.stride * (place.map ? device_pointer<const u32>(place.map)[index] : index);
}

// The places of a node's values as its record has them.
constexpr u32 RESULT_PLACE = 0, COST_PLACE = 1, STEPS_PLACE = 2, FIRST_ARG_PLACE = 3;

// Which group this is of how many.
struct WaveTeam {
    u32 number, groups;
};

// f(node, places, index) for every index of every node that is this group's. Indexes of all nodes are dealt out in
// turn, or so many of a node at a time as `stretch_of(count, nodes)` says, so that it does not matter how they are
// divided among nodes. Those of one time lie far apart, since neighbours are alike in size.
// `wanted(places, index)` comes before f, which is only for what it wants; a lane of a warp looks at one of those that
// the warp takes at a time.
template <class R, class A, class F>
AB_FN void each_index(const Group& g, const WaveLaunch& p, WaveTeam team, R stretch_of, A wanted, F f) {
    const WaveNode* nodes = device_pointer<const WaveNode>(p.nodes);
    const WavePlace* all_places = device_pointer<const WavePlace>(p.places);
    u64 turn = team.number, before = 0;
    for (u32 k = 0; k < p.run_count; ++k) {
        const WaveRun run = device_pointer<const WaveRun>(p.runs)[k];
        u32 count = *device_pointer<const u32>(run.count);
        if (!count) continue;
        u32 stretch = stretch_of(count, run.nodes), of_node = (count + stretch - 1) / stretch;
        u64 all = u64(of_node) * run.nodes;
        for (; turn - before < all; turn += team.groups) {
            u64 mine = turn - before;
            u32 number = run.nodes == 1 ? 0 : all >> 32 ? u32(mine / of_node) : u32(mine) / of_node;
            u32 first = u32(mine) - number * of_node, node = run.first + number;
            const WavePlace* places = all_places + node * p.node_places;
#if AB_WARP
            u32 looked = first + g.lane() * of_node;
            u32 chosen = 1;  // nothing is gained by looking at one
            if (stretch > 1 || p.few_words)
                chosen = g.ballot(g.lane() < stretch && looked < count && wanted(places, looked));
            for (; chosen; chosen &= chosen - 1) f(nodes[node], places, first + lowest_bit(chosen) * of_node);
#else
            (void)g;
            for (u32 index = first; index < count; index += of_node)
                if (wanted(places, index)) f(nodes[node], places, index);
#endif
        }
        before += all;
    }
}
template <class F>
AB_FN void each_index(const Group& g, const WaveLaunch& p, WaveTeam team, F f) {
    each_index(g, p, team, [](u32, u32) { return 1u; }, [](const WavePlace*, u32) { return true; }, f);
}

// How many calls a warp takes at a time: several, where each warp has many, so that it can have what they read brought
// close by while it waits once, not for each of them; a lane looks at each. Threads take one each, whose places lie
// side by side.
// Where most are a thread's anyway it is as many as there are lanes.
constexpr u32 MOST_CALLS = 16;
AB_FN u32 calls_at_a_time(const WaveLaunch& p, u64 calls, u32 groups) {
#if AB_WARP
    u32 turns = p.few_words ? 1 : 8, most_calls = p.few_words ? AB_LANES : MOST_CALLS;
    return u32(most(u64(1), least(calls / (turns * groups), u64(most_calls))));
#else
    (void)p, (void)calls, (void)groups;
    return 1;
#endif
}

#ifndef AB_WAVE_BOTH
#define AB_WAVE_BOTH 1
#endif
// Whether a call is for groups of this width, where those with few words are for threads and all others for warps.
template <class M, class I>
AB_FN bool suits_width(M& m, const WaveLaunch& p, I ins) {
#if AB_WAVE_BOTH
    if (!p.few_words) return true;
    bool flat = true;
    u64 words = 0;
    ins.each_arg([&](auto k) {
        auto type = ins.arg_type(k);
        const u32* slot = m.slot(ins.arg(k));
        flat = flat && one_level(m.types, type);
        if (slot[0] == OK) words += data_words(m.types, type, slot + 1);
    });
    return (flat && words <= p.few_words) == (AB_LANES == 1);
#else
    (void)m, (void)p, (void)ins;
    return true;
#endif
}

#if AB_LANES > 32
constexpr u32 PIECE_WORDS = BLOCK_PIECE, LEAST_ROOM = 1 << 14;
#elif AB_LANES > 1
constexpr u32 PIECE_WORDS = WARP_PIECE, LEAST_ROOM = 1024;  // what has little room left sorts slowly
#else
constexpr u32 PIECE_WORDS = THREAD_PIECE, LEAST_ROOM = 0;
#endif
constexpr u32 LARGE_WORDS = 1 << 17;

// Words of the heap from `top` on, for one lane: where they begin, or NOWHERE, which is counted. What is large is only
// taken if it fits, so that others find what they need; nothing is ever given back, since others may have gone on from
// there.
AB_FN u32 take_words(u64* top, u64 words, u64 heap_words) {
    bool large = words > LARGE_WORDS;
    u64 at = large ? compare_swap(*top, 0, 0) : fetch_add_together(*top, u32(words));
    while (at + words <= heap_words) {
        u64 was = large ? compare_swap(*top, at, at + words) : at;
        if (was == at) return u32(at);
        at = was;
    }
    fetch_add(top[1], u64(1));
    return NOWHERE;
}

// A group's room in the heap.
struct WaveRoom {
    u64 heap_words, top;
    WaveArena* mine;
    u32 piece;  // how much it takes next

    AB_FN WaveRoom(u64 heap_words_, u64 top_, u64 arenas, u32 number)
        : heap_words(heap_words_), top(top_), mine(device_pointer<WaveArena>(arenas) + number), piece(PIECE_WORDS) {}

    AB_FN void open(Ctx& c) const {
        c.a.top = mine->top;
        c.a.capacity = mine->capacity;
    }
    AB_FN void close(const Ctx& c) const {
        mine->top = c.a.top;
        mine->capacity = c.a.capacity;
    }
    // Another piece; false where there is none.
    AB_FN bool take(Ctx& c) {
        u64 words = piece, most_words = heap_words;
        u64* next = device_pointer<u64>(top);
        u32 at = c.g.from_one([&] { return take_words(next, words, most_words); });
        if (at == NOWHERE) return false;
        c.a.top = at;
        c.a.capacity = at + piece;
        return true;
    }
    // Do work, again in bigger pieces as long as it says that it did not fit; whether it did in the end.
    template <class F>
    AB_FN bool fit(Ctx& c, F work) {
        if (c.a.capacity - c.a.top < LEAST_ROOM) take(c);
        for (u32 before = c.a.top; !work(); before = c.a.top) {
            c.a.top = before;
            if (c.a.capacity - before >= piece) piece = least(piece, 1u << 29) * 4;
            if (!take(c)) return false;
        }
        return true;
    }
};

// Whether what was done since this was asked last had too little room to sort in.
AB_FN bool was_cramped(const Ctx& c) {
#if AB_WAVES
    bool was = c.cramped;
    c.cramped = false;
    return was;
#else
    (void)c;
    return false;
#endif
}

// What a call leaves that did not fit.
template <class M, class I>
AB_FN void leave_unfit(M& m, I ins) {
    *m.slot(ins.dst()) = OVERFLOW_;
    if (ins.cost_place()) *m.slot(ins.cost_place()) = 0;
}

// One call, again with more room where it did not fit.
template <class M, class I>
AB_FN void wave_call(M& m, WaveRoom& room, I ins) {
    bool fits = room.fit(m.c, [&] {
        m.steps = 0;
        plain_call(m, ins);
        m.c.g.sync();
        if (was_cramped(m.c)) return false;
        return m.status(ins.dst()) != OVERFLOW_ || m.first_failure(ins, 0, ins.count()) == OVERFLOW_;
    });
    if (!fits) leave_unfit(m, ins);
}

// Words close to a group: of a warp for the objects of a grid of so many cells, of a block for marks.
#if AB_WARP
constexpr u32 NEAR_WORDS = objects_impl::NearRoom::size(900);
#elif AB_LANES > 1
constexpr u32 NEAR_WORDS = 1 << 13;
#endif

// Begin and end what a group does in a wave: `work(room)`.
template <class M, class F>
AB_FN void in_room(M& m, const WaveLaunch& p, WaveTeam team, F work) {
    m.c.a.base = device_pointer<u32>(p.heap);
    m.steps = 0;
    m.max_steps = p.max_steps;
    WaveRoom room(p.heap_words, p.top, p.arenas, team.number);
    m.c.a.top = m.c.a.capacity = 0;
    if (p.arenas) room.open(m.c);
    work(room);
    if (p.arenas) room.close(m.c);
}

// Steps of an item, as often as they count; or, outside of loops, what types alone do not bound of a sample's.
template <class M>
AB_FN void add_steps(M& m, const WavePlace& place, u32 index, u64 steps) {
    if (!steps || !place.base) return;
    m.c.g.one([&] { fetch_add(*reinterpret_cast<u64*>(m.slot(place_at(place, index))), steps); });
}

// Bring close by what calls of a group read; where the instruction is data nothing is known of that.
template <class M, class I>
AB_FN void bring_close(M&, I) {}

}  // namespace arcbatt
