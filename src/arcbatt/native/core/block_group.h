// A group that is a block of a GPU, for what is too much for a warp; core/group.h says what a group is. It has all that
// a warp has but for ballots, which core/labels.h and core/bitboards.h need.
#pragma once

#include "core/lane_regions.h"

namespace arcbatt {

// Lanes show each other what they have on a board that all see. What is brought together from all lanes is so within
// each warp first: a region has few barriers.
struct Group : LaneRegions<Group> {
    static constexpr u32 FEW = 0;
#if AB_DEVICE
    AB_FN u32 lane() const { return threadIdx.x; }
    AB_FN void sync() const { __syncthreads(); }
    AB_FN u64* board() const {
        __shared__ u64 words[AB_LANES];
        return words;
    }
    static constexpr u32 WARP = 32, WARPS = AB_LANES / WARP, ALL = 0xFFFFFFFFu;
    AB_FN bool any_held(bool x) const { return __syncthreads_or(x) != 0; }
    AB_FN u32 exchanged(u32 x, u32 step) const { return __shfl_xor_sync(ALL, x, int(step)); }
    template <class O>
    AB_FN u64 reduce(u64 x, O both) const {
        AB_ROLLED
        for (u32 step = WARP / 2; step > 0; step /= 2) x = both(x, __shfl_xor_sync(ALL, x, int(step)));
        if (lane() % WARP == 0) board()[lane() / WARP] = x;
        sync();
        x = board()[0];
        AB_ROLLED
        for (u32 k = 1; k < WARPS; ++k) x = both(x, board()[k]);
        sync();
        return x;
    }
    AB_FN u32 sum_before(u32 x, u32& all) const {
        u32 sum = x;
        AB_ROLLED
        for (u32 step = 1; step < WARP; step *= 2) {
            u32 other = __shfl_up_sync(ALL, sum, step);
            if (lane() % WARP >= step) sum += other;
        }
        if (lane() % WARP == WARP - 1) board()[lane() / WARP] = sum;
        sync();
        u32 before = 0;
        all = 0;
        AB_ROLLED
        for (u32 k = 0; k < WARPS; ++k) {
            if (k == lane() / WARP) before = all;
            all += u32(board()[k]);
        }
        sync();
        return before + sum - x;
    }
#else
    Lanes* lanes = nullptr;
    u32 number = 0;
    Group() = default;
    Group(Lanes* all, u32 lane) : lanes(all), number(lane) {}
    u32 lane() const { return number; }
    void sync() const { lanes->barrier(number); }
    u64* board() const { return lanes->board; }
    bool any_held(bool x) const { return bits_held(x) != 0; }
    u32 exchanged(u32 x, u32 step) const { return shuffle(x, lane() ^ step); }
    template <class O>
    u64 reduce(u64 x, O both) const {
        board()[lane()] = x;
        sync();
        for (u32 k = 0; k < AB_LANES; ++k) x = k == lane() ? x : both(x, board()[k]);
        sync();
        return x;
    }
    u32 sum_before(u32 x, u32& all) const {
        board()[lane()] = x;
        sync();
        u32 before = 0;
        all = 0;
        for (u32 k = 0; k < AB_LANES; ++k) {
            if (k == lane()) before = all;
            all += u32(board()[k]);
        }
        sync();
        return before;
    }
#endif
    AB_FN u64 shuffle(u64 x, u32 from) const {
        board()[lane()] = x;
        sync();
        u64 got = board()[from % AB_LANES];
        sync();
        return got;
    }
    AB_FN u32 shuffle(u32 x, u32 from) const { return u32(shuffle(u64(x), from)); }
    AB_FN i32 least_held(i32 x) const {
        return i32(reduce(u64(x), [](u64 a, u64 b) { return u64(least(i32(a), i32(b))); }));
    }
    AB_FN i32 most_held(i32 x) const {
        return i32(reduce(u64(x), [](u64 a, u64 b) { return u64(most(i32(a), i32(b))); }));
    }
    AB_FN u64 bits_held(u64 x) const {
        return reduce(x, [](u64 a, u64 b) { return a | b; });
    }
    AB_FN i64 sum_held(i64 x) const {
        return i64(reduce(u64(x), [](u64 a, u64 b) { return a + b; }));
    }
    AB_FN u32 count_before(bool x, u32& all) const { return sum_before(x, all); }
};

}  // namespace arcbatt
