// The CPU engine: work items (samples) pulled by threads, an arena each, results placed by index.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "check/check.h"
#include "core/digest.h"
#include "exec/interpreter.h"
#include "exec/samples.h"

namespace arcbatt {

// An output as others see it: a grid or not, and a hash if one is wanted.
struct Seen {
    bool grid;
    i32 h, w;
    const i8* cells;
    u64 hash;
};

inline Group& group_of(Ctx& c) { return c.g; }
inline Group& group_of(Machine& m) { return m.c.g; }
inline bool same_state(const Ctx& a, const Ctx& b) { return a.a.top == b.a.top; }
inline bool same_state(const Machine& a, const Machine& b) {
    return a.c.a.top == b.c.a.top && a.steps == b.steps && a.depth == b.depth;
}

// f(c) by a group: by every lane of it on a copy of c, which must come out the same for all.
template <class C, class F>
inline void as_group(C& c, F f) {
#if AB_LANES == 1
    f(c);
#else
    static thread_local Lanes lanes;
    std::vector<C> copies(AB_LANES, c);
    lanes.run([&](u32 lane) {
        group_of(copies[lane]) = Group{&lanes, lane};
        f(copies[lane]);
        group_of(copies[lane]) = Group{};
    });
    for (const C& copy : copies)
        if (!same_state(copy, copies[0])) std::abort();
    c = copies[0];
#endif
}

// How an item is run: as it is. bind/profile.cpp has another that looks on.
struct Plainly {
    void operator()(Machine& m) const { Interpreter::run(m, 0); }
};

// One thread's machine over its own memory, which grows when an item does not fit.
class Worker {
   public:
    // `stop` ends what it runs when it is set; what it has given then is of no worth.
    Worker(const Program& program, const RunLimits& limits, const std::atomic<bool>* stop = nullptr)
        : program_(program),
          words_(limits.words),
          most_(limits.most_words),
          max_steps_(limits.max_steps),
          spent_end_(limits.spent_end) {
        static_assert(sizeof(*stop) == sizeof(u8), "a flag is a byte");
        machine_.c.stop = reinterpret_cast<const u8*>(stop);
#if AB_WARP
        machine_.c.near = NearMemory{near_.data(), u32(near_.size())};
#endif
        u64 least_words = program.image.size(), all = NOWHERE;
        words_ = std::min(std::max(words_, least_words), all);
        most_ = std::min(std::max(most_, words_), all);
        if (!resize()) throw std::bad_alloc();
    }

    // Run one sample, again in a bigger arena as long as something did not fit and there is more to be had.
    template <class How = Plainly>
    void run(const Packed& data, i32 sample, How how = How{}) {
        auto put = [&](Machine& m) {
            Inputs{m, data}.put(program_.input_slot, program_.samples_slot, program_.expected_slot, sample);
        };
        run_with([] {}, put, how);
    }

    // The same for a call: the words of its arguments as bind/calls.h lays them out.
    void run(const u32* row, u64 length) {
        run_with([&] { put_arguments(row, length); }, [](Machine&) {}, Plainly{});
    }

    // `prepare` is done once, `put` by the group that then runs the code as `how` says.
    template <class F, class G, class How>
    void run_with(F prepare, G put, How how) {
        for (;;) {
            machine_.c.a.top = u32(program_.image.size());
            machine_.steps = machine_.spent = 0;
            machine_.depth = 0;
            prepare();
            as_group(machine_, [&](Machine& m) {
                put(m);
                how(m);
            });
            peak_ = std::max(peak_, u64(machine_.c.a.top));
            if (machine_.c.stopped() || machine_.overspent() || !overflowed() || words_ >= most_) return;
            u64 before = words_;
            words_ = std::min(most_, words_ * 8);
            if (!resize()) {  // the machine has no more either
                words_ = most_ = before;
                return;
            }
            ++grown_;
        }
    }

    Machine& machine() { return machine_; }
    u64 grown() const { return grown_; }
    u64 peak_words() const { return peak_; }

    Status status(u32 output) {
        if (machine_.overspent()) return OVERFLOW_;
        Status s = machine_.status(program_.outputs[output].slot);
        return s == EMPTY_TUPLE ? OK : s;
    }
    // Whether an output that is OK is the empty tuple in place of an IJ.
    bool is_empty_tuple(u32 output) { return machine_.status(program_.outputs[output].slot) == EMPTY_TUPLE; }
    u32* value(u32 output) { return machine_.value(program_.outputs[output].slot); }

    // What an output that is OK holds; its cells stay until the next call or run.
    Seen seen(u32 output, const u32* shape, u32 length, bool hashed) {
        const u32* words = value(output);
        if (length == 1 && shape[0] == K_GRID) {
            Grid g = Form<Grid>::load(words);
            const i8* from = cells(machine_.c, g);
            if (g.h > 0 && g.w > 0) return Seen{true, g.h, g.w, from, hashed ? grid_hash(from, g.h, g.w) : 0};
        }
        Reader reader;
        if (is_empty_tuple(output))
            reader.tuple(0);
        else
            read_value(machine_.c, shape, length, words, reader);
        if (!reader.is_grid()) return Seen{false, 0, 0, nullptr, reader.hash()};
        scratch_.resize(size_t(reader.h) * size_t(reader.w));
        Reader again;
        again.out = scratch_.data();
        read_value(machine_.c, shape, length, words, again);
        return Seen{true, reader.h, reader.w, scratch_.data(),
                    hashed ? grid_hash(scratch_.data(), reader.h, reader.w) : 0};
    }

    // What a grid that was seen is worth.
    Verdict verdict(const Packed& data, i32 sample, const Seen& seen) {
        Verdict verdict{0, false};
        as_group(machine_.c, [&](Ctx& c) { verdict = verdict_on(c.g, data, sample, seen.h, seen.w, seen.cells); });
        return verdict;
    }

   private:
    u64 grid_hash(const i8* from, i32 h, i32 w) {
        u64 hash = 0;
        as_group(machine_.c, [&](Ctx& c) { hash = hash_grid(c.g, from, h, w); });
        return hash;
    }

    // Take memory of the wanted size; without any, what there was stays.
    bool resize() {
        u32* memory = new (std::nothrow) u32[words_];  // not cleared: nothing is read before it is written
        if (!memory) return false;
        arena_.reset(memory);
        std::copy(program_.image.begin(), program_.image.end(), arena_.get());
        machine_.c.a = Arena{arena_.get(), u32(program_.image.size()), u32(words_)};
        machine_.types = Types{program_.types.data(), program_.parts.data()};
        machine_.code = program_.code.data();
        machine_.max_steps = max_steps_;
        machine_.max_trips = trips_for(max_steps_);
        machine_.spent_end = spent_end_;
        return true;
    }

    // Each argument's status and slot words go to its slot; what they point to comes right behind the image.
    void put_arguments(const u32* row, u64 length) {
        const u32* end = row + length;
        for (const TypedSlot& argument : program_.arguments) {
            u32 words = 1 + program_.types[argument.type].slot_words;
            std::copy(row, row + words, machine_.slot(argument.slot));
            row += words;
        }
        u64 rest = u64(end - row);
        u32 place = machine_.c.a.take(rest);
        if (place == NOWHERE) {
            for (const TypedSlot& argument : program_.arguments) *machine_.slot(argument.slot) = OVERFLOW_;
            return;
        }
        std::copy(row, end, machine_.c.a.at(place));
    }

    bool overflowed() {
        for (u32 k = 0; k < program_.outputs.size(); ++k)
            if (status(k) == OVERFLOW_) return true;
        return false;
    }

    const Program& program_;
    u64 words_, most_, max_steps_, spent_end_, grown_ = 0, peak_ = 0;
    std::unique_ptr<u32[]> arena_;
    std::vector<i8> scratch_;
#if AB_WARP
    // For grids of so many cells, as kernels have it; the objects of others are found in the arena.
    std::vector<u32> near_ = std::vector<u32>(objects_impl::NearRoom::size(416));
#endif
    Machine machine_{};
};

}  // namespace arcbatt
