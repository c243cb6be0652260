// Colours: which ones grids and objects have, and how many cells of each.
#pragma once

#include "core/arrays.h"
#include "core/colour_counts.h"

namespace arcbatt {
namespace shapes {

AB_FN u32 cell_count(Grid g) { return u32(g.h) * u32(g.w); }

// How many cells of a grid have each colour from `first` on. Colours are nearly always below 16, so the table is that
// short where it can be; four tables take turns, since neighbours often have the same colour and would wait for each
// other.
struct Tally {
    const u32* count;
    u32 size;
    i32 first;
#if AB_WARP
    u32 mine = 0;
    // Where there is no table, of the lane whose number the colour is.
    AB_FN u32 of(u32 k) const { return count ? count[k] : mine; }
#else
    AB_FN u32 of(u32 k) const { return count[k]; }
#endif
};
AB_FN bool colours_below_16(const Ctx& c, Grid g) {
    const u32* four = c.a.at(g.off);
    const i8* cell = cells(c, g);
    u32 n = cell_count(g), whole = n / 4;
    for (u32 k = 4 * whole; k < n; ++k)
        if (u32(i32(cell[k])) > 15u) return false;
    return !c.g.any(whole, [&](u32 k) { return (four[k] & 0xF0F0F0F0u) != 0; });
}
AB_FN Status tally(Ctx& c, Grid g, Tally& out) {
#if AB_WARP
    ColourCounts counts = count_colours(c.g, c.a.at(g.off), cell_count(g));
    out = Tally{nullptr, ColourCounts::COLOURS, 0, counts.mine};
    if (!counts.beyond) return OK;
    constexpr bool few = false;
#else
    bool few = colours_below_16(c, g);
#endif
    u32 size = few ? 16 : 256, flip = few ? 0 : 128;
    u32 place = c.a.take(4 * size);
    if (place == NOWHERE) return OVERFLOW_;
    u32 *count = c.a.at(place), *second = count + size, *third = second + size, *fourth = third + size;
    const u32* four = c.a.at(g.off);
    const i8* cell = cells(c, g);
    u32 n = cell_count(g), whole = n / 4;
    c.g.each(4 * size, [&](u32 k) { count[k] = 0; });
    c.g.each(whole, [&](u32 k) {
        u32 x = four[k] ^ flip * 0x01010101u;
        fetch_add(count[x & 255], 1);
        fetch_add(second[x >> 8 & 255], 1);
        fetch_add(third[x >> 16 & 255], 1);
        fetch_add(fourth[x >> 24], 1);
    });
    c.g.each(n - 4 * whole, [&](u32 k) { fetch_add(count[(u32(cell[4 * whole + k]) ^ flip) & 255], 1); });
    c.g.each(size, [&](u32 k) { count[k] += second[k] + third[k] + fourth[k]; });
    out = Tally{count, size, -i32(flip)};
    return OK;
}

// f(colour, count) for every colour of an object, ascending: its cells are sorted by colour.
template <class F>
AB_FN void each_colour(const Ctx& c, Object o, F f) {
    const u32* keys = words(c, o);
    for (u32 start = 0; start < o.n;) {
        i32 colour = key_colour(keys[start]);
        u32 end = o.n;
        if (key_colour(keys[o.n - 1]) != colour)
            end = start + lower_bound(keys + start, o.n - start, cell_key(colour + 1, IJ{-2048, -2048}));
        f(colour, end - start);
        start = end;
    }
}

template <int TAG>
AB_FN Status colours_of(Ctx& c, Object o, Array<TAG>& out) {
    Status s = make_array(c, least(o.n, 256u), out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 n = 0;
    each_colour(c, o, [&](i32 colour, u32) { keys[n++] = int_key(colour); });
    out.n = n;
    c.a.top = out.off + n;
    return OK;
}
template <int TAG>
AB_FN Status colours_of(Ctx& c, Grid g, Array<TAG>& out) {
    Status s = make_array(c, least(cell_count(g), 256u), out);
    if (s != OK || out.n == 0) return s;
    Tally t;
    s = tally(c, g, t);
    if (s != OK) return s;
    u32* keys = words(c, out);
    out.n = c.g.compact(
        t.size, [&](u32 k) { return t.of(k) != 0; }, [&](u32 k, u32 at) { keys[at] = int_key(t.first + i32(k)); });
    c.a.top = out.off + out.n;
    return OK;
}

// How many bytes of a word are zero.
AB_FN u32 zero_bytes(u32 word) {
    u32 low = (word & 0x7F7F7F7Fu) + 0x7F7F7F7Fu;
    u32 zero = ~(low | word | 0x7F7F7F7Fu);
    return ((zero >> 7) * 0x01010101u) >> 24;
}

// Objects picked in order from a set or a tuple as a set; how many are left.
AB_FN u32 as_set(const Ctx&, Objects, u32*, u32 n) { return n; }
AB_FN u32 as_set(const Ctx& c, ObjectSeq, u32* pairs, u32 n) { return sort_unique_objects(c, pairs, n); }

}  // namespace shapes

namespace op {

AB_FN Status mostcolor(Ctx& c, Grid g, i32& out) {
    if (shapes::cell_count(g) == 0) return EMPTY;
    u32 kept = c.a.top;
    shapes::Tally t;
    Status s = shapes::tally(c, g, t);
    if (s != OK) return s;
    i32 found = c.g.max_of(t.size, 0, [&](u32 k) { return t.of(k) << 8 | (255 - k); });
    out = t.first + 255 - (found & 255);
    c.a.top = kept;
    return OK;
}
AB_FN Status mostcolor(Ctx& c, Object o, i32& out) {
    if (o.n == 0) return EMPTY;
    u32 found = 0;
    shapes::each_colour(c, o, [&](i32 colour, u32 count) {
        if (count > found) {
            found = count;
            out = colour;
        }
    });
    return OK;
}
AB_FN Status leastcolor(Ctx& c, Grid g, i32& out) {
    if (shapes::cell_count(g) == 0) return EMPTY;
    u32 kept = c.a.top;
    shapes::Tally t;
    Status s = shapes::tally(c, g, t);
    if (s != OK) return s;
    i32 found = c.g.min_of(t.size, INT_MOST, [&](u32 k) { return t.of(k) ? i32(t.of(k) << 8 | k) : INT_MOST; });
    out = t.first + (found & 255);
    c.a.top = kept;
    return OK;
}
AB_FN Status leastcolor(Ctx& c, Object o, i32& out) {
    if (o.n == 0) return EMPTY;
    u32 found = NOWHERE;
    shapes::each_colour(c, o, [&](i32 colour, u32 count) {
        if (count < found) {
            found = count;
            out = colour;
        }
    });
    return OK;
}
template <class E>
AB_FN Status palette(Ctx& c, E element, Ints& out) {
    return shapes::colours_of(c, element, out);
}
AB_FN Status p_g(Ctx& c, Grid g, IntSeq& out) { return shapes::colours_of(c, g, out); }
AB_FN Status numcolors(Ctx& c, Grid g, i32& out) {
    u32 kept = c.a.top;
    shapes::Tally t;
    Status s = shapes::tally(c, g, t);
    if (s != OK) return s;
    out = i32(c.g.sum_of(t.size, [&](u32 k) { return t.of(k) != 0; }));
    c.a.top = kept;
    return OK;
}
AB_FN Status numcolors(Ctx& c, Object o, i32& out) {
    out = 0;
    shapes::each_colour(c, o, [&](i32, u32) { ++out; });
    return OK;
}
AB_FN Status color(Ctx& c, Object o, i32& out) {
    if (o.n == 0) return EMPTY;
    out = key_colour(words(c, o)[0]);
    return OK;
}
AB_FN Status colorcount(Ctx& c, Grid g, i32 colour, i32& out) {
    out = 0;
    if (!colour_fits(colour)) return OK;
    const u32* four = c.a.at(g.off);
    const i8* cell = cells(c, g);
    u32 n = shapes::cell_count(g), whole = n / 4, pattern = (u32(colour) & 0xFFu) * 0x01010101u;
    out = i32(c.g.sum_of(whole, [&](u32 k) { return shapes::zero_bytes(four[k] ^ pattern); }));
    for (u32 k = 4 * whole; k < n; ++k) out += cell[k] == colour;
    return OK;
}
AB_FN Status colorcount(Ctx& c, Object o, i32 colour, i32& out) {
    out = 0;
    if (!colour_fits(colour)) return OK;
    const u32* keys = words(c, o);
    u32 start = lower_bound(keys, o.n, cell_key(colour, IJ{-2048, -2048}));
    u32 end = colour == 127 ? o.n : lower_bound(keys, o.n, cell_key(colour + 1, IJ{-2048, -2048}));
    out = i32(end - start);
    return OK;
}

template <class C>
AB_FN Status colorfilter(Ctx& c, C objects, i32 colour, Objects& out) {
    if (c.g.any(objects.n, [&](u32 k) { return member(c, objects, k).n == 0; })) return EMPTY;
    Status s = make_pairs(c, objects.n, out);
    if (s != OK) return s;
    u32* pairs = words(c, out);
    u32 n = c.g.compact(
        objects.n, [&](u32 k) { return key_colour(words(c, member(c, objects, k))[0]) == colour; },
        [&](u32 k, u32 at) {
            Object o = member(c, objects, k);
            pairs[2 * at] = o.off;
            pairs[2 * at + 1] = o.n;
        });
    out.n = shapes::as_set(c, objects, pairs, n);
    c.a.top = out.off + 2 * out.n;
    return OK;
}

}  // namespace op
}  // namespace arcbatt
