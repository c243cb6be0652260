// Outlines of boxes, the places around one, and straight lines.
#pragma once

#include "ops/patches.h"

namespace arcbatt {
namespace objects_impl {

AB_FN Status outline(Ctx& c, i32 top, i32 bottom, i32 left, i32 right, Indices& out) {
    u32 h = u32(bottom - top), w = u32(right - left);
    if (2 * u64(h + w) > MAX_ITEMS) return LIMIT;
    if (!ij_fits(IJ{top, left}) || !ij_fits(IJ{bottom, right})) return ESCAPE;
    u32 sides = w == 0 ? 1 : 2;
    u32 n = h == 0 ? w + 1 : 2 * (w + 1) + (h - 1) * sides;
    Status s = make_array(c, n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 first = ij_key(IJ{top, left});
    c.g.each(w + 1, [&](u32 j) {
        keys[j] = first + j;
        keys[n - 1 - w + j] = ij_key(IJ{bottom, left}) + j;
    });
    if (h == 0) return OK;
    c.g.each(h - 1, [&](u32 i) {
        u32 at = first + ((i + 1) << 16);
        keys[w + 1 + i * sides] = at;
        keys[w + i * sides + sides] = at + w;
    });
    return OK;
}

// The places at some steps from one.
template <u32 N>
AB_FN Status places_around(Ctx& c, IJ loc, const IJ (&steps)[N], Indices& out) {
    Status s = make_array(c, N, out);
    if (s != OK) return s;
    for (u32 k = 0; k < N; ++k)
        if (!in_range(i64(loc.i) + steps[k].i) || !in_range(i64(loc.j) + steps[k].j)) return LIMIT;
    for (u32 k = 0; k < N; ++k) {
        IJ p{loc.i + steps[k].i, loc.j + steps[k].j};
        if (!ij_fits(p)) return ESCAPE;
        words(c, out)[k] = ij_key(p);
    }
    return OK;
}

}  // namespace objects_impl

namespace op {

template <class P>
AB_FN Status box(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    return objects_impl::outline(c, b.top, b.bottom, b.left, b.right, out);
}

template <class P>
AB_FN Status inbox(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return EMPTY;
    Box b = objects_impl::patch_box(c, patch);
    return objects_impl::outline(c, least(b.top + 1, b.bottom - 1), most(b.top + 1, b.bottom - 1),
                                 least(b.left + 1, b.right - 1), most(b.left + 1, b.right - 1), out);
}

template <class P>
AB_FN Status outbox(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return EMPTY;
    Box b = objects_impl::patch_box(c, patch);
    return objects_impl::outline(c, b.top - 1, b.bottom + 1, b.left - 1, b.right + 1, out);
}

AB_FN Status dneighbors(Ctx& c, IJ loc, Indices& out) {
    const IJ steps[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    return objects_impl::places_around(c, loc, steps, out);
}

AB_FN Status ineighbors(Ctx& c, IJ loc, Indices& out) {
    const IJ steps[] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    return objects_impl::places_around(c, loc, steps, out);
}

AB_FN Status neighbors(Ctx& c, IJ loc, Indices& out) {
    const IJ steps[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
    return objects_impl::places_around(c, loc, steps, out);
}

AB_FN Status connect(Ctx& c, IJ a, IJ b, Indices& out) {
    i64 rows = i64(b.i) - a.i, columns = i64(b.j) - a.j;
    i64 tall = rows < 0 ? -rows : rows, wide = columns < 0 ? -columns : columns;
    if (rows && columns && tall != wide) return make_array(c, 0, out);
    u64 n = u64(most(tall, wide)) + 1;
    if (n > MAX_ITEMS) return LIMIT;
    if (!ij_fits(a) || !ij_fits(b)) return ESCAPE;
    Status s = make_array(c, n, out);
    if (s != OK) return s;
    bool backwards = rows < 0 || (rows == 0 && columns < 0);
    u32 first = ij_key(backwards ? b : a), last = ij_key(backwards ? a : b);
    u32 step = n > 1 ? u32(i64(i64(last) - first) / i64(n - 1)) : 0;
    u32* keys = words(c, out);
    c.g.each(out.n, [&](u32 k) { keys[k] = first + k * step; });
    return OK;
}

AB_FN Status shoot(Ctx& c, IJ start, IJ direction, Indices& out) {
    i64 i = start.i + 42 * i64(direction.i), j = start.j + 42 * i64(direction.j);
    if (!in_range(i) || !in_range(j)) return LIMIT;
    return connect(c, start, IJ{i32(i), i32(j)}, out);
}

AB_FN Status vfrontier(Ctx& c, IJ loc, Indices& out) {
    if (!ij_fits(IJ{0, loc.j})) return ESCAPE;
    Status s = make_array(c, 30, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(30, [&](u32 k) { keys[k] = ij_key(IJ{i32(k), loc.j}); });
    return OK;
}

AB_FN Status hfrontier(Ctx& c, IJ loc, Indices& out) {
    if (!ij_fits(IJ{loc.i, 0})) return ESCAPE;
    Status s = make_array(c, 30, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(30, [&](u32 k) { keys[k] = ij_key(IJ{loc.i, i32(k)}); });
    return OK;
}

}  // namespace op
}  // namespace arcbatt
