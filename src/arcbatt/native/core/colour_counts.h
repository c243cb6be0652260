// How many cells of a grid have each colour, for a warp: every lane counts the colour that is its number.
#pragma once

#include "core/group.h"

#if AB_WARP
namespace arcbatt {

struct ColourCounts {
    static constexpr u32 BITS = 5, COLOURS = 1 << BITS;  // from 0 on: a lane for each
    static_assert(COLOURS == AB_LANES, "every lane has a colour");
    u32 mine;     // cells of this lane's colour
    bool beyond;  // whether there are others
};

// Of n cells, four in a word. A ballot for each bit tells the colours of 32 cells, of which every lane takes those that
// are its own: nothing is written, and nobody waits for others but in the ballots.
AB_FN ColourCounts count_colours(const Group& g, const u32* cells, u32 n) {
    constexpr u32 EACH = 4, TOO_HIGH = 0xFFu & ~(ColourCounts::COLOURS - 1);
    u32 others[ColourCounts::BITS];  // of each bit, what turns its ballot into the lanes that have it as this one does
    for (u32 bit = 0; bit < ColourCounts::BITS; ++bit) others[bit] = (g.lane() >> bit & 1) - 1;
    u32 mine = 0, beyond = 0;
    g.sync();
    AB_ROLLED
    for (u32 start = 0; start < n; start += EACH * AB_LANES) {
        u32 cell = start + EACH * g.lane(), word = cell < n ? cells[cell / EACH] : 0;
        AB_ROLLED
        for (u32 k = 0; k < EACH; ++k, word >>= 8) {
            u32 left = n > start + k ? (n - start - k + EACH - 1) / EACH : 0;  // lanes that have a cell
            u32 same = left < AB_LANES ? (1u << left) - 1 : ~0u;
            for (u32 bit = 0; bit < ColourCounts::BITS; ++bit) same &= g.ballot(word >> bit & 1) ^ others[bit];
            mine += count_bits(same);
            if (g.lane() < left) beyond |= word & TOO_HIGH;
        }
    }
    return ColourCounts{mine, g.any_held(beyond != 0)};
}

// The most common colour, the least of several.
AB_FN i32 most_common(const Group& g, const ColourCounts& counts) {
    i32 most_cells = g.most_held(i32(counts.mine));
    return i32(lowest_bit(g.ballot(i32(counts.mine) == most_cells)));
}

}  // namespace arcbatt
#endif
