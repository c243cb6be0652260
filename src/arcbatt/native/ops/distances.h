// Distances of patches.
#pragma once

#include "ops/patch_boards.h"

namespace arcbatt {
namespace shapes {

// How far a span moves until it shares a line with another.
AB_FN i32 approach(Span from, Span to) {
    if (from.last < to.first) return to.first - from.last;
    if (from.first > to.last) return to.last - from.first;
    return 0;
}
AB_FN Span joined(Span a, i32 move, Span b) {
    return Span{least(a.first + move, b.first), most(a.last + move, b.last)};
}

template <class A, class B>
AB_FN i32 distance_by_pairs(const Ctx& c, A a, IJ move, B b) {
    const u32 *ours = words(c, a), *others = words(c, b);
    i32 found = INT_MOST;
    auto apart = [&](u32 k, u32 m) {
        IJ p = place_of(a, ours[k]), q = place_of(b, others[m]);
        return magnitude(p.i + move.i - q.i) + magnitude(p.j + move.j - q.j);
    };
#if AB_LANES == 1
    for (u32 k = 0; k < a.n && found > 0; ++k) found = c.g.min_of(b.n, found, [&](u32 m) { return apart(k, m); });
    return found;
#else
    // A lane goes from one of its pairs to the next without dividing.
    u32 k = c.g.lane() / b.n, m = c.g.lane() % b.n;
    const u32 rows = AB_LANES / b.n, columns = AB_LANES % b.n;
    c.g.sync();
    AB_ROLLED
    while (k < a.n) {
        found = least(found, apart(k, m));
        k += rows;
        m += columns;
        if (m >= b.n) {
            m -= b.n;
            ++k;
        }
    }
    c.g.sync();
    return c.g.least_held(found);
#endif
}

// Spread b until it meets a. The window holds both boxes, and with them a shortest way between any two places.
template <class A, class B>
AB_FN Status distance_by_boards(Ctx& c, A a, IJ move, B b, Span rows, Span columns, i32 cap, i32& out) {
    Board still{nullptr, u32(rows.length()), span_for(columns.length())};
    Board now = still, next = still;
    u32 kept = c.a.top, size = still.size();
    u32* room = take_zeros(c, 3 * size + still.rows + 2);
    if (room == nullptr) return OVERFLOW_;
    still.bits = room;
    now.bits = room + size;
    next.bits = room + 2 * size;
    const u32* zeros = room + 3 * size;
    put_on(c, still, a, [&](IJ p) { return IJ{p.i + move.i - rows.first, p.j + move.j - columns.first}; });
    put_on(c, now, b, [&](IJ p) { return IJ{p.i - rows.first, p.j - columns.first}; });
    for (out = 0; out <= cap && !boards_meet(c, still, now, 0); ++out) {
        spread(c, now, next, zeros);
        Board last = now;
        now = next;
        next = last;
    }
    c.a.top = kept;
    return OK;
}

// The least of `found` and the distance of a place from sorted places. Row by row both ways, as far as a row can still
// hold a nearer one; in a row only the neighbours of the place's column count.
AB_FN i32 nearer(const u32* keys, u32 n, IJ p, i32 found) {
    auto look = [&](i32 row) {
        u32 at = lower_bound(keys, n, ij_key(IJ{row, p.j}));
        for (u32 k = at > 0 ? at - 1 : 0; k <= at && k < n; ++k) {
            IJ q = key_ij(keys[k]);
            if (q.i == row) found = least(found, magnitude(row - p.i) + magnitude(q.j - p.j));
        }
    };
    u32 at = lower_bound(keys, n, ij_key(IJ{p.i, -32768}));
    for (u32 k = at; k < n && key_ij(keys[k]).i - p.i < found;) {
        i32 row = key_ij(keys[k]).i;
        look(row);
        k = row == 32767 ? n : lower_bound(keys, n, ij_key(IJ{row + 1, -32768}));
    }
    for (u32 k = at; k > 0 && p.i - key_ij(keys[k - 1]).i < found;) {
        i32 row = key_ij(keys[k - 1]).i;
        look(row);
        k = lower_bound(keys, n, ij_key(IJ{row, -32768}));
    }
    return found;
}
template <class A, class B>
AB_FN Status distance_by_searches(Ctx& c, A a, IJ move, B b, i32& out) {
    u32 kept = c.a.top;
    Indices sorted;
    Status s = places_of(c, b, sorted);
    if (s != OK) return s;
    const u32 *ours = words(c, a), *others = words(c, sorted);
    i32 found = INT_MOST;
    c.g.each(a.n, [&](u32 k) {
        IJ p = place_of(a, ours[k]);
        if (found > 0) found = nearer(others, sorted.n, IJ{p.i + move.i, p.j + move.j}, found);
    });
    out = c.g.least_held(found);
    c.a.top = kept;
    return OK;
}

// The least distance of two patches, or any number above cap where it is above that. Boxes apart are first moved until
// they share a row and a column: that takes the same off the distance of any two places. So few pairs that their boxes
// would take longer are looked at as they are.
template <class A, class B>
AB_FN Status distance(Ctx& c, A a, B b, i32 cap, i32& out) {
    constexpr u32 FEW_PAIRS = AB_LANES > 1 ? 32 * AB_LANES : 8;
    if (a.n == 0 || b.n == 0) return EMPTY;
    if (u64(a.n) * b.n <= FEW_PAIRS) {
        out = distance_by_pairs(c, a, IJ{0, 0}, b);
        return OK;
    }
    Extent ea = extent_of(c, a), eb = extent_of(c, b);
    IJ move{approach(ea.rows, eb.rows), approach(ea.columns, eb.columns)};
    i32 apart = magnitude(move.i) + magnitude(move.j);
    out = apart;
    if (apart > cap) return OK;
    Span rows = joined(ea.rows, move.i, eb.rows), columns = joined(ea.columns, move.j, eb.columns);
    i32 rest = 0;
    Status s = OK;
    switch (way_for(u64(a.n) * b.n, u64(rows.length()) * span_for(columns.length()))) {
        case Way::PAIRS:
            rest = distance_by_pairs(c, a, move, b);
            break;
        case Way::BOARDS:
            s = distance_by_boards(c, a, move, b, rows, columns, cap - apart, rest);
            break;
        case Way::SEARCHES:
            s = distance_by_searches(c, a, move, b, rest);
            break;
    }
    out = apart + rest;
    return s;
}

}  // namespace shapes

namespace op {

template <class A, class B>
AB_FN Status manhattan(Ctx& c, A a, B b, i32& out) {
    return shapes::distance(c, a, b, INT_MOST, out);
}
template <class A, class B>
AB_FN Status adjacent(Ctx& c, A a, B b, i32& out) {
    i32 apart = 0;
    Status s = shapes::distance(c, a, b, 1, apart);
    out = apart == 1;
    return s;
}

}  // namespace op
}  // namespace arcbatt
