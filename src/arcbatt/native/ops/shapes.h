// Shape and place: how tall and wide grids and patches are, and where patches lie.
#pragma once

#include "core/arrays.h"
#include "ops/numbers.h"

namespace arcbatt {
namespace shapes {

// --- extents ---

struct Span {
    i32 first, last;
    AB_FN i32 length() const { return last - first + 1; }
    AB_FN i32 middle() const { return first + length() / 2; }
};
struct Extent {
    Span rows, columns;
};

AB_FN bool one_colour(const Ctx& c, Object o) {
    const u32* keys = words(c, o);
    return (keys[0] ^ keys[o.n - 1]) < (1u << 24);
}
// Whether the keys of a patch that is not empty ascend by place.
AB_FN bool places_ascend(const Ctx&, Indices) { return true; }
AB_FN bool places_ascend(const Ctx& c, Object o) { return one_colour(c, o); }

template <class P>
AB_FN i32 first_row(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    if (places_ascend(c, patch)) return place_of(patch, keys[0]).i;
    return c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).i; });
}
template <class P>
AB_FN i32 last_row(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    if (places_ascend(c, patch)) return place_of(patch, keys[patch.n - 1]).i;
    return c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).i; });
}
template <class P>
AB_FN i32 first_column(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    return c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).j; });
}
template <class P>
AB_FN i32 last_column(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    return c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).j; });
}
template <class P>
AB_FN Span rows_of(const Ctx& c, P patch) {
    return Span{first_row(c, patch), last_row(c, patch)};
}
template <class P>
AB_FN Span columns_of(const Ctx& c, P patch) {
    return Span{first_column(c, patch), last_column(c, patch)};
}
template <class P>
AB_FN Extent extent_of(const Ctx& c, P patch) {
    return Extent{rows_of(c, patch), columns_of(c, patch)};
}

// The corner at one end of a patch's rows and one of its columns.
enum class End { FIRST, LAST };
template <End ROW, End COLUMN, class P>
AB_FN Status corner(const Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return EMPTY_TUPLE;
    out.i = ROW == End::FIRST ? first_row(c, patch) : last_row(c, patch);
    out.j = COLUMN == End::FIRST ? first_column(c, patch) : last_column(c, patch);
    return OK;
}

AB_FN IJ middle_of(Extent e) { return IJ{e.rows.middle(), e.columns.middle()}; }

AB_FN IJ shape_of(const Ctx&, Grid g) { return IJ{g.h, g.w}; }
template <class P>
AB_FN IJ shape_of(const Ctx& c, P patch) {
    if (patch.n == 0) return IJ{0, 0};
    Extent e = extent_of(c, patch);
    return IJ{e.rows.length(), e.columns.length()};
}

// --- places ---

// Sorted distinct places. Those of one colour are so already; of several, a map of the box orders them in linear time
// where the box is not much emptier than the object, a sort where it is.
AB_FN Status places_of(Ctx&, Indices patch, Indices& out) {
    out = patch;
    return OK;
}
AB_FN Status places_of(Ctx& c, Object o, Indices& out) {
    Status s = make_array(c, o.n, out);
    if (s != OK || o.n == 0) return s;
    const u32* from = words(c, o);
    u32* to = words(c, out);
    if (one_colour(c, o)) {
        c.g.each(o.n, [&](u32 k) { to[k] = ij_key(key_place(from[k])); });
        return OK;
    }
    u32 room = NOWHERE, wide = 0, area = 0;
    i32 top = 0, left = 0;
    if (o.n >= 24) {
        Extent e = extent_of(c, o);
        top = e.rows.first;
        left = e.columns.first;
        wide = u32(e.columns.length());
        area = u32(e.rows.length()) * wide;
        if (area <= 16 * o.n) room = c.a.take((area + 3) / 4);
    }
    if (room == NOWHERE) {
        c.g.each(o.n, [&](u32 k) { to[k] = ij_key(key_place(from[k])); });
        out.n = sort_unique_keys(c, to, o.n, K_IJ);
    } else {
        u32* blank = c.a.at(room);
        u8* taken = reinterpret_cast<u8*>(blank);
        c.g.each((area + 3) / 4, [&](u32 k) { blank[k] = 0; });
        c.g.each(o.n, [&](u32 k) {
            IJ p = key_place(from[k]);
            taken[u32(p.i - top) * wide + u32(p.j - left)] = 1;
        });
        out.n = c.g.compact(
            area, [&](u32 k) { return taken[k] != 0; },
            [&](u32 k, u32 at) { to[at] = ij_key(IJ{top + i32(k / wide), left + i32(k % wide)}); });
    }
    c.a.top = out.off + out.n;
    return OK;
}

}  // namespace shapes

namespace op {

// --- shape ---

AB_FN Status height(Ctx&, Grid g, i32& out) {
    out = g.h;
    return OK;
}
template <class P>
AB_FN Status height(Ctx& c, P patch, i32& out) {
    out = patch.n == 0 ? 0 : shapes::rows_of(c, patch).length();
    return OK;
}
AB_FN Status width(Ctx&, Grid g, i32& out) {
    out = g.w;
    return OK;
}
template <class P>
AB_FN Status width(Ctx& c, P patch, i32& out) {
    out = patch.n == 0 ? 0 : shapes::columns_of(c, patch).length();
    return OK;
}
template <class P>
AB_FN Status shape(Ctx& c, P piece, IJ& out) {
    out = shapes::shape_of(c, piece);
    return OK;
}
template <class P>
AB_FN Status portrait(Ctx& c, P piece, i32& out) {
    IJ size = shapes::shape_of(c, piece);
    out = size.i > size.j;
    return OK;
}
AB_FN Status square(Ctx&, Grid g, i32& out) {
    out = g.h == g.w;
    return OK;
}
template <class P>
AB_FN Status square(Ctx& c, P patch, i32& out) {
    IJ size = shapes::shape_of(c, patch);
    out = size.i == size.j && i64(size.i) * size.j == i64(patch.n);
    return OK;
}
template <class P>
AB_FN Status vline(Ctx& c, P patch, i32& out) {
    IJ size = shapes::shape_of(c, patch);
    out = size.j == 1 && u32(size.i) == patch.n;
    return OK;
}
template <class P>
AB_FN Status hline(Ctx& c, P patch, i32& out) {
    IJ size = shapes::shape_of(c, patch);
    out = size.i == 1 && u32(size.j) == patch.n;
    return OK;
}

// --- place ---

template <class P>
AB_FN Status toindices(Ctx& c, P patch, Indices& out) {
    return shapes::places_of(c, patch, out);
}
template <class P>
AB_FN Status uppermost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::first_row(c, patch);
    return OK;
}
template <class P>
AB_FN Status lowermost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::last_row(c, patch);
    return OK;
}
template <class P>
AB_FN Status leftmost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::first_column(c, patch);
    return OK;
}
template <class P>
AB_FN Status rightmost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::last_column(c, patch);
    return OK;
}
template <class P>
AB_FN Status ulcorner(Ctx& c, P patch, IJ& out) {
    return shapes::corner<shapes::End::FIRST, shapes::End::FIRST>(c, patch, out);
}
template <class P>
AB_FN Status urcorner(Ctx& c, P patch, IJ& out) {
    return shapes::corner<shapes::End::FIRST, shapes::End::LAST>(c, patch, out);
}
template <class P>
AB_FN Status llcorner(Ctx& c, P patch, IJ& out) {
    return shapes::corner<shapes::End::LAST, shapes::End::FIRST>(c, patch, out);
}
template <class P>
AB_FN Status lrcorner(Ctx& c, P patch, IJ& out) {
    return shapes::corner<shapes::End::LAST, shapes::End::LAST>(c, patch, out);
}
template <class P>
AB_FN Status center(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::middle_of(shapes::extent_of(c, patch));
    return OK;
}
// A place of several colours counts once in the sum and once per colour in the number it is divided by.
template <class P>
AB_FN Status centerofmass(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return EMPTY_TUPLE;
    auto mean = [&](auto spots) {
        const u32* keys = words(c, spots);
        i64 rows = c.g.sum_of(spots.n, [&](u32 k) { return place_of(spots, keys[k]).i; });
        i64 columns = c.g.sum_of(spots.n, [&](u32 k) { return place_of(spots, keys[k]).j; });
        return IJ{i32(floor_divide(rows, patch.n)), i32(floor_divide(columns, patch.n))};
    };
    if (shapes::places_ascend(c, patch)) {
        out = mean(patch);
        return OK;
    }
    u32 kept = c.a.top;
    Indices spots;
    Status s = shapes::places_of(c, patch, spots);
    if (s == OK) out = mean(spots);
    c.a.top = kept;
    return s;
}
template <class P>
AB_FN Status corners(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return ESCAPE;
    shapes::Extent e = shapes::extent_of(c, patch);
    u32 rows = e.rows.first == e.rows.last ? 1 : 2, columns = e.columns.first == e.columns.last ? 1 : 2;
    Status s = make_array(c, rows * columns, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    keys[0] = ij_key(IJ{e.rows.first, e.columns.first});
    keys[columns - 1] = ij_key(IJ{e.rows.first, e.columns.last});
    keys[out.n - columns] = ij_key(IJ{e.rows.last, e.columns.first});
    keys[out.n - 1] = ij_key(IJ{e.rows.last, e.columns.last});
    return OK;
}

}  // namespace op
}  // namespace arcbatt
