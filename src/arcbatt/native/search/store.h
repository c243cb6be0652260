// The values of one task: images of one size hypothesis over all demonstrations and tests, each different one once.
//
// Images that tell the same cells apart serve rules alike, but for what a rule copies: of those one is kept, and a
// dearer one only where more of it is as the output.
#pragma once

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "search/images.h"

namespace arcbatt::search {

constexpr u32 MOST_KINDS = 60;       // different cells of an image that rules look at
constexpr u32 KIND_BITS = 6;         // a kind in so many bits
constexpr float DEAREST_WAY = 3.6f;  // of a feature that is brought to another size

struct Column {
    u32 feature = 0, way = 0, kinds = 0;
    float cost = 0;
};

inline u64 mixed(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

inline u64 hash_bytes(const void* bytes, size_t n) {
    const char* from = static_cast<const char*>(bytes);
    u64 hash = mixed(n + 1);
    while (n) {
        u64 word = 0;
        size_t part = n < 8 ? n : 8;
        std::memcpy(&word, from, part);
        hash = mixed(hash ^ word) + 0x9e3779b97f4a7c15ull;
        from += part;
        n -= part;
    }
    return hash;
}

class Store {
   public:
    // Cells of demonstrations come first, then those of tests. `demos` are the samples that are demonstrations, `tests`
    // the others; `target` holds the outputs of the former.
    void fit(const Images& images, const float* cost, const std::vector<u32>& demos, const std::vector<u32>& tests,
             const std::vector<Size>& sizes, const std::vector<int8_t>& outputs) {
        samples_ = demos;
        samples_.insert(samples_.end(), tests.begin(), tests.end());
        this->sizes = sizes;
        target = outputs;
        starts.assign(1, 0);
        for (const Size& size : sizes) starts.push_back(starts.back() + size.cells());
        demonstrations = u32(demos.size());
        known = starts[demonstrations];
        cells = starts.back();
        demo_of.assign(known, 0);
        for (u32 demo = 0; demo < demonstrations; ++demo)
            std::fill(demo_of.begin() + starts[demo], demo_of.begin() + starts[demo + 1], uint8_t(demo));
        columns.clear();
        raw_.clear();
        kinds_.clear();
        std::vector<u32> order(images.features());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return cost[a] < cost[b]; });
        std::unordered_set<u64> places, contents;
        std::unordered_map<u64, u32> partitions;
        for (u32 way = AS_IT_IS; way < WAYS; ++way)
            for (u32 feature : order) add(images, feature, Way(way), cost[feature], places, contents, partitions);
        sort_by_cost();
    }

    const int8_t* raw(u32 column) const { return raw_.data() + size_t(column) * cells; }
    const uint8_t* kinds(u32 column) const { return kinds_.data() + size_t(column) * cells; }

    std::vector<Column> columns;  // cheapest first
    std::vector<Size> sizes;      // of the outputs
    std::vector<u32> starts;      // the first cell of each sample, and the end
    std::vector<int8_t> target;
    std::vector<uint8_t> demo_of;
    u32 demonstrations = 0, known = 0, cells = 0;

   private:
    void add(const Images& images, u32 feature, Way way, float cost, std::unordered_set<u64>& places,
             std::unordered_set<u64>& contents, std::unordered_map<u64, u32>& partitions) {
        if (way != AS_IT_IS && cost + WAY_COST[way] > DEAREST_WAY) return;
        bool exact = true;
        u64 place = mixed(way * 64 + feature / images.each);
        for (size_t k = 0; k < samples_.size(); ++k) {
            if (!images.has(samples_[k], feature)) return;
            place = mixed(place + u64(images.offset(samples_[k], feature)));
            exact = exact && images.size(samples_[k], feature) == sizes[k];
        }
        if (exact != (way == AS_IT_IS) || !places.insert(place).second) return;
        scratch_.resize(cells);
        for (size_t k = 0; k < samples_.size(); ++k)
            if (!resize(images.image(samples_[k], feature), images.size(samples_[k], feature), sizes[k], way,
                        scratch_.data() + starts[k]))
                return;
        if (!contents.insert(hash_bytes(scratch_.data(), cells)).second) return;
        scratch_kinds_.resize(cells);
        u32 count = number_kinds();
        if (!count) return;
        u32 right = 0;
        for (u32 k = 0; k < known; ++k) right += scratch_[k] == target[k];
        auto [most, fresh] = partitions.emplace(hash_bytes(scratch_kinds_.data(), cells), right);
        if (!fresh && right <= most->second) return;
        most->second = right;
        columns.push_back({feature, u32(way), count, cost + WAY_COST[way]});
        raw_.insert(raw_.end(), scratch_.begin(), scratch_.end());
        kinds_.insert(kinds_.end(), scratch_kinds_.begin(), scratch_kinds_.end());
    }

    // The image with its values renamed in the order they come; how many there are, or 0 where they are too many.
    u32 number_kinds() {
        int number[256];
        std::fill(number, number + 256, -1);
        int count = 0;
        for (u32 k = 0; k < cells; ++k) {
            int& mine = number[uint8_t(scratch_[k])];
            if (mine < 0) {
                if (count == int(MOST_KINDS)) return 0;
                mine = count++;
            }
            scratch_kinds_[k] = uint8_t(mine);
        }
        return u32(count);
    }

    void sort_by_cost() {
        std::vector<u32> order(columns.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return columns[a].cost < columns[b].cost; });
        std::vector<Column> sorted;
        std::vector<int8_t> raw;
        std::vector<uint8_t> kinds;
        raw.reserve(raw_.size());
        kinds.reserve(kinds_.size());
        for (u32 column : order) {
            sorted.push_back(columns[column]);
            raw.insert(raw.end(), this->raw(column), this->raw(column) + cells);
            kinds.insert(kinds.end(), this->kinds(column), this->kinds(column) + cells);
        }
        columns.swap(sorted);
        raw_.swap(raw);
        kinds_.swap(kinds);
    }

    std::vector<u32> samples_;
    std::vector<int8_t> raw_, scratch_;
    std::vector<uint8_t> kinds_, scratch_kinds_;
};

}  // namespace arcbatt::search
