// Hypotheses about the size of test outputs: always the same, or a multiple of a feature's size plus a little.
#pragma once

#include <cstdlib>

#include "search/store.h"

namespace arcbatt::search {

struct SizeRule {
    float loss = 0;
    int feature = -1;  // -1: always the same
    Size times{1, 1}, plus{0, 0};
    std::vector<Size> tests;
};

constexpr int MOST_TIMES = 6, MOST_PLUS = 2, LARGEST_SIDE = 30;

class SizeRules {
   public:
    // `outputs` are the sizes of the demonstrations' outputs; the best hypothesis comes first.
    static std::vector<SizeRule> of(const Images& images, const float* cost, const std::vector<u32>& demos,
                                    const std::vector<u32>& tests, const std::vector<Size>& outputs) {
        std::vector<SizeRule> found;
        bool same = true;
        for (const Size& size : outputs) same = same && size == outputs[0];
        if (same) add(found, {1, -1, {0, 0}, outputs[0], std::vector<Size>(tests.size(), outputs[0])});
        Met seen(images.features() / 4);
        for (const Block& block : images.blocks)
            for (u32 feature = block.first; feature < block.first + block.each; ++feature) {
                u64 hash = 1;
                bool there = true;
                for (u32 sample : demos) there = there && look(block, sample, feature, hash);
                for (u32 sample : tests) there = there && look(block, sample, feature, hash);
                if (!there || !seen.insert(hash)) continue;
                of_feature(block, feature, cost[feature], demos, tests, outputs, found);
            }
        std::stable_sort(found.begin(), found.end(),
                         [](const SizeRule& a, const SizeRule& b) { return a.loss < b.loss; });
        return found;
    }

   private:
    static bool look(const Block& images, u32 sample, u32 feature, u64& hash) {
        if (images.offset_of(sample, feature) < 0) return false;
        Size size = images.size(sample, feature);
        hash = mixed(hash ^ (u64(u32(size.height)) << 32 | u32(size.width)));
        return size.height > 0 && size.width > 0;
    }

    // The pairs (times, plus) that lead from one side of the feature to that side of the outputs.
    template <class Side>
    static std::vector<Size> lines(const Block& images, u32 feature, const std::vector<u32>& demos,
                                   const std::vector<Size>& outputs, Side side) {
        std::vector<Size> found;
        for (int times = 1; times <= MOST_TIMES; ++times) {
            int plus = side(outputs[0]) - times * side(images.size(demos[0], feature));
            bool good = std::abs(plus) <= MOST_PLUS;
            for (size_t k = 1; good && k < demos.size(); ++k)
                good = side(images.size(demos[k], feature)) * times + plus == side(outputs[k]);
            if (good) found.push_back({times, plus});
        }
        return found;
    }

    static void of_feature(const Block& images, u32 feature, float cost, const std::vector<u32>& demos,
                           const std::vector<u32>& tests, const std::vector<Size>& outputs,
                           std::vector<SizeRule>& found) {
        auto tall = lines(images, feature, demos, outputs, [](Size size) { return size.height; });
        if (tall.empty()) return;
        auto wide = lines(images, feature, demos, outputs, [](Size size) { return size.width; });
        for (const Size& a : tall)
            for (const Size& b : wide) {
                SizeRule rule;
                rule.feature = int(feature);
                rule.times = {a.height, b.height};
                rule.plus = {a.width, b.width};
                rule.loss = 0.5f * cost + 0.4f * float(a.height + b.height - 2) +
                            0.7f * float(std::abs(a.width) + std::abs(b.width)) + (cost > 0 ? 0.5f : 0.f);
                for (u32 sample : tests) {
                    Size size = images.size(sample, feature);
                    rule.tests.push_back({size.height * a.height + a.width, size.width * b.height + b.width});
                }
                add(found, rule);
            }
    }

    static void add(std::vector<SizeRule>& found, const SizeRule& rule) {
        for (const Size& size : rule.tests)
            if (size.height < 1 || size.width < 1 || size.height > LARGEST_SIDE || size.width > LARGEST_SIDE) return;
        for (SizeRule& other : found)
            if (other.tests == rule.tests) {
                if (rule.loss < other.loss) other = rule;
                return;
            }
        found.push_back(rule);
    }
};

}  // namespace arcbatt::search
