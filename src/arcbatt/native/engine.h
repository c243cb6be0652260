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

#include "digest.h"
#include "interpreter.h"

namespace arcbatt {

// A lowered program as the engine holds it.
struct Program {
    std::vector<u32> code, parts, image;
    std::vector<TypeDesc> types;
    struct Output {
        u32 slot, type;
    };
    std::vector<Output> outputs;
    u32 input_slot = 0, samples_slot = 0, expected_slot = 0;  // 0: not used
};

constexpr u32 CODE_VERSION = 1;

// Why a program cannot be run, or nothing: every operation known, every place inside, every loop's bodies well formed.
inline std::string problem_with(const Program& p) {
    size_t words = p.code.size(), slots = p.image.size();
    auto is_slot = [&](u32 place, u32 type) {
        return type < p.types.size() && place > 0 && size_t(place) + 1 + p.types[type].slot_words <= slots;
    };
    auto known = [](u32 op) {
        switch (op) {
#define AB_VARIANT(number, ...) case number:
#include "variants.inc"
#undef AB_VARIANT
#define AB_CODE(name, number) case number:
#include "codes.inc"
#undef AB_CODE
            return true;
        }
        return false;
    };
    for (const TypeDesc& t : p.types) {
        bool container = t.kind == K_SET || t.kind == K_SEQ;
        if (t.kind > K_TUP || (container && t.item >= p.types.size()) || t.item_words > MAX_ITEM_WORDS ||
            t.slot_words > 3 * MAX_ITEM_WORDS || size_t(t.flat_first) + t.flat_count > p.parts.size())
            return "a type that is none";
    }
    for (u32 part : p.parts)
        if (part >= p.types.size()) return "a part of a type that is none";
    std::vector<bool> starts(words + 1, false);
    for (size_t at = 0; at < words;) {
        if (at + 2 > words || !known(p.code[at])) return "an unknown operation at word " + std::to_string(at);
        u32 length = p.code[at + 1];
        if (length < 2 || length > words - at) return "an instruction that does not end, at word " + std::to_string(at);
        starts[at] = true;
        at += length;
    }
    for (size_t at = 0; at < words; at += p.code[at + 1]) {
        Ins ins{p.code.data() + at};
        std::string where = " at word " + std::to_string(at);
        u32 op = ins.op();
        if (op == HALT || op == END_BODY) continue;
        if (op == OWE) {
            if (ins.length() < 4 || u64(ins.w[3]) * 2 + 4 != ins.length())
                return "a debt that is not well formed" + where;
            for (u32 k = 0; k < ins.w[3]; ++k)
                if (ins.w[4 + 2 * k] >= slots) return "a debt outside the slots" + where;
            continue;
        }
        if (ins.length() < 9 || u64(ins.count()) * 2 + 9 > ins.length())
            return "an instruction that is too short" + where;
        if (!is_slot(ins.dst(), ins.type()) || ins.cost_place() >= slots || ins.strict() > ins.count())
            return "a result outside the slots" + where;
        for (u32 k = 0; k < ins.count(); ++k)
            if (!is_slot(ins.arg(k), ins.arg_type(k))) return "an argument outside the slots" + where;
        if (op < LOOP_APPLY) continue;
        const u32 *body = ins.extra() + 2, *end = ins.w + ins.length();
        if (ins.extra() + 2 > end || ins.count() == 0) return "a loop without bodies" + where;
        for (u32 k = 0; k < ins.extra()[1]; ++k) {
            BodyRef b{body};
            if (body + 4 > end || b.params() > 2 || b.next().w > end) return "a body that is not well formed" + where;
            if (b.code() >= words || !starts[b.code()] || !is_slot(b.result(), b.type()))
                return "a body outside the code" + where;
            for (u32 q = 0; q < b.params(); ++q)
                if (!is_slot(b.param(q), b.param_type(q))) return "a parameter outside the slots" + where;
            body = b.next().w;
        }
    }
    for (const Program::Output& output : p.outputs)
        if (!is_slot(output.slot, output.type)) return "an output outside the slots";
    for (u32 slot : {p.input_slot, p.samples_slot, p.expected_slot})
        if (slot && size_t(slot) + 3 > slots) return "an input outside the slots";
    if (words < 2 || p.code[words - 2] > END_BODY || p.code[words - 2] < HALT) return "code that does not end";
    return "";
}

// Many grids in one buffer of bytes; samples and demonstrations name them by number.
struct Packed {
    const u8* cells;
    const i64* offset;
    const i32* height;
    const i32* width;
    const i32* input;     // of each sample
    const i32* expected;  // of each sample; -1 where it is not known
    const i32* task;      // of each sample
    const i32* first;     // of each task, its first demonstration
    const i32* count;     // of each task, how many
    const i32* demo;      // two grids a demonstration
};

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
        return s == VOID_ ? ESCAPE : s;
    }
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
        if (s != OK) return s;
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
