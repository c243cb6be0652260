// Patches: taken from grids, and made of other patches and their boxes.
#pragma once

#include "core/bitboards.h"

namespace arcbatt {
namespace objects_impl {

AB_FN bool in_row_order(const Ctx&, Indices) { return true; }
AB_FN bool in_row_order(const Ctx& c, Object patch) {
    const u32* keys = words(c, patch);
    return patch.n == 0 || keys[0] >> 24 == keys[patch.n - 1] >> 24;
}

// The box of a patch that is not empty.
template <class P>
AB_FN Box patch_box(const Ctx& c, P patch) {
    if (!in_row_order(c, patch)) return box_of(c, patch);
    const u32* keys = words(c, patch);
    Box b;
    b.top = place_of(patch, keys[0]).i;
    b.bottom = place_of(patch, keys[patch.n - 1]).i;
    b.left = c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).j; });
    b.right = c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).j; });
    return b;
}

// The places of a box that are in the patch, or those that are not, in order, into room enough; how many.
template <class P>
AB_FN Status sift_box(Ctx& c, P patch, Box b, bool inside, u32* out, u32& count) {
    u32 mark = c.a.top, h = u32(b.height()), w = u32(b.width());
    u32* there;
    Status s = take_words(c, u64(h) * w, there);
    if (s != OK) return s;
    const u32* keys = words(c, patch);
    c.g.each(h * w, [&](u32 k) { there[k] = 0; });
    c.g.each(patch.n, [&](u32 k) {
        IJ p = place_of(patch, keys[k]);
        there[u32(p.i - b.top) * w + u32(p.j - b.left)] = 1;
    });
    u32 first = ij_key(IJ{b.top, b.left});
    count = compact_cells(
        c, h, w, [&](u32 k) { return (there[k] != 0) == inside; },
        [&](u32 i, u32 j, u32 at) { out[at] = first + (i << 16) + j; });
    c.a.top = mark;
    return OK;
}

// The places of a patch, without colours.
AB_FN Status places_of(Ctx&, Indices patch, Indices& out) {
    out = patch;
    return OK;
}
AB_FN Status places_of(Ctx& c, Object patch, Indices& out) {
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    const u32* keys = words(c, patch);
    u32* to = words(c, out);
    if (!in_row_order(c, patch)) {
        Box b = patch_box(c, patch);
        if (u64(b.height()) * u64(b.width()) <= 64 + 8 * u64(patch.n)) {
            s = sift_box(c, patch, b, true, to, out.n);
            c.a.top = out.off + out.n;
            return s;
        }
    }
    c.g.each(patch.n, [&](u32 k) { to[k] = ij_key(key_place(keys[k])); });
    if (!in_row_order(c, patch)) {
        out.n = sort_unique_keys(c, to, out.n, K_IJ);
        c.a.top = out.off + out.n;
    }
    return OK;
}

// The grid's cells at some places, those that lie on it, into room enough: the board of each colour, of which only the
// bits at the places are taken.
AB_FN Status cut_cells(Ctx& c, Indices places, Grid g, u32* out, u32& count) {
    Boards b;
    Bits mask;
    u32* starts;
    Status s = draw_boards(c, g, b);
    if (s == OK) s = take_bits(c, b.words, mask);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s != OK) return s;
    const u32* keys = words(c, places);
    c.g.each(b.words, [&](u32 word) {
        u32 first = ij_key(IJ{i32(b.row(word)), i32(b.column(word))});
        u64 bits = 0;
        for (u32 k = lower_bound(keys, places.n, first); k < places.n && keys[k] - first < 64; ++k)
            bits |= u64(1) << (keys[k] - first);
        mask.set(word, bits);
    });
    count = 0;
    for (u32 slot = 0; slot < b.slots; ++slot) count += write_cells(c, b, slot, mask, starts, out + count);
    return OK;
}

// The grid's cells at the places of a patch, those that lie on it, in the order of the patch.
template <class P>
AB_FN u32 read_cells(const Ctx& c, P patch, Grid g, u32* out) {
    const u32* keys = words(c, patch);
    const i8* from = cells(c, g);
    auto on = [&](u32 k) {
        IJ p = place_of(patch, keys[k]);
        return u32(p.i) < u32(g.h) && u32(p.j) < u32(g.w);
    };
    return c.g.compact(patch.n, on, [&](u32 k, u32 at) {
        IJ p = place_of(patch, keys[k]);
        out[at] = cell_key(from[p.i * g.w + p.j], p);
    });
}

AB_FN bool strictly_ascending(const Ctx& c, const u32* keys, u32 n) {
    return n < 2 || !c.g.any(n - 1, [&](u32 k) { return keys[k] >= keys[k + 1]; });
}

}  // namespace objects_impl

namespace op {

AB_FN Status asindices(Ctx& c, Grid g, Indices& out) {
    u32 w = u32(g.w);
    Status s = make_array(c, u64(g.h) * w, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 first = ij_key(IJ{0, 0});
    each_cell(c, u32(g.h), w, [&](u32 i, u32 j, u32 k) { keys[k] = first + (i << 16) + j; });
    return OK;
}

AB_FN Status asobject(Ctx& c, Grid g, Object& out) {
    using namespace objects_impl;
    Boards b;
    u32* starts;
    Status s = make_array(c, u64(g.h) * u64(g.w), out);
    u32 mark = c.a.top;
    if (s == OK) s = draw_boards(c, g, b);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s != OK) return s;
    u32 count = 0;
    for (u32 slot = 0; slot < b.slots; ++slot) count += write_cells(c, b, slot, starts, words(c, out) + count);
    c.a.top = mark;
    return OK;
}

AB_FN Status ofcolor(Ctx& c, Grid g, i32 colour, Indices& out) {
    using namespace objects_impl;
    if (!colour_fits(colour)) return make_array(c, 0, out);
    u32 stride = (u32(g.w) + 63) / 64;
    Boards b{u32(g.h) * stride, stride, 1, nullptr, Bits{nullptr}};
    u32* starts;
    Status s = make_array(c, u64(g.h) * u64(g.w), out);
    if (s == OK) s = take_bits(c, b.words, b.bits);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s != OK) return s;
    draw_board(c, g, b, b.bits, colour);
    out.n = write_keys(
        c, b.words, [&](u32 k) { return b.bits.get(k); },
        [&](u32 k) { return ij_key(IJ{i32(b.row(k)), i32(b.column(k))}); }, starts, words(c, out));
    c.a.top = out.off + out.n;
    return OK;
}

// An object cut from the same grid comes out in order as it is; a few cells are soon sorted.
template <class P>
AB_FN Status toobject(Ctx& c, P patch, Grid g, Object& out) {
    using namespace objects_impl;
    if (g.h == 0) return EMPTY;
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 count = read_cells(c, patch, g, keys);
    if (!strictly_ascending(c, keys, count)) {
        if (count < 24) {
            count = sort_unique_keys(c, keys, count, K_CELL);
        } else {
            Indices places;
            s = places_of(c, patch, places);
            if (s == OK) s = cut_cells(c, places, g, keys, count);
        }
    }
    out.n = count;
    c.a.top = out.off + count;
    return s;
}

template <class P>
AB_FN Status recolor(Ctx& c, i32 colour, P patch, Object& out) {
    using namespace objects_impl;
    if (patch.n == 0) return make_array(c, 0, out);
    if (!colour_fits(colour)) return ESCAPE;
    Indices places;
    Status s = make_array(c, patch.n, out);
    u32 mark = c.a.top;
    if (s == OK) s = places_of(c, patch, places);
    if (s != OK) return s;
    const u32* from = words(c, places);
    u32* keys = words(c, out);
    if (c.g.any(places.n, [&](u32 k) { return !place_fits_cell(key_ij(from[k])); })) return ESCAPE;
    c.g.each(places.n, [&](u32 k) { keys[k] = cell_key(colour, key_ij(from[k])); });
    c.a.top = mark - (out.n - places.n);
    out.n = places.n;
    return OK;
}

// All keys move by the same, so they stay in order.
template <class P>
AB_FN Status normalize(Ctx& c, P patch, P& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    const u32* from = words(c, patch);
    u32 corner = 0, origin = 0, end = 0;
    if (!moved_key(patch, from[0], IJ{b.bottom - b.top, b.right - b.left}, end)) return ESCAPE;
    moved_key(patch, from[0], IJ{b.top, b.left}, corner);
    moved_key(patch, from[0], IJ{0, 0}, origin);
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(patch.n, [&](u32 k) { keys[k] = from[k] + (origin - corner); });
    return OK;
}

template <class P>
AB_FN Status backdrop(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    u32 w = u32(b.width());
    Status s = make_array(c, u64(b.height()) * w, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 first = ij_key(IJ{b.top, b.left});
    each_cell(c, u32(b.height()), w, [&](u32 i, u32 j, u32 k) { keys[k] = first + (i << 16) + j; });
    return OK;
}

template <class P>
AB_FN Status delta(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    Status s = make_array(c, u64(b.height()) * u64(b.width()), out);
    if (s == OK) s = objects_impl::sift_box(c, patch, b, false, words(c, out), out.n);
    if (s == OK) c.a.top = out.off + out.n;
    return s;
}

}  // namespace op
}  // namespace arcbatt
