// Scaling: grids and objects made larger or smaller.
#pragma once

#include "core/gridwork.h"

namespace arcbatt {
namespace op {

AB_FN Status hupscale(Ctx& c, Grid grid, i32 n, Grid& out) {
    Status s = make_grid(c, grid.h, i64(grid.w) * n, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    u32 wide = u32(grid.w), columns = u32(out.w);
    each_cell(c, u32(out.h), wide, [&](u32 i, u32 j, u32 k) {
        i8* at = to + i * columns + j * u32(n);
        for (i32 m = 0; m < n; ++m) at[m] = from[k];
    });
    return OK;
}
AB_FN Status vupscale(Ctx& c, Grid grid, i32 n, Grid& out) {
    Status s = make_grid(c, i64(grid.h) * n, grid.w, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    u32 wide = u32(grid.w);
    c.g.each(u32(out.h), [&](u32 i) { gridwork::copy_row(to + i * wide, from + i / u32(n) * wide, wide); });
    return OK;
}
AB_FN Status upscale(Ctx& c, Grid grid, i32 n, Grid& out) {
    Status s = make_grid(c, i64(grid.h) * n, i64(grid.w) * n, out);
    if (s != OK || out.h == 0) return s;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    u32 wide = u32(grid.w), columns = u32(out.w), times = u32(n);
#if AB_LANES == 1
    c.g.each(u32(grid.h), [&](u32 i) {
        const i8* row = from + i * wide;
        i8* first = to + i * times * columns;
        i8* at = first;
        for (u32 j = 0; j < wide; ++j)
            for (u32 k = 0; k < times; ++k) *at++ = row[j];
        for (u32 k = 1; k < times; ++k) gridwork::copy_row(first + k * columns, first, columns);
    });
#else
    Columns by(times);
    each_cell(c, u32(out.h), columns, [&](u32 i, u32 j, u32 k) { to[k] = from[by.row(i) * wide + by.row(j)]; });
#endif
    return OK;
}

// The cells of one colour and row are a run of keys; n rows of n times as many come in its place, so that each cell
// knows where its copies go.
AB_FN Status upscale(Ctx& c, Object obj, i32 n, Object& out) {
    if (obj.n == 0 || n == 1) {
        out = obj;
        return OK;
    }
    if (n <= 0) return make_array(c, 0, out);
    if (n > 256 || u64(obj.n) * u32(n) * u32(n) > MAX_ITEMS) return LIMIT;
    Box box = box_of(c, obj);
    IJ corner{box.top + box.height() * n - 1, box.left + box.width() * n - 1};
    if (!place_fits_cell(corner)) return ESCAPE;
    u32 times = u32(n);
    Status s = make_array(c, u64(obj.n) * times * times, out);
    if (s != OK) return s;
    const u32* from = words(c, obj);
    u32* to = words(c, out);
    c.g.each(obj.n, [&](u32 k) {
        u32 key = from[k], last = key | 0xFFFu;
        u32 start = lower_bound(from, k, key & ~0xFFFu);
        u32 end = k + lower_bound(from + k, obj.n - k, last);
        if (end < obj.n && from[end] == last) ++end;
        IJ p = key_place(key);
        IJ first{(p.i - box.top) * n + box.top, (p.j - box.left) * n + box.left};
        u32 made = cell_key(key_colour(key), first);
        u32* row = to + start * times * times + (k - start) * times;
        for (u32 di = 0; di < times; ++di, row += (end - start) * times)
            for (u32 dj = 0; dj < times; ++dj) row[dj] = made + (di << 12) + dj;
    });
    return OK;
}
AB_FN Status downscale(Ctx& c, Grid grid, i32 n, Grid& out) {
    if (n == 0) return ZERO_DIVISION;
    if (grid.h == 0) return EMPTY;
    i32 step = n >= MAX_SIDE || n <= -MAX_SIDE ? MAX_SIDE : magnitude(n);
    return gridwork::make_turned(c, grid, (grid.h + step - 1) / step, (grid.w + step - 1) / step, 0, step * grid.w,
                                 step, out);
}

}  // namespace op
}  // namespace arcbatt
