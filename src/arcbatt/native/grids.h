// Grids: turning, cutting, joining, scaling and painting them. Values never change, so a result that is a run of whole
// rows of its argument may share the argument's cells.
#pragma once

#include "arrays.h"

namespace arcbatt {
namespace gridwork {

// --- helpers: cells and rows ---
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

// --- helpers: parts ---

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

// --- helpers: colours ---

// The most common colour, the least of several.
AB_CALL Status grid_background(const Ctx& c, Grid grid, i32& out) {
    u32 n = cell_count(grid);
    if (n == 0) return EMPTY;
    const i8* from = cells(c, grid);
#if AB_LANES == 1
    // Four tables take cells in turn, so that runs of one colour do not wait on one counter; where all colours are 0 to
    // 15, as in most grids, only that much of a table is in use.
    u32 bits = 0;
    for (u32 k = 0; k < n; ++k) bits |= u8(from[k]);
    u32 shift = bits < 16 ? 0 : 128, colours = bits < 16 ? 16 : 256;
    unsigned short counts[4][256];
    for (u32 table = 0; table < 4; ++table)
        for (u32 x = 0; x < colours; ++x) counts[table][x] = 0;
    for (u32 k = 0; k < n; ++k) ++counts[k % 4][u8(u32(from[k]) + shift)];
    u32 best = 0, best_count = 0;
    for (u32 x = 0; x < colours; ++x) {
        u32 count = u32(counts[0][x]) + counts[1][x] + counts[2][x] + counts[3][x];
        if (count > best_count) {
            best = x;
            best_count = count;
        }
    }
    out = i32(best) - i32(shift);
#else
    // One count after the other of the colours there are; those from 63 on share a bit.
    u64 there = c.g.bits_of(n, [&](u32 k) { return u64(1) << least<u32>(u8(from[k]), 63); });
    i32 best = 0, best_count = 0;
    for (i32 colour = there >> 63 ? -128 : 0; colour < (there >> 63 ? 128 : 63); ++colour) {
        if (colour >= 0 && colour < 63 && !(there >> colour & 1)) continue;
        i32 count = i32(c.g.sum_of(n, [&](u32 k) { return from[k] == colour; }));
        if (count > best_count) {
            best = colour;
            best_count = count;
        }
    }
    out = best;
#endif
    return OK;
}

AB_FN bool has_colour(const Ctx& c, Grid grid, i32 colour) {
    const i8* from = cells(c, grid);
    return c.g.any(cell_count(grid), [&](u32 k) { return from[k] == colour; });
}

// A new grid of f(cell) for every cell.
template <class F>
AB_FN Status map_cells(Ctx& c, Grid grid, F f, Grid& out) {
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    c.g.each(cell_count(grid), [&](u32 k) { to[k] = f(from[k]); });
    return OK;
}

// --- helpers: patches ---

// Where the items of the colour of the item at start end; places have no colour.
AB_FN u32 colour_end(const Ctx&, Indices patch, u32) { return patch.n; }
AB_FN u32 colour_end(const Ctx& c, Object obj, u32 start) {
    const u32* keys = words(c, obj);
    u32 colour = keys[start] >> 24;
    if (colour == keys[obj.n - 1] >> 24) return obj.n;
    return lower_bound(keys, obj.n, (colour + 1) << 24);
}

// The patch with each place p at turn(p), which is one to one and onto the box `to`. Items of one colour stay together.
// Where they fill much of the box they are put in order by marking places in the box and reading the marks.
template <class P, class F>
AB_FN Status turn_patch(Ctx& c, P patch, Box to, F turn, P& out) {
    u32 corner;
    if (!moved_key(patch, 0, IJ{to.bottom, to.right}, corner)) return ESCAPE;
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    const u32* from = words(c, patch);
    u32* keys = words(c, out);
    auto worth = [](u32 n) { return 8 * u64(n) + 64; };
    u64 area = u64(to.height()) * u64(to.width());
    u32 wide = u32(to.width()), end_of_result = c.a.top;
    u32 scratch = area <= worth(patch.n) ? c.a.take((area + 3) / 4) : NOWHERE;
    u8* marks = nullptr;
    if (scratch != NOWHERE) {
        u32* blank = c.a.at(scratch);
        c.g.each(u32((area + 3) / 4), [&](u32 k) { blank[k] = 0; });
        marks = reinterpret_cast<u8*>(blank);
    }
    for (u32 start = 0, end; start < patch.n; start = end) {
        end = colour_end(c, patch, start);
        u32 n = end - start;
        if (marks && area <= worth(n)) {
            c.g.each(n, [&](u32 k) {
                IJ p = turn(place_of(patch, from[start + k]));
                marks[u32(p.i - to.top) * wide + u32(p.j - to.left)] = 1;
            });
            c.g.compact(
                u32(area), [&](u32 x) { return marks[x] != 0; },
                [&](u32 x, u32 k) {
                    marks[x] = 0;
                    moved_key(patch, from[start], IJ{to.top + i32(x / wide), to.left + i32(x % wide)}, keys[start + k]);
                });
        } else {
            c.g.each(n, [&](u32 k) {
                u32 key = from[start + k];
                moved_key(patch, key, turn(place_of(patch, key)), keys[start + k]);
            });
            sort_keys(c, keys + start, n);
        }
    }
    c.a.top = end_of_result;
    return OK;
}

// The box with the same upper left corner, as wide as this is tall.
AB_FN Box lying(Box box) { return Box{box.top, box.top + box.width() - 1, box.left, box.left + box.height() - 1}; }

// Whether the box moved stays within the numbers of the language.
AB_FN bool box_in_range(Box box, IJ by) {
    return in_range(i64(box.top) + by.i) && in_range(i64(box.bottom) + by.i) && in_range(i64(box.left) + by.j) &&
           in_range(i64(box.right) + by.j);
}

// --- helpers: painting ---

// A copy of the grid with the colour on the places of the patch that `allowed` lets through, by cell index.
template <class P, class F>
AB_FN Status fill_where(Ctx& c, Grid grid, i32 colour, P patch, F allowed, Grid& out) {
    const u32* keys = words(c, patch);
    auto meant = [&](u32 k) {
        IJ p = place_of(patch, keys[k]);
        return on_grid(grid, p) && allowed(cell_index(grid, p));
    };
    if (!colour_fits(colour) && c.g.any(patch.n, meant)) return ESCAPE;
    Status s = make_copy(c, grid, out);
    if (s != OK) return s;
    i8* to = cells(c, out);
    c.g.each(patch.n, [&](u32 k) {
        if (meant(k)) to[cell_index(grid, place_of(patch, keys[k]))] = i8(colour);
    });
    return OK;
}

// Set the cell of a key moved by an offset, where it lies on the grid and `allowed` lets it through.
template <class F>
AB_FN void set_cell(i8* to, Grid grid, u32 key, IJ by, F allowed) {
    IJ p = key_place(key);
    p.i += by.i;
    p.j += by.j;
    if (!on_grid(grid, p)) return;
    u32 at = cell_index(grid, p);
    if (allowed(at)) to[at] = i8(key_colour(key));
}

// Later cells cover earlier ones: a tuple's one by one, a set's colour by colour.
template <class F>
AB_FN void set_cells(const Ctx& c, Grid grid, CellSeq tuple, IJ by, F allowed) {
    i8* to = cells(c, grid);
    const u32* keys = words(c, tuple);
    c.g.one([&] {
        for (u32 k = 0; k < tuple.n; ++k) set_cell(to, grid, keys[k], by, allowed);
    });
}
template <class F>
AB_FN void set_cells(const Ctx& c, Grid grid, Object obj, IJ by, F allowed) {
    i8* to = cells(c, grid);
    const u32* keys = words(c, obj);
    for (u32 start = 0, end; start < obj.n; start = end) {
        end = colour_end(c, obj, start);
        c.g.each(end - start, [&](u32 k) { set_cell(to, grid, keys[start + k], by, allowed); });
    }
}

AB_FN auto everywhere() {
    return [](u32) { return true; };
}
// The cells that had the colour.
AB_FN auto only_on(const Ctx& c, Grid grid, i32 colour) {
    const i8* from = cells(c, grid);
    return [from, colour](u32 at) { return from[at] == colour; };
}

}  // namespace gridwork

namespace op {

// --- turning ---
AB_FN Status rot90(Ctx& c, Grid grid, Grid& out) {
    return gridwork::make_turned(c, grid, grid.w, grid.h, (grid.h - 1) * grid.w, 1, -grid.w, out);
}
AB_FN Status rot180(Ctx& c, Grid grid, Grid& out) {
    return gridwork::make_turned(c, grid, grid.h, grid.w, grid.h * grid.w - 1, -grid.w, -1, out);
}
AB_FN Status rot270(Ctx& c, Grid grid, Grid& out) {
    return gridwork::make_turned(c, grid, grid.w, grid.h, grid.w - 1, -1, grid.w, out);
}
AB_FN Status hmirror(Ctx& c, Grid grid, Grid& out) {
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid);
    i32 wide = grid.w;
    gridwork::copy_rows(c, cells(c, out), wide, from + (grid.h - 1) * wide, -wide, u32(grid.h), u32(wide));
    return OK;
}
AB_FN Status vmirror(Ctx& c, Grid grid, Grid& out) {
    return gridwork::make_turned(c, grid, grid.h, grid.w, grid.w - 1, grid.w, -1, out);
}
AB_FN Status dmirror(Ctx& c, Grid grid, Grid& out) {
    return gridwork::make_turned(c, grid, grid.w, grid.h, 0, 1, grid.w, out);
}
AB_FN Status cmirror(Ctx& c, Grid grid, Grid& out) {
    return gridwork::make_turned(c, grid, grid.w, grid.h, grid.h * grid.w - 1, -1, -grid.w, out);
}
template <int TAG>
AB_FN Status hmirror(Ctx& c, Array<TAG> patch, Array<TAG>& out) {
    if (patch.n == 0) return EMPTY;
    Box box = box_of(c, patch);
    i32 sum = box.top + box.bottom;
    return gridwork::turn_patch(c, patch, box, [sum](IJ p) { return IJ{sum - p.i, p.j}; }, out);
}
template <int TAG>
AB_FN Status vmirror(Ctx& c, Array<TAG> patch, Array<TAG>& out) {
    if (patch.n == 0) return EMPTY;
    Box box = box_of(c, patch);
    i32 sum = box.left + box.right;
    return gridwork::turn_patch(c, patch, box, [sum](IJ p) { return IJ{p.i, sum - p.j}; }, out);
}
template <int TAG>
AB_FN Status dmirror(Ctx& c, Array<TAG> patch, Array<TAG>& out) {
    if (patch.n == 0) return EMPTY;
    Box box = box_of(c, patch);
    i32 lead = box.top - box.left;
    return gridwork::turn_patch(
        c, patch, gridwork::lying(box), [lead](IJ p) { return IJ{p.j + lead, p.i - lead}; }, out);
}
template <int TAG>
AB_FN Status cmirror(Ctx& c, Array<TAG> patch, Array<TAG>& out) {
    if (patch.n == 0) return EMPTY;
    Box box = box_of(c, patch);
    i32 row = box.top + box.right, column = box.left + box.bottom;
    return gridwork::turn_patch(
        c, patch, gridwork::lying(box), [row, column](IJ p) { return IJ{row - p.j, column - p.i}; }, out);
}

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

// --- scaling ---
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

// --- colours ---
AB_FN Status canvas(Ctx& c, i32 colour, IJ dims, Grid& out) {
    Status s = make_grid(c, dims.i, dims.j, out);
    if (s != OK) return s;
    u32 n = gridwork::cell_count(out);
    if (n > 0 && !colour_fits(colour)) return ESCAPE;
    u32* to = c.a.at(out.off);
    u32 four = u32(u8(colour)) * 0x01010101u;
    c.g.each((n + 3) / 4, [&](u32 k) { to[k] = four; });
    return OK;
}
AB_FN Status cellwise(Ctx& c, Grid a, Grid b, i32 fallback, Grid& out) {
    if (a.h == 0) return EMPTY;
    if (b.h < a.h || b.w < a.w) return BOUNDS;
    const i8 *ours = cells(c, a), *others = cells(c, b);
    u32 wide = u32(a.w), other_wide = u32(b.w);
    auto differs = [&](u32 i) {
        for (u32 j = 0; j < wide; ++j)
            if (ours[i * wide + j] != others[i * other_wide + j]) return true;
        return false;
    };
    if (!colour_fits(fallback) && c.g.any(u32(a.h), differs)) return ESCAPE;
    Status s = make_grid(c, a.h, a.w, out);
    if (s != OK) return s;
    i8 other = i8(fallback);
    i8* to = cells(c, out);
    each_cell(c, u32(a.h), wide,
              [&](u32 i, u32 j, u32 k) { to[k] = ours[k] == others[i * other_wide + j] ? ours[k] : other; });
    return OK;
}
AB_FN Status replace(Ctx& c, Grid grid, i32 replacee, i32 replacer, Grid& out) {
    if (!colour_fits(replacee) || replacee == replacer) {
        out = grid;
        return OK;
    }
    if (!colour_fits(replacer) && gridwork::has_colour(c, grid, replacee)) return ESCAPE;
    i8 old = i8(replacee), fresh = i8(replacer);
    return gridwork::map_cells(c, grid, [old, fresh](i8 cell) { return cell == old ? fresh : cell; }, out);
}
AB_FN Status switch_(Ctx& c, Grid grid, i32 a, i32 b, Grid& out) {
    // A colour beyond a byte is not on the grid; what it is exchanged with must not be there then.
    if (!colour_fits(a) || !colour_fits(b)) {
        if (a != b && (gridwork::has_colour(c, grid, a) || gridwork::has_colour(c, grid, b))) return ESCAPE;
        out = grid;
        return OK;
    }
    i8 x = i8(a), y = i8(b);
    return gridwork::map_cells(c, grid, [x, y](i8 cell) { return cell == x ? y : cell == y ? x : cell; }, out);
}
AB_FN Status index(Ctx& c, Grid grid, IJ loc, OptInt& out) {
    if (grid.h == 0) return EMPTY;
    out.value = gridwork::on_grid(grid, loc) ? i32(cells(c, grid)[gridwork::cell_index(grid, loc)]) : NONE;
    return OK;
}

// --- painting ---
template <int TAG>
AB_FN Status fill(Ctx& c, Grid grid, i32 colour, Array<TAG> patch, Grid& out) {
    if (grid.h == 0) return EMPTY;
    return gridwork::fill_where(c, grid, colour, patch, gridwork::everywhere(), out);
}
template <int TAG>
AB_FN Status underfill(Ctx& c, Grid grid, i32 colour, Array<TAG> patch, Grid& out) {
    i32 background;
    Status s = gridwork::grid_background(c, grid, background);
    if (s != OK) return s;
    return gridwork::fill_where(c, grid, colour, patch, gridwork::only_on(c, grid, background), out);
}
template <int TAG>
AB_FN Status paint(Ctx& c, Grid grid, Array<TAG> obj, Grid& out) {
    if (grid.h == 0) return EMPTY;
    Status s = gridwork::make_copy(c, grid, out);
    if (s == OK) gridwork::set_cells(c, out, obj, IJ{0, 0}, gridwork::everywhere());
    return s;
}
template <int TAG>
AB_FN Status underpaint(Ctx& c, Grid grid, Array<TAG> obj, Grid& out) {
    i32 background;
    Status s = gridwork::grid_background(c, grid, background);
    if (s == OK) s = gridwork::make_copy(c, grid, out);
    if (s == OK) gridwork::set_cells(c, out, obj, IJ{0, 0}, gridwork::only_on(c, grid, background));
    return s;
}
template <int TAG>
AB_FN Status cover(Ctx& c, Grid grid, Array<TAG> patch, Grid& out) {
    i32 background;
    Status s = gridwork::grid_background(c, grid, background);
    if (s != OK) return s;
    return gridwork::fill_where(c, grid, background, patch, gridwork::everywhere(), out);
}
template <int TAG>
AB_FN Status shift(Ctx& c, Array<TAG> patch, IJ by, Array<TAG>& out) {
    if (patch.n == 0 || (by.i == 0 && by.j == 0)) {
        out = patch;
        return OK;
    }
    // No place of a key is this far from another.
    constexpr i32 too_far = 1 << 17;
    if (by.i < -too_far || by.i > too_far || by.j < -too_far || by.j > too_far)
        return gridwork::box_in_range(box_of(c, patch), by) ? ESCAPE : LIMIT;
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    const u32* from = words(c, patch);
    u32* to = words(c, out);
    bool lost = c.g.any(patch.n, [&](u32 k) {
        IJ p = place_of(patch, from[k]);
        return !moved_key(patch, from[k], IJ{p.i + by.i, p.j + by.j}, to[k]);
    });
    return lost ? ESCAPE : OK;
}

// The object need not have keys where it moved: what lies off the grid is not painted.
AB_FN Status move(Ctx& c, Grid grid, Object obj, IJ offset, Grid& out) {
    Status s = cover(c, grid, obj, out);
    if (s != OK || obj.n == 0) return s;
    if (!gridwork::box_in_range(box_of(c, obj), offset)) return LIMIT;
    gridwork::set_cells(c, out, obj, offset, gridwork::everywhere());
    return OK;
}

}  // namespace op
}  // namespace arcbatt
