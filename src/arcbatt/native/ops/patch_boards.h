// Patches as bits on a board, to compare all places of two of them.
#pragma once

#include "ops/shapes.h"

namespace arcbatt {
namespace shapes {

// A bit a place of a window. Column w of words comes whole, from top to bottom, between two words that stay zero, so
// that a place's neighbours are a shift or a word away without a test for the edge.
struct Board {
    u32* bits;
    u32 rows, span;
    AB_FN u32* column(u32 w) const { return bits + w * (rows + 2); }
    AB_FN u32 size() const { return span * (rows + 2); }
};
AB_FN u32 span_for(i32 columns) { return (u32(columns) + 31) / 32; }

// Zeroed words, or nullptr.
AB_FN u32* take_zeros(Ctx& c, u32 n) {
    u32 place = c.a.take(n);
    if (place == NOWHERE) return nullptr;
    u32* zeros = c.a.at(place);
    c.g.each(n, [&](u32 k) { zeros[k] = 0; });
    return zeros;
}

// Mark the places of a patch, `spot` telling their row and column on the board; those beyond it are left out.
template <class P, class F>
AB_FN void put_on(const Ctx& c, Board board, P patch, F spot) {
    const u32* keys = words(c, patch);
    c.g.each(patch.n, [&](u32 k) {
        IJ at = spot(place_of(patch, keys[k]));
        u32 w = u32(at.j) >> 5;
        if (u32(at.i) < board.rows && w < board.span) fetch_or(board.column(w)[at.i + 1], 1u << (u32(at.j) & 31));
    });
}

// All places of a board and their neighbours on it. `zeros` are as many as a column of words has.
AB_FN void spread(const Ctx& c, Board from, Board to, const u32* zeros) {
    for (u32 w = 0; w < from.span; ++w) {
        const u32* here = from.column(w);
        const u32* before = w > 0 ? from.column(w - 1) : zeros;
        const u32* after = w + 1 < from.span ? from.column(w + 1) : zeros;
        u32* result = to.column(w);
        c.g.each(from.rows, [&](u32 r) {
            u32 x = here[r + 1];
            result[r + 1] = here[r] | x | here[r + 2] | x << 1 | x >> 1 | before[r + 1] >> 31 | after[r + 1] << 31;
        });
    }
}

// Whether a place of a, moved down by so many rows, is one of b.
AB_FN bool boards_meet(const Ctx& c, Board a, Board b, i32 down) {
    i32 low = most(0, -down), high = least(i32(a.rows), i32(b.rows) - down);
    if (low >= high) return false;
    for (u32 w = 0; w < a.span; ++w) {
        const u32 *ours = a.column(w) + 1 + low, *others = b.column(w) + 1 + (low + down);
        if (c.g.any(u32(high - low), [&](u32 r) { return (ours[r] & others[r]) != 0; })) return true;
    }
    return false;
}

// Ways to compare all places of two patches: every pair; boards, where they are small beside the number of pairs;
// searches in sorted places, where both the pairs and the window are many.
enum class Way { PAIRS, BOARDS, SEARCHES };
AB_FN Way way_for(u64 pairs, u64 board_words) {
    if (pairs <= 128) return Way::PAIRS;
    if (board_words <= 32768 && 8 * board_words <= pairs + 512) return Way::BOARDS;
    return pairs <= 16384 ? Way::PAIRS : Way::SEARCHES;
}

}  // namespace shapes
}  // namespace arcbatt
