// Values of a node as words that the host reads: in reading order, a number as it is, a container as how many.
// bind/calls.h makes Python values of them.
#pragma once

#include "core/digest.h"
#include "waves/wave.h"

namespace arcbatt {

// Counts the words of a value, and writes them where there is a place for them.
struct WaveWords {
    u32* to;
    u32 n;
    AB_FN void word(u32 x) {
        if (to) to[n] = x;
        ++n;
    }
    AB_FN void number(i32 x) { word(u32(x)); }
    AB_FN void none() { word(u32(NONE)); }
    AB_FN void tuple(u32 x) { word(x); }
    AB_FN void set(u32 x) { word(x); }
};

// The lines of a grid are shared out among lanes; any other value one lane reads.
AB_FN u32 count_words(const Ctx& c, const WaveTake& p, bool grid, const u32* value) {
    if (grid) return 1 + (value[1] >> 16) * ((value[1] & 0xFFFFu) + 1);
    return c.g.from_one([&] {
        WaveWords words{nullptr, 0};
        read_value(c, device_pointer<const u32>(p.shape), u32(p.shape_words), value, words);
        return words.n;
    });
}
AB_FN void write_words(const Ctx& c, const WaveTake& p, bool grid, const u32* value, u32* to) {
    if (!grid) {
        c.g.one([&] {
            WaveWords words{to, 0};
            read_value(c, device_pointer<const u32>(p.shape), u32(p.shape_words), value, words);
        });
        return;
    }
    u32 h = value[1] >> 16, w = value[1] & 0xFFFFu;
    const i8* from = reinterpret_cast<const i8*>(c.a.at(value[0]));
    c.g.one([&] { to[0] = h; });
    c.g.each(h, [&](u32 i) {
        u32* line = to + 1 + i * (w + 1);
        line[0] = w;
        for (u32 j = 0; j < w; ++j) line[1 + j] = u32(i32(from[i * w + j]));
    });
}

AB_FN void run_wave_take(const WaveTake& p, Group lanes, u32 group, u32 groups) {
    CallState<Types> m{};
    m.c.g = lanes;
    m.c.a.base = device_pointer<u32>(p.heap);
    bool grid = p.shape_words == 1 && (device_pointer<const u32>(p.shape)[0] & KIND_BITS) == K_GRID;
    for (u64 k = group; k < p.count; k += groups) {
        u32 slot = place_at(p.place, u32(k));
        Status s = m.status(slot);
        u32 n = s == OK ? count_words(m.c, p, grid, m.value(slot)) : 0;
        // By units, so that what is wanted beyond the pool can still be counted.
        u32 units = (n + POOL_UNIT - 1) / POOL_UNIT;
        u64 start =
            POOL_UNIT * u64(m.c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.pool_next), units); }));
        m.c.g.one([&] {
            device_pointer<u8>(p.statuses)[k] = u8(s);
            device_pointer<u64>(p.starts)[k] = start;
            device_pointer<u32>(p.lengths)[k] = n;
        });
        if (s == OK && start + n <= p.pool_words)
            write_words(m.c, p, grid, m.value(slot), device_pointer<u32>(p.pool) + start);
    }
}

}  // namespace arcbatt

#if AB_DEVICE
extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS) arcbatt_wave_take(const arcbatt::WaveTake* launch) {
    using namespace arcbatt;
    u32 group = (blockIdx.x * blockDim.x + threadIdx.x) / AB_LANES, groups = gridDim.x * blockDim.x / AB_LANES;
    run_wave_take(*launch, Group{}, group, groups);
}
#endif
