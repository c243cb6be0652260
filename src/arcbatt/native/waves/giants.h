// Calls with very much in them, which warps put on a list for blocks: of loops what they gather, of merging what is
// merged.
#pragma once

#include "waves/wave.h"

namespace arcbatt {

struct Giant {
    u32 node, index;
};
AB_FN Giant* giants_behind(WaveGiants* list) { return reinterpret_cast<Giant*>(list + 1); }

// Put a call on the list if it has much in it, `content(enough)` being how much; false where it has not, or the list is
// full, or there is none.
template <class M, class F>
AB_FN bool left_to_blocks(M& m, const WaveLaunch& p, const WaveNode& node, u32 index, F content) {
    if (!p.giants || content(p.giant_items) <= p.giant_items) return false;
    WaveGiants* list = device_pointer<WaveGiants>(p.giants);
    u32 at = m.c.g.from_one([&] { return fetch_add(list->count, 1u); });
    if (at >= list->room) return false;
    giants_behind(list)[at] = Giant{u32(&node - device_pointer<const WaveNode>(p.nodes)), index};
    return true;
}

// f(node, places, index) for all calls of the list, a block each; the last block to be done clears it.
template <class M, class F>
AB_FN void each_giant(M& m, const WaveLaunch& p, WaveTeam team, F f) {
    WaveGiants* list = device_pointer<WaveGiants>(p.giants);
    const WaveNode* nodes = device_pointer<const WaveNode>(p.nodes);
    u32 count = least(load_volatile(list->count), list->room);
    for (u32 k = team.number; k < count; k += team.groups) {
        Giant call = giants_behind(list)[k];
        f(nodes[call.node], device_pointer<const WavePlace>(p.places) + call.node * p.node_places, call.index);
    }
    m.c.g.one([&] {
        if (fetch_add(list->done, 1u) + 1 < team.groups) return;
        list->most = most(list->most, load_volatile(list->count));
        list->count = list->done = 0;
    });
}

// How much is in n containers, given the two words of each or nothing, and the type of their items: these, of keys only
// a part, and of sets of keys these too, since they are compared; any number beyond `enough` where it is more than
// that.
template <class M, class Type, class F>
AB_FN u64 content_of_all(M& m, Type inner, u32 n, u64 enough, F words_of) {
    constexpr u32 KEYS = 4;  // are as much as an item
    if (n > enough) return n;
    bool keys = is_key(m.types[inner]), arrays = is_array(m.types, inner);
    auto content = [&](u32 k) {
        const u32* words = words_of(k);
        u64 mine = !words ? 0 : keys ? words[1] : u64(KEYS) * words[1];
        const u32* items = words && arrays ? m.c.a.at(words[0]) : nullptr;
        for (u32 item = 0; items && item < words[1] && mine <= KEYS * enough; ++item) mine += items[2 * item + 1];
        return i64(mine);
    };
    return n + u64(m.c.g.sum_of(n, content)) / KEYS;
}

// The same of a call that merges containers; of any other nothing.
template <class M, class I>
AB_FN u64 merged_content(M& m, I ins, u64 enough) {
    if (ins.op() != MERGE || *m.slot(ins.arg(0)) != OK) return 0;
    const u32* value = m.value(ins.arg(0));
    const u32* pairs = m.c.a.at(value[0]);
    return content_of_all(m, m.item_type(ins.type()), value[1], enough, [&](u32 k) { return pairs + 2 * k; });
}

// All calls of a group. `ins_of(places, index)` is the instruction with its places.
template <class M, class F>
AB_FN void run_calls(M& m, const WaveLaunch& p, WaveTeam team, F ins_of) {
    in_room(m, p, team, [&](WaveRoom& room) {
        auto call = [&](const WaveNode& node, const WavePlace* places, u32 index) {
            auto ins = ins_of(places, index);
            auto content = [&](u64 enough) { return merged_content(m, ins, enough); };
            if (AB_LANES <= 32 && left_to_blocks(m, p, node, index, content)) return;
            m.spent = 0;
            wave_call(m, room, ins);
            if (ins.times() > 0) add_steps(m, places[STEPS_PLACE], index, m.steps * node.times);
            if (ins.times() < 0 && ins.has(MULTIPLIES)) add_steps(m, places[STEPS_PLACE], index, m.spent);
        };
#if AB_LANES > 32
        each_giant(m, p, team, call);
#else
        each_index(
            m.c.g, p, team, [&](u32 count, u32 nodes) { return calls_at_a_time(p, u64(count) * nodes, team.groups); },
            [&](const WavePlace* places, u32 index) {
                auto ins = ins_of(places, index);
                bool mine = suits_width(m, p, ins);
                if (mine && AB_WARP) bring_close(m, ins);
                return mine;
            },
            call);
#endif
    });
}

}  // namespace arcbatt
