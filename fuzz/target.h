// One build of the engine behind plain words: check a program, run it, and read what it gave with a suspicious eye.
#pragma once

#include <memory>

#include "load.h"

namespace arcbatt {

// A value as words without offsets; says where it is not what a value of its type must be.
class Reading {
   public:
    Reading(const Program& p, Machine& machine) : p_(p), m_(machine) {}
    fuzz::Words words;
    std::string wrong;

    void slot(u32 type, const u32* at) {
        const TypeDesc& t = p_.types[type];
        if (t.kind <= K_CELL) {
            words.insert(words.end(), at, at + t.slot_words);
        } else if (t.kind == K_TUP) {
            for (u32 k = 0; k < t.flat_count; ++k) {
                u32 part = p_.parts[t.flat_first + k];
                slot(part, at);
                at += p_.types[part].slot_words;
            }
        } else {
            item(type, at);
        }
    }

   private:
    void item(u32 type, const u32* at) {
        const TypeDesc& t = p_.types[type];
        if (t.kind <= K_CELL) {
            words.push_back(at[0]);
        } else if (t.kind == K_TUP) {
            for (u32 k = 0; k < t.flat_count; ++k) {
                u32 part = p_.parts[t.flat_first + k];
                item(part, at);
                at += p_.types[part].item_words;
            }
        } else if (t.kind == K_GRID) {
            grid(at);
        } else {
            container(t, at);
        }
    }
    bool room(u64 from, u64 n, const char* what) {
        if (n && from + n > m_.c.a.top) wrong = std::string(what) + " that lies beyond the top of the arena";
        return wrong.empty();
    }
    void grid(const u32* at) {
        u32 h = at[1] >> 16, w = at[1] & 0xFFFFu;
        words.push_back(at[1]);
        if (h > u32(MAX_SIDE) || w > u32(MAX_SIDE) || h * w > u32(MAX_CELLS) || (h == 0 && w)) wrong = "a grid too big";
        if (!wrong.empty() || !room(at[0], (u64(h) * w + 3) / 4, "a grid")) return;
        const i8* cell = reinterpret_cast<const i8*>(m_.c.a.at(at[0]));
        for (u32 k = 0; k < h * w; ++k) words.push_back(u32(cell[k]));
    }
    void container(const TypeDesc& t, const u32* at) {
        u32 n = at[1], stride = p_.types[t.item].item_words;
        words.push_back(n);
        if (n > MAX_ITEMS) wrong = "a container of too many items";
        if (!wrong.empty() || !room(at[0], u64(n) * stride, "a container")) return;
        const u32* items = m_.c.a.at(at[0]);
        for (u32 k = 0; k < n && wrong.empty(); ++k) {
            item(t.item, items + k * stride);
            if (t.kind == K_SET && k && wrong.empty() &&
                compare_items(m_.c, m_.types, t.item, items + (k - 1) * stride, items + k * stride) >= 0)
                wrong = "a set that is not sorted";
        }
    }

    const Program& p_;
    Machine& m_;
};

// A type as digest.h reads it; tuples are flat in the table, so nesting is not kept.
inline std::vector<u32> shape_of(const Program& p, u32 type) {
    const TypeDesc& t = p.types[type];
    std::vector<u32> shape{t.kind};
    if (t.kind == K_TUP) {
        shape.push_back(t.flat_count);
        for (u32 k = 0; k < t.flat_count; ++k) {
            std::vector<u32> part = shape_of(p, p.parts[t.flat_first + k]);
            shape.insert(shape.end(), part.begin(), part.end());
        }
    } else if (t.kind == K_SET || t.kind == K_SEQ) {
        std::vector<u32> inner = shape_of(p, t.item);
        shape.push_back(p.types[t.item].item_words);
        shape.push_back(u32(inner.size()));
        shape.insert(shape.end(), inner.begin(), inner.end());
    }
    return shape;
}

// Samples one after the other on one worker.
inline std::vector<fuzz::Result> run_blob(const fuzz::Blob& blob, const fuzz::Samples& samples,
                                          const std::vector<int32_t>& which, fuzz::Limits limits) {
    Program p = program_of(blob);
    Worker worker(p, RunLimits{limits.words, limits.words, limits.steps});
    worker.machine().max_trips = limits.trips;
    std::vector<fuzz::Result> all;
    for (int32_t sample : which) {
        worker.run(packed_of(samples), sample);
        fuzz::Result result;
        for (u32 k = 0; k < p.outputs.size(); ++k) {
            Status s = worker.status(k);
            Reading reading(p, worker.machine());
            if (s == OK && !worker.is_empty_tuple(k)) reading.slot(p.outputs[k].type, worker.value(k));
            if (result.wrong.empty()) result.wrong = reading.wrong;
            reading.words.insert(reading.words.begin(), u32(s));
            if (s == OK && reading.wrong.empty()) {
                std::vector<u32> shape = shape_of(p, p.outputs[k].type);
                reading.words.push_back(u32(worker.seen(k, shape.data(), u32(shape.size()), true).hash));
            }
            result.outputs.push_back(reading.words);
        }
        all.push_back(result);
    }
    return all;
}

}  // namespace arcbatt
