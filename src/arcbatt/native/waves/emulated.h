// A wave as a CPU runs it for tests: the instruction and its types are data, everything else is the kernel's.
#pragma once

#include "waves/loops.h"

namespace arcbatt {

struct PlacedIns : Ins {
    static constexpr bool KNOWN = false;
    const WavePlace* places;
    u32 index;
    AB_FN u32 dst() const { return place_at(places[RESULT_PLACE], index); }
    AB_FN u32 cost_place() const { return Ins::cost_place() ? place_at(places[COST_PLACE], index) : 0; }
    AB_FN u32 arg(u32 k) const { return place_at(places[FIRST_ARG_PLACE + k], index); }
    AB_FN u32 type_behind(u32 k) const { return extra()[2 + k]; }
};

AB_FN void run_emulated(const WaveLaunch& p, Group lanes, WaveTeam team) {
    CallState<Types> m{};
    m.c.g = lanes;
#if AB_LANES > 1
    static thread_local u32 near[NEAR_WORDS];
    m.c.near = NearMemory{near, NEAR_WORDS};
#endif
    m.types = Types{device_pointer<const TypeDesc>(p.types), device_pointer<const u32>(p.parts)};
    Ins ins{device_pointer<const u32>(p.code)};
    auto ins_of = [&](const WavePlace* places, u32 index) { return PlacedIns{ins, places, index}; };
    switch (p.phase) {
#define AB_PHASE(phase) \
    case phase:         \
        return run_phase<phase>(m, p, team, ins_of);
        AB_PHASE(WAVE_CALLS)
        AB_PHASE(WAVE_OPEN)
        AB_PHASE(WAVE_FRAMES)
        AB_PHASE(WAVE_OWNERS)
        AB_PHASE(WAVE_MAPS)
        AB_PHASE(WAVE_LOAD)
        AB_PHASE(WAVE_CHARGES)
        AB_PHASE(WAVE_ADVANCE)
        AB_PHASE(WAVE_GATHER)
#undef AB_PHASE
    }
}

}  // namespace arcbatt
