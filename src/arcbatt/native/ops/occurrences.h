// Occurrences: where a grid holds an object.
#pragma once

#include "ops/patches.h"

namespace arcbatt {
namespace objects_impl {

// The bits of m from which n bits upwards are all set.
AB_FN u64 runs_from(u64 m, u32 n) {
    u32 have = 1;
    for (; 2 * have <= n; have *= 2) m &= m >> have;
    return m & (m >> (n - have));
}

// Where a grid up to 64 wide holds an object that fits it: the object's cells are taken as runs of one colour along a
// row, and each run strikes out, a word at a time, the columns it does not fit from. Late colours come first, they are
// seldom the background.
AB_FN Status narrow_occurrences(Ctx& c, Grid g, Object obj, Box box, Indices& out) {
    const u32* keys = words(c, obj);
    i32 least_colour = key_colour(keys[0]);
    u32 slots = u32(key_colour(keys[obj.n - 1]) - least_colour) + 1;
    u32 h = u32(g.h), rows = h - u32(box.height()) + 1, columns = u32(g.w - box.width()) + 1;
    Status s = make_array(c, u64(rows) * columns, out);
    if (s != OK) return s;
    Boards b{h, 1, slots, nullptr, Bits{nullptr}};
    Bits fits;
    u32 *runs, *starts;
    s = take_bits(c, u64(slots) * h, b.bits);
    if (s == OK) s = take_bits(c, rows, fits);
    if (s == OK) s = take_words(c, rows, starts);
    if (s == OK) s = take_words(c, obj.n + 1, runs);
    if (s != OK) return s;
    u32 n = c.g.compact(
        obj.n, [&](u32 k) { return k == 0 || keys[k] != keys[k - 1] + 1; }, [&](u32 k, u32 at) { runs[at] = k; });
    runs[n] = obj.n;
    for (u32 k = 0, drawn = NOWHERE; k < n; ++k) {
        u32 slot = u32(key_colour(keys[runs[k]]) - least_colour);
        if (slot != drawn) draw_board(c, g, b, b.board(slot), least_colour + i32(slot));
        drawn = slot;
    }
    c.g.each(rows, [&](u32 row) {
        u64 open = low_bits(columns);
        for (u32 k = n; k-- > 0 && open;) {
            u32 key = keys[runs[k]];
            IJ p = key_place(key);
            u64 cells = b.board(u32(key_colour(key) - least_colour)).get(row + u32(p.i - box.top));
            open &= runs_from(cells, runs[k + 1] - runs[k]) >> u32(p.j - box.left);
        }
        fits.set(row, open);
    });
    out.n = write_keys(
        c, rows, [&](u32 k) { return fits.get(k); }, [&](u32 k) { return ij_key(IJ{i32(k), 0}); }, starts,
        words(c, out));
    c.a.top = out.off + out.n;
    return OK;
}

AB_FN Status wide_occurrences(Ctx& c, Grid g, Object obj, Box box, Indices& out) {
    const u32* keys = words(c, obj);
    const i8* from = cells(c, g);
    u32 rows = u32(g.h - box.height()) + 1, columns = u32(g.w - box.width()) + 1;
    Status s = make_array(c, u64(rows) * columns, out);
    if (s != OK) return s;
    u32 count = 0;
    for (u32 i = 0; i < rows; ++i) {
        const i8* corner = from + i32(i) * g.w;
        auto fits = [&](u32 j) {
            for (u32 k = obj.n; k-- > 0;) {
                IJ p = key_place(keys[k]);
                if (corner[(p.i - box.top) * g.w + p.j - box.left + i32(j)] != key_colour(keys[k])) return false;
            }
            return true;
        };
        u32* to = words(c, out) + count;
        count += c.g.compact(columns, fits, [&](u32 j, u32 k) { to[k] = ij_key(IJ{i32(i), i32(j)}); });
    }
    out.n = count;
    c.a.top = out.off + out.n;
    return OK;
}

}  // namespace objects_impl

namespace op {

// An empty object has no height and no width, so it also fits just beyond the last row and column.
AB_FN Status occurrences(Ctx& c, Grid g, Object obj, Indices& out) {
    if (g.h == 0) return EMPTY;
    if (obj.n == 0) {
        u32 columns = u32(g.w) + 1;
        Status s = make_array(c, u64(g.h + 1) * columns, out);
        if (s != OK) return s;
        u32* keys = words(c, out);
        c.g.each(u32(g.h) + 1, [&](u32 i) {
            for (u32 j = 0; j < columns; ++j) keys[i * columns + j] = ij_key(IJ{i32(i), i32(j)});
        });
        return OK;
    }
    Box b = objects_impl::patch_box(c, obj);
    if (b.height() > g.h || b.width() > g.w) return make_array(c, 0, out);
    if (g.w <= 64) return objects_impl::narrow_occurrences(c, g, obj, b, out);
    return objects_impl::wide_occurrences(c, g, obj, b, out);
}

}  // namespace op
}  // namespace arcbatt
