// The CPU engine: work items (samples) pulled by threads, an arena each, results placed by index.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "packed.h"

namespace arcbatt {

inline u64 hash_bytes(u64 hash, const void* data, size_t n) {
    const u8* bytes = static_cast<const u8*>(data);
    for (size_t k = 0; k < n; ++k) hash = (hash ^ bytes[k]) * 1099511628211ull;
    return hash;
}

// One thread's interpreter over memory of its own, which grows when an item does not fit.
class Worker {
   public:
    Worker(const Program& program, u64 words, u64 most_words, u64 max_steps)
        : program_(program), words_(words), most_(most_words), max_steps_(max_steps) {
        u64 least_words = program.image.size(), all = NOWHERE;
        words_ = std::min(std::max(words_, least_words), all);
        most_ = std::min(std::max(most_, words_), all);
        resize();
    }

    // Run one sample, again in a bigger arena as long as something did not fit and there is more to be had.
    void run(const Packed& data, i32 sample) {
        for (;;) {
            run_once(data, sample);
            peak_ = std::max(peak_, u64(machine_.c.a.top));
            if (!overflowed() || words_ >= most_) return;
            words_ = std::min(most_, words_ * 8);
            ++grown_;
            resize();
        }
    }

    Interpreter& machine() { return machine_; }
    u64 grown() const { return grown_; }
    u64 peak_words() const { return peak_; }

    Status status(u32 output) {
        Status s = machine_.status(program_.outputs[output].slot);
        return s == VOID_ ? ESCAPE : s;
    }
    u32* value(u32 output) { return machine_.value(program_.outputs[output].slot); }

    // Whether an output is the expected grid, cell by cell.
    bool matches(u32 output, const Packed& data, i32 sample) {
        i32 expected = data.expected[sample];
        if (expected < 0 || status(output) != OK) return false;
        if (program_.types[program_.outputs[output].type].kind != K_GRID) return false;
        Grid g = Form<Grid>::load(value(output));
        if (g.h != data.height[expected] || g.w != data.width[expected]) return false;
        return std::memcmp(cells(machine_.c, g), data.cells + data.offset[expected], size_t(g.h) * size_t(g.w)) == 0;
    }

    u64 hash(u32 output) {
        Status s = status(output);
        u64 hash = hash_bytes(14695981039346656037ull, &s, sizeof s);
        if (s != OK) return hash;
        u32 type = program_.outputs[output].type;
        return hash_value(hash, type, value(output));
    }

   private:
    void resize() {
        arena_.reset(new u32[words_]);  // not cleared: nothing is read before it is written
        std::copy(program_.image.begin(), program_.image.end(), arena_.get());
        machine_.c.a = Arena{arena_.get(), u32(program_.image.size()), u32(words_)};
        machine_.types = Types{program_.types.data(), program_.parts.data()};
        machine_.code = program_.code.data();
        machine_.max_steps = max_steps_;
        machine_.max_trips = trips_for(max_steps_);
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

    u64 hash_value(u64 hash, u32 type, const u32* slot) {
        const TypeDesc& t = program_.types[type];
        if (t.kind == K_TUP) {
            for (u32 k = 0; k < t.flat_count; ++k) {
                u32 part = program_.parts[t.flat_first + k];
                hash = hash_value(hash, part, slot);
                slot += program_.types[part].slot_words;
            }
            return hash;
        }
        if (t.kind <= K_CELL) return hash_bytes(hash, slot, 4 * t.slot_words);
        return hash_item(hash, type, slot);
    }

    u64 hash_item(u64 hash, u32 type, const u32* item) {
        const TypeDesc& t = program_.types[type];
        if (t.kind <= K_CELL) return hash_bytes(hash, item, 4);
        if (t.kind == K_TUP) {
            for (u32 k = 0; k < t.flat_count; ++k) {
                u32 part = program_.parts[t.flat_first + k];
                hash = hash_item(hash, part, item);
                item += program_.types[part].item_words;
            }
            return hash;
        }
        hash = hash_bytes(hash, item + 1, 4);
        if (t.kind == K_GRID) {
            Grid g = Form<Grid>::load(item);
            return hash_bytes(hash, cells(machine_.c, g), size_t(g.h) * size_t(g.w));
        }
        const u32* words = machine_.c.a.at(item[0]);
        const TypeDesc& inner = program_.types[t.item];
        for (u32 k = 0; k < item[1]; ++k) hash = hash_item(hash, t.item, words + k * inner.item_words);
        return hash;
    }

    const Program& program_;
    u64 words_, most_, max_steps_, grown_ = 0, peak_ = 0;
    std::unique_ptr<u32[]> arena_;
    Interpreter machine_{};
};

}  // namespace arcbatt
