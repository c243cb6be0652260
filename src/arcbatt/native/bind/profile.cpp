#include "exec/profile.h"

#include <chrono>

#include "exec/engine.h"

namespace arcbatt {
namespace {

// A clock that is quick to read; in what unit is for whoever compares two readings with seconds.
u64 ticks_now() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return u64(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Runs code as Interpreter::run does. The time between two looks at the clock goes to the instruction that ran; a
// loop's own time is what it spends between its bodies, and all of it where it runs columnar.
struct Watched {
    Counters* counters;  // by place in the code

    static bool failed(Status s) { return s != OK && s != EMPTY_TUPLE; }

    void operator()(Machine& machine) const {
        u32 pc = 0;
        u64 last = ticks_now();
        for (;;) {
            Ins ins{machine.code + pc};
            u32 op = ins.op(), next;
            if (op == HALT || machine.overspent() || machine.c.stopped()) return;
            if (op == CHARGE) {
                charge(machine, ins);
                pc += ins.length();
                continue;
            }
            u32 place = op == END_BODY ? machine.frames[machine.depth - 1].loop : pc;
            Ins whole{machine.code + place};
            Counters& mine = counters[place];
            u32 top = machine.c.a.top;
            bool given = false;
            if (op == END_BODY) {
                next = loops::end_body(machine);
            } else {
                ++mine.calls;
                given = failed(machine.first_failure(whole, 0, whole.strict()));
                if (op >= FIRST_LOOP) {
                    next = loops::begin(machine, pc, ins);
                } else {
                    plain_call(machine, ins);
                    next = pc + ins.length();
                }
            }
            if (next == place + whole.length() && failed(machine.status(whole.dst()))) {
                ++mine.failed;
                mine.given_failed += given;
            }
            if (machine.c.a.top > top) mine.words += machine.c.a.top - top;
            pc = next;
            u64 now = ticks_now();
            mine.ticks += now - last;
            last = now;
        }
    }
};

// One run with a watch: threads take samples as they do without one, each with counters of its own.
class WatchedRun {
   public:
    WatchedRun(const Program& program, const Packed& data, u32 samples, const std::atomic<bool>& stop)
        : program_(program), data_(data), samples_(samples), stop_(stop), watch_{} {
        watch_.counters.resize(program.code.size());
        watch_.spans.resize(samples);
    }

    template <class F>
    Watch run(u32 threads, const RunLimits& limits, const F& on_threads) {
        begun_ = std::chrono::steady_clock::now();
        u64 first = ticks_now();
        std::vector<std::vector<Counters>> own(threads, std::vector<Counters>(watch_.counters.size()));
        on_threads([&](u32 k) { work(k, own[k].data(), limits); });
        watch_.ticks = ticks_now() - first;
        watch_.nanoseconds = elapsed();
        watch_.out_of_memory = out_of_memory_;
        for (auto& part : own)
            for (size_t k = 0; k < part.size(); ++k) {
                Counters& sum = watch_.counters[k];
                sum.calls += part[k].calls;
                sum.failed += part[k].failed;
                sum.given_failed += part[k].given_failed;
                sum.ticks += part[k].ticks;
                sum.words += part[k].words;
            }
        return std::move(watch_);
    }

   private:
    u64 elapsed() const {
        using std::chrono::duration_cast;
        return u64(duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begun_).count());
    }

    void work(u32 thread, Counters* own, const RunLimits& limits) {
        try {
            Worker worker(program_, limits, &stop_);
            for (u32 sample; !stop_ && (sample = next_.fetch_add(1)) < samples_;) {
                u64 start = elapsed();
                worker.run(data_, i32(sample), Watched{own});
                watch_.spans[sample] = Span{start, elapsed(), thread};
            }
        } catch (const std::bad_alloc&) {
            out_of_memory_ = true;
        }
    }

    const Program& program_;
    Packed data_;
    u32 samples_;
    const std::atomic<bool>& stop_;
    Watch watch_;
    std::chrono::steady_clock::time_point begun_;
    std::atomic<u32> next_{0};
    std::atomic<bool> out_of_memory_{false};
};

}  // namespace

Watch run_watched(const Program& program, const Packed& data, u32 samples, u32 threads, const RunLimits& limits,
                  const std::atomic<bool>& stop,
                  const std::function<void(const std::function<void(u32)>&)>& on_threads) {
    return WatchedRun(program, data, samples, stop).run(threads, limits, on_threads);
}

}  // namespace arcbatt
