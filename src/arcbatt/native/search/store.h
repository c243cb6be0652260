// The values of one task: images of one size hypothesis over all demonstrations and tests, each different one once.
//
// Images that tell the same cells apart serve rules alike, but for what a rule copies: of those one is kept, and a
// dearer one only where more of it is as the output.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "search/images.h"

namespace arcbatt::search {

constexpr u32 MOST_KINDS = 60;       // different cells of an image that rules look at
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

// Four lanes, so that a processor has more than one multiplication under way.
inline u64 hash_bytes(const void* bytes, size_t n) {
    const char* from = static_cast<const char*>(bytes);
    u64 lanes[4] = {n + 1, 0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull};
    auto take = [&](u64& lane, size_t part) {
        u64 word = 0;
        std::memcpy(&word, from, part);
        lane = (lane ^ word) * 0x9fb21c651e98df25ull;
        lane ^= lane >> 32;
        from += part;
    };
    for (; n >= 32; n -= 32)
        for (u64& lane : lanes) take(lane, 8);
    for (u32 k = 0; n; ++k) {
        size_t part = n < 8 ? n : 8;
        take(lanes[k], part);
        n -= part;
    }
    return mixed(lanes[0] + mixed(lanes[1] + mixed(lanes[2] + mixed(lanes[3]))));
}

// Hashes that were met before.
class Met {
   public:
    explicit Met(size_t most) : slots_(room(most)) {}
    // Whether it is met for the first time.
    bool insert(u64 hash) {
        hash += !hash;
        if (2 * many_ >= slots_.size()) grow();
        bool fresh = put(hash);
        many_ += fresh;
        return fresh;
    }

   private:
    static size_t room(size_t most) {
        size_t size = 64;
        while (size < 2 * most) size *= 2;
        return size;
    }
    bool put(u64 hash) {
        size_t k = hash & (slots_.size() - 1);
        for (; slots_[k]; k = (k + 1) & (slots_.size() - 1))
            if (slots_[k] == hash) return false;
        slots_[k] = hash;
        return true;
    }
    void grow() {
        std::vector<u64> old(2 * slots_.size());
        old.swap(slots_);
        for (u64 hash : old)
            if (hash) put(hash);
    }
    std::vector<u64> slots_;
    size_t many_ = 0;
};

// How many of the first n cells are the same.
inline u32 same_cells(const int8_t* a, const int8_t* b, u32 n) {
    u32 same = 0;
    for (u32 k = 0; k < n; ++k) same += a[k] == b[k];
    return same;
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
        std::vector<Sized> different = differing(images, cost);
        Met contents(4 * different.size());
        std::unordered_map<u64, u32> partitions;
        partitions.reserve(different.size());
        for (u32 way = AS_IT_IS; way < WAYS; ++way)
            for (const Sized& one : different)
                if (one.exact == (way == AS_IT_IS)) add(one, Way(way), contents, partitions);
        sort_by_cost();
    }

    const int8_t* raw(u32 column) const { return places_[column]; }
    const uint8_t* kinds(u32 column) const { return reinterpret_cast<const uint8_t*>(places_[column] + cells); }

    std::vector<Column> columns;  // cheapest first
    std::vector<Size> sizes;      // of the outputs
    std::vector<u32> starts;      // the first cell of each sample, and the end
    std::vector<int8_t> target;
    std::vector<uint8_t> demo_of;
    u32 demonstrations = 0, known = 0, cells = 0;

   private:
    struct Sized {
        const Block* block;
        u32 feature;
        bool exact;  // of the outputs' sizes
        float cost;
    };

    // The features that have an image everywhere, the cheapest of each that differ, cheapest first. Images of one block
    // are known by where they lie.
    std::vector<Sized> differing(const Images& images, const float* cost) const {
        std::vector<Sized> found;
        std::vector<u32> order;
        std::vector<u64> place;
        std::vector<uint8_t> other;
        for (const Block& block : images.blocks) {
            const float* costs = cost + block.first;
            place.assign(block.each, 1);
            other.assign(block.each, 0);
            for (size_t k = 0; k < samples_.size(); ++k) {
                const size_t row = size_t(samples_[k]) * block.each;
                const int64_t* offset = block.offset + row;
                const int32_t *height = block.height + row, *width = block.width + row;
                for (u32 f = 0; f < block.each; ++f) {
                    place[f] = (place[f] ^ u64(offset[f])) * 0x9fb21c651e98df25ull;
                    place[f] ^= place[f] >> 32;
                    other[f] |= (offset[f] < 0) << 1 | (height[f] != sizes[k].height || width[f] != sizes[k].width);
                }
            }
            if (order.size() != block.each) {
                order.resize(block.each);
                std::iota(order.begin(), order.end(), 0u);
            }
            auto cheaper = [&](u32 a, u32 b) { return costs[a] < costs[b] || (costs[a] == costs[b] && a < b); };
            if (!std::is_sorted(order.begin(), order.end(), cheaper)) std::sort(order.begin(), order.end(), cheaper);
            Met met(block.each / 4);
            for (u32 f : order)
                if (other[f] < 2 && met.insert(mixed(place[f])))
                    found.push_back({&block, block.first + f, !other[f], costs[f]});
        }
        std::stable_sort(found.begin(), found.end(), [](const Sized& a, const Sized& b) { return a.cost < b.cost; });
        return found;
    }

    void add(const Sized& one, Way way, Met& contents, std::unordered_map<u64, u32>& partitions) {
        if (way != AS_IT_IS && one.cost + WAY_COST[way] > DEAREST_WAY) return;
        int8_t* raw = room();
        for (size_t k = 0; k < samples_.size(); ++k)
            if (!resize(one.block->image(samples_[k], one.feature), one.block->size(samples_[k], one.feature), sizes[k],
                        way, raw + starts[k]))
                return;
        if (!contents.insert(hash_bytes(raw, cells))) return;
        uint8_t* kinds = reinterpret_cast<uint8_t*>(raw + cells);
        u32 count = number_kinds(raw, kinds);
        if (!count) return;
        u32 right = same_cells(raw, target.data(), known);
        auto [most, fresh] = partitions.emplace(hash_bytes(kinds, cells), right);
        if (!fresh && right <= most->second) return;
        most->second = right;
        columns.push_back({one.feature, u32(way), count, one.cost + WAY_COST[way]});
        places_.push_back(raw);
        used_ += 2 * size_t(cells);
    }

    // Where the next image goes, and its kinds after it; memory never moves.
    int8_t* room() {
        if (memory_.empty() || used_ + 2 * size_t(cells) > PIECE) {
            memory_.emplace_back(new int8_t[std::max(PIECE, 2 * size_t(cells))]);
            used_ = 0;
        }
        return memory_.back().get() + used_;
    }

    // The image with its values renamed in the order they come; how many there are, or 0 where they are too many.
    u32 number_kinds(const int8_t* raw, uint8_t* kinds) const {
        constexpr uint8_t NONE = 255;
        constexpr u32 BY_VALUE = 8;  // so many values each take a pass over the image, which compilers make vectors of
        std::memset(kinds, NONE, cells);
        int number[256];
        u32 count = 0, k = 0;
        std::fill(number, number + 256, -1);
        for (; count < BY_VALUE; ++count) {
            const void* next = std::memchr(kinds + k, NONE, cells - k);
            if (!next) return count;
            k = u32(static_cast<const uint8_t*>(next) - kinds);
            const int8_t value = raw[k];
            const uint8_t mine = uint8_t(count);
            number[uint8_t(value)] = int(count);
            for (u32 n = 0; n < cells; ++n) kinds[n] = raw[n] == value ? mine : kinds[n];
        }
        for (; k < cells; ++k) {
            int& mine = number[uint8_t(raw[k])];
            if (mine < 0) {
                if (count == MOST_KINDS) return 0;
                mine = int(count++);
            }
            kinds[k] = uint8_t(mine);
        }
        return count;
    }

    void sort_by_cost() {
        std::vector<u32> order(columns.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return columns[a].cost < columns[b].cost; });
        std::vector<Column> sorted;
        std::vector<int8_t*> places;
        for (u32 column : order) {
            sorted.push_back(columns[column]);
            places.push_back(places_[column]);
        }
        columns.swap(sorted);
        places_.swap(places);
    }

    static constexpr size_t PIECE = 1 << 18;
    std::vector<u32> samples_;
    std::vector<std::unique_ptr<int8_t[]>> memory_;
    size_t used_ = 0;
    std::vector<int8_t*> places_;  // of each column its image, and its kinds after it
};

}  // namespace arcbatt::search
