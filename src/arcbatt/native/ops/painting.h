// Painting: colours of grids changed, and patches filled, painted and moved.
#pragma once

#include "core/colour_counts.h"
#include "core/gridwork.h"

namespace arcbatt {
namespace gridwork {

// --- colours ---

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
#if AB_WARP
    ColourCounts counts = count_colours(c.g, c.a.at(grid.off), n);
    if (!counts.beyond) {
        out = most_common(c.g, counts);
        return OK;
    }
#endif
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

// --- painting ---

// Whether the box moved stays within the numbers of the language.
AB_FN bool box_in_range(Box box, IJ by) {
    return in_range(i64(box.top) + by.i) && in_range(i64(box.bottom) + by.i) && in_range(i64(box.left) + by.j) &&
           in_range(i64(box.right) + by.j);
}

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
#if AB_WARP
    // As many cells as there are lanes at a time; of those at one place the last lane's is set.
    u32 lane = c.g.lane();
    c.g.sync();
    AB_ROLLED
    for (u32 first = 0; first < tuple.n; first += AB_LANES) {
        u32 k = first + lane, key = k < tuple.n ? keys[k] : 0;
        u32 there = c.g.alike(k < tuple.n ? key & PLACE_OF_CELL : ~0u - lane);
        if (k < tuple.n && !(there >> lane >> 1)) set_cell(to, grid, key, by, allowed);
        c.g.sync();
    }
#else
    c.g.one([&] {
        for (u32 k = 0; k < tuple.n; ++k) set_cell(to, grid, keys[k], by, allowed);
    });
#endif
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
