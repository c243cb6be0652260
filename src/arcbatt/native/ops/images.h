// What the primitives on images have in common (language/primitives/images.py). Cells of a grid are bytes here already,
// so that no call of theirs escapes: what does not fit a cell is beyond a limit of the language. The dynamic tier calls
// these very functions (dynamic/images.h); a parameter that is a truth is a bool for it to know.
#pragma once

#include "core/bitboards.h"
#include "core/gridwork.h"

namespace arcbatt {
namespace images {

using gridwork::cell_count;
using gridwork::cell_index;
using gridwork::on_grid;
using objects_impl::take_words;

constexpr i32 GREATEST = 127;

AB_FN bool has_cells(Grid g) { return g.h > 0 && g.w > 0; }
AB_FN bool same_shape(Grid a, Grid b) { return a.h == b.h && a.w == b.w; }
AB_FN Grid item(const Ctx& c, GridSeq grids, u32 k) {
    const u32* pair = c.a.at(grids.off + 2 * k);
    return Grid{pair[0], i32(pair[1] >> 16), i32(pair[1] & 0xFFFFu)};
}

// A grid of such sides, which may be any numbers.
AB_FN Status make_image(Ctx& c, i64 h, i64 w, Grid& out) {
    if (h <= 0 || w <= 0) return EMPTY;
    if (h > MAX_SIDE || w > MAX_SIDE) return LIMIT;
    return make_grid(c, h, w, out);
}

// An image of the same shape, whose k-th cell, at (i, j), is f(i, j, k).
template <class F>
AB_FN Status redraw(Ctx& c, Grid g, F f, Grid& out) {
    Status s = make_grid(c, g.h, g.w, out);
    if (s != OK) return s;
    i8* to = cells(c, out);
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32 k) { to[k] = i8(f(i32(i), i32(j), k)); });
    return OK;
}

// --- colours ---

constexpr u32 COLOURS = 256;

// A number for each colour; `none` where it has none.
struct ByColour {
    u32* number;
    AB_FN u32& operator[](i32 colour) const { return number[colour + COLOUR_BIAS]; }
};
AB_FN Status make_by_colour(Ctx& c, u32 none, ByColour& out) {
    Status s = take_words(c, COLOURS, out.number);
    if (s == OK) c.g.each(COLOURS, [&](u32 k) { out.number[k] = none; });
    return s;
}

// --- directions ---

AB_FN bool is_step(IJ d) { return d.i != 0 || d.j != 0; }
// The same as far as grids can tell, so that sums with places fit.
AB_FN IJ near_step(IJ d) {
    auto cut = [](i32 x) { return most(-MAX_SIDE, least(x, MAX_SIDE)); };
    return IJ{cut(d.i), cut(d.j)};
}
AB_FN IJ plus(IJ p, IJ d) { return IJ{p.i + d.i, p.j + d.j}; }
AB_FN IJ opposite(IJ d) { return IJ{-d.i, -d.j}; }

// f(place) for the first place of every line in a direction.
template <class F>
AB_FN void each_line(const Ctx& c, Grid g, IJ d, F f) {
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32) {
        IJ p{i32(i), i32(j)};
        if (!on_grid(g, plus(p, opposite(d)))) f(p);
    });
}

// --- regions ---

// Cells that are connected have one label, the least of their numbers. A label is joined by having the greater of two
// roots point to the lesser; where another lane was faster, the roots are looked for again.
struct Regions {
    u32* label = nullptr;

    // Reads past what a lane may have kept: others change it.
    AB_FN u32 at(u32 k) const { return *const_cast<const volatile u32*>(label + k); }
    AB_FN u32 root(u32 k) const {
        for (u32 next = at(k); next != k; next = at(k)) k = next;
        return k;
    }
    AB_FN void join(u32 a, u32 b) const {
        for (;;) {
            a = root(a);
            b = root(b);
            if (a == b) return;
            u32 greater = most(a, b);
            if (compare_exchange(label[greater], greater, least(a, b))) return;
        }
    }
};

// The regions of one colour, connected by sides or also by corners.
AB_CALL Status find_regions(Ctx& c, Grid g, bool diagonal, Regions& out) {
    u32 n = cell_count(g), w = u32(g.w);
    Status s = take_words(c, n, out.label);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    const Regions& r = out;
    // A run of a row begins with one label.
    c.g.each(u32(g.h), [&](u32 i) {
        u32 k = i * w;
        for (u32 first = k; k < (i + 1) * w; ++k) {
            if (from[k] != from[first]) first = k;
            r.label[k] = first;
        }
    });
    each_cell(c, u32(g.h), w, [&](u32 i, u32 j, u32 k) {
        if (i == 0) return;
        auto same = [&](u32 other) { return from[other] == from[k]; };
        u32 above = k - w;
        // Where the cells to the left are alike too, they have joined already.
        if (same(above) && !(j > 0 && same(k - 1) && same(above - 1))) r.join(k, above);
        if (!diagonal) return;
        if (j > 0 && same(above - 1) && !same(above) && !same(k - 1)) r.join(k, above - 1);
        if (j + 1 < w && same(above + 1) && !same(above) && !same(k + 1)) r.join(k, above + 1);
    });
    c.g.each(n, [&](u32 k) { r.label[k] = r.root(k); });
    return OK;
}

}  // namespace images
}  // namespace arcbatt
