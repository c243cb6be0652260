// Array work on keys: sorting, removing what is equal, searching, merging; and the same for arrays of arrays.
#pragma once

#include "core/marks.h"

namespace arcbatt {

// The first place in a sorted array whose key is not below.
AB_FN u32 lower_bound(const u32* keys, u32 n, u32 key) {
    u32 low = 0;
    while (low < n) {
        u32 middle = (low + n) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}
AB_FN bool has_key(const u32* keys, u32 n, u32 key) {
    u32 at = lower_bound(keys, n, key);
    return at < n && keys[at] == key;
}

// Ascending order in place of items of `stride` words, by heaps: no recursion, no other memory.
template <u32 MOST_WORDS, class Before>
AB_FN void heap_sort(u32* items, u32 n, u32 stride, Before before) {
    auto copy = [&](u32* to, const u32* from) {
        for (u32 k = 0; k < stride; ++k) to[k] = from[k];
    };
    u32 held[MOST_WORDS], last[MOST_WORDS];
    auto sift = [&](u32 root, u32 end) {
        copy(held, items + root * stride);
        for (;;) {
            u32 child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && before(items + child * stride, items + (child + 1) * stride)) ++child;
            if (!before(held, items + child * stride)) break;
            copy(items + root * stride, items + child * stride);
            root = child;
        }
        copy(items + root * stride, held);
    };
    for (u32 k = n / 2; k-- > 0;) sift(k, n);
    for (u32 end = n; end > 1;) {
        --end;
        copy(last, items + end * stride);
        copy(items + end * stride, items);
        copy(items, last);
        sift(0, end);
    }
}

#if AB_LANES == 1

// By digits of eight bits, the least first, between the array and free room behind the arena's top; digits all keys
// share are passed over. The result may lie in either place: false means in the room.
AB_FN bool radix_sort(u32*& keys, u32*& room, u32 n) {
    u32 all = keys[0], any = keys[0];
    for (u32 i = 1; i < n; ++i) {
        all &= keys[i];
        any |= keys[i];
    }
    bool home = true;
    for (u32 shift = 0; shift < 32; shift += 8) {
        if (((all ^ any) >> shift & 0xFFu) == 0) continue;
        u32 count[256] = {};
        for (u32 i = 0; i < n; ++i) ++count[keys[i] >> shift & 0xFFu];
        u32 place = 0;
        for (u32 digit = 0; digit < 256; ++digit) {
            u32 here = count[digit];
            count[digit] = place;
            place += here;
        }
        for (u32 i = 0; i < n; ++i) room[count[keys[i] >> shift & 0xFFu]++] = keys[i];
        u32* other = keys;
        keys = room;
        room = other;
        home = !home;
    }
    return home;
}

// Ascending order in place: short arrays by insertion, longer ones by digits, or by heaps where there is no room.
AB_FN void sort_keys(const Ctx& c, u32* keys, u32 n) {
    if (n < 24) {
        for (u32 i = 1; i < n; ++i) {
            u32 key = keys[i], j = i;
            for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    bool sorted = true;
    for (u32 i = 1; i < n && sorted; ++i) sorted = keys[i - 1] <= keys[i];
    if (sorted) return;
    if (n >= 64 && c.a.capacity - c.a.top >= n) {
        u32 *from = keys, *room = c.a.at(c.a.top);
        if (!radix_sort(from, room, n))
            for (u32 i = 0; i < n; ++i) keys[i] = from[i];
        return;
    }
    heap_sort<1>(keys, n, 1, [](const u32* a, const u32* b) { return *a < *b; });
}

// Ascending order in place of items of `stride` words.
template <u32 MOST_WORDS, class Before>
AB_FN void order_items(const Ctx&, u32* items, u32 n, u32 stride, Before before) {
    heap_sort<MOST_WORDS>(items, n, stride, before);
}

#else

// How many of the first `before_it` items of two runs merged come from the left one. Equal items stay in order.
template <class Before>
AB_FN u32 taken_from_left(const u32* left, u32 left_n, const u32* right, u32 right_n, u32 stride, u32 before_it,
                          Before before) {
    u32 low = before_it > right_n ? before_it - right_n : 0, high = least(before_it, left_n);
    while (low < high) {
        u32 at = (low + high) / 2;
        if (before(right + (before_it - 1 - at) * stride, left + at * stride))
            high = at;
        else
            low = at + 1;
    }
    return low;
}

// One pass of a merge sort: neighbouring runs become one. Each lane makes a stretch of what comes out, having searched
// where in the two runs it begins.
template <class Before>
AB_FN void merge_runs(const Ctx& c, const u32* from, u32* to, u32 n, u32 stride, u32 run, Before before) {
    u32 stretch = (n + AB_LANES - 1) / AB_LANES;
    c.g.each(AB_LANES, [&](u32 lane) {
        u32 place = least(lane * stretch, n), end = least(place + stretch, n);
        while (place < end) {
            u32 start = place / (2 * run) * (2 * run), middle = least(start + run, n), stop = least(middle + run, n);
            const u32 *left = from + start * stride, *right = from + middle * stride;
            u32 left_n = middle - start, right_n = stop - middle;
            u32 i = taken_from_left(left, left_n, right, right_n, stride, place - start, before), j = place - start - i;
            for (u32 last = least(end, stop); place < last; ++place) {
                bool first = i < left_n && (j == right_n || !before(right + j * stride, left + i * stride));
                const u32* item = first ? left + i++ * stride : right + j++ * stride;
                for (u32 k = 0; k < stride; ++k) to[place * stride + k] = item[k];
            }
        }
    });
}

template <class Before>
AB_FN void merge_sort(const Ctx& c, u32* items, u32* room, u32 n, u32 stride, u32 run, Before before) {
    u32 *from = items, *to = room;
    for (; run < n; run *= 2) {
        merge_runs(c, from, to, n, stride, run, before);
        u32* other = from;
        from = to;
        to = other;
    }
    if (from != items) c.g.each(n * stride, [&](u32 k) { items[k] = from[k]; });
}

// One lane sorts, where there is no room for all to do it. That takes long: a wave calls again with more room instead.
template <u32 MOST_WORDS, class Before>
AB_FN void sort_alone(const Ctx& c, u32* items, u32 n, u32 stride, Before before) {
#if AB_WAVES
    (void)items, (void)n, (void)stride, (void)before;
    c.cramped = true;
#else
    c.g.one([&] { heap_sort<MOST_WORDS>(items, n, stride, before); });
#endif
}

// Each RUN keys in order, a key a lane: a bitonic network whose steps are exchanges between the lanes of a warp.
constexpr u32 RUN = 32;
AB_FN void sort_runs(const Ctx& c, u32* keys, u32 n) {
    u32 lane = c.g.lane();
    c.g.sync();
    for (u32 first = 0; first < n; first += AB_LANES) {
        u32 key = first + lane < n ? keys[first + lane] : 0xFFFFFFFFu;
        for (u32 size = 2; size <= RUN; size *= 2)
            for (u32 step = size / 2; step > 0; step /= 2) {
                u32 other = c.g.exchanged(key, step);
                bool low = (lane & step) == 0, up = size == RUN || (lane & size) == 0;
                key = low == up ? least(key, other) : most(key, other);
            }
        if (first + lane < n) keys[first + lane] = key;
    }
    c.g.sync();
}

// Ascending order in place: runs of 32 are merged behind the arena's top, or one lane sorts where there is no room.
AB_CALL void sort_keys(const Ctx& c, u32* keys, u32 n) {
    if (n < 2 || !c.g.any(n - 1, [&](u32 i) { return keys[i] > keys[i + 1]; })) return;
    auto before = [](const u32* a, const u32* b) { return *a < *b; };
    if (n > RUN && c.a.capacity - c.a.top < n) return sort_alone<1>(c, keys, n, 1, before);
    sort_runs(c, keys, n);
    merge_sort(c, keys, c.a.at(c.a.top), n, 1, RUN, before);
}

template <u32 MOST_WORDS, class Before>
AB_FN void order_items(const Ctx& c, u32* items, u32 n, u32 stride, Before before) {
    if (u64(c.a.capacity - c.a.top) < u64(n) * stride)
        sort_alone<MOST_WORDS>(c, items, n, stride, before);
    else
        merge_sort(c, items, c.a.at(c.a.top), n, stride, 1, before);
}

#endif

// Drop what is equal from keys in order; how many are left.
AB_FN u32 distinct_keys(const Ctx& c, u32* keys, u32 n) {
    return c.g.squeeze(keys, n, 1, [&](u32 a, u32 b) { return keys[a] == keys[b]; });
}

// Sort and drop what is equal: any keys of a kind to a set's.
AB_FN u32 sort_unique_keys(const Ctx& c, u32* keys, u32 n, u32 kind) {
#if AB_LANES > 1
    Marks marks{KeyBox(kind), nullptr, 0};
    auto visit = [&](auto f) { c.g.each(n, [&](u32 k) { f(keys[k]); }); };
    if (mark_keys(c, n, marks, visit)) return marks.write(c, keys);
#else
    (void)kind;
#endif
    sort_keys(c, keys, n);
    return distinct_keys(c, keys, n);
}

// Order of two sets of keys as the sorted tuples they are: -1, 0 or 1.
AB_FN i32 compare_keys(const u32* a, u32 an, const u32* b, u32 bn) {
    u32 n = least(an, bn), i = 0;
#if AB_LANES > 1  // lanes look far apart: a few at a time, so that they wait once for all
    constexpr u32 SEVERAL = 4;
    AB_ROLLED
    for (; i + SEVERAL <= n; i += SEVERAL) {
        u32 x[SEVERAL], y[SEVERAL];
        for (u32 k = 0; k < SEVERAL; ++k) x[k] = a[i + k];
        for (u32 k = 0; k < SEVERAL; ++k) y[k] = b[i + k];
        for (u32 k = 0; k < SEVERAL; ++k)
            if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    }
    AB_ROLLED
#endif
    for (; i < n; ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return an == bn ? 0 : an < bn ? -1 : 1;
}

#if AB_LANES == 1
// Ascending order of items of two words: short runs by insertion, then merged by turns between the array and free room;
// by heaps where there is none.
template <class Before>
AB_FN void sort_pairs(const Ctx&, u32* pairs, u32 n, u32* room, Before before) {
    auto put = [](u32* to, const u32* from) {
        to[0] = from[0];
        to[1] = from[1];
    };
    constexpr u32 RUN = 8;
    if (n > RUN && !room) return heap_sort<2>(pairs, n, 2, before);
    for (u32 start = 0; start < n; start += RUN) {
        u32 end = least(start + RUN, n);
        for (u32 i = start + 1; i < end; ++i) {
            u32 held[2] = {pairs[2 * i], pairs[2 * i + 1]}, j = i;
            for (; j > start && before(held, pairs + 2 * j - 2); --j) put(pairs + 2 * j, pairs + 2 * j - 2);
            put(pairs + 2 * j, held);
        }
    }
    u32 *from = pairs, *to = room;
    for (u32 run = RUN; run < n; run *= 2) {
        for (u32 start = 0; start < n; start += 2 * run) {
            u32 middle = least(start + run, n), end = least(start + 2 * run, n), i = start, j = middle, at = start;
            bool apart = j >= end || !before(from + 2 * j, from + 2 * j - 2);  // the second run is all behind the first
            while (!apart && i < middle && j < end) {
                bool second = before(from + 2 * j, from + 2 * i);
                put(to + 2 * at++, from + 2 * (second ? j++ : i++));
            }
            while (i < middle) put(to + 2 * at++, from + 2 * i++);
            while (j < end) put(to + 2 * at++, from + 2 * j++);
        }
        u32* other = from;
        from = to;
        to = other;
    }
    if (from != pairs)
        for (u32 k = 0; k < 2 * n; ++k) pairs[k] = from[k];
}
#else
template <class Before>
AB_FN void sort_pairs(const Ctx& c, u32* pairs, u32 n, u32* room, Before before) {
    if (room)
        merge_sort(c, pairs, room, n, 2, 1, before);
    else
        sort_alone<2>(c, pairs, n, 2, before);
}
#endif

// Objects without those that are empty or equal the one before, but for one that is empty; how many are left. Loops
// over pairs make many of them: `connect` has nothing for most.
AB_FN u32 drop_repeated(const Ctx& c, u32* pairs, u32 n) {
    u32 empty = u32(c.g.min_of(n, i32(n), [&](u32 i) { return pairs[2 * i + 1] ? i32(n) : i32(i); }));
    return c.g.squeeze(pairs, n, 2, [&](u32 a, u32 b) {
        const u32 *x = pairs + 2 * a, *y = pairs + 2 * b;
        return y[1] == 0 ? b != empty : x[1] == y[1] && compare_keys(c.a.at(x[0]), x[1], c.a.at(y[0]), y[1]) == 0;
    });
}

#if AB_LANES > 1
// Many objects without those that equal another one, by a table of hashes behind the arena's top; how many are left,
// all where there is no room. To compare equal objects, as sorting does, all of their keys must be read.
AB_FN u32 drop_equal(const Ctx& c, u32* pairs, u32 n) {
    u32 places = 64;
    while (places < 2 * n && places < 1u << 31) places *= 2;
    if (c.a.capacity - c.a.top < places) return n;
    u32* table = c.a.at(c.a.top);  // of each place the number of an object, from 1 on
    c.g.each(places, [&](u32 k) { table[k] = 0; });
    auto hash = [&](u32 k) {
        const u32* keys = c.a.at(pairs[2 * k]);
        u32 h = pairs[2 * k + 1];
        for (u32 i = 0; i < pairs[2 * k + 1]; ++i) h = (h ^ keys[i]) * 0x9E3779B1u, h ^= h >> 15;
        return h & (places - 1);
    };
    u32 first = hash(0);
    c.g.one([&] { table[first] = 1; });  // the first one stays: the others are squeezed behind it
    c.g.sync();
    c.g.each(n - 1, [&](u32 before_it) {
        u32 k = before_it + 1, *mine = pairs + 2 * k;
        for (u32 at = hash(k);; at = (at + 1) & (places - 1)) {
            if (!load_volatile(table[at]) && compare_exchange(table[at], 0, k + 1)) return;
            const u32* other = pairs + 2 * (load_volatile(table[at]) - 1);
            if (other[1] != mine[1] || compare_keys(c.a.at(mine[0]), mine[1], c.a.at(other[0]), other[1]) != 0)
                continue;
            mine[1] = NOWHERE;
            return;
        }
    });
    return c.g.squeeze(pairs, n, 2, [&](u32, u32 k) { return pairs[2 * k + 1] == NOWHERE; });
}

// An object with its first two keys beside it, which nearly always decide which of two comes first. It is read and
// written at once: lanes that merge stand far apart, so what they wait for is the number of their accesses.
struct alignas(16) Keyed {
    u32 keys[2], pair[2];
};
template <class Before>
AB_FN bool comes_before(const Keyed& a, const Keyed& b, Before before) {
    if (a.keys[0] != b.keys[0]) return a.keys[0] < b.keys[0];
    return a.keys[1] != b.keys[1] ? a.keys[1] < b.keys[1] : before(a.pair, b.pair);
}
// What merge_runs does, with the next of either run in hand.
template <class Before>
AB_FN void merge_keyed(const Ctx& c, const Keyed* from, Keyed* to, u32 n, u32 run, Before before) {
    u32 stretch = (n + AB_LANES - 1) / AB_LANES;
    c.g.each(AB_LANES, [&](u32 lane) {
        u32 place = least(lane * stretch, n), end = least(place + stretch, n);
        while (place < end) {
            u32 start = place / (2 * run) * (2 * run), middle = least(start + run, n), stop = least(middle + run, n);
            const Keyed *left = from + start, *right = from + middle;
            u32 left_n = middle - start, right_n = stop - middle, ahead = place - start;
            u32 low = ahead > right_n ? ahead - right_n : 0, high = least(ahead, left_n);
            while (low < high) {  // how many of those ahead of this place are from the left
                u32 at = (low + high) / 2;
                if (comes_before(right[ahead - 1 - at], left[at], before))
                    high = at;
                else
                    low = at + 1;
            }
            u32 i = low, j = ahead - low;
            Keyed a = left[least(i, left_n - 1)], b = j < right_n ? right[j] : a;
            for (u32 last = least(end, stop); place < last; ++place) {
                bool first = i < left_n && (j == right_n || !comes_before(b, a, before));
                to[place] = first ? a : b;
                if (first && ++i < left_n) a = left[i];
                if (!first && ++j < right_n) b = right[j];
            }
        }
    });
}

// Ascending order of many objects. False where there is no room behind the arena's top; a wave calls again with more
// instead.
template <class Before>
AB_FN bool sort_by_first_keys(const Ctx& c, u32* pairs, u32 n, Before before) {
    constexpr u32 WORDS = sizeof(Keyed) / sizeof(u32);
    if (c.a.capacity - c.a.top < 2 * WORDS * u64(n) + WORDS) {
#if AB_WAVES
        c.cramped = true;
#endif
        return AB_WAVES;
    }
    u32* room = c.a.at(c.a.top);
    while (reinterpret_cast<u64>(room) % sizeof(Keyed)) ++room;
    Keyed *from = reinterpret_cast<Keyed*>(room), *to = from + n;
    c.g.each(n, [&](u32 k) {
        const u32 *pair = pairs + 2 * k, *keys = c.a.at(pair[0]);
        // Nothing comes before all else.
        from[k] = Keyed{{pair[1] > 0 ? keys[0] : 0, pair[1] > 1 ? keys[1] : 0}, {pair[0], pair[1]}};
    });
    for (u32 run = 1; run < n; run *= 2) {
        merge_keyed(c, from, to, n, run, before);
        Keyed* other = from;
        from = to;
        to = other;
    }
    c.g.each(n, [&](u32 k) {
        Keyed one = from[k];
        pairs[2 * k] = one.pair[0];
        pairs[2 * k + 1] = one.pair[1];
    });
    return true;
}
#endif

// Order objects (two words each, offset and count) by content and drop equal ones; how many are left.
AB_CALL u32 sort_unique_objects(const Ctx& c, u32* pairs, u32 n) {
    constexpr u32 MANY = 64;
    auto before = [&](const u32* a, const u32* b) {
        return !c.lane_stopped() && compare_keys(c.a.at(a[0]), a[1], c.a.at(b[0]), b[1]) < 0;
    };
    if (n < 2 || !c.g.any(n - 1, [&](u32 i) { return !before(pairs + 2 * i, pairs + 2 * i + 2); }))
        return n;  // strictly ascending, so nothing is equal
    u32 kept = n >= MANY ? drop_repeated(c, pairs, n) : n;
#if AB_LANES > 1
    constexpr u32 VERY_MANY = 512;
    if (kept >= VERY_MANY) kept = drop_equal(c, pairs, kept);
#endif
    bool behind = n - kept >= kept, ahead = c.a.capacity - c.a.top >= 2 * u64(kept), sorted = false;
#if AB_LANES > 1
    sorted = kept >= MANY && sort_by_first_keys(c, pairs, kept, before);
#endif
    if (!sorted) sort_pairs(c, pairs, kept, behind ? pairs + 2 * kept : ahead ? c.a.at(c.a.top) : nullptr, before);
    return c.g.squeeze(pairs, kept, 2, [&](u32 a, u32 b) { return !before(pairs + 2 * a, pairs + 2 * b); });
}

}  // namespace arcbatt
