// Two patches, or a patch and a grid, compared by the rows and columns they take.
#pragma once

#include "ops/shapes.h"

namespace arcbatt {
namespace shapes {

// Whether two patches have a line in common, `line` being a place's row or column, `sa` and `sb` the spans of those.
template <class A, class B, class F>
AB_FN Status share_line(Ctx& c, A a, Span sa, B b, Span sb, F line, bool& out) {
    const u32 *ours = words(c, a), *others = words(c, b);
    i32 low = most(sa.first, sb.first), high = least(sa.last, sb.last);
    out = false;
    if (low > high) return OK;
    if (u64(a.n) * b.n <= 128) {
        for (u32 k = 0; k < a.n && !out; ++k) {
            i32 at = line(place_of(a, ours[k]));
            out = c.g.any(b.n, [&](u32 m) { return line(place_of(b, others[m])) == at; });
        }
        return OK;
    }
    u32 range = u32(high - low) + 1, kept = c.a.top, room = c.a.take((range + 3) / 4);
    if (room == NOWHERE) return OVERFLOW_;
    u32* blank = c.a.at(room);
    u8* taken = reinterpret_cast<u8*>(blank);
    c.g.each((range + 3) / 4, [&](u32 k) { blank[k] = 0; });
    c.g.each(a.n, [&](u32 k) {
        u32 at = u32(line(place_of(a, ours[k])) - low);
        if (at < range) taken[at] = 1;
    });
    out = c.g.any(b.n, [&](u32 k) {
        u32 at = u32(line(place_of(b, others[k])) - low);
        return at < range && taken[at] != 0;
    });
    c.a.top = kept;
    return OK;
}
template <class A, class B>
AB_FN Status share_column(Ctx& c, A a, Span sa, B b, Span sb, bool& out) {
    return share_line(c, a, sa, b, sb, [](IJ p) { return p.j; }, out);
}

}  // namespace shapes

namespace op {

template <class A, class B>
AB_FN Status hmatching(Ctx& c, A a, B b, i32& out) {
    bool found = false;
    Status s = OK;
    if (a.n != 0 && b.n != 0)
        s = shapes::share_line(c, a, shapes::rows_of(c, a), b, shapes::rows_of(c, b), [](IJ p) { return p.i; }, found);
    out = found;
    return s;
}
template <class A, class B>
AB_FN Status vmatching(Ctx& c, A a, B b, i32& out) {
    bool found = false;
    Status s = OK;
    if (a.n != 0 && b.n != 0)
        s = shapes::share_column(c, a, shapes::columns_of(c, a), b, shapes::columns_of(c, b), found);
    out = found;
    return s;
}
template <class P>
AB_FN Status bordering(Ctx& c, P patch, Grid g, i32& out) {
    if (patch.n == 0 || g.h == 0) return EMPTY;
    shapes::Extent e = shapes::extent_of(c, patch);
    out = e.rows.first == 0 || e.columns.first == 0 || e.rows.last == g.h - 1 || e.columns.last == g.w - 1;
    return OK;
}
template <class A, class B>
AB_FN Status position(Ctx& c, A a, B b, IJ& out) {
    if (a.n == 0 || b.n == 0) return EMPTY;
    IJ from = shapes::middle_of(shapes::extent_of(c, a)), to = shapes::middle_of(shapes::extent_of(c, b));
    out = IJ{(to.i > from.i) - (to.i < from.i), (to.j > from.j) - (to.j < from.j)};
    if (out.i == 0 && out.j == 0) out.j = -1;
    return OK;
}

}  // namespace op
}  // namespace arcbatt
