// The compiled core as a Python extension: programs in, statuses, verdicts, hashes and values out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "engine.h"

namespace nb = nanobind;
using namespace arcbatt;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static std::string compiler() {
#if defined(__clang__)
    return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
    return std::string("gcc ") + __VERSION__;
#else
    return "unknown";
#endif
}

// One variant on words, for tests: the arena, each argument's words; back come status, result words and the arena.
static nb::tuple call(u32 opcode, std::vector<u32> arena, u32 capacity, std::vector<std::vector<u32>> args) {
    u32 top = u32(arena.size());
    arena.resize(most(capacity, top));
    Ctx c{Group{}, Arena{arena.data(), top, u32(arena.size())}};
    std::vector<const u32*> pointers;
    for (auto& arg : args) pointers.push_back(arg.data());
    std::vector<u32> result(3);
    Status status = call_variant(c, opcode, pointers.data(), result.data());
    arena.resize(c.a.top);
    return nb::make_tuple(u32(status), result, arena);
}

template <class T>
static std::vector<T> vector_of(const In<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

static Program make_program(u32 version, In<u32> code, In<u32> types, In<u32> parts, In<u32> image, In<u32> outputs,
                            std::tuple<u32, u32, u32> inputs) {
    if (version != CODE_VERSION)
        throw nb::value_error(("bytecode of version " + std::to_string(version) + ", this engine runs version " +
                               std::to_string(CODE_VERSION))
                                  .c_str());
    Program program;
    program.code = vector_of(code);
    program.parts = vector_of(parts);
    program.image = vector_of(image);
    const u32* t = types.data();
    for (size_t k = 0; k + 8 <= types.size(); k += 8)
        program.types.push_back(TypeDesc{t[k], t[k + 1], t[k + 2], t[k + 3], t[k + 4], t[k + 5], t[k + 6], t[k + 7]});
    for (size_t k = 0; k + 2 <= outputs.size(); k += 2)
        program.outputs.push_back(Program::Output{outputs.data()[k], outputs.data()[k + 1]});
    std::tie(program.input_slot, program.samples_slot, program.expected_slot) = inputs;
    std::string problem = problem_with(program);
    if (!problem.empty()) throw nb::value_error(("bytecode that cannot be run: " + problem).c_str());
    return program;
}

// Arrays of a packed set of samples, kept alive by whoever calls.
struct PackedArrays {
    In<u8> cells;
    In<i64> offset;
    In<i32> height, width, input, expected, task, first, count, demo;
    Packed view() const {
        return Packed{cells.data(),    offset.data(), height.data(), width.data(), input.data(),
                      expected.data(), task.data(),   first.data(),  count.data(), demo.data()};
    }
};

static PackedArrays make_packed(In<u8> cells, In<i64> offset, In<i32> height, In<i32> width, In<i32> input,
                                In<i32> expected, In<i32> task, In<i32> first, In<i32> count, In<i32> demo) {
    PackedArrays arrays{cells, offset, height, width, input, expected, task, first, count, demo};
    PackedSizes sizes{cells.size(),    offset.size(), height.size(), width.size(), input.size(),
                      expected.size(), task.size(),   first.size(),  count.size(), demo.size()};
    std::string problem = problem_with(arrays.view(), sizes);
    if (!problem.empty()) throw nb::value_error(("packed samples that cannot be run: " + problem).c_str());
    return arrays;
}

// Samples [begin, end) on so many threads; statuses, match bits and hashes go to rows by sample, columns by output.
static std::tuple<u64, u64> run(const Program& program, const PackedArrays& arrays, u32 begin, u32 end, u32 threads,
                                u64 words, u64 most_words, u64 max_steps, Out<u8> statuses, Out<u8> matches,
                                Out<u64> hashes) {
    nb::gil_scoped_release release;
    Packed data = arrays.view();
    std::atomic<u32> next{begin};
    std::atomic<u64> grown{0}, peak{0};
    u32 outputs = u32(program.outputs.size());
    bool with_hashes = hashes.shape(0) != 0;
    auto work = [&] {
        Worker worker(program, words, most_words, max_steps);
        for (;;) {
            u32 sample = next.fetch_add(1);
            if (sample >= end) break;
            worker.run(data, i32(sample));
            size_t row = size_t(sample - begin) * outputs;
            for (u32 k = 0; k < outputs; ++k) {
                statuses.data()[row + k] = u8(worker.status(k));
                matches.data()[row + k] = worker.matches(k, data, i32(sample));
                if (with_hashes) hashes.data()[row + k] = worker.hash(k);
            }
        }
        grown += worker.grown();
        u64 mine = worker.peak_words(), seen = peak.load();
        while (mine > seen && !peak.compare_exchange_weak(seen, mine)) {
        }
    };
    std::vector<std::thread> pool;
    for (u32 k = 1; k < threads; ++k) pool.emplace_back(work);
    work();
    for (auto& thread : pool) thread.join();
    return {grown.load(), peak.load()};
}

// --- values as Python objects ---
static nb::object to_python(const Program& program, const Ctx& c, u32 type, const u32* words, bool in_slot);

static nb::object scalar(u32 kind, const u32* words, bool in_slot) {
    u32 slot[3] = {0, 0, 0};
    if (in_slot)
        copy_words(slot, words, kind == K_CELL ? 3 : kind == K_IJ ? 2 : 1);
    else
        unbox_part(kind, words, slot);
    switch (kind) {
        case K_INT:
            return nb::int_(i32(slot[0]));
        case K_OPT:
            return i32(slot[0]) == NONE ? nb::object(nb::none()) : nb::object(nb::int_(i32(slot[0])));
        case K_IJ:
            return nb::make_tuple(i32(slot[0]), i32(slot[1]));
        default:
            return nb::make_tuple(i32(slot[0]), nb::make_tuple(i32(slot[1]), i32(slot[2])));
    }
}

static nb::object to_python(const Program& program, const Ctx& c, u32 type, const u32* words, bool in_slot) {
    const TypeDesc& t = program.types[type];
    if (t.kind <= K_CELL) return scalar(t.kind, words, in_slot);
    nb::list items;
    if (t.kind == K_GRID) {
        Grid g = Form<Grid>::load(words);
        const i8* from = cells(c, g);
        for (i32 i = 0; i < g.h; ++i) {
            nb::list row;
            for (i32 j = 0; j < g.w; ++j) row.append(i32(from[i * g.w + j]));
            items.append(nb::tuple(row));
        }
        return nb::tuple(items);
    }
    if (t.kind == K_TUP) {
        for (u32 k = 0; k < t.flat_count; ++k) {
            u32 part = program.parts[t.flat_first + k];
            items.append(to_python(program, c, part, words, in_slot));
            words += in_slot ? program.types[part].slot_words : program.types[part].item_words;
        }
        return nb::tuple(items);
    }
    const u32* from = c.a.at(words[0]);
    for (u32 k = 0; k < words[1]; ++k)
        items.append(to_python(program, c, t.item, from + k * program.types[t.item].item_words, false));
    if (t.kind == K_SET) return nb::steal(PyFrozenSet_New(items.ptr()));
    return nb::tuple(items);
}

// Every output of one sample as (status, value).
static nb::list values(const Program& program, const PackedArrays& arrays, u32 sample, u64 words, u64 most_words,
                       u64 max_steps) {
    Packed data = arrays.view();
    Worker worker(program, words, most_words, max_steps);
    {
        nb::gil_scoped_release release;
        worker.run(data, i32(sample));
    }
    nb::list out;
    for (u32 k = 0; k < program.outputs.size(); ++k) {
        Status s = worker.status(k);
        nb::object value = nb::none();
        if (s == OK) value = to_python(program, worker.machine().c, program.outputs[k].type, worker.value(k), true);
        out.append(nb::make_tuple(u32(s), value));
    }
    return out;
}

NB_MODULE(AB_MODULE, m) {
    m.doc() = "The compiled core of arcbatt.";
    m.attr("lanes") = AB_LANES;
    m.def("compiler", &compiler, "The compiler the core was built with.");
    m.def("call_variant", &call, "Call one native function on words.");
    nb::class_<Program>(m, "Program");
    nb::class_<PackedArrays>(m, "Packed");
    m.def("program", &make_program, "A program from its words.");
    m.def("packed", &make_packed, "A packed set of samples.");
    m.def("run", &run, "Run samples; returns how often an arena grew, and the most words one held.");
    m.def("values", &values, "The outputs of one sample as Python values.");
}
