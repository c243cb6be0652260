// The dynamic tier for Python: a graph in, statuses, verdicts, hashes and values out.
#include "bind/dynamic.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/dynamic_values.h"
#include "bind/output_arrays.h"
#include "bind/packed_arrays.h"
#include "bind/threads.h"
#include "dynamic/verdict.h"

namespace nb = nanobind;

namespace arcbatt {
namespace {

using namespace dynamic;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> vector_of(const In<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

// A graph with its language and its constants.
class DynamicGraph {
   public:
    // `custom` has by name how many arguments an operation takes, and a function that gives a status and a value.
    DynamicGraph(std::vector<std::string> names, nb::dict custom, nb::object function, In<u8> kinds, In<u32> numbers,
                 In<u32> first, In<u32> args, nb::list constants)
        : language(made_language(names, custom)), exchange(language, function), constants_(constants) {
        for (u8 kind : vector_of(kinds)) graph.kinds.push_back(NodeKind(kind));
        graph.numbers = vector_of(numbers);
        graph.first = vector_of(first);
        graph.args = vector_of(args);
        check();
        for (const std::string& name : language.names)
            custom_.push_back(custom.contains(name.c_str()) ? nb::object(custom[name.c_str()][1]) : nb::none());
    }

    Language language;
    Exchange exchange;
    Graph graph;
    i64 most_bytes = MOST_BYTES;

    // The constants, made anew: values belong to one thread.
    Items constants() const {
        Items made;
        for (nb::handle one : constants_) made.push_back(exchange.value(one));
        return made;
    }
    const nb::object& custom(u32 op) const { return custom_[op]; }

    void check_inputs(size_t n) const {
        for (u32 k = 0; k < graph.size(); ++k)
            if (graph.kinds[k] == NodeKind::INPUT && graph.numbers[k] >= n)
                throw nb::value_error("an input of the graph that is not given");
    }
    void check_nodes(const u32* nodes, size_t n) const {
        for (size_t k = 0; k < n; ++k)
            if (nodes[k] >= graph.size()) throw nb::value_error("a node that is not in the graph");
    }

   private:
    static Language made_language(const std::vector<std::string>& names, nb::dict custom) {
        std::unordered_map<std::string, u32> arities;
        for (auto [name, given] : custom) arities[nb::cast<std::string>(name)] = nb::cast<u32>(given[0]);
        Language made;
        std::string unknown;
        if (!make_language(names, arities, made, unknown))
            throw nb::value_error((unknown + " is not in this compiled core; build it again (pip install .)").c_str());
        return made;
    }

    // That every number is in range, and every node stands after what it takes.
    void check() const {
        size_t n = graph.size();
        bool good = graph.numbers.size() == n && graph.first.size() == n + 1 && graph.first[n] == graph.args.size();
        for (size_t k = 0; good && k < n; ++k) {
            NodeKind kind = graph.kinds[k];
            good = kind <= NodeKind::CALL && graph.first[k] <= graph.first[k + 1];
            if (kind == NodeKind::CONST) good = good && graph.numbers[k] < constants_.size();
            if (kind == NodeKind::PRIMITIVE || kind == NodeKind::CALL)
                good = good && graph.numbers[k] < language.ops.size();
            if (kind == NodeKind::INVOKE) good = good && graph.first[k] < graph.first[k + 1];
            for (u32 at = graph.first[k]; good && at < graph.first[k + 1]; ++at) good = graph.args[at] < k;
        }
        if (!good) throw nb::value_error("a graph that cannot be run");
    }

    nb::list constants_;
    std::vector<nb::object> custom_;
};

// What the threads of a run share.
struct Shared {
    explicit Shared(const DynamicGraph& graph) : graph(graph) {}

    const DynamicGraph& graph;
    std::atomic<bool> stop{false}, out_of_memory{false};
    std::atomic<u32> finished{0}, next{0};
    std::mutex lock;
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;  // what a custom operation raised

    // Keep the Python error that is set, and stop.
    void keep_error() {
        std::lock_guard<std::mutex> held(lock);
        stop = true;
        if (type)
            PyErr_Clear();
        else
            PyErr_Fetch(&type, &value, &trace);
    }
    void raise_kept(bool raised) {
        if (!raised && type) PyErr_Restore(type, value, trace);
        if (raised || type) throw nb::python_error();
        if (out_of_memory) throw std::bad_alloc();
    }
};

// Custom operations are functions of Python, called with its lock held.
class InPython : public Custom {
   public:
    explicit InPython(Shared& shared) : shared_(shared) {}
    Value call(u32 op, const Value* args) override {
        const DynamicGraph& graph = shared_.graph;
        nb::gil_scoped_acquire acquire;
        try {
            nb::object given = nb::steal(PyTuple_New(Py_ssize_t(graph.language.ops[op].arity)));
            for (u32 k = 0; k < graph.language.ops[op].arity; ++k)
                PyTuple_SET_ITEM(given.ptr(), Py_ssize_t(k), graph.exchange.python(args[k]).release().ptr());
            nb::object answer = nb::steal(PyObject_CallObject(graph.custom(op).ptr(), given.ptr()));
            if (!answer.is_valid()) throw nb::python_error();
            Status status = Status(nb::cast<u32>(answer[0]));
            if (status != OK) fail(status);
            return graph.exchange.value(answer[1]);
        } catch (nb::python_error& error) {
            error.restore();
        } catch (const nb::builtin_exception& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        }
        shared_.keep_error();
        throw Stopped{};
    }

   private:
    Shared& shared_;
};

// Have threads take the numbers below n, each with an evaluator of its own.
template <class F>
void share_out(Shared& shared, u32 threads, u32 n, u64 max_steps, u64 max_total, nb::object watch, F work) {
    std::vector<Items> constants;
    for (u32 k = 0; k < threads; ++k) constants.push_back(shared.graph.constants());
    std::atomic<u32> begun{0};
    bool raised = run_threads(
        threads,
        [&] {
            try {
                InPython custom(shared);
                Evaluator evaluator(shared.graph.graph, std::move(constants[begun++]), shared.graph.language, max_steps,
                                    max_total, shared.stop, custom);
                memory::most_held = shared.graph.most_bytes;
                for (u32 k; !shared.stop && (k = shared.next++) < n;) {
                    work(evaluator, k);
                    evaluator.end();
                    ++shared.finished;
                }
            } catch (const Stopped&) {
            } catch (const std::bad_alloc&) {
                shared.out_of_memory = shared.stop = true;
            }
        },
        shared.stop, shared.finished, watch);
    shared.raise_kept(raised);
}

Value grid_value(const Packed& data, i32 number) {
    i32 h = data.height[number], w = data.width[number];
    const u8* from = data.cells + data.offset[number];
    Items rows;
    std::vector<i32> row(static_cast<size_t>(w));
    for (i32 i = 0; i < h; ++i) {
        for (i32 j = 0; j < w; ++j) row[size_t(j)] = i8(from[i * w + j]);
        rows.push_back(tuple_of_numbers(row.data(), u32(w)));
    }
    return make_tuple(std::move(rows));
}

// I, S or C of a packed sample.
Outcome input_of(const Packed& data, u32 sample, u32 number) {
    if (number == 0) return Outcome{OK, grid_value(data, data.input[sample])};
    i32 task = data.task[sample], expected = data.expected[sample];
    if (number == 2) return expected < 0 ? Outcome{EMPTY, Value()} : Outcome{OK, grid_value(data, expected)};
    Items pairs;
    for (i32 k = data.first[task]; k < data.first[task] + data.count[task]; ++k)
        pairs.push_back(dynamic::pair(grid_value(data, data.demo[2 * k]), grid_value(data, data.demo[2 * k + 1])));
    return Outcome{OK, make_tuple(std::move(pairs))};
}

// The arrays of a run. Hashes and grids only where their arrays have rows.
struct Results : OutputArrays {
    explicit Results(nb::dict given) {
        Named fields("results", given);
        take(fields);
        fields.end();
    }
};

// Puts the outcomes of a sample in its row; equal grids of it lie in one place.
class RowWriter {
   public:
    RowWriter(const Results& to, const Packed& data, u32 row, u64 largest, const Language& language,
              std::vector<i8>& cells)
        : to_(to), data_(data), row_(row), largest_(largest), language_(language), cells_(cells) {}

    void put(u32 column, const Outcome& outcome) {
        size_t place = size_t(row_) * to_.statuses.shape(1) + column;
        to_.statuses.data()[place] = u8(outcome.status);
        bool hashed = to_.hashes.shape(0) != 0;
        if (outcome.status != OK) {
            if (hashed) to_.hashes.data()[place] = hash_failed(outcome.status);
            return;
        }
        Brief brief = brief_of(outcome.value, language_);
        if (hashed) to_.hashes.data()[place] = brief.hash;
        if (!brief.grid) return;
        Verdict verdict = verdict_on(Group{}, data_, i32(row_), brief.h, brief.w, brief.cells.data());
        to_.agreement.data()[place] = verdict.agreement;
        to_.matches.data()[place] = verdict.match;
        if (to_.offset.shape(0) == 0 || u64(brief.h) * u64(brief.w) > largest_) return;
        to_.height.data()[place] = brief.h;
        to_.width.data()[place] = brief.w;
        auto [found, added] = places_.try_emplace(brief.hash, i64(cells_.size()));
        if (added) cells_.insert(cells_.end(), brief.cells.begin(), brief.cells.begin() + brief.h * brief.w);
        to_.offset.data()[place] = found->second;
    }

   private:
    const Results& to_;
    const Packed& data_;
    u32 row_;
    u64 largest_;
    const Language& language_;
    std::vector<i8>& cells_;
    std::unordered_map<u64, i64> places_;
};

// Every evaluation that is missing, by sample and column. Back come the cells of grids, which offsets take to stand
// behind `base` others, and the rows that were finished.
nb::tuple run(const DynamicGraph& graph, const PackedArrays& samples, In<u32> nodes, Out<const u8> missing,
              nb::dict results, u64 base, u64 max_steps, u64 max_total, u32 threads, u64 largest, nb::object watch) {
    Results to(results);
    Packed data = samples.view();
    size_t height = missing.shape(0), width = missing.shape(1);
    graph.check_nodes(nodes.data(), nodes.size());
    graph.check_inputs(3);
    if (nodes.size() != width || height > samples.input.size() || to.statuses.shape(0) != height ||
        to.statuses.shape(1) != width)
        throw nb::value_error("arrays that do not belong together");
    std::vector<u32> rows;
    for (size_t row = 0; row < height; ++row)
        if (std::any_of(missing.data() + row * width, missing.data() + (row + 1) * width, [](u8 x) { return x; }))
            rows.push_back(u32(row));
    std::vector<std::vector<i8>> chunks(rows.size());
    std::vector<u8> done(rows.size());
    Shared shared(graph);
    share_out(shared, threads, u32(rows.size()), max_steps, max_total, watch, [&](Evaluator& evaluator, u32 k) {
        std::vector<u32> columns, roots;
        for (u32 column = 0; column < width; ++column)
            if (missing.data()[rows[k] * width + column]) {
                columns.push_back(column);
                roots.push_back(nodes.data()[column]);
            }
        evaluator.begin([&](u32 number) { return input_of(data, rows[k], number); }, roots);
        RowWriter writer(to, data, rows[k], largest, graph.language, chunks[k]);
        for (u32 column : columns) writer.put(column, evaluator.take(nodes.data()[column]));
        done[k] = 1;
    });
    auto* cells = new std::vector<i8>();
    nb::capsule owner(cells, [](void* p) noexcept { delete static_cast<std::vector<i8>*>(p); });
    nb::list finished;
    for (size_t k = 0; k < rows.size(); ++k) {
        if (done[k]) finished.append(rows[k]);
        for (size_t column = 0; !chunks[k].empty() && column < width; ++column)
            if (missing.data()[rows[k] * width + column] && to.offset.data()[rows[k] * width + column] >= 0)
                to.offset.data()[rows[k] * width + column] += i64(base + cells->size());
        cells->insert(cells->end(), chunks[k].begin(), chunks[k].end());
    }
    return nb::make_tuple(nb::ndarray<nb::numpy, i8, nb::ndim<1>>(cells->data(), {cells->size()}, owner), finished);
}

// Some nodes of the graph on rows of inputs, each a status and a value. Back comes of each row None where it was not
// finished, else the statuses and values of the nodes, and the steps of all together.
nb::list values(const DynamicGraph& graph, nb::list rows, In<u32> nodes, u64 max_steps, u64 max_total, u32 threads,
                nb::object watch) {
    graph.check_nodes(nodes.data(), nodes.size());
    std::vector<u32> roots = vector_of(nodes);
    std::vector<std::vector<Outcome>> inputs, outcomes(rows.size());
    for (nb::handle row : rows) {
        inputs.emplace_back();
        for (nb::handle one : row)
            inputs.back().push_back(Outcome{Status(nb::cast<u32>(one[0])), graph.exchange.value(one[1])});
    }
    for (const auto& given : inputs) graph.check_inputs(given.size());
    std::vector<u64> steps(rows.size());
    Shared shared(graph);
    share_out(shared, threads, u32(rows.size()), max_steps, max_total, watch, [&](Evaluator& evaluator, u32 k) {
        evaluator.begin([&](u32 number) { return inputs[k][number]; }, roots);
        std::vector<Outcome> found;
        for (u32 root : roots) found.push_back(evaluator.take(root));
        steps[k] = evaluator.machine.total_steps;
        outcomes[k] = std::move(found);
    });
    nb::list result;
    for (size_t k = 0; k < outcomes.size(); ++k) {
        if (outcomes[k].size() != roots.size()) {
            result.append(nb::none());
            continue;
        }
        nb::list row;
        for (const Outcome& one : outcomes[k])
            row.append(
                nb::make_tuple(u32(one.status), one.status == OK ? graph.exchange.python(one.value) : nb::none()));
        result.append(nb::make_tuple(row, steps[k]));
    }
    return result;
}

}  // namespace

void bind_dynamic(nb::module_& m) {
    nb::class_<DynamicGraph>(m, "DynamicGraph")
        .def(nb::init<std::vector<std::string>, nb::dict, nb::object, In<u8>, In<u32>, In<u32>, In<u32>, nb::list>(),
             nb::kw_only(), nb::arg("names"), nb::arg("custom"), nb::arg("function"), nb::arg("kinds"),
             nb::arg("numbers"), nb::arg("first"), nb::arg("args"), nb::arg("constants"),
             "A graph of nodes, and the language it is in.")
        .def_rw("most_bytes", &DynamicGraph::most_bytes, "What the values of a thread may hold.")
        .def("run", &run, nb::arg("samples"), nb::kw_only(), nb::arg("nodes"), nb::arg("missing"), nb::arg("results"),
             nb::arg("base"), nb::arg("max_steps"), nb::arg("max_total"), nb::arg("threads"), nb::arg("largest"),
             nb::arg("watch"),
             "What is missing of a run, into arrays; returns the cells of grids and the samples that were finished.")
        .def("values", &values, nb::arg("rows"), nb::kw_only(), nb::arg("nodes"), nb::arg("max_steps"),
             nb::arg("max_total"), nb::arg("threads"), nb::arg("watch"),
             "Nodes on rows of inputs: statuses, values and steps.");
}

}  // namespace arcbatt
