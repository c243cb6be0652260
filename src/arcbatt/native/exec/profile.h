// Running with a watch: how often each instruction ran, how long, how it failed, and what it left in the arena.
//
// It lives in a file of its own (profile.cpp) so that the compiler treats the engine's code as if it were not there.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "core/packed.h"
#include "exec/program.h"

namespace arcbatt {

// What is known of the instruction at a place of the code.
struct Counters {
    u64 calls, failed, given_failed, ticks, words;
};

// When a sample ran, and on which thread: nanoseconds since the run began.
struct Span {
    u64 start, end, thread;
};

// What a run with a watch finds.
struct Watch {
    std::vector<Counters> counters;  // by place in the code
    std::vector<Span> spans;         // by sample
    u64 ticks, nanoseconds;          // the whole run by either clock
    bool out_of_memory;
};

// Every sample on so many threads, as a run without a watch takes them, until `stop` is set. `on_threads` calls what it
// is given on each of the threads, with its number, and waits for all.
Watch run_watched(const Program& program, const Packed& data, u32 samples, u32 threads, const RunLimits& limits,
                  const std::atomic<bool>& stop,
                  const std::function<void(const std::function<void(u32)>&)>& on_threads);

}  // namespace arcbatt
