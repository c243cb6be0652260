// Values and where they live. Everything is 32-bit words in an arena; a value is named by an offset and a count.
//
// Items of sets and tuples are words too, and where an item is a number, an IJ or a Cell it is one word, a *key*, whose
// unsigned order is the language's: colour, then row, then column. So a set of such is a sorted array of distinct keys,
// and equality, union, membership and "first" are array work. A coordinate or colour that does not fit its bits makes
// the value ESCAPE to the reference.
//
//   Int     x ^ 2^31                         IJ      16 bits row, 16 bits column, each plus 2^15
//   Cell    8 bits colour plus 2^7, 12 bits row and 12 bits column, each plus 2^11
//
// Items that are sets or tuples themselves are two words, offset and count; grids two words, offset and height << 16 |
// width. Grids hold a signed byte per cell, row after row. A grid without rows has no columns either.
#pragma once

#include "abi.h"
#include "core/group.h"

namespace arcbatt {

struct Arena {
    u32* base;
    u32 top;
    u32 capacity;

    // Room for words, or NOWHERE.
    AB_FN u32 take(u64 words) {
        if (words > capacity - top) return NOWHERE;
        u32 place = top;
        top += u32(words);
        return place;
    }
    AB_FN u32* at(u32 offset) const { return base + offset; }
};

struct IJ {
    i32 i, j;
};
struct Cell {
    i32 colour;
    IJ place;
};
struct OptInt {
    i32 value;  // NONE for None
};
struct Grid {
    u32 off;
    i32 h, w;
};

#if AB_LANES > 1
// Memory close to a group, for what is not kept: shared memory of a GPU, where a kernel has some for it.
struct NearMemory {
    u32* words;
    u32 count;
};
#endif

struct Ctx {
    Group g;
    Arena a;
#if AB_LANES > 1
    NearMemory near{};
#endif
#if AB_WAVES
    mutable bool cramped = false;  // whether something was left unsorted for want of room
#endif
#if !AB_DEVICE
    const u8* stop = nullptr;  // set by another thread where the run is to end, whatever comes of it
#endif

    // Whether the run is to end. Whoever started it looks again and drops what it gave, so that any work may be cut
    // short by this: what takes longer than some milliseconds must look.
    AB_FN bool stopped() const {
#if AB_DEVICE
        return false;
#else
        return stop && load_flag(stop);
#endif
    }
    // The same inside regions, where lanes could see it at different times.
    AB_FN bool lane_stopped() const { return AB_LANES == 1 && stopped(); }
};

// Sorted distinct keys (sets) or keys in any order (tuples).
template <int TAG>
struct Array {
    u32 off;
    u32 n;
};
using Indices = Array<0>;    // set of IJ keys
using Object = Array<1>;     // set of Cell keys
using Ints = Array<2>;       // set of Int keys
using IntSeq = Array<3>;     // tuple of Int keys
using Objects = Array<4>;    // set of Object: two words per item, ordered by content
using ObjectSeq = Array<5>;  // tuple of Object
using GridSeq = Array<6>;    // tuple of Grid
using CellSeq = Array<7>;    // tuple of Cell keys

AB_FN i8* cells(const Ctx& c, Grid g) { return reinterpret_cast<i8*>(c.a.at(g.off)); }
template <int TAG>
AB_FN u32* words(const Ctx& c, Array<TAG> v) {
    return c.a.at(v.off);
}
// The k-th member of a set or tuple of objects.
template <int TAG>
AB_FN Object member(const Ctx& c, Array<TAG> v, u32 k) {
    const u32* pair = c.a.at(v.off + 2 * k);
    return Object{pair[0], pair[1]};
}

// --- keys ---
AB_FN u32 int_key(i32 x) { return u32(x) ^ 0x80000000u; }
AB_FN i32 key_int(u32 key) { return i32(key ^ 0x80000000u); }

constexpr i32 IJ_BIAS = 1 << (IJ_BITS - 1), PLACE_BIAS = 1 << (PLACE_BITS - 1), COLOUR_BIAS = 1 << (COLOUR_BITS - 1);
constexpr u32 IJ_MASK = (1u << IJ_BITS) - 1, PLACE_MASK = (1u << PLACE_BITS) - 1;
constexpr u32 PLACE_OF_CELL = (1u << 2 * PLACE_BITS) - 1;  // without its colour
static_assert(2 * IJ_BITS == 32 && 2 * PLACE_BITS + COLOUR_BITS == 32, "keys are words");

AB_FN bool ij_fits(IJ p) { return p.i >= -IJ_BIAS && p.i < IJ_BIAS && p.j >= -IJ_BIAS && p.j < IJ_BIAS; }
AB_FN u32 ij_key(IJ p) { return (u32(p.i + IJ_BIAS) << IJ_BITS) | u32(p.j + IJ_BIAS); }
AB_FN IJ key_ij(u32 key) { return IJ{i32(key >> IJ_BITS) - IJ_BIAS, i32(key & IJ_MASK) - IJ_BIAS}; }

AB_FN bool colour_fits(i32 c) { return c >= -COLOUR_BIAS && c < COLOUR_BIAS; }
AB_FN bool place_fits_cell(IJ p) {
    return p.i >= -PLACE_BIAS && p.i < PLACE_BIAS && p.j >= -PLACE_BIAS && p.j < PLACE_BIAS;
}
AB_FN u32 cell_key(i32 colour, IJ p) {
    return (u32(colour + COLOUR_BIAS) << 2 * PLACE_BITS) | (u32(p.i + PLACE_BIAS) << PLACE_BITS) |
           u32(p.j + PLACE_BIAS);
}
AB_FN i32 key_colour(u32 key) { return i32(key >> 2 * PLACE_BITS) - COLOUR_BIAS; }
AB_FN IJ key_place(u32 key) {
    return IJ{i32((key >> PLACE_BITS) & PLACE_MASK) - PLACE_BIAS, i32(key & PLACE_MASK) - PLACE_BIAS};
}

// The place of a patch's item, whichever kind of patch it is.
AB_FN IJ place_of(Indices, u32 key) { return key_ij(key); }
AB_FN IJ place_of(Object, u32 key) { return key_place(key); }
// The same item at another place; false where it does not fit.
AB_FN bool moved_key(Indices, u32, IJ to, u32& out) {
    if (!ij_fits(to)) return false;
    out = ij_key(to);
    return true;
}
AB_FN bool moved_key(Object, u32 key, IJ to, u32& out) {
    if (!place_fits_cell(to)) return false;
    out = cell_key(key_colour(key), to);
    return true;
}

// --- making ---
AB_FN Status make_grid(Ctx& c, i64 h, i64 w, Grid& out) {
    if (h <= 0) {
        out = Grid{0, 0, 0};
        return OK;
    }
    if (w < 0) w = 0;
    if (h > MAX_SIDE || w > MAX_SIDE || h * w > MAX_CELLS) return LIMIT;
    u32 off = c.a.take((u64(h) * u64(w) + 3) / 4);
    if (off == NOWHERE) return OVERFLOW_;
    out = Grid{off, i32(h), i32(w)};
    return OK;
}
// Room for n words of keys; the caller may make the count smaller afterwards.
template <int TAG>
AB_FN Status make_array(Ctx& c, u64 n, Array<TAG>& out) {
    if (n > MAX_ITEMS) return LIMIT;
    u32 off = c.a.take(n);
    if (off == NOWHERE) return OVERFLOW_;
    out = Array<TAG>{off, u32(n)};
    return OK;
}
// Room for n items of two words.
template <int TAG>
AB_FN Status make_pairs(Ctx& c, u64 n, Array<TAG>& out) {
    if (n > MAX_ITEMS) return LIMIT;
    u32 off = c.a.take(2 * n);
    if (off == NOWHERE) return OVERFLOW_;
    out = Array<TAG>{off, u32(n)};
    return OK;
}

// --- numbers ---
AB_FN bool in_range(i64 x) { return x >= INT_LEAST && x <= INT_MOST; }

// --- rows and columns ---

// Division of a cell's number by the width, for numbers below 2^16 and widths up to MAX_SIDE: a product with the
// width's inverse, rounded up, is off by less than one part in the width.
struct Columns {
    u32 wide, inverse;
    AB_FN explicit Columns(u32 w) : wide(w), inverse(w > 1 ? 0xFFFFFFFFu / w + 1 : 0) {}
    AB_FN u32 row(u32 k) const { return wide > 1 ? u32(u64(k) * inverse >> 32) : k; }
};

// f(i, j, k) for every cell of h rows and w columns, k being its number.
template <class F>
AB_FN void each_cell(const Ctx& c, u32 h, u32 w, F f) {
#if AB_LANES == 1
    c.g.each(h, [&](u32 i) {
        for (u32 j = 0; j < w; ++j) f(i, j, i * w + j);
    });
#else
    Columns columns(w);
    c.g.each(h * w, [&](u32 k) {
        u32 i = columns.row(k);
        f(i, k - i * w, k);
    });
#endif
}

// put(i, j, at) for every cell with keep(k), by rows; how many there were.
template <class K, class P>
AB_FN u32 compact_cells(const Ctx& c, u32 h, u32 w, K keep, P put) {
#if AB_LANES == 1
    u32 count = 0;
    for (u32 i = 0; i < h; ++i)
        count += c.g.compact(w, [&](u32 j) { return keep(i * w + j); }, [&](u32 j, u32 at) { put(i, j, count + at); });
    return count;
#else
    Columns columns(w);
    return c.g.compact(h * w, keep, [&](u32 k, u32 at) {
        u32 i = columns.row(k);
        put(i, k - i * w, at);
    });
#endif
}

// --- boxes ---
struct Box {
    i32 top, bottom, left, right;
    AB_FN i32 height() const { return bottom - top + 1; }
    AB_FN i32 width() const { return right - left + 1; }
};
// The box of a patch that is not empty.
template <class P>
AB_FN Box box_of(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    Box b;
    b.top = c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).i; });
    b.bottom = c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).i; });
    b.left = c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).j; });
    b.right = c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).j; });
    return b;
}

}  // namespace arcbatt
