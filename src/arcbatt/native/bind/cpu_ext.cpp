// The compiled core as a Python extension: programs in, statuses, verdicts, hashes and values out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>

#include "bind/calls.h"
#include "bind/customs.h"
#include "bind/named.h"
#include "bind/output_arrays.h"
#include "bind/packed_arrays.h"
#include "exec/engine.h"
#ifdef AB_PROFILE
#include "exec/profile.h"
#endif
#ifdef AB_DYNAMIC_TIER
#include "bind/dynamic.h"
#endif

namespace nb = nanobind;
using namespace arcbatt;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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
    Status status = OK;
    as_group(c, [&](Ctx& in) { status = call_variant(in, opcode, pointers.data(), result.data()); });
    arena.resize(c.a.top);
    return nb::make_tuple(u32(status), result, arena);
}

static std::vector<u32> vector_of(const In<u32>& array) {
    return std::vector<u32>(array.data(), array.data() + array.size());
}

static std::string hex(u64 number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

static Program make_program(u64 version, In<u32> code, In<u32> types, In<u32> parts, In<u32> image, In<u32> outputs,
                            std::tuple<u32, u32, u32> inputs, In<u32> arguments) {
    if (version != ABI_VERSION)
        throw nb::value_error(("bytecode of version " + hex(version) + ", this compiled core runs version " +
                               hex(ABI_VERSION) + "; build the core again (pip install .)")
                                  .c_str());
    Program program;
    program.code = vector_of(code);
    program.parts = vector_of(parts);
    program.image = vector_of(image);
    program.types = structs_of<TypeDesc>(types.data(), types.size());
    program.outputs = structs_of<TypedSlot>(outputs.data(), outputs.size());
    program.arguments = structs_of<TypedSlot>(arguments.data(), arguments.size());
    std::tie(program.input_slot, program.samples_slot, program.expected_slot) = inputs;
    std::string problem = problem_with(program);
    if (!problem.empty()) throw nb::value_error(("bytecode that cannot be run: " + problem).c_str());
    return program;
}

static PackedArrays make_packed(nb::dict given) {
    Named fields("packed samples", given);
    PackedArrays arrays;
#define AB_ROW(type, name) fields.take(#name, arrays.name);
    AB_PACKED(AB_ROW)
#undef AB_ROW
    fields.end();
    std::string problem = problem_with(arrays.view(), arrays.sizes());
    if (!problem.empty()) throw nb::value_error(("packed samples that cannot be run: " + problem).c_str());
    return arrays;
}

// What is known of each output of a program: the column its results go to, and its shape, from one start to the next.
struct OutputTable {
    In<u32> columns, shapes, starts;

    OutputTable(nb::dict given, const Program& program) {
        Named fields("outputs", given);
        fields.take("columns", columns);
        fields.take("shapes", shapes);
        fields.take("starts", starts);
        fields.end();
        size_t n = program.outputs.size();
        bool good = columns.size() == n && starts.size() == n + 1 && starts.data()[n] == shapes.size();
        for (size_t k = 0; good && k < n; ++k) good = starts.data()[k] <= starts.data()[k + 1];
        if (!good) throw nb::value_error("outputs: not one column and one shape for each output of the program");
    }
};

// Where results go: rows by sample, and of each output its column. Hashes and grids only where their arrays have rows.
struct Results : OutputArrays {
    Flags done;

    explicit Results(nb::dict given) {
        Named fields("results", given);
        take(fields);
        fields.take("done", done);
        fields.end();
    }
};

// One run: threads take samples in order, and each sample's results go to its row.
class Run {
   public:
    Run(const Program& program, const Packed& data, const Results& results, const OutputTable& outputs, u64 largest)
        : program_(program),
          data_(data),
          results_(results),
          columns_(outputs.columns.data()),
          shapes_(outputs.shapes.data()),
          starts_(outputs.starts.data()),
          largest_(largest),
          width_(results.statuses.shape(1)) {
        samples_ = u32(results.done.shape(0));
        hashed_ = results.hashes.shape(0) != 0;
        kept_ = results.offset.shape(0) != 0;
        if (kept_) chunks_.resize(samples_);
    }

    // Work as one of the threads.
    void work(const RunLimits& limits) {
        try {
            Worker worker(program_, limits, &stop);
            std::unordered_map<u64, i64> places;
            while (!stop) {
                u32 sample = next_.fetch_add(1);
                if (sample >= samples_) break;
                worker.run(data_, i32(sample));
                if (stop) break;
                places.clear();
                for (u32 k = 0; k < program_.outputs.size(); ++k) record(worker, sample, k, places);
                __atomic_store_n(results_.done.data() + sample, u8(1), __ATOMIC_RELEASE);
                ++finished;
            }
            grown += worker.grown();
            u64 mine = worker.peak_words(), known = peak.load();
            while (mine > known && !peak.compare_exchange_weak(known, mine)) {
            }
        } catch (const std::bad_alloc&) {
            out_of_memory = stop = true;
        }
    }

    // The cells of all grids, sample after sample; offsets become places in it.
    std::vector<i8>* gathered() {
        auto* all = new std::vector<i8>();
        size_t total = 0;
        for (auto& chunk : chunks_) total += chunk.size();
        all->reserve(total);
        for (size_t sample = 0; sample < chunks_.size(); ++sample) {
            i64 base = i64(all->size());
            for (size_t k = 0; k < program_.outputs.size(); ++k) {
                i64& offset = results_.offset.data()[sample * width_ + columns_[k]];
                if (offset >= 0) offset += base;
            }
            all->insert(all->end(), chunks_[sample].begin(), chunks_[sample].end());
            std::vector<i8>().swap(chunks_[sample]);
        }
        return all;
    }

    std::atomic<bool> stop{false}, out_of_memory{false};
    std::atomic<u32> finished{0};
    std::atomic<u64> grown{0}, peak{0};

   private:
    void record(Worker& worker, u32 sample, u32 k, std::unordered_map<u64, i64>& places) {
        size_t cell = size_t(sample) * width_ + columns_[k];
        Status s = worker.status(k);
        results_.statuses.data()[cell] = u8(s);
        if (s != OK) {
            if (hashed_) results_.hashes.data()[cell] = hash_failed(s);
            return;
        }
        Seen seen = worker.seen(k, shapes_ + starts_[k], starts_[k + 1] - starts_[k], hashed_ || kept_);
        if (hashed_) results_.hashes.data()[cell] = seen.hash;
        if (!seen.grid) return;
        size_t n = size_t(seen.h) * size_t(seen.w);
        Verdict verdict = worker.verdict(data_, i32(sample), seen);
        results_.agreement.data()[cell] = verdict.agreement;
        results_.matches.data()[cell] = verdict.match;
        if (!kept_ || n > largest_) return;
        results_.height.data()[cell] = seen.h;
        results_.width.data()[cell] = seen.w;
        std::vector<i8>& chunk = chunks_[sample];
        auto [found, added] = places.try_emplace(seen.hash, i64(chunk.size()));
        if (added) chunk.insert(chunk.end(), seen.cells, seen.cells + n);
        results_.offset.data()[cell] = found->second;
    }

    const Program& program_;
    Packed data_;
    const Results& results_;
    const u32 *columns_, *shapes_, *starts_;
    u64 largest_;
    size_t width_;
    u32 samples_ = 0;
    bool hashed_ = false, kept_ = false;
    std::atomic<u32> next_{0};
    std::vector<std::vector<i8>> chunks_;
};

// Every sample on so many threads, while this one waits, looks for signals, and asks `watch` (how many samples are
// done) whether to stop. Back come how often an arena grew, the most words of one, and the cells of the grids.
static nb::tuple run(const Program& program, const PackedArrays& samples, const RunLimits& limits, u32 threads,
                     u64 largest, nb::dict outputs, nb::dict results, nb::object watch) {
    OutputTable table(outputs, program);
    Results to(results);
    Run state(program, samples.view(), to, table, largest);
    auto work = [&] { state.work(limits); };
    bool raised = run_threads(threads, work, state.stop, state.finished, watch);
    if (raised) throw nb::python_error();
    if (state.out_of_memory) throw std::bad_alloc();
    std::vector<i8>* cells = state.gathered();
    nb::capsule owner(cells, [](void* p) noexcept { delete static_cast<std::vector<i8>*>(p); });
    return nb::make_tuple(state.grown.load(), state.peak.load(),
                          nb::ndarray<nb::numpy, i8, nb::ndim<1>>(cells->data(), {cells->size()}, owner));
}

// Every output of one sample as (status, value), by the shapes of the outputs.
static nb::list values(const Program& program, const PackedArrays& samples, u32 sample,
                       std::vector<std::vector<u32>> shapes, const RunLimits& limits) {
    check_shapes(program, shapes, program.outputs, "outputs");
    Packed data = samples.view();
    std::atomic<bool> stop{false};
    Worker worker(program, limits, &stop);
    run_watching_signals(stop, [&] { worker.run(data, i32(sample)); });
    nb::list out;
    for (u32 k = 0; k < program.outputs.size(); ++k) {
        Status s = worker.status(k);
        out.append(nb::make_tuple(u32(s), s == OK ? python_value(worker, k, shapes[k]) : nb::none()));
    }
    return out;
}

#ifdef AB_PROFILE
template <class T>
static nb::object columns_of(std::vector<T>&& rows) {
    auto* kept = new std::vector<T>(std::move(rows));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    size_t width = sizeof(T) / sizeof(u64);
    return nb::cast(nb::ndarray<nb::numpy, u64, nb::ndim<2>>(kept->data(), {kept->size(), width}, owner));
}

// Every sample with a watch: counters by place in the code, spans by sample, and the run by both clocks.
static nb::tuple profile(const Program& program, const PackedArrays& samples, u32 threads, const RunLimits& limits) {
    Packed data = samples.view();
    std::atomic<bool> stop{false};
    bool raised = false;
    auto on_threads = [&](const std::function<void(u32)>& work) {
        std::atomic<u32> begun{0}, finished{0};
        raised = run_threads(threads, [&] { work(begun++); }, stop, finished, nb::none());
    };
    Watch watch = run_watched(program, data, u32(samples.input.size()), threads, limits, stop, on_threads);
    if (raised) throw nb::python_error();
    if (watch.out_of_memory) throw std::bad_alloc();
    return nb::make_tuple(columns_of(std::move(watch.counters)), columns_of(std::move(watch.spans)), watch.ticks,
                          watch.nanoseconds);
}
#endif

// Every struct of the ABI as it lies here: its size and where its fields begin, in bytes.
static nb::dict layouts() {
    nb::dict all;
#define AB_STRUCT(type, expected) all[#type] = nb::make_tuple(sizeof(type), nb::dict());
#define AB_FIELD(type, field, expected) \
    nb::cast<nb::dict>(all[#type][1])[#field] = size_t(__builtin_offsetof(type, field));
    AB_STRUCTS(AB_STRUCT, AB_FIELD)
#undef AB_STRUCT
#undef AB_FIELD
    return all;
}

NB_MODULE(AB_MODULE, m) {
    m.doc() = "The compiled core of arcbatt.";
    m.attr("lanes") = AB_LANES;
    m.attr("defines") = nb::make_tuple("AB_LANES=" AB_TEXT(AB_LANES));
    m.attr("abi_version") = ABI_VERSION;
    m.def("layouts", &layouts, "Size of every struct that Python shares, and where its fields begin.");
    m.def("add_custom", &add_custom, "Add an operation from a library; false where there are too many.");
    m.def("compiler", &compiler, "The compiler the core was built with.");
    m.def("call_variant", &call, "Call one native function on words.");
    nb::class_<Program>(m, "Program");
    nb::class_<PackedArrays>(m, "Packed");
    nb::class_<RunLimits>(m, "Limits")
        .def(nb::init<u64, u64, u64, u64>(), nb::kw_only(), nb::arg("words"), nb::arg("most_words"),
             nb::arg("max_steps"), nb::arg("spent_end") = ~u64(0),
             "Words of a thread's arena to begin with and at most, steps of an outermost call, and from how many "
             "steps of a sample that types do not bound its run ends.");
    m.def("program", &make_program, nb::kw_only(), nb::arg("version"), nb::arg("code"), nb::arg("types"),
          nb::arg("parts"), nb::arg("image"), nb::arg("outputs"), nb::arg("inputs"), nb::arg("arguments"),
          "A program from its words.");
    nb::class_<Calls>(m, "Calls")
        .def(nb::init<nb::object, std::vector<std::vector<u32>>, std::vector<std::vector<u32>>, RunLimits>(),
             nb::arg("program"), nb::kw_only(), nb::arg("given"), nb::arg("made"), nb::arg("limits"),
             "A program of arguments; `given` and `made` are the shapes of its arguments and outputs.")
        .def("one", &Calls::one, "The first output of one call, or NotImplemented.")
        .def("many", &Calls::many, "Statuses and values of many calls.")
        .def("columns", &Calls::columns,
             "The arguments of many calls as columns of slots, and what they point to from a place on.")
        .def("decoded", &Calls::decoded_values, nb::kw_only(), nb::arg("statuses"), nb::arg("pool"), nb::arg("place"),
             nb::arg("length"), "Values from the words an engine elsewhere gave.");
    m.def("packed", &make_packed, nb::arg("arrays"), "A packed set of samples from its arrays by name.");
    m.def("run", &run, nb::arg("program"), nb::arg("samples"), nb::kw_only(), nb::arg("limits"), nb::arg("threads"),
          nb::arg("largest"), nb::arg("outputs"), nb::arg("results"), nb::arg("watch"),
          "Run samples into arrays; returns how often an arena grew, the most words one held, and the cells of grids.");
    m.def("values", &values, nb::arg("program"), nb::arg("samples"), nb::arg("sample"), nb::kw_only(),
          nb::arg("shapes"), nb::arg("limits"), "The outputs of one sample as Python values, by their shapes.");
#ifdef AB_PROFILE
    m.def("profile", &profile, nb::arg("program"), nb::arg("samples"), nb::kw_only(), nb::arg("threads"),
          nb::arg("limits"),
          "Run samples with a watch: calls, failures, failed arguments, ticks and words by place in the code; start, "
          "end and thread by sample; ticks and nanoseconds of the whole.");
#endif
#ifdef AB_DYNAMIC_TIER
    bind_dynamic(m);
#endif
}
