// A group of lanes runs one work item. Control flow and scalars are the same in all lanes; work over arrays is written
// as regions that the group spreads over its lanes, and whatever changes memory in place (a sort, say) is a region too,
// or is left to one lane. So that this is right on a warp, whose lanes need not run in step:
//
//   - a region begins and ends with all lanes together, and sees what was written before it;
//   - outside of regions every lane writes the same words, and reads only what it wrote itself or what a region or an
//     earlier instruction left there; it never changes a word by what stood in it;
//   - a region must not depend on the order of its indexes.
//
// With one lane a region is a plain loop. With 32 lanes on a CPU, testing/emulated_warp.h runs each lane up to the next
// barrier in an order that changes, so that code which leans on lanes being in step, or on order, fails its tests
// without a GPU.
#pragma once

#include "core/portability.h"

#if AB_LANES > 1 && !AB_DEVICE
#include "testing/emulated_warp.h"
#endif
#if AB_LANES > 1
#include "core/lane_regions.h"
#endif
#if AB_LANES > 32
#include "core/block_group.h"
#endif

namespace arcbatt {

#if AB_LANES == 1

struct Group {
    AB_FN u32 lane() const { return 0; }
    AB_FN void sync() const {}

    // f(i) for every i below n.
    template <class F>
    AB_FN void each(u32 n, F f) const {
        AB_ROLLED
        for (u32 i = 0; i < n; ++i) f(i);
    }
    // f() by one lane.
    template <class F>
    AB_FN void one(F f) const {
        f();
    }
    // What f() gives, computed by one lane.
    template <class F>
    AB_FN u32 from_one(F f) const {
        return u32(f());
    }
    // Whether f(i) holds for some i below n.
    template <class F>
    AB_FN bool any(u32 n, F f) const {
        AB_ROLLED
        for (u32 i = 0; i < n; ++i)
            if (f(i)) return true;
        return false;
    }
    // f(i) for every i below n; whether it held for some.
    template <class F>
    AB_FN bool flagged(u32 n, F f) const {
        bool found = false;
        for (u32 i = 0; i < n; ++i) found |= f(i);
        return found;
    }
    // get(i, x), then put(i, x), for every i below n; whether `get` held for some. Several are got before any is put.
    template <class R, class G, class P>
    AB_FN bool mapped(u32 n, G get, P put) const {
        u32 found = 0;
        AB_APART
        for (u32 i = 0; i < n; ++i) {
            R x{};
            found |= get(i, x) ? 1u : 0u;
            put(i, x);
        }
        return found != 0;
    }
    // The least, greatest, sum and union of bits of f(i).
    template <class F>
    AB_FN i32 min_of(u32 n, i32 start, F f) const {
        i32 value = start;
        AB_ROLLED
        for (u32 i = 0; i < n; ++i) value = least(value, i32(f(i)));
        return value;
    }
    template <class F>
    AB_FN i32 max_of(u32 n, i32 start, F f) const {
        i32 value = start;
        AB_ROLLED
        for (u32 i = 0; i < n; ++i) value = most(value, i32(f(i)));
        return value;
    }
    template <class F>
    AB_FN i64 sum_of(u32 n, F f) const {
        u64 value = 0;  // hashes are summed too, and may go round
        AB_ROLLED
        for (u32 i = 0; i < n; ++i) value += u64(i64(f(i)));
        return i64(value);
    }
    template <class F>
    AB_FN u64 bits_of(u32 n, F f) const {
        u64 value = 0;
        AB_ROLLED
        for (u32 i = 0; i < n; ++i) value |= u64(f(i));
        return value;
    }
    // The least, the greatest and the union of bits of what lanes hold, each from its part of a region.
    AB_FN i32 least_held(i32 x) const { return x; }
    AB_FN i32 most_held(i32 x) const { return x; }
    AB_FN u64 bits_held(u64 x) const { return x; }
    // put(i, k) for every i with keep(i), k counting them up in order; how many there were. What `put` writes must not
    // be what `keep` or `put` read for another i.
    template <class K, class P>
    AB_FN u32 compact(u32 n, K keep, P put) const {
        u32 count = 0;
        AB_ROLLED
        for (u32 i = 0; i < n; ++i)
            if (keep(i)) put(i, count++);
        return count;
    }
    // put(i, s) where s is the sum of f below i; the sum of all.
    template <class F, class P>
    AB_FN u32 scan(u32 n, F f, P put) const {
        u32 sum = 0;
        AB_ROLLED
        for (u32 i = 0; i < n; ++i) {
            u32 here = f(i);
            put(i, sum);
            sum += here;
        }
        return sum;
    }
    // The first n words of an array without those i > 0 for which same(i - 1, i), in place; how many are left.
    template <class S>
    AB_FN u32 squeeze(u32* items, u32 n, u32 stride, S same) const {
        u32 kept = n ? 1 : 0;
        AB_ROLLED
        for (u32 i = 1; i < n; ++i)
            if (!same(i - 1, i)) {
                if (kept != i) AB_ROLLED
                for (u32 k = 0; k < stride; ++k) items[kept * stride + k] = items[i * stride + k];
                ++kept;
            }
        return kept;
    }
    // Move words to a lower place, which may overlap.
    AB_FN void move_down(u32* to, const u32* from, u32 n) const {
        AB_ROLLED
        for (u32 k = 0; k < n; ++k) to[k] = from[k];
    }
};

#elif AB_WARP

struct Group : LaneRegions<Group> {
    static constexpr u32 FEW = 3;
#if AB_DEVICE
    static constexpr u32 ALL = 0xFFFFFFFFu;
    AB_FN u32 lane() const {
        u32 lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane;
    }
    AB_FN void sync() const { __syncwarp(); }
    // Of each lane a bit: whether it says so.
    AB_FN u32 ballot(bool x) const { return __ballot_sync(ALL, x); }
    // What another lane has.
    AB_FN u32 shuffle(u32 x, u32 from) const { return __shfl_sync(ALL, x, int(from)); }
#else
    Lanes* lanes = nullptr;
    u32 number = 0;
    Group() = default;
    Group(Lanes* all, u32 lane) : lanes(all), number(lane) {}
    u32 lane() const { return number; }
    void sync() const { lanes->barrier(number); }
    u32 ballot(bool x) const {
        lanes->board[number] = x;
        sync();
        u32 bits = 0;
        AB_ROLLED
        for (u32 k = 0; k < AB_LANES; ++k) bits |= u32(lanes->board[k]) << k;
        sync();
        return bits;
    }
    u32 shuffle(u32 x, u32 from) const {
        lanes->board[number] = x;
        sync();
        u32 got = lanes->board[from % AB_LANES];
        sync();
        return got;
    }
#endif
#if AB_DEVICE && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    // Of each lane a bit: whether it has what this one has.
    AB_FN u32 alike(u32 x) const { return __match_any_sync(ALL, x); }
#else
    AB_FN u32 alike(u32 x) const {
        u32 mine = 0;
        AB_ROLLED
        for (u32 rest = ~0u; rest;) {
            u32 there = ballot(x == shuffle(x, lowest_bit(rest)));
            if (there >> lane() & 1) mine = there;
            rest &= ~there;
        }
        return mine;
    }
#endif
    AB_FN u64 shuffle(u64 x, u32 from) const { return shuffle(u32(x), from) | u64(shuffle(u32(x >> 32), from)) << 32; }
    AB_FN i64 shuffle(i64 x, u32 from) const { return i64(shuffle(u64(x), from)); }
    AB_FN i32 shuffle(i32 x, u32 from) const { return i32(shuffle(u32(x), from)); }

    AB_FN u32 exchanged(u32 x, u32 step) const { return shuffle(x, lane() ^ step); }

    // All lanes' values by an operation that may take them in any order.
    template <class T, class O>
    AB_FN T reduce(T x, O both) const {
        AB_ROLLED
        for (u32 step = AB_LANES / 2; step > 0; step /= 2) x = both(x, shuffle(x, lane() ^ step));
        return x;
    }

#if AB_DEVICE && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    AB_FN i32 least_held(i32 x) const { return __reduce_min_sync(ALL, x); }
    AB_FN i32 most_held(i32 x) const { return __reduce_max_sync(ALL, x); }
    AB_FN u64 bits_held(u64 x) const {
        return __reduce_or_sync(ALL, u32(x)) | u64(__reduce_or_sync(ALL, u32(x >> 32))) << 32;
    }
    // In three pieces, so that the sums of 32 of them fit a word.
    AB_FN i64 sum_held(i64 x) const {
        constexpr u32 BITS = 26, MASK = (1u << BITS) - 1;
        u64 y = u64(x);
        u64 low = __reduce_add_sync(ALL, u32(y) & MASK), middle = __reduce_add_sync(ALL, u32(y >> BITS) & MASK);
        u64 high = __reduce_add_sync(ALL, u32(y >> (2 * BITS)));
        return i64(low + (middle << BITS) + (high << (2 * BITS)));
    }
#else
    AB_FN i32 least_held(i32 x) const {
        return reduce(x, [](i32 a, i32 b) { return least(a, b); });
    }
    AB_FN i32 most_held(i32 x) const {
        return reduce(x, [](i32 a, i32 b) { return most(a, b); });
    }
    AB_FN u64 bits_held(u64 x) const {
        return reduce(x, [](u64 a, u64 b) { return a | b; });
    }
    AB_FN i64 sum_held(i64 x) const {
        return reduce(x, [](i64 a, i64 b) { return i64(u64(a) + u64(b)); });
    }
#endif
    AB_FN bool any_held(bool x) const { return ballot(x) != 0; }
    AB_FN u32 count_before(bool x, u32& all) const {
        u32 bits = ballot(x);
        all = count_bits(bits);
        return count_bits(bits & ((1u << lane()) - 1));
    }
    AB_FN u32 sum_before(u32 x, u32& all) const {
        u32 sum = x;
#if AB_DEVICE
        for (u32 step = 1; step < AB_LANES; step *= 2)  // two instructions each: a lane below has nothing to add
            asm volatile(
                "{ .reg .u32 x; .reg .pred p; shfl.sync.up.b32 x|p, %0, %1, 0, 0xFFFFFFFF; @p add.u32 %0, %0, x; }"
                : "+r"(sum)
                : "r"(step));
#else
        AB_ROLLED
        for (u32 step = 1; step < AB_LANES; step *= 2) {
            u32 other = shuffle(sum, lane() - step);
            if (lane() >= step) sum += other;
        }
#endif
        all = shuffle(sum, u32(AB_LANES - 1));
        return sum - x;
    }
};

#endif

}  // namespace arcbatt
