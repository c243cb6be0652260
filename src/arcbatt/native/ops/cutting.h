// Cutting and joining grids. Values never change, so a result that is a run of whole rows of its argument may share the
// argument's cells.
#pragma once

#include "core/gridwork.h"

namespace arcbatt {
namespace gridwork {

// Rows from top up to bottom and columns from left up to right, all within the grid, as a copy.
AB_FN Status copy_part(Ctx& c, Grid grid, i32 top, i32 bottom, i32 left, i32 right, Grid& out) {
    Status s = make_grid(c, i64(bottom) - top, i64(right) - left, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid) + top * grid.w + left;
    copy_rows(c, cells(c, out), out.w, from, grid.w, u32(out.h), u32(out.w));
    return OK;
}

// The same, sharing the grid's cells where whole rows from a whole word on are asked for.
AB_FN Status take_part(Ctx& c, Grid grid, i32 top, i32 bottom, i32 left, i32 right, Grid& out) {
    if (top >= bottom) {
        out = Grid{0, 0, 0};
        return OK;
    }
    u32 skipped = u32(top) * u32(grid.w);
    if (left == 0 && right == grid.w && skipped % 4 == 0) {
        out = Grid{grid.off + skipped / 4, bottom - top, grid.w};
        return OK;
    }
    return copy_part(c, grid, top, bottom, left, right, out);
}

// Where a Python slice's bound lies among n items.
AB_FN i32 slice_bound(i64 x, i32 n) {
    if (x < 0) x += n;
    return x < 0 ? 0 : x > n ? n : i32(x);
}

AB_FN Status take_box(Ctx& c, Grid grid, IJ start, IJ dims, Grid& out) {
    return take_part(c, grid, slice_bound(start.i, grid.h), slice_bound(i64(start.i) + dims.i, grid.h),
                     slice_bound(start.j, grid.w), slice_bound(i64(start.j) + dims.j, grid.w), out);
}

// Length of each of n parts of a side, and from one part's start to the next.
AB_FN Status split_side(i32 side, i32 n, i32& part, i32& step) {
    if (n == 0) return ZERO_DIVISION;
    if (n > i32(MAX_ITEMS)) return LIMIT;
    part = n > 0 ? side / n : 0;
    step = n > 0 ? part + (side % n != 0) : 0;
    return OK;
}

AB_FN void set_item(const Ctx& c, GridSeq grids, u32 k, Grid grid) {
    u32* pair = words(c, grids) + 2 * k;
    pair[0] = grid.off;
    pair[1] = (u32(grid.h) << 16) | u32(grid.w);
}

}  // namespace gridwork

namespace op {

// --- cutting ---
AB_FN Status crop(Ctx& c, Grid grid, IJ start, IJ dims, Grid& out) {
    return gridwork::take_box(c, grid, start, dims, out);
}
template <int TAG>
AB_FN Status subgrid(Ctx& c, Array<TAG> patch, Grid grid, Grid& out) {
    if (patch.n == 0) return EMPTY;
    Box box = box_of(c, patch);
    return gridwork::take_box(c, grid, IJ{box.top, box.left}, IJ{box.height(), box.width()}, out);
}
AB_FN Status hsplit(Ctx& c, Grid grid, i32 n, GridSeq& out) {
    if (grid.h == 0) return EMPTY;
    i32 part, step;
    Status s = gridwork::split_side(grid.w, n, part, step);
    if (s == OK) s = make_pairs(c, n > 0 ? u64(n) : 0, out);
    for (i32 k = 0; s == OK && k < n; ++k) {
        Grid piece;
        s = gridwork::copy_part(c, grid, 0, grid.h, least(k * step, grid.w), least(k * step + part, grid.w), piece);
        if (s == OK) gridwork::set_item(c, out, u32(k), piece);
    }
    return s;
}
AB_FN Status vsplit(Ctx& c, Grid grid, i32 n, GridSeq& out) {
    if (grid.h == 0) return EMPTY;
    i32 part, step;
    Status s = gridwork::split_side(grid.h, n, part, step);
    if (s == OK) s = make_pairs(c, n > 0 ? u64(n) : 0, out);
    for (i32 k = 0; s == OK && k < n; ++k) {
        Grid piece;
        s = gridwork::copy_part(c, grid, least(k * step, grid.h), least(k * step + part, grid.h), 0, grid.w, piece);
        if (s == OK) gridwork::set_item(c, out, u32(k), piece);
    }
    return s;
}
AB_FN Status tophalf(Ctx& c, Grid grid, Grid& out) {
    return gridwork::take_part(c, grid, 0, grid.h / 2, 0, grid.w, out);
}
AB_FN Status bottomhalf(Ctx& c, Grid grid, Grid& out) {
    return gridwork::take_part(c, grid, (grid.h + 1) / 2, grid.h, 0, grid.w, out);
}
// Halves from side to side are made of a grid's columns, so of no column there is no row either.
AB_FN Status lefthalf(Ctx& c, Grid grid, Grid& out) {
    return gridwork::copy_part(c, grid, 0, grid.w < 2 ? 0 : grid.h, 0, grid.w / 2, out);
}
AB_FN Status righthalf(Ctx& c, Grid grid, Grid& out) {
    return gridwork::copy_part(c, grid, 0, grid.w < 2 ? 0 : grid.h, (grid.w + 1) / 2, grid.w, out);
}
AB_FN Status trim(Ctx& c, Grid grid, Grid& out) {
    return gridwork::take_part(c, grid, least(1, grid.h), most(grid.h - 1, 0), least(1, grid.w), most(grid.w - 1, 0),
                               out);
}

// Room for the most that can be left is taken first, then the lists of rows and columns to keep; what is not needed of
// both is given back.
AB_FN Status compress(Ctx& c, Grid grid, Grid& out) {
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s != OK || grid.h == 0) return s;
    u32 tall = u32(grid.h), wide = u32(grid.w);
    u32 scratch = c.a.take(u64(tall) + wide);
    if (scratch == NOWHERE) return OVERFLOW_;
    u32 *rows = c.a.at(scratch), *columns = rows + tall;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    auto row_stays = [&](u32 i) {
        const i8* row = from + i * wide;
        for (u32 j = 1; j < wide; ++j)
            if (row[j] != row[0]) return true;
        return wide == 0;
    };
    auto column_stays = [&](u32 j) {
        for (u32 i = 1; i < tall; ++i)
            if (from[i * wide + j] != from[j]) return true;
        return false;
    };
    u32 h = c.g.compact(tall, row_stays, [&](u32 i, u32 k) { rows[k] = i; });
    u32 w = c.g.compact(wide, column_stays, [&](u32 j, u32 k) { columns[k] = j; });
    each_cell(c, h, w, [&](u32 i, u32 j, u32 k) { to[k] = from[rows[i] * wide + columns[j]]; });
    c.a.top = out.off + (h * w + 3) / 4;
    out = h == 0 ? Grid{0, 0, 0} : Grid{out.off, i32(h), i32(w)};
    return OK;
}

// --- joining ---
AB_FN Status hconcat(Ctx& c, Grid a, Grid b, Grid& out) {
    Status s = make_grid(c, least(a.h, b.h), i64(a.w) + b.w, out);
    if (s != OK) return s;
    const i8 *left = cells(c, a), *right = cells(c, b);
    i8* to = cells(c, out);
    gridwork::copy_rows(c, to, out.w, left, a.w, u32(out.h), u32(a.w));
    gridwork::copy_rows(c, to + a.w, out.w, right, b.w, u32(out.h), u32(b.w));
    return OK;
}
AB_FN Status vconcat(Ctx& c, Grid a, Grid b, Grid& out) {
    if (a.h == 0 || b.h == 0) {
        out = a.h == 0 ? b : a;
        return OK;
    }
    if (a.w != b.w) {
        u32 size = gridwork::cell_count(a) + gridwork::cell_count(b);
        return a.h + b.h > MAX_SIDE || size > u32(MAX_CELLS) ? LIMIT : ESCAPE;
    }
    Status s = make_grid(c, i64(a.h) + b.h, a.w, out);
    if (s != OK) return s;
    gridwork::copy_cells(c, a, out);
    const i8* from = cells(c, b);
    i8* to = cells(c, out) + gridwork::cell_count(a);
    gridwork::copy_rows(c, to, b.w, from, b.w, u32(b.h), u32(b.w));
    return OK;
}

}  // namespace op
}  // namespace arcbatt
