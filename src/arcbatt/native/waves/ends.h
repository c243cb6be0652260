// The ends of a schedule of waves: the inputs of samples and tasks go into their slots, and values that came out are
// looked at. What is common to all programs and small; types are data here.
#pragma once

#include "exec/samples.h"
#include "waves/seen.h"
#include "waves/wave.h"

namespace arcbatt {

template <class M>
AB_FN void put_inputs(M& m, WaveRoom& room, const WaveInputs& p, u32 k) {
    Inputs inputs{m, p.packed};
    auto fits = [&](u32 slot) { return m.status(slot) != OVERFLOW_; };
    if (k >= p.samples) {
        u32 task = k - u32(p.samples), slot = place_at(p.demonstrations, task);
        room.fit(m.c, [&] {
            inputs.put_samples(slot, i32(task));
            return fits(slot);
        });
        return;
    }
    auto put = [&](const WavePlace& place, i32 number) {
        u32 slot = place_at(place, k);
        room.fit(m.c, [&] {
            inputs.put_grid(slot, number);
            return fits(slot);
        });
    };
    if (p.input.stride) put(p.input, p.packed.input[k]);
    if (p.expected.stride) put(p.expected, p.packed.expected[k]);
}

AB_FN void run_wave_inputs(const WaveInputs& p, Group lanes, u32 group, u32 groups) {
    CallState<Types> m{};
    m.c.g = lanes;
    m.c.a.base = device_pointer<u32>(p.heap);
    WaveRoom room(p.heap_words, p.top, p.arenas, group);
    room.open(m.c);
    u64 all = p.samples + (p.demonstrations.stride ? p.tasks : 0);
    for (u64 k = group; k < all; k += groups) put_inputs(m, room, p, u32(k));
    room.close(m.c);
}

AB_FN void run_wave_look(const WaveLook& p, Group lanes, u32 group, u32 groups) {
    CallState<Types> m{};
    m.c.g = lanes;
    m.c.a.base = device_pointer<u32>(p.heap);
    WaveRoom room(p.heap_words, p.top, p.arenas, group);
    room.open(m.c);
    for (u64 number = group; number < p.looked_count * p.count; number += groups) {
        const WaveLooked& looked = device_pointer<const WaveLooked>(p.looked)[number / p.count];
        u32 k = u32(number % p.count), slot = place_at(looked.place, k), before = m.c.a.top, capacity = m.c.a.capacity;
        bool unfit = m.status(slot) == OVERFLOW_;
        room.fit(m.c, [&] {
            const u32* shape = device_pointer<const u32>(looked.shape);
            u64 place = u64(k) * p.columns + looked.column;
            return put_result(m, p, p.samples, place, i32(k), slot, shape, u32(looked.shape_words)) != OVERFLOW_ ||
                   unfit;
        });
        if (m.c.a.capacity == capacity) m.c.a.top = before;
    }
    room.close(m.c);
}

}  // namespace arcbatt

#if AB_DEVICE
extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS)
    arcbatt_wave_inputs(const arcbatt::WaveInputs* launch) {
    using namespace arcbatt;
    u32 group = (blockIdx.x * blockDim.x + threadIdx.x) / AB_LANES, groups = gridDim.x * blockDim.x / AB_LANES;
    run_wave_inputs(*launch, Group{}, group, groups);
}
extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS) arcbatt_wave_look(const arcbatt::WaveLook* launch) {
    using namespace arcbatt;
    u32 group = (blockIdx.x * blockDim.x + threadIdx.x) / AB_LANES, groups = gridDim.x * blockDim.x / AB_LANES;
    run_wave_look(*launch, Group{}, group, groups);
}
#endif
