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

#include "check.h"
#include "digest.h"
#include "packed.h"

namespace arcbatt {

// An output as others see it: a grid or not, and a hash if one is wanted.
struct Seen {
    bool grid;
    i32 h, w;
    const i8* cells;
    u64 hash;
};

// One thread's interpreter over memory of its own, which grows when an item does not fit.
class Worker {
   public:
    Worker(const Program& program, u64 words, u64 most_words, u64 max_steps)
        : program_(program), words_(words), most_(most_words), max_steps_(max_steps) {
        u64 least_words = program.image.size(), all = NOWHERE;
        words_ = std::min(std::max(words_, least_words), all);
        most_ = std::min(std::max(most_, words_), all);
        if (!resize()) throw std::bad_alloc();
    }

    // Run one sample, again in a bigger arena as long as something did not fit and there is more to be had.
    void run(const Packed& data, i32 sample) {
        for (;;) {
            run_once(data, sample);
            peak_ = std::max(peak_, u64(machine_.c.a.top));
            if (!overflowed() || words_ >= most_) return;
            u64 before = words_;
            words_ = std::min(most_, words_ * 8);
            if (!resize()) {  // the machine has no more either
                words_ = most_ = before;
                return;
            }
            ++grown_;
        }
    }

    Interpreter& machine() { return machine_; }
    u64 grown() const { return grown_; }
    u64 peak_words() const { return peak_; }

    Status status(u32 output) {
        Status s = machine_.status(program_.outputs[output].slot);
        return s == VOID_ ? OK : s;
    }
    // Whether an output that is OK is the empty tuple in place of an IJ.
    bool is_void(u32 output) { return machine_.status(program_.outputs[output].slot) == VOID_; }
    u32* value(u32 output) { return machine_.value(program_.outputs[output].slot); }

    // What an output that is OK holds; its cells stay until the next call or run.
    Seen seen(u32 output, const u32* shape, u32 length, bool hashed) {
        const u32* words = value(output);
        if (length == 1 && shape[0] == K_GRID) {
            Grid g = Form<Grid>::load(words);
            const i8* from = cells(machine_.c, g);
            if (g.h > 0 && g.w > 0) return Seen{true, g.h, g.w, from, hashed ? hash_grid(from, g.h, g.w) : 0};
        }
        Reader reader;
        if (is_void(output))
            reader.tuple(0);
        else
            read_value(machine_.c, shape, length, words, reader);
        if (!reader.is_grid()) return Seen{false, 0, 0, nullptr, reader.hash()};
        scratch_.resize(size_t(reader.h) * size_t(reader.w));
        Reader again;
        again.out = scratch_.data();
        read_value(machine_.c, shape, length, words, again);
        return Seen{true, reader.h, reader.w, scratch_.data(),
                    hashed ? hash_grid(scratch_.data(), reader.h, reader.w) : 0};
    }

   private:
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
        return true;
    }

    void run_once(const Packed& data, i32 sample) {
        machine_.c.a.top = u32(program_.image.size());
        machine_.steps = 0;
        machine_.depth = 0;
        if (program_.input_slot) put_grid(program_.input_slot, data, data.input[sample]);
        if (program_.expected_slot) {
            if (data.expected[sample] < 0)
                *machine_.slot(program_.expected_slot) = EMPTY;
            else
                put_grid(program_.expected_slot, data, data.expected[sample]);
        }
        if (program_.samples_slot) put_samples(data, data.task[sample]);
        machine_.run(0);
    }

    bool overflowed() {
        for (u32 k = 0; k < program_.outputs.size(); ++k)
            if (status(k) == OVERFLOW_) return true;
        return false;
    }

    Status place_grid(const Packed& data, i32 grid, u32* words) {
        Grid g;
        Status s = make_grid(machine_.c, data.height[grid], data.width[grid], g);
        if (s != OK) return s == LIMIT ? ESCAPE : s;  // inputs may be beyond what results may be
        std::memcpy(cells(machine_.c, g), data.cells + data.offset[grid], size_t(g.h) * size_t(g.w));
        Form<Grid>::store(words, g);
        return OK;
    }

    void put_grid(u32 slot, const Packed& data, i32 grid) {
        *machine_.slot(slot) = place_grid(data, grid, machine_.value(slot));
    }

    void put_samples(const Packed& data, i32 task) {
        u32 n = u32(data.count[task]);
        u32* slot = machine_.slot(program_.samples_slot);
        u32 off = machine_.c.a.take(u64(n) * 4);
        if (off == NOWHERE) {
            *slot = OVERFLOW_;
            return;
        }
        Status s = OK;
        for (u32 k = 0; k < 2 * n && s == OK; ++k)
            s = place_grid(data, data.demo[2 * data.first[task] + i32(k)], machine_.c.a.at(off + 2 * k));
        slot[0] = s;
        slot[1] = off;
        slot[2] = n;
    }

    const Program& program_;
    u64 words_, most_, max_steps_, grown_ = 0, peak_ = 0;
    std::unique_ptr<u32[]> arena_;
    std::vector<i8> scratch_;
    Interpreter machine_{};
};

}  // namespace arcbatt
