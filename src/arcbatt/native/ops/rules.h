// Rules: colours renamed by a list, and images made by a table of what other images have at each place.
#pragma once

#include "ops/lattices.h"
#include "ops/painting.h"

namespace arcbatt {
namespace images {

// What a rule looks at in one cell of each of its images, as one word.
AB_FN u32 joint(u32 word, i8 value) { return word << 8 | u8(value); }

}  // namespace images

namespace op {

AB_FN Status colororder(Ctx& c, Grid g, IntSeq& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    u32 kept = c.a.top;
    ByColour counts;
    Status s = make_array(c, COLOURS, out);
    if (s == OK) s = make_by_colour(c, 0, counts);
    if (s != OK) {
        c.a.top = kept;
        return s;
    }
    const i8* from = cells(c, g);
    c.g.each(cell_count(g), [&](u32 k) { fetch_add(counts[from[k]], 1); });
    // Of a colour with fewer cells than another, or as many and the greater colour, the word is greater.
    u32* to = words(c, out);
    u32 found = c.g.compact(
        COLOURS, [&](u32 k) { return counts.number[k] != 0; },
        [&](u32 k, u32 at) { to[at] = (u32(MAX_CELLS) - counts.number[k]) << 8 | k; });
    out.n = sort_unique_keys(c, to, found, K_INT);
    c.g.each(out.n, [&](u32 k) { to[k] = int_key(i32(to[k] & 0xFFu) - COLOUR_BIAS); });
    c.a.top = out.off + out.n;
    return OK;
}
AB_FN Status encode(Ctx& c, Grid g, IntSeq colours, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    Status s = make_grid(c, g.h, g.w, out);
    ByColour place;
    if (s == OK) s = make_by_colour(c, NOWHERE, place);
    if (s != OK) return s;
    const u32* keys = words(c, colours);
    c.g.one([&] {
        for (u32 k = colours.n; k-- > 0;)
            if (colour_fits(key_int(keys[k]))) place[key_int(keys[k])] = k;
    });
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    u32 n = cell_count(g);
    if (c.g.any(n, [&](u32 k) { return place[from[k]] == NOWHERE; })) return BOUNDS;
    if (c.g.any(n, [&](u32 k) { return place[from[k]] > u32(GREATEST); })) return LIMIT;
    c.g.each(n, [&](u32 k) { to[k] = i8(place[from[k]]); });
    return OK;
}
AB_FN Status decode(Ctx& c, Grid g, IntSeq colours, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (!all_fit(c, colours)) return LIMIT;
    const i8* from = cells(c, g);
    const u32* keys = words(c, colours);
    if (c.g.any(cell_count(g), [&](u32 k) { return from[k] < 0 || u32(from[k]) >= colours.n; })) return BOUNDS;
    return gridwork::map_cells(c, g, [keys](i8 cell) { return i8(key_int(keys[cell])); }, out);
}

// A row of the table is one word, a cell's values as well; a cell mostly has those of its neighbour.
AB_FN Status decide(Ctx& c, Grid table, Grid a, Grid b, Grid c3, Grid& out) {
    using namespace images;
    const Grid given[3] = {a, b, c3};
    if (!has_cells(table) || !has_cells(a) || !has_cells(b) || !has_cells(c3)) return EMPTY;
    u32 count = u32(table.w) - 1, rows = u32(table.h);
    if (count < 1 || count > 3) return BOUNDS;
    for (u32 k = 1; k < count; ++k)
        if (!same_shape(a, given[k])) return BOUNDS;
    const i8* entries = cells(c, table);
    auto colour = [&](u32 row) { return i32(entries[row * (count + 1) + count]); };
    if (c.g.any(rows, [&](u32 row) { return colour(row) < -i32(count); })) return BOUNDS;
    u32* keys;
    Status s = make_grid(c, a.h, a.w, out);
    if (s == OK) s = take_words(c, rows, keys);
    if (s != OK) return s;
    c.g.each(rows, [&](u32 row) {
        u32 word = 0;
        for (u32 k = 0; k < count; ++k) word = joint(word, entries[row * (count + 1) + k]);
        keys[row] = word;
    });
    const i8* from[3] = {cells(c, a), cells(c, b), cells(c, c3)};
    i8* to = cells(c, out);
    u32 wide = u32(a.w);
    bool missing = c.g.flagged(u32(a.h), [&](u32 i) {
        bool lost = false;
        u32 row = 0;
        for (u32 at = i * wide; at < (i + 1) * wide; ++at) {
            u32 word = 0;
            for (u32 k = 0; k < count; ++k) word = joint(word, from[k][at]);
            if (at == i * wide || keys[row] != word)
                for (row = 0; row < rows && keys[row] != word;) ++row;
            if (row == rows) {
                lost = true;
                row = 0;
                continue;
            }
            i32 made = colour(row);
            to[at] = made >= 0 ? i8(made) : from[-made - 1][at];
        }
        return lost;
    });
    return missing ? BOUNDS : OK;
}

}  // namespace op
}  // namespace arcbatt
