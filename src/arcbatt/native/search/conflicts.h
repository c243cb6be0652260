// Which of many items get round each of some conflicts, as bits: a set of items does where each conflict is got round
// by one of them. What items and conflicts are, `rules.h` and `cases.h` say.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/portability.h"

namespace arcbatt::search {

inline u32 bits_in(u64 word) {
    word -= word >> 1 & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return u32(word * 0x0101010101010101ull >> 56);
}

// The place of the lowest bit of a word that is not 0.
inline u32 lowest_bit(u64 word) { return u32(__builtin_ctzll(word)); }

// Of 64 bytes that are 0 or 1, a bit each.
inline u64 packed_bits(const uint8_t* bytes) {
    u64 bits = 0;
    for (u32 k = 0; k < 8; ++k) {
        u64 word;
        std::memcpy(&word, bytes + 8 * k, 8);
        bits |= (word * 0x0102040810204080ull >> 56) << (8 * k);
    }
    return bits;
}

class Conflicts {
   public:
    static constexpr u32 WORDS = 8, MOST = 64 * WORDS;
    using Set = std::vector<u64>;  // of items

    // Conflicts of so many items, none yet.
    void start(u32 items) {
        items_ = items;
        words_ = (items + 63) / 64;
        rows_.clear();
        order_.clear();
        hits_.assign(size_t(items) * WORDS, 0);
        bytes_.assign(size_t(words_) * 64, 0);
    }

    u32 size() const { return u32(order_.size()); }
    bool full() const { return size() == MOST; }

    // One more; `hits(item)` says whether an item gets round it.
    template <class Hits>
    void add(Hits hits) {
        if (full()) return;
        for (u32 item = 0; item < items_; ++item) bytes_[item] = hits(item);
        const u32 number = size(), word = number / 64, shift = number % 64;
        u32 many = 0;
        for (u32 item = 0; item < items_; ++item) {
            hits_[size_t(item) * WORDS + word] |= u64(bytes_[item]) << shift;
            many += bytes_[item];
        }
        Row row{many, Set(words_)};
        for (u32 w = 0; w < words_; ++w) row.items[w] = packed_bits(bytes_.data() + 64 * size_t(w));
        rows_.push_back(std::move(row));
        auto rarer = [&](u32 a, u32 b) { return rows_[a].many < rows_[b].many; };
        order_.insert(std::upper_bound(order_.begin(), order_.end(), number, rarer), number);
    }

    // The first ones, so many; `hits(item, conflict)` says which an item gets round.
    template <class Hits>
    void first(u32 count, Hits hits) {
        count = std::min(count, MOST);
        for (u32 item = 0; item < items_; ++item)
            for (u32 n = 0; n < count; ++n)
                hits_[size_t(item) * WORDS + n / 64] |= u64(bool(hits(item, n))) << (n % 64);
        rows_.assign(count, {0, Set(words_)});
        for (u32 word = 0; word * 64 < count; ++word)
            for (u32 w = 0; w < words_; ++w) {
                u64 square[64] = {};
                for (u32 k = 0; k < 64 && 64 * w + k < items_; ++k)
                    square[k] = hits_[(64 * size_t(w) + k) * WORDS + word];
                transpose(square);
                for (u32 k = 0; k < 64 && 64 * word + k < count; ++k) {
                    rows_[64 * word + k].items[w] = square[k];
                    rows_[64 * word + k].many += bits_in(square[k]);
                }
            }
        order_.resize(count);
        std::iota(order_.begin(), order_.end(), 0u);
        std::stable_sort(order_.begin(), order_.end(), [&](u32 a, u32 b) { return rows_[a].many < rows_[b].many; });
    }

    void all(u64* open) const {
        for (u32 w = 0; w < WORDS; ++w) open[w] = there(w);
    }
    // The conflicts that an item does not get round.
    void open(u32 item, u64* open) const {
        const u64* mine = hits_.data() + size_t(item) * WORDS;
        for (u32 w = 0; w < WORDS; ++w) open[w] = there(w) & ~mine[w];
    }
    // Of open conflicts those that an item does not get round either; whether there are any.
    bool still_open(const u64* open, u32 item, u64* left) const {
        const u64* mine = hits_.data() + size_t(item) * WORDS;
        u64 any = 0;
        for (u32 w = 0; w < WORDS; ++w) any |= left[w] = open[w] & ~mine[w];
        return any;
    }
    bool gets_round(const u64* open, u32 item) const {
        const u64* mine = hits_.data() + size_t(item) * WORDS;
        u64 any = 0;
        for (u32 w = 0; w < WORDS; ++w) any |= open[w] & ~mine[w];
        return !any;
    }

    // The items that get round the open conflict that the fewest do; nothing where none is open.
    const Set* rarest(const u64* open) const {
        for (u32 row : order_)
            if (open[row / 64] >> (row % 64) & 1) return &rows_[row].items;
        return nullptr;
    }

    // Every item below `end` that gets round all open conflicts, in order, until `use(item)` is false; `use` may add to
    // what is open.
    template <class Use>
    void each(const u64* open, u32 end, Set& scratch, Use use) const {
        const u32 words = (end + 63) / 64;
        if (!words) return;
        scratch.assign(words, ~u64(0));
        if (end % 64) scratch.back() = (u64(1) << (end % 64)) - 1;
        u32 narrowed = 0;
        for (u32 row : order_) {
            if (!(open[row / 64] >> (row % 64) & 1)) continue;
            const u64* mine = rows_[row].items.data();
            u64 any = 0;
            for (u32 w = 0; w < words; ++w) any |= scratch[w] &= mine[w];
            if (!any) return;
            if (++narrowed == ROWS) break;  // few are left: each is looked at by itself
        }
        for (u32 w = 0; w < words; ++w)
            for (u64 left = scratch[w]; left; left &= left - 1) {
                u32 item = 64 * w + lowest_bit(left);
                if (gets_round(open, item) && !use(item)) return;
            }
    }

   private:
    static constexpr u32 ROWS = 5;

    struct Row {
        u32 many;
        Set items;
    };
    // 64 words of 64 bits with rows and columns exchanged.
    static void transpose(u64* square) {
        u64 mask = 0x00000000ffffffffull;
        for (u32 j = 32; j; j >>= 1, mask ^= mask << j)
            for (u32 k = 0; k < 64; k = (k + j + 1) & ~j) {
                u64 swapped = (square[k] >> j ^ square[k + j]) & mask;
                square[k] ^= swapped << j;
                square[k + j] ^= swapped;
            }
    }
    // The conflicts of a word that there are.
    u64 there(u32 w) const {
        u32 many = size();
        return many >= 64 * (w + 1) ? ~u64(0) : many <= 64 * w ? 0 : (u64(1) << (many % 64)) - 1;
    }

    u32 items_ = 0, words_ = 0;
    std::vector<Row> rows_;
    std::vector<u32> order_;  // of rows, those first that the fewest get round
    std::vector<u64> hits_;   // by item, a bit for each conflict that it gets round
    std::vector<uint8_t> bytes_;
};

}  // namespace arcbatt::search
