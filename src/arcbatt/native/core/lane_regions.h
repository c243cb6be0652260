// What groups of several lanes have in common: regions, which core/group.h describes, over what lanes of a warp or of a
// block can do together:
//
//   lane(), sync()             which lane this is; wait for all lanes
//   shuffle(x, from)           what another lane has
//   exchanged(x, step)         what the lane of the same warp has whose number differs in one bit
//   any_held(x)                whether some lane says so
//   least_held, most_held,     of what lanes hold the least, the greatest,
//   sum_held, bits_held        the sum and the union of bits
//   sum_before(x, all)         the sum of the values of the lanes before this one; `all` becomes that of all
//   count_before(x, all)       the same of what is 0 or 1
//   FEW                        up to so many indexes every lane looks at all of them: that takes less than bringing
//                              together what lanes found
#pragma once

#include "core/portability.h"

namespace arcbatt {

template <class G>
struct LaneRegions {
    AB_FN const G& group() const { return static_cast<const G&>(*this); }

    template <class F>
    AB_FN void each(u32 n, F f) const {
        group().sync();
        AB_ROLLED
        for (u32 i = group().lane(); i < n; i += AB_LANES) f(i);
        group().sync();
    }
    template <class F>
    AB_FN void one(F f) const {
        group().sync();
        if (group().lane() == 0) f();
        group().sync();
    }
    template <class F>
    AB_FN u32 from_one(F f) const {
        u32 value = 0;
        group().sync();
        if (group().lane() == 0) value = u32(f());
        group().sync();
        return group().shuffle(value, 0u);
    }
    template <class F>
    AB_FN bool any(u32 n, F f) const {
        bool found = false;
        group().sync();
        if (n <= G::FEW) {
            for (u32 i = 0; i < n; ++i) found = f(i) || found;
        } else {
            AB_ROLLED
            for (u32 first = 0; first < n && !found; first += AB_LANES) {
                u32 i = first + group().lane();
                found = group().any_held(i < n && f(i));
            }
        }
        group().sync();
        return found;
    }
    template <class F>
    AB_FN bool flagged(u32 n, F f) const {
        bool found = false;
        each(n, [&](u32 i) { found |= f(i); });
        return group().any_held(found);
    }
    // A lane takes several at once, so that it need not wait for the memory between them.
    template <class R, class T, class P>
    AB_FN bool mapped(u32 n, T get, P put) const {
        constexpr u32 SEVERAL = 4;
        bool found = false;
        u32 i = group().lane();
        group().sync();
        AB_ROLLED
        for (; i + (SEVERAL - 1) * AB_LANES < n; i += SEVERAL * AB_LANES) {
            R x[SEVERAL] = {};
            for (u32 k = 0; k < SEVERAL; ++k) found |= get(i + k * AB_LANES, x[k]);
            for (u32 k = 0; k < SEVERAL; ++k) put(i + k * AB_LANES, x[k]);
        }
        AB_ROLLED
        for (; i < n; i += AB_LANES) {
            R x{};
            found |= get(i, x);
            put(i, x);
        }
        group().sync();
        return group().any_held(found);
    }
    // take(i) for every index, each lane some of them or all lanes all; whether what they hold is to be brought
    // together.
    template <class T>
    AB_FN bool shared(u32 n, T take) const {
        group().sync();
        u32 start = n <= G::FEW ? 0 : group().lane(), step = n <= G::FEW ? 1 : AB_LANES;
#if AB_LANES > 32
        AB_UNROLLED
#else
        AB_ROLLED
#endif
        for (u32 i = start; i < n; i += step) take(i);
        group().sync();
        return n > G::FEW;
    }
    template <class F>
    AB_FN i32 min_of(u32 n, i32 start, F f) const {
        i32 value = start;
        bool apart = shared(n, [&](u32 i) { value = least(value, i32(f(i))); });
        return apart ? group().least_held(value) : value;
    }
    template <class F>
    AB_FN i32 max_of(u32 n, i32 start, F f) const {
        i32 value = start;
        bool apart = shared(n, [&](u32 i) { value = most(value, i32(f(i))); });
        return apart ? group().most_held(value) : value;
    }
    template <class F>
    AB_FN i64 sum_of(u32 n, F f) const {
        u64 value = 0;
        bool apart = shared(n, [&](u32 i) { value += u64(i64(f(i))); });
        return apart ? group().sum_held(i64(value)) : i64(value);
    }
    template <class F>
    AB_FN u64 bits_of(u32 n, F f) const {
        u64 value = 0;
        bool apart = shared(n, [&](u32 i) { value |= u64(f(i)); });
        return apart ? group().bits_held(value) : value;
    }
    // The lanes of a block take several indexes each at a time, side by side: they wait for each other less often, and
    // for several loads at once.
    static constexpr u32 SIDE_BY_SIDE = AB_LANES > 32 ? 4 : 1;
    template <class K, class P>
    AB_FN u32 compact(u32 n, K keep, P put) const {
        u32 count = 0, all = 0;
        group().sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += SIDE_BY_SIDE * AB_LANES) {
            u32 i = first + SIDE_BY_SIDE * group().lane();
            bool stays[SIDE_BY_SIDE];
            for (u32 k = 0; k < SIDE_BY_SIDE; ++k) stays[k] = i + k < n && keep(i + k);
            u32 at = count + places_before(stays, all);
            for (u32 k = 0; k < SIDE_BY_SIDE; ++k)
                if (stays[k]) put(i + k, at++);
            count += all;
        }
        group().sync();
        return count;
    }
    // How many of the lanes before this one stay; `all` becomes how many do in all.
    AB_FN u32 places_before(const bool (&stays)[SIDE_BY_SIDE], u32& all) const {
        if constexpr (SIDE_BY_SIDE == 1) return group().count_before(stays[0], all);
        u32 mine = 0;
        for (u32 k = 0; k < SIDE_BY_SIDE; ++k) mine += stays[k];
        return group().sum_before(mine, all);
    }
    template <class F, class P>
    AB_FN u32 scan(u32 n, F f, P put) const {
        u32 sum = 0, all = 0;
        group().sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 i = first + group().lane();
            u32 before = group().sum_before(i < n ? u32(f(i)) : 0, all);
            if (i < n) put(i, sum + before);
            sum += all;
        }
        group().sync();
        return sum;
    }
    // Lanes hold their items before any is written; an item's predecessor has either not moved or is itself again.
    template <class S>
    AB_FN u32 squeeze(u32* items, u32 n, u32 stride, S same) const {
        if (SIDE_BY_SIDE > 1 && stride <= 2) return squeeze_few(items, n, stride, same);
        constexpr u32 MOST_WORDS = 9;
        u32 held[MOST_WORDS] = {};
        u32 count = 0, all = 0;
        group().sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 i = first + group().lane();
            bool stays = i < n && (i == 0 || !same(i - 1, i));
            if (stays) AB_ROLLED
            for (u32 k = 0; k < stride; ++k) held[k] = items[i * stride + k];
            u32 to = count + group().count_before(stays, all);
            group().sync();
            if (stays && to != i) AB_ROLLED
            for (u32 k = 0; k < stride; ++k) items[to * stride + k] = held[k];
            count += all;
            group().sync();
        }
        return count;
    }
    template <class S>
    AB_FN u32 squeeze_few(u32* items, u32 n, u32 stride, S same) const {
        u32 held[2 * SIDE_BY_SIDE] = {}, count = 0, all = 0;
        group().sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += SIDE_BY_SIDE * AB_LANES) {
            u32 i = first + SIDE_BY_SIDE * group().lane();
            bool stays[SIDE_BY_SIDE];
            for (u32 k = 0; k < SIDE_BY_SIDE; ++k) {
                stays[k] = i + k < n && (i + k == 0 || !same(i + k - 1, i + k));
                if (!stays[k]) continue;
                held[2 * k] = items[(i + k) * stride];
                held[2 * k + 1] = items[(i + k) * stride + stride - 1];
            }
            u32 to = count + places_before(stays, all);
            group().sync();
            for (u32 k = 0; k < SIDE_BY_SIDE; ++k) {
                if (!stays[k]) continue;
                items[to * stride] = held[2 * k];
                items[to * stride + stride - 1] = held[2 * k + 1];
                ++to;
            }
            count += all;
            group().sync();
        }
        return count;
    }
    AB_FN void move_down(u32* to, const u32* from, u32 n) const {
        group().sync();
        AB_ROLLED
        for (u32 first = 0; first < n; first += AB_LANES) {
            u32 k = first + group().lane(), word = k < n ? from[k] : 0;
            group().sync();
            if (k < n) to[k] = word;
            group().sync();
        }
    }
};

}  // namespace arcbatt
