// Calls of arguments on the GPU: resident groups, each with its own arena, that take calls until none is left.
// engine/cuda/calls.py fills the tables (abi.h); bind/calls.h writes the words of arguments and reads those of values.
#pragma once

#include "core/digest.h"
#include "exec/interpreter.h"

namespace arcbatt {

// Counts the words of a value, and writes them where there is a place for them.
struct WordStream {
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

struct CallRun {
    const CallLaunch& p;
    const u32* blob;
    CalledProgram program;

    // The arguments of a call into their slots; what they point to right behind the image.
    AB_FN void put_arguments(Machine& m, const u32* row, const u32* end) const {
        const CalledArgument* arguments = reinterpret_cast<const CalledArgument*>(blob + program.arguments);
        u32 words = 0;
        for (u32 k = 0; k < program.argument_count; ++k) words += arguments[k].words;
        u32 rest = u32(end - row) - words, place = m.c.a.take(rest);
        const u32* from = row;
        for (u32 k = 0; k < program.argument_count; ++k) {
            u32 count = arguments[k].words;
            u32* slot = m.slot(arguments[k].slot);
            m.c.g.each(count, [&](u32 w) { slot[w] = w == 0 && place == NOWHERE ? u32(OVERFLOW_) : from[w]; });
            from += count;
        }
        if (place == NOWHERE) return;
        u32* to = m.c.a.at(place);
        m.c.g.each(rest, [&](u32 k) { to[k] = from[k]; });
    }

    // The words of a value into the pool; where there is no room the host sees how much was wanted.
    AB_FN void put_value(Machine& m, u32 call, const u32* value) const {
        const u32* shape = blob + program.shape;
        bool grid = program.shape_words == 1 && (shape[0] & KIND_BITS) == K_GRID;
        Grid g = grid ? Form<Grid>::load(value) : Grid{0, 0, 0};
        u32 n = grid ? 1 + u32(g.h) * (u32(g.w) + 1) : m.c.g.from_one([&] {
            WordStream count{nullptr, 0};
            read_value(m.c, shape, program.shape_words, value, count);
            return count.n;
        });
        // By units, so that what is wanted beyond the pool can still be counted.
        u32 units = (n + POOL_UNIT - 1) / POOL_UNIT;
        u32 unit = m.c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.pool_next), units); });
        u64 place = u64(unit) * POOL_UNIT;
        device_pointer<u64>(p.place)[call] = place;
        device_pointer<u32>(p.length)[call] = n;
        if (place + n > p.pool_words) return;
        u32* to = device_pointer<u32>(p.pool) + place;
        if (!grid) {
            m.c.g.one([&] {
                WordStream stream{to, 0};
                read_value(m.c, shape, program.shape_words, value, stream);
            });
            return;
        }
        const i8* from = cells(m.c, g);
        u32 row = u32(g.w) + 1;
        to[0] = u32(g.h);
        m.c.g.each(u32(g.h), [&](u32 i) {
            u32* line = to + 1 + i * row;
            line[0] = u32(g.w);
            for (u32 j = 0; j + 1 < row; ++j) line[1 + j] = u32(i32(from[i * (row - 1) + j]));
        });
    }

    AB_FN void all(Group lanes, u32 group) const {
        Machine m{};
        m.c.g = lanes;
        m.c.a = Arena{device_pointer<u32>(p.arenas) + u64(group) * p.arena_words, 0, u32(p.arena_words)};
        m.max_steps = p.max_steps;
        m.max_trips = trips_for(p.max_steps);
        m.spent_end = ~u64(0);
        m.types = Types{reinterpret_cast<const TypeDesc*>(blob + program.types), blob + program.parts};
        m.code = blob + program.code;
        const u32* image = blob + program.image;
        u32* base = m.c.a.base;
        m.c.g.each(program.image_words, [&](u32 k) { base[k] = image[k]; });
        for (;;) {
            u32 next = m.c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.next_call), 1); });
            if (next >= p.call_count) return;
            u32 call = device_pointer<const u32>(p.calls)[next];
            const u32* rows = device_pointer<const u32>(p.rows);
            const u64* starts = device_pointer<const u64>(p.starts);
            m.c.a.top = program.image_words;
            m.steps = 0;
            m.depth = 0;
            put_arguments(m, rows + starts[call], rows + starts[call + 1]);
            Interpreter::run(m, 0);
            m.c.g.sync();
            Status s = m.status(program.output_slot);
            if (s == OK) put_value(m, call, m.value(program.output_slot));
            m.c.g.one([&] {
                device_pointer<u8>(p.statuses)[call] = u8(s);
                if (s == OVERFLOW_)
                    device_pointer<u32>(p.again)[fetch_add(*device_pointer<u32>(p.again_count), 1)] = call;
            });
        }
    }
};

AB_FN void run_calls(const CallLaunch& p, Group lanes, u32 group) {
    CallRun{p, device_pointer<const u32>(p.blob), *device_pointer<const CalledProgram>(p.program)}.all(lanes, group);
}

}  // namespace arcbatt

#if AB_DEVICE
#ifndef AB_THREADS
#define AB_THREADS 128
#endif
#ifndef AB_BLOCKS
#define AB_BLOCKS 4
#endif

extern "C" __global__ void __launch_bounds__(AB_THREADS, AB_BLOCKS) arcbatt_call(const arcbatt::CallLaunch* launch) {
    arcbatt::run_calls(*launch, arcbatt::Group{}, (blockIdx.x * blockDim.x + threadIdx.x) / AB_LANES);
}
#endif
