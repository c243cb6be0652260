// The kernel of a wave for one instruction, whose words and types the compiler knows.
#pragma once

#include "waves/known_types.h"
#include "waves/loops.h"

namespace arcbatt {

template <u32 OP, class M>
AB_FN Status call_known(M& m, KnownIns ins, const u32* const* args, u32* out) {
    if constexpr (OP < HALT)
        return NativeCall<OP>::call(m.c, args, out);
    else if constexpr (OP == GUARD || OP == CHOOSE)  // plain_call does these itself
        return ESCAPE;
    else
        return GenericCall<M, KnownIns>{m, ins, args, out}.call(Known<OP>{});
}
template <class M>
AB_FN Status dispatch(M& m, KnownIns ins, const u32* const* args, u32* out) {
    return call_known<KnownIns::OP>(m, ins, args, out);
}

// Whether no value points to anything, so that no room is needed.
AB_FN constexpr bool only_scalars() {
    bool all = true;
    for (const TypeDesc& row : KNOWN_TYPES) all = all && row.scalar;
    return all;
}

AB_FN KnownIns placed(const WavePlace* places, u32 index) {
    KnownIns ins;
    ins.result = place_at(places[RESULT_PLACE], index);
    ins.cost = KNOWN_WORDS[4] ? place_at(places[COST_PLACE], index) : 0;
    for (u32 k = 0; k < KnownIns::COUNT; ++k) ins.places[k] = place_at(places[FIRST_ARG_PLACE + k], index);
    return ins;
}

#if AB_DEVICE
// The words of a value's slot, and the first of what it points to, for one lane: read, so that they are in the
// first-level cache when the call looks at them. Whoever reads must do something with what he read.
template <class M>
AB_FN void bring_close(M& m, KnownIns ins) {
    constexpr u32 SECTOR = 8, MOST_SECTORS = 4;
    u32 all = 0;
    ins.each_arg([&](auto k) {
        auto type = ins.arg_type(k);
        const u32* slot = m.slot(ins.arg(k));
        constexpr TypeDesc row = KNOWN_TYPES[decltype(type)::NUMBER];
        all |= slot[0] | slot[row.slot_words];
        if constexpr (row.kind == K_SET || row.kind == K_SEQ || row.kind == K_GRID) {
            if (slot[0] != OK) return;
            u32 words = data_words(m.types, type, slot + 1);
            const u32* data = m.c.a.at(slot[1]);
            for (u32 at = 0; at < MOST_SECTORS * SECTOR; at += SECTOR)
                if (at < words) all |= data[at];
        }
    });
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x5bd1e995; @p prefetch.global.L2 [%1]; }"
                 :
                 : "r"(all), "l"(m.c.a.base)
                 : "memory");
}
#endif

AB_FN void run_known(const WaveLaunch& p, Group lanes, WaveTeam team, u32 group) {
    CallState<KnownTypes> m;
    m.c.g = lanes;
#if AB_DEVICE && AB_LANES > 1
    // A kernel that does not look at it does not have it.
    __shared__ u32 near[AB_THREADS / AB_LANES][NEAR_WORDS];
    m.c.near = NearMemory{near[group], NEAR_WORDS};
#endif
    (void)group;
    run_phase<AB_WAVE_PHASE>(m, p, team, [](const WavePlace* places, u32 index) { return placed(places, index); });
}

}  // namespace arcbatt

#if AB_DEVICE
extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS)
    arcbatt_wave(arcbatt::u64 heap, arcbatt::u64 heap_words, arcbatt::u64 top, arcbatt::u64 arenas,
                 arcbatt::u64 max_steps, arcbatt::u64 places, arcbatt::u64 node_places, arcbatt::u64 nodes,
                 arcbatt::u64 node_count, arcbatt::u64 runs, arcbatt::u64 run_count, arcbatt::u64 phase,
                 arcbatt::u64 code, arcbatt::u64 types, arcbatt::u64 parts, arcbatt::u64 giants,
                 arcbatt::u64 giant_items, arcbatt::u64 few_words) {
    using namespace arcbatt;
    u64 rooms = only_scalars() ? 0 : arenas;
    WaveLaunch p{heap, heap_words, top,   rooms, max_steps, places, node_places, nodes,       node_count,
                 runs, run_count,  phase, code,  types,     parts,  giants,      giant_items, few_words};
    constexpr u32 GROUPS = AB_THREADS / AB_LANES;
    u32 group = threadIdx.x / AB_LANES;
    run_known(p, Group{}, WaveTeam{blockIdx.x * GROUPS + group, gridDim.x * GROUPS}, group);
}
#endif
