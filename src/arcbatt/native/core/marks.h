// Sets of keys by marks: keys that lie in a small box are bits of a field, in the order of the keys, so that the union
// of many sets is a bit for each of their keys and one walk over the field.
#pragma once

#include "core/types.h"

namespace arcbatt {

// The least box that holds some keys: row and column of an IJ, before that the colour of a Cell.
struct KeyBox {
    static constexpr u32 FIELDS = 3;
    u32 shift[FIELDS], mask[FIELDS];
    i32 first[FIELDS], last[FIELDS];

    AB_FN explicit KeyBox(u32 kind) {
        bool cell = kind == K_CELL;
        shift[0] = 24;
        shift[1] = cell ? 12 : 16;
        shift[2] = 0;
        mask[0] = cell ? 0xFFu : 0;
        mask[1] = mask[2] = cell ? 0xFFFu : 0xFFFFu;
        for (u32 f = 0; f < FIELDS; ++f) {
            first[f] = INT_MOST;
            last[f] = -1;
        }
    }
    AB_FN u32 field(u32 f, u32 key) const { return key >> shift[f] & mask[f]; }
    AB_FN void hold(u32 key) {
        for (u32 f = 0; f < FIELDS; ++f) {
            first[f] = least(first[f], i32(field(f, key)));
            last[f] = most(last[f], i32(field(f, key)));
        }
    }
    AB_FN u64 size(u32 f) const { return u64(i64(last[f]) - first[f] + 1); }
    // How many places it has; many, where that does not fit a word.
    AB_FN u64 places() const {
        u64 two = size(0) * size(1);
        return two > 0xFFFFFFFFu ? two : two * size(2);
    }
    AB_FN u32 place(u32 key) const {
        u32 row = (field(0, key) - u32(first[0])) * u32(size(1)) + field(1, key) - u32(first[1]);
        return row * u32(size(2)) + field(2, key) - u32(first[2]);
    }
    AB_FN u32 key(u32 place) const {
        u32 wide = u32(size(2)), high = u32(size(1)), row = place / wide;
        u32 key = place - row * wide + u32(first[2]);
        return key | (row % high + u32(first[1])) << shift[1] | (row / high + u32(first[0])) << shift[0];
    }
};

// The union of sets of keys, `pairs` being offset and count of each. False where marks do not pay, or there is no room.
AB_FN bool unite_by_marks(Ctx& c, u32 kind, const u32* pairs, u32 n, u64 total, u32& out, u32& out_n) {
    constexpr u64 LEAST = 64, MOST_WORDS = 1 << 16;
    if (total < LEAST || kind == K_INT || kind == K_OPT) return false;
    // f(key) for all keys; where there are many sets, each lane takes some of them.
    auto visit = [&](auto f) {
        if (n >= 8 * AB_LANES) {
            c.g.each(n, [&](u32 k) {
                const u32* keys = c.a.at(pairs[2 * k]);
                for (u32 i = 0; i < pairs[2 * k + 1]; ++i) f(keys[i]);
            });
            return;
        }
        for (u32 k = 0; k < n; ++k) {
            const u32* keys = c.a.at(pairs[2 * k]);
            c.g.each(pairs[2 * k + 1], [&](u32 i) { f(keys[i]); });
        }
    };
    KeyBox box(kind);
    visit([&](u32 key) { box.hold(key); });
    for (u32 f = 0; f < KeyBox::FIELDS; ++f) {
        box.first[f] = c.g.least_held(box.first[f]);
        box.last[f] = -c.g.least_held(-box.last[f]);
    }
    u64 words = (box.places() + 31) / 32;
    if (words > MOST_WORDS || words > total + LEAST || c.a.capacity - c.a.top < words) return false;
    u32* marks = c.a.at(c.a.capacity - u32(words));
    c.g.each(u32(words), [&](u32 k) { marks[k] = 0; });
    visit([&](u32 key) {
        u32 place = box.place(key);
        fetch_or(marks[place / 32], 1u << place % 32);
    });
    u32 found = u32(c.g.sum_of(u32(words), [&](u32 k) { return i64(count_bits(marks[k])); }));
    if (c.a.capacity - c.a.top - words < found) return false;
    out = c.a.take(found);
    out_n = found;
    u32* to = c.a.at(out);
    c.g.scan(
        u32(words), [&](u32 k) { return count_bits(marks[k]); },
        [&](u32 k, u32 at) {
            for (u32 bits = marks[k]; bits; bits &= bits - 1) to[at++] = box.key(32 * k + lowest_bit(bits));
        });
    return true;
}

}  // namespace arcbatt
