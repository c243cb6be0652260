// The kernels of waves without a GPU, for tests: their groups run one after the other, each on AB_LANES emulated lanes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bind/customs.h"
#include "waves/emulated.h"
#include "waves/ends.h"
#include "waves/values.h"

namespace nb = nanobind;
using namespace arcbatt;

template <class P, class F>
static void each_group(u64 address, u32 groups, F run) {
    const P* p = device_pointer<const P>(address);
#if AB_LANES > 1
    static thread_local Lanes lanes;
    for (u32 group = 0; group < groups; ++group) lanes.run([&](u32 lane) { run(*p, Group{&lanes, lane}, group); });
#else
    for (u32 group = 0; group < groups; ++group) run(*p, Group{}, group);
#endif
}
static void launch_wave(u64 address, u32 groups) {
    each_group<WaveLaunch>(address, groups, [&](const WaveLaunch& p, Group lanes, u32 group) {
        run_emulated(p, lanes, WaveTeam{group, groups});
    });
}
static void launch_wave_inputs(u64 address, u32 groups) {
    each_group<WaveInputs>(address, groups, [&](const WaveInputs& p, Group lanes, u32 group) {
        run_wave_inputs(p, lanes, group, groups);
    });
}
static void launch_wave_look(u64 address, u32 groups) {
    each_group<WaveLook>(address, groups,
                         [&](const WaveLook& p, Group lanes, u32 group) { run_wave_look(p, lanes, group, groups); });
}
static void launch_wave_take(u64 address, u32 groups) {
    each_group<WaveTake>(address, groups,
                         [&](const WaveTake& p, Group lanes, u32 group) { run_wave_take(p, lanes, group, groups); });
}

NB_MODULE(AB_MODULE, m) {
    m.attr("lanes") = AB_LANES;
    m.attr("defines") = nb::make_tuple("AB_LANES=" AB_TEXT(AB_LANES), "AB_WAVES=1");
    m.def("launch_wave", &launch_wave, "What a wave does, by so many groups one after the other.");
    m.def("launch_wave_inputs", &launch_wave_inputs, "The same for what places the inputs of waves.");
    m.def("launch_wave_take", &launch_wave_take, "The same for what makes words of them.");
    m.def("add_custom", &add_custom, "Add an operation from a library; false where there are too many.");
    m.def("launch_wave_look", &launch_wave_look, "The same for what looks at their values.");
}
