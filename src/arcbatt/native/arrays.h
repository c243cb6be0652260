// Array work on keys: sorting, removing what is equal, searching, merging; and the same for arrays of arrays.
#pragma once

#include "values.h"

namespace arcbatt {

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
    auto sift = [&](u32 root, u32 end) {
        u32 key = keys[root];
        for (;;) {
            u32 child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && keys[child + 1] > keys[child]) ++child;
            if (keys[child] <= key) break;
            keys[root] = keys[child];
            root = child;
        }
        keys[root] = key;
    };
    for (u32 i = n / 2; i-- > 0;) sift(i, n);
    for (u32 end = n; --end > 0;) {
        u32 last = keys[end];
        keys[end] = keys[0];
        keys[0] = last;
        sift(0, end);
    }
}

// Drop equal neighbours of a sorted array; how many are left.
AB_FN u32 unique_keys(const Ctx& c, u32* keys, u32 n) {
    return c.g.compact(
        n, [&](u32 i) { return i == 0 || keys[i] != keys[i - 1]; }, [&](u32 i, u32 k) { keys[k] = keys[i]; });
}

// Sort and drop what is equal: any keys to a set's.
AB_FN u32 settle_keys(const Ctx& c, u32* keys, u32 n) {
    sort_keys(c, keys, n);
    u32 kept = n ? 1 : 0;
    for (u32 i = 1; i < n; ++i)
        if (keys[i] != keys[kept - 1]) keys[kept++] = keys[i];
    return kept;
}

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

// Order of two sets of keys as the sorted tuples they are: -1, 0 or 1.
AB_FN i32 compare_keys(const u32* a, u32 an, const u32* b, u32 bn) {
    u32 n = least(an, bn);
    for (u32 i = 0; i < n; ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return an == bn ? 0 : an < bn ? -1 : 1;
}

// Order objects (two words each, offset and count) by content and drop equal ones; how many are left.
AB_FN u32 settle_objects(const Ctx& c, u32* pairs, u32 n) {
    auto before = [&](const u32* a, const u32* b) { return compare_keys(c.a.at(a[0]), a[1], c.a.at(b[0]), b[1]) < 0; };
    auto sift = [&](u32 root, u32 end) {
        u32 key[2] = {pairs[2 * root], pairs[2 * root + 1]};
        for (;;) {
            u32 child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && before(pairs + 2 * child, pairs + 2 * child + 2)) ++child;
            if (!before(key, pairs + 2 * child)) break;
            pairs[2 * root] = pairs[2 * child];
            pairs[2 * root + 1] = pairs[2 * child + 1];
            root = child;
        }
        pairs[2 * root] = key[0];
        pairs[2 * root + 1] = key[1];
    };
    bool sorted = true;
    for (u32 i = 1; i < n && sorted; ++i) sorted = before(pairs + 2 * i - 2, pairs + 2 * i);
    if (sorted) return n;  // strictly ascending, so nothing is equal
    for (u32 i = n / 2; i-- > 0;) sift(i, n);
    for (u32 end = n; --end > 0;) {
        u32 last[2] = {pairs[2 * end], pairs[2 * end + 1]};
        pairs[2 * end] = pairs[0];
        pairs[2 * end + 1] = pairs[1];
        pairs[0] = last[0];
        pairs[1] = last[1];
        sift(0, end);
    }
    u32 kept = n ? 1 : 0;
    for (u32 i = 1; i < n; ++i)
        if (before(pairs + 2 * kept - 2, pairs + 2 * i)) {
            pairs[2 * kept] = pairs[2 * i];
            pairs[2 * kept + 1] = pairs[2 * i + 1];
            ++kept;
        }
    return kept;
}

}  // namespace arcbatt
