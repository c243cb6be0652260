// Sets of keys by marks: keys that lie in a small box are bits of a field, in the order of the keys, so that many keys,
// or the union of many sets, become a set by a bit for each key and one walk over the field. No sorting.
#pragma once

#include "core/values.h"

namespace arcbatt {

// The least box that holds some keys of a kind: a number, the row and column of an IJ, before that the colour of a
// Cell.
struct KeyBox {
    static constexpr u32 FIELDS = 3;
    u32 flipped, shift[FIELDS], mask[FIELDS];
    i32 first[FIELDS], last[FIELDS];

    AB_FN explicit KeyBox(u32 kind) {
        bool cell = kind == K_CELL, place = cell || kind == K_IJ;
        flipped = place ? 0 : int_key(0);
        shift[0] = 2 * PLACE_BITS;
        shift[1] = cell ? PLACE_BITS : IJ_BITS;
        shift[2] = 0;
        mask[0] = cell ? 0xFFu : 0;
        mask[1] = cell ? PLACE_MASK : place ? IJ_MASK : 0;
        mask[2] = cell ? PLACE_MASK : place ? IJ_MASK : 0xFFFFFFFFu;
        for (u32 f = 0; f < FIELDS; ++f) {
            first[f] = INT_MOST;
            last[f] = INT_LEAST;
        }
    }
    AB_FN i32 field(u32 f, u32 key) const { return i32((key ^ flipped) >> shift[f] & mask[f]); }
    AB_FN void hold(u32 key) {
        for (u32 f = 0; f < FIELDS; ++f) {
            first[f] = least(first[f], field(f, key));
            last[f] = most(last[f], field(f, key));
        }
    }
    AB_FN void join(const Group& g) {
        for (u32 f = 0; f < FIELDS; ++f) {
            first[f] = g.least_held(first[f]);
            last[f] = g.most_held(last[f]);
        }
    }
    AB_FN u64 size(u32 f) const { return u64(i64(last[f]) - first[f] + 1); }
    // How many places it has; many, where that does not fit a word.
    AB_FN u64 places() const {
        u64 two = size(0) * size(1);
        return two > 0xFFFFFFFFu ? two : two * size(2);
    }
    AB_FN u32 offset(u32 f, u32 key) const { return u32(field(f, key)) - u32(first[f]); }
    AB_FN u32 place(u32 key) const {
        return (offset(0, key) * u32(size(1)) + offset(1, key)) * u32(size(2)) + offset(2, key);
    }
    AB_FN u32 key(u32 place) const {
        u32 wide = u32(size(2)), high = u32(size(1)), row = place / wide;
        u32 key = place - row * wide + u32(first[2]);
        return (key | (row % high + u32(first[1])) << shift[1] | (row / high + u32(first[0])) << shift[0]) ^ flipped;
    }
};

struct Marks {
    KeyBox box;
    u32* bits;
    u32 words;

    // How many keys are marked.
    AB_FN u32 count(const Ctx& c) const {
        return u32(c.g.sum_of(words, [&](u32 k) { return i64(count_bits(bits[k])); }));
    }
    // The keys in order; how many there are.
    AB_FN u32 write(const Ctx& c, u32* to) const {
        return c.g.scan(
            words, [&](u32 k) { return count_bits(bits[k]); },
            [&](u32 k, u32 at) {
                for (u32 rest = bits[k]; rest; rest &= rest - 1) to[at++] = box.key(32 * k + lowest_bit(rest));
            });
    }
};

constexpr u32 LEAST_MARKS = 64;  // keys that are worth it

// Room close by, where a kernel for blocks has some, or at the end of the arena.
AB_FN u32* room_for_marks(const Ctx& c, u32 words) {
#if AB_LANES > 32
    if (words <= c.near.count) return c.near.words;
#endif
    if (words <= c.a.capacity - c.a.top) return c.a.at(c.a.capacity - words);
#if AB_WAVES
    c.cramped = true;
#endif
    return nullptr;
}

// Mark `total` keys of a kind: visit(f) is a region with f(key) for each. False where that does not pay, or there is no
// room for it; a wave calls again with more then.
template <class Visit>
AB_FN bool mark_keys(const Ctx& c, u64 total, Marks& marks, Visit visit) {
    constexpr u64 MOST_WORDS = 1 << 20;
    if (total < LEAST_MARKS) return false;
    visit([&](u32 key) { marks.box.hold(key); });
    marks.box.join(c.g);
    u64 words = (marks.box.places() + 31) / 32;
    if (words > MOST_WORDS || words > total + LEAST_MARKS) return false;
    marks.words = u32(words);
    marks.bits = room_for_marks(c, marks.words);
    if (!marks.bits) return false;
    c.g.each(marks.words, [&](u32 k) { marks.bits[k] = 0; });
    visit([&](u32 key) {
        u32 place = marks.box.place(key);
        fetch_or(marks.bits[place / 32], 1u << place % 32);
    });
    return true;
}

// --- many containers at a time ---

// put(k, i, word) for word i of container k, `pairs` being offset and count of each and `stride` the words of an item;
// `total` are all items. Lanes share containers out among them by how large these are, and the largest all together; a
// lane reads of several at a time, so that it waits once for all.
template <class P>
AB_FN void each_in_all(const Ctx& c, const u32* pairs, u32 n, u64 total, u32 stride, P put) {
    auto words = [&](u32 k) { return pairs[2 * k + 1] * stride; };
    auto word = [&](u32 k, u32 i) { return c.a.at(pairs[2 * k])[i]; };
#if AB_LANES == 1
    (void)total;
    for (u32 k = 0; k < n; ++k)
        for (u32 i = 0; i < words(k); ++i) put(k, i, word(k, i));
#else
    constexpr u32 SEVERAL = 4;
    u32 lane = c.g.lane(), team = 1;  // so many lanes take a container
    while (team < AB_LANES && u64(team) * 4 * n <= total * stride) team *= 2;
    u32 large = 64 * team, teams = AB_LANES / team;
    bool some_large = false;
    c.g.sync();
    AB_ROLLED
    for (u32 k = lane / team; k < n; k += SEVERAL * teams) {
        const u32* from[SEVERAL];
        u32 count[SEVERAL], longest = 0;
        for (u32 s = 0; s < SEVERAL; ++s) {
            u32 at = k + s * teams;
            from[s] = c.a.at(at < n ? pairs[2 * at] : 0);
            count[s] = at < n ? words(at) : 0;
        }
        for (u32 s = 0; s < SEVERAL; ++s) {
            some_large = some_large || count[s] > large;
            if (count[s] > large) count[s] = 0;
            longest = most(longest, count[s]);
        }
        AB_ROLLED
        for (u32 i = lane % team; i < longest; i += team) {
            u32 x[SEVERAL] = {};
            for (u32 s = 0; s < SEVERAL; ++s)
                if (i < count[s]) x[s] = from[s][i];
            for (u32 s = 0; s < SEVERAL; ++s)
                if (i < count[s]) put(k + s * teams, i, x[s]);
        }
    }
    if (c.g.any_held(some_large)) AB_ROLLED
    for (u32 k = 0; k < n; ++k)
        if (words(k) > large) AB_ROLLED
    for (u32 i = lane; i < words(k); i += AB_LANES) put(k, i, word(k, i));
    c.g.sync();
#endif
}

// The union of sets of keys. False where marks do not pay, or there is no room.
AB_FN bool unite_by_marks(Ctx& c, u32 kind, const u32* pairs, u32 n, u64 total, u32& out, u32& out_n) {
    Marks marks{KeyBox(kind), nullptr, 0};
    auto visit = [&](auto f) { each_in_all(c, pairs, n, total, 1, [&](u32, u32, u32 key) { f(key); }); };
    if (!mark_keys(c, total, marks, visit)) return false;
    u32 found = marks.count(c), *end = c.a.at(c.a.capacity);
    bool inside = marks.bits >= c.a.base && marks.bits < end;
    if (c.a.capacity - c.a.top - (inside ? marks.words : 0) < found) return false;
    out = c.a.take(found);
    out_n = marks.write(c, c.a.at(out));
    return true;
}

}  // namespace arcbatt
