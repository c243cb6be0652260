// Turning: grids and patches rotated and mirrored.
#pragma once

#include "core/gridwork.h"

namespace arcbatt {
namespace gridwork {

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

}  // namespace gridwork

namespace op {

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

}  // namespace op
}  // namespace arcbatt
