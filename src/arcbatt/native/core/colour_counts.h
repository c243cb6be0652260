// How many cells of a grid have each colour, for a warp: the lane whose number the colour is has its count.
#pragma once

#include "core/group.h"

#if AB_WARP
namespace arcbatt {

struct ColourCounts {
    static constexpr u32 COLOURS = 16;  // from 0 on: the first lanes have one each
    u32 mine;                           // cells of this lane's colour
    bool beyond;                        // whether there are cells of others, which make these counts meaningless
};

namespace colour_counts {

// The sum over all lanes of bytes, one for each colour, for the lane whose number the colour is. Each step halves what
// a lane has: `even` are the bytes of colours 0, 2, 4, 6 and 8, 10, 12, 14; `odd` of the others.
AB_FN u32 dealt_out(const Group& g, const u32 (&even)[2], const u32 (&odd)[2]) {
    constexpr u32 HALF = 0xFFFF, BYTE = 0xFF;
    const u32 lane = g.lane();
    const bool upper = lane & 16, later = lane & 8, far = lane & 4, next = lane & 2;
    u32 evens = (upper ? even[1] : even[0]) + g.exchanged(upper ? even[0] : even[1], 16);
    u32 odds = (upper ? odd[1] : odd[0]) + g.exchanged(upper ? odd[0] : odd[1], 16);
    u32 four = (later ? odds : evens) + g.exchanged(later ? evens : odds, 8);
    u32 two = (far ? four >> 16 : four & HALF) + g.exchanged(far ? four & HALF : four >> 16, 4);
    u32 one = (next ? two >> 8 : two & BYTE) + g.exchanged(next ? two & BYTE : two >> 8, 2);
    one += g.exchanged(one, 1);
    u32 all = g.shuffle(one, (lane & 8) << 1 | (lane & 1) << 3 | (lane & 6));
    return lane < ColourCounts::COLOURS ? all : 0;
}

}  // namespace colour_counts

// Of n cells, four in a word. A lane counts a few words by itself, in four bits for each colour, before these are put
// together.
AB_FN ColourCounts count_colours(const Group& g, const u32* cells, u32 n) {
    constexpr u32 EACH = 4, WORDS = 3, ONES = 0x0F0F0F0F;  // 12 cells are what four bits can count
    u32 mine = 0, beyond = 0, words = (n + EACH - 1) / EACH, counted = 0;
    g.sync();
    AB_ROLLED
    for (u32 start = 0; start < words; start += WORDS * AB_LANES) {
        u32 low = 0, high = 0;  // of colours from 0 on, and from 8 on
        AB_ROLLED
        for (u32 first = start; first < least(start + WORDS * AB_LANES, words); first += AB_LANES) {
            u32 at = first + g.lane(), word = at < words ? cells[at] : 0, left = n - EACH * at;
            if (at + 1 == words && left < EACH) word &= (1u << 8 * left) - 1;
            beyond |= word & ~ONES;
            for (u32 k = 0; k < EACH; ++k, word >>= 8) {
                u32 one = 1u << (word & 7) * 4;
                if (word & 8)
                    high += one;
                else
                    low += one;
            }
            counted += EACH * AB_LANES;
        }
        mine += colour_counts::dealt_out(g, {low & ONES, high & ONES}, {low >> 4 & ONES, high >> 4 & ONES});
    }
    if (g.lane() == 0) mine -= counted - n;  // what is behind the last cell was counted as 0
    return ColourCounts{mine, g.any_held(beyond != 0)};
}

// The most common colour, the least of several.
AB_FN i32 most_common(const Group& g, const ColourCounts& counts) {
    i32 most_cells = g.most_held(i32(counts.mine));
    return i32(lowest_bit(g.ballot(i32(counts.mine) == most_cells)));
}

}  // namespace arcbatt
#endif
