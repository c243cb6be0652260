// Search for Python: images and outputs of a task in, predictions for its tests out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "search/cases.h"
#include "search/rules.h"
#include "search/sizes.h"
#include "search/stacks.h"

namespace nb = nanobind;

namespace arcbatt {
namespace {

using namespace search;

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Pairs = std::vector<std::pair<int, int>>;

std::vector<Size> sizes_of(const Pairs& pairs) {
    std::vector<Size> sizes;
    for (auto [height, width] : pairs) {
        if (height < 1 || width < 1 || height > 255 || width > 255) throw nb::value_error("a size that no output has");
        sizes.push_back({height, width});
    }
    return sizes;
}

// Set from any thread; what looks at it ends soon.
struct StopFlag {
    std::atomic<bool> on{false};
};

// The images of features on the samples of a task; the arrays are kept, not copied.
class FeatureImages {
   public:
    explicit FeatureImages(Flat<float> cost) : cost_(cost) {}

    // `cost` of all blocks is given at first.
    void add(Flat<int8_t> cells, Table<int64_t> offset, Table<int32_t> height, Table<int32_t> width) {
        u32 samples = u32(offset.shape(0)), each = u32(offset.shape(1));
        bool good = same_shape(height, offset) && same_shape(width, offset) && each > 0;
        if (!images.blocks.empty()) good = good && samples == images.samples;
        good = good && size_t(images.features()) + each <= cost_.size();
        if (!good) throw nb::value_error("arrays of images that do not fit together");
        for (size_t k = 0; k < offset.size(); ++k) {
            int64_t start = offset.data()[k], tall = height.data()[k], wide = width.data()[k];
            if (start >= 0 && (tall < 0 || wide < 0 || start + tall * wide > int64_t(cells.size())))
                throw nb::value_error("an image outside the cells");
        }
        images.samples = samples;
        images.add({cells.data(), offset.data(), height.data(), width.data(), each, 0});
        kept_.push_back({cells, offset, height, width});
    }

    void check_samples(const std::vector<u32>& samples) const {
        if (size_t(images.features()) != cost_.size()) throw nb::value_error("a cost for every feature");
        for (u32 sample : samples)
            if (sample >= images.samples) throw nb::value_error("a sample that is not there");
    }
    const float* cost() const { return cost_.data(); }

    Images images;

   private:
    struct Kept {
        Flat<int8_t> cells;
        Table<int64_t> offset;
        Table<int32_t> height, width;
    };
    template <class A, class B>
    static bool same_shape(const A& a, const B& b) {
        return a.shape(0) == b.shape(0) && a.shape(1) == b.shape(1);
    }

    Flat<float> cost_;
    std::vector<Kept> kept_;
};

// Hypotheses as (loss, feature or -1, times, plus, sizes of the tests).
nb::list size_rules(const FeatureImages& images, std::vector<u32> demos, std::vector<u32> tests, Pairs outputs) {
    images.check_samples(demos);
    images.check_samples(tests);
    if (demos.empty() || outputs.size() != demos.size()) throw nb::value_error("a size for each demonstration");
    std::vector<SizeRule> found;
    {
        nb::gil_scoped_release release;
        found = SizeRules::of(images.images, images.cost(), demos, tests, sizes_of(outputs));
    }
    nb::list all;
    for (const SizeRule& rule : found) {
        Pairs tests_out;
        for (const Size& size : rule.tests) tests_out.push_back({size.height, size.width});
        all.append(nb::make_tuple(rule.loss, rule.feature, std::make_pair(rule.times.height, rule.times.width),
                                  std::make_pair(rule.plus.height, rule.plus.width), tests_out));
    }
    return all;
}

// The values of a task under one size hypothesis, and what combining them has predicted.
class Combined {
   public:
    Combined(const FeatureImages& images, std::vector<u32> demos, std::vector<u32> tests, Pairs sizes,
             Flat<int8_t> outputs, std::vector<float> costs, const StopFlag& stop)
        : stop_(stop.on) {
        images.check_samples(demos);
        images.check_samples(tests);
        if (demos.empty() || tests.empty() || sizes.size() != demos.size() + tests.size())
            throw nb::value_error("a size for each sample");
        if (costs.size() != 5) throw nb::value_error("costs of an entry, one seen once, an image, a guess, a layer");
        std::vector<Size> checked = sizes_of(sizes);
        size_t known = 0;
        for (size_t k = 0; k < demos.size(); ++k) known += checked[k].cells();
        if (known != outputs.size()) throw nb::value_error("outputs that are not of their sizes");
        costs_ = {costs[0], costs[1], costs[2], costs[3]};
        layer_ = costs[4];
        std::vector<int8_t> target(outputs.data(), outputs.data() + outputs.size());
        nb::gil_scoped_release release;
        store_.fit(images.images, images.cost(), demos, tests, checked, target);
        candidates_.by_test.resize(tests.size());
        rules_ = std::make_unique<Rules>(store_, candidates_, costs_);
        cases_ = std::make_unique<Cases>(store_, candidates_, costs_);
    }

    void singles(double seconds) { rules_->singles(deadline(seconds)); }
    u64 pairs(u32 most, u64 limit, double seconds) { return rules_->pairs(most, limit, deadline(seconds)); }
    u64 triples(u32 most, u64 limit, double seconds) { return rules_->triples(most, limit, deadline(seconds)); }
    void cases(double seconds) { cases_->search(deadline(seconds)); }
    void stacks(double seconds) { Stacks(store_, candidates_, layer_).search(deadline(seconds)); }

    // (feature, way, kinds, cost) of every different image, cheapest first.
    std::vector<nb::object> columns() const {
        std::vector<nb::object> all;
        for (const Column& one : store_.columns)
            all.push_back(nb::make_tuple(one.feature, one.way, one.kinds, one.cost));
        return all;
    }

    // Of each test the heaviest predictions: (height, width, cells, weight, votes, [(combiner, role, columns, modes,
    // score), ...]).
    nb::list predictions(u32 top) const {
        nb::list tests;
        for (size_t test = 0; test < candidates_.by_test.size(); ++test) {
            nb::list mine;
            for (u64 hash : candidates_.ranked(test)) {
                if (nb::len(mine) == top) break;
                const Prediction& one = candidates_.by_test[test].at(hash);
                nb::list best;
                for (const auto& [combiner, found] : one.best)
                    best.append(nb::make_tuple(combiner, found.role, found.columns, found.modes, found.score));
                mine.append(nb::make_tuple(one.size.height, one.size.width,
                                           nb::bytes(reinterpret_cast<const char*>(one.cells.data()), one.cells.size()),
                                           one.weight, one.votes, best));
            }
            tests.append(mine);
        }
        return tests;
    }

    // Images with some of their wrong cells put right, those that lead furthest first: (cells of all samples, part of
    // the wrong cells, columns, modes, score).
    nb::list steps(double seconds) {
        std::vector<Cases::Step> found;
        {
            nb::gil_scoped_release release;
            found = cases_->steps(deadline(seconds));
        }
        nb::list all;
        for (const Cases::Step& one : found)
            all.append(nb::make_tuple(nb::bytes(reinterpret_cast<const char*>(one.cells.data()), one.cells.size()),
                                      one.right, one.found.columns, one.found.modes, one.found.score));
        return all;
    }

    // For joint values of the columns the colour, or -1, -2, -3 for that of the first, second, third column.
    RuleTable table(std::vector<u32> columns, u32 role) {
        check_columns(columns, role);
        return rules_->table(columns.data(), u32(columns.size()), role);
    }

    // Of each column the share of known cells that have the colour of the output; -1 where it is no image of colours.
    std::vector<float> agreement() const {
        std::vector<float> all;
        for (u32 column = 0; column < store_.columns.size(); ++column) {
            const int8_t* raw = store_.raw(column);
            u32 same = 0;
            bool colours = true;
            for (u32 k = 0; k < store_.cells; ++k) {
                colours = colours && raw[k] >= 0 && raw[k] <= 9;
                same += k < store_.known && raw[k] == store_.target[k];
            }
            all.push_back(colours ? float(same) / float(store_.known) : -1.f);
        }
        return all;
    }

    nb::dict counts() const {
        nb::dict made;
        made["columns"] = store_.columns.size();
        made["pairs"] = rules_->checked_pairs;
        made["triples"] = rules_->checked_triples;
        made["solutions"] = candidates_.solutions;
        return made;
    }

   private:
    Deadline deadline(double seconds) const { return {seconds, &stop_}; }
    void check_columns(const std::vector<u32>& columns, u32 role) const {
        bool good = !columns.empty() && columns.size() <= 3 && role < columns.size();
        for (u32 column : columns) good = good && column < store_.columns.size();
        if (!good) throw nb::value_error("columns that are no rule");
    }

    const std::atomic<bool>& stop_;
    RuleCosts costs_;
    float layer_ = 1;
    Store store_;
    Candidates candidates_;
    std::unique_ptr<Rules> rules_;
    std::unique_ptr<Cases> cases_;
};

}  // namespace
}  // namespace arcbatt

NB_MODULE(_search, m) {
    using namespace arcbatt;
    m.doc() = "Combining images: the compiled part of search.";
    using Free = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<StopFlag>(m, "StopFlag")
        .def(nb::init<>())
        .def(
            "set", [](StopFlag& flag) { flag.on = true; }, "End what looks at it.")
        .def("__bool__", [](const StopFlag& flag) { return flag.on.load(); });
    nb::class_<FeatureImages>(m, "FeatureImages")
        .def(nb::init<Flat<float>>(), nb::arg("cost"), "Images of features that cost so much; `add` adds them.")
        .def("add", &FeatureImages::add, nb::kw_only(), nb::arg("cells"), nb::arg("offset"), nb::arg("height"),
             nb::arg("width"), "A block of images by sample and feature.");
    m.def("size_rules", &size_rules, nb::arg("images"), nb::arg("demos"), nb::arg("tests"), nb::arg("outputs"),
          "Hypotheses about the sizes of test outputs, the best first.");
    nb::class_<Combined>(m, "Combined")
        .def(nb::init<const FeatureImages&, std::vector<u32>, std::vector<u32>, Pairs, Flat<int8_t>, std::vector<float>,
                      const StopFlag&>(),
             nb::arg("images"), nb::arg("demos"), nb::arg("tests"), nb::arg("sizes"), nb::arg("outputs"),
             nb::arg("costs"), nb::arg("stop"), nb::keep_alive<1, 8>(),
             "The different images of a task, brought to the sizes of its outputs.")
        .def("singles", &Combined::singles, Free(), "Rules over one image.")
        .def("pairs", &Combined::pairs, Free(), "Rules over two images.")
        .def("triples", &Combined::triples, Free(), "Rules over three images.")
        .def("stacks", &Combined::stacks, Free(), "Images laid over one another.")
        .def("cases", &Combined::cases, Free(), "One image, but for some cells that have a reason.")
        .def("steps", &Combined::steps, "Images with some of their wrong cells put right.")
        .def("columns", &Combined::columns, "The different images.")
        .def("predictions", &Combined::predictions, "What was predicted for each test, best first.")
        .def("table", &Combined::table, "What a rule says.")
        .def("agreement", &Combined::agreement, Free(), "How much of the output each image has right.")
        .def("counts", &Combined::counts, "How much was looked at.");
}
