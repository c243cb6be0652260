// What the operations on grids have in common: their cells and rows, and the runs of one colour in objects.
#pragma once

#include "core/arrays.h"

namespace arcbatt {
namespace gridwork {

AB_FN u32 cell_count(Grid g) { return u32(g.h) * u32(g.w); }
AB_FN bool on_grid(Grid g, IJ p) { return u32(p.i) < u32(g.h) && u32(p.j) < u32(g.w); }
AB_FN u32 cell_index(Grid g, IJ p) { return u32(p.i) * u32(g.w) + u32(p.j); }

AB_FN void copy_row(i8* __restrict to, const i8* __restrict from, u32 n) {
    for (u32 j = 0; j < n; ++j) to[j] = from[j];
}

// Rows of n cells from one grid to another, each step so many cells apart.
AB_FN void copy_rows(const Ctx& c, i8* to, i32 to_step, const i8* from, i32 from_step, u32 rows, u32 n) {
#if AB_LANES == 1
    c.g.each(rows, [&](u32 i) { copy_row(to + i32(i) * to_step, from + i32(i) * from_step, n); });
#else
    each_cell(c, rows, n,
              [&](u32 i, u32 j, u32) { to[i32(i) * to_step + i32(j)] = from[i32(i) * from_step + i32(j)]; });
#endif
}

// The grid's cells, at the start of another that has room for them.
AB_FN void copy_cells(const Ctx& c, Grid from, Grid to) {
    const u32* source = c.a.at(from.off);
    u32* target = c.a.at(to.off);
    c.g.each((cell_count(from) + 3) / 4, [&](u32 k) { target[k] = source[k]; });
}

AB_FN Status make_copy(Ctx& c, Grid grid, Grid& out) {
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s == OK) copy_cells(c, grid, out);
    return s;
}

// A grid of height by width whose cell (i, j) is the given one's at start + i * down + j * across.
AB_FN Status make_turned(Ctx& c, Grid grid, i32 height, i32 width, i32 start, i32 down, i32 across, Grid& out) {
    Status s = make_grid(c, height, width, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    each_cell(c, u32(out.h), u32(out.w),
              [&](u32 i, u32 j, u32 k) { to[k] = from[start + i32(i) * down + i32(j) * across]; });
    return OK;
}

// Where the items of the colour of the item at start end; places have no colour.
AB_FN u32 colour_end(const Ctx&, Indices patch, u32) { return patch.n; }
AB_FN u32 colour_end(const Ctx& c, Object obj, u32 start) {
    const u32* keys = words(c, obj);
    u32 colour = keys[start] >> 24;
    if (colour == keys[obj.n - 1] >> 24) return obj.n;
    return lower_bound(keys, obj.n, (colour + 1) << 24);
}

}  // namespace gridwork
}  // namespace arcbatt
