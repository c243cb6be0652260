// A group that is a block of a GPU, for what is too much for a warp; core/group.h says what a group is. It has all that
// a warp has but for ballots, which core/labels.h and core/bitboards.h need.
#pragma once

#include "core/portability.h"

namespace arcbatt {

// A block: lanes show each other what they have on a board that all see.
struct Group {
#if AB_DEVICE
    AB_FN u32 lane() const { return threadIdx.x; }
    AB_FN void sync() const { __syncthreads(); }
    AB_FN u64* board() const {
        __shared__ u64 words[AB_LANES];
        return words;
    }
#else
    Lanes* lanes = nullptr;
    u32 number = 0;
    u32 lane() const { return number; }
    void sync() const { lanes->barrier(number); }
    u64* board() const { return lanes->board; }
#endif
    // What another lane has.
    AB_FN u64 shuffle(u64 x, u32 from) const {
        board()[lane()] = x;
        sync();
        u64 got = board()[from % AB_LANES];
        sync();
        return got;
    }
    AB_FN u32 shuffle(u32 x, u32 from) const { return u32(shuffle(u64(x), from)); }
    // All lanes' values by an operation that may take them in any order.
    template <class T, class O>
    AB_FN T reduce(T x, O both) const {
        AB_ROLLED
        for (u32 step = AB_LANES / 2; step > 0; step /= 2) x = both(x, T(shuffle(u64(x), lane() ^ step)));
        return x;
    }
    AB_FN i32 least_held(i32 x) const {
        return reduce(x, [](i32 a, i32 b) { return least(a, b); });
    }
    AB_FN i32 most_held(i32 x) const {
        return reduce(x, [](i32 a, i32 b) { return most(a, b); });
    }
    AB_FN u64 bits_held(u64 x) const {
        return reduce(x, [](u64 a, u64 b) { return a | b; });
    }
    AB_FN bool any_held(bool x) const {
#if AB_DEVICE
        return __syncthreads_or(x) != 0;
#else
        return bits_held(x) != 0;
#endif
    }

    template <class F>
    AB_FN void each(u32 n, F f) const {
        sync();
        AB_ROLLED
        for (u32 i = lane(); i < n; i += AB_LANES) f(i);
        sync();
    }
    template <class F>
    AB_FN void one(F f) const {
        sync();
        if (lane() == 0) f();
        sync();
    }
    template <class F>
    AB_FN u32 from_one(F f) const {
        u32 value = 0;
        sync();
        if (lane() == 0) value = u32(f());
        return shuffle(value, 0u);
    }
    template <class F>
    AB_FN bool any(u32 n, F f) const {
        bool found = false;
        sync();
        AB_ROLLED
        for (u32 first = 0; first < n && !found; first += AB_LANES) {
            u32 i = first + lane();
            found = any_held(i < n && f(i));
        }
        return found;
    }
    template <class F>
    AB_FN bool flagged(u32 n, F f) const {
        bool found = false;
        each(n, [&](u32 i) { found |= f(i); });
        return any_held(found);
    }
    template <class R, class G, class P>
    AB_FN bool mapped(u32 n, G get, P put) const {
        return flagged(n, [&](u32 i) {
            R x{};
            bool found = get(i, x);
            put(i, x);
            return found;
        });
    }
    template <class F>
    AB_FN i32 min_of(u32 n, i32 start, F f) const {
        i32 value = start;
        each(n, [&](u32 i) { value = least(value, i32(f(i))); });
        return least_held(value);
    }
    template <class F>
    AB_FN i32 max_of(u32 n, i32 start, F f) const {
        i32 value = start;
        each(n, [&](u32 i) { value = most(value, i32(f(i))); });
        return most_held(value);
    }
    template <class F>
    AB_FN i64 sum_of(u32 n, F f) const {
        u64 value = 0;
        each(n, [&](u32 i) { value += u64(i64(f(i))); });
        return i64(reduce(value, [](u64 a, u64 b) { return a + b; }));
    }
    template <class F>
    AB_FN u64 bits_of(u32 n, F f) const {
        u64 value = 0;
        each(n, [&](u32 i) { value |= u64(f(i)); });
        return bits_held(value);
    }
    // The sum of the values of the lanes before this one; `all` becomes that of all.
    AB_FN u32 sum_before(u32 x, u32& all) const {
        u32 sum = x;
        AB_ROLLED
        for (u32 step = 1; step < AB_LANES; step *= 2) {
            u32 other = shuffle(sum, lane() - step);
            if (lane() >= step) sum += other;
        }
        all = shuffle(sum, u32(AB_LANES - 1));
        return sum - x;
    }
    template <class F, class P>
    AB_FN u32 scan(u32 n, F f, P put) const {
        u32 sum = 0, all = 0;
        sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 i = first + lane();
            u32 before = sum_before(i < n ? u32(f(i)) : 0, all);
            if (i < n) put(i, sum + before);
            sum += all;
        }
        sync();
        return sum;
    }
    template <class K, class P>
    AB_FN u32 compact(u32 n, K keep, P put) const {
        u32 count = 0, all = 0;
        sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 i = first + lane();
            bool stays = i < n && keep(i);
            u32 before = sum_before(stays, all);
            if (stays) put(i, count + before);
            count += all;
        }
        sync();
        return count;
    }
    // Lanes hold their items before any is written; an item's predecessor has either not moved or is itself again.
    template <class S>
    AB_FN u32 squeeze(u32* items, u32 n, u32 stride, S same) const {
        constexpr u32 MOST_WORDS = 9;
        u32 held[MOST_WORDS] = {};
        u32 count = 0, all = 0;
        sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 i = first + lane();
            bool stays = i < n && (i == 0 || !same(i - 1, i));
            if (stays) AB_ROLLED
            for (u32 k = 0; k < stride; ++k) held[k] = items[i * stride + k];
            u32 to = count + sum_before(stays, all);
            if (stays && to != i) AB_ROLLED
            for (u32 k = 0; k < stride; ++k) items[to * stride + k] = held[k];
            count += all;
            sync();
        }
        return count;
    }
    AB_FN void move_down(u32* to, const u32* from, u32 n) const {
        sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 k = first + lane(), word = k < n ? from[k] : 0;
            sync();
            if (k < n) to[k] = word;
            sync();
        }
    }
};

}  // namespace arcbatt
