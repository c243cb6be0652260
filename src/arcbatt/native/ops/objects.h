// Objects: finding them in grids, by what is connected, by colour, and as whole rows and columns.
#pragma once

#include "core/components.h"

namespace arcbatt {
namespace objects_impl {

// An object for each colour, the most common one left out or not.
AB_FN Status by_colour(Ctx& c, Grid g, bool without_background, Objects& out) {
    Found found;
    Boards b;
    u32* starts;
    u32 n = u32(g.h) * u32(g.w);
    Status s = make_found(c, g, least(n, 256u), found, out);
    if (s == OK) s = draw_boards(c, g, b);
    if (s == OK) s = take_words(c, b.words, starts);
    u32 background = NOWHERE;
    if (s == OK && without_background) s = background_slot(c, b, background);
    if (s != OK) return s;
    for (u32 slot = 0; slot < b.slots; ++slot)
        if (slot != background) found.add(write_cells(c, b, slot, starts, c.a.at(found.keys + found.cells)));
    keep_found(c, found, out.off, out);
    return OK;
}

#if AB_WARP
// Room close to a group for finding the objects of a grid: a tally of colours, labels, the cells.
struct NearRoom {
    u32* words;
    u32 most_cells;
    static constexpr u32 TALLY = Labels<>::TALLY_WORDS;
    static constexpr u32 LABEL_BYTES = Labels<>::CELL_BYTES;
    static AB_FN constexpr u32 size(u32 most_cells) { return TALLY + (LABEL_BYTES + 1) * most_cells / 4; }
    // How many cells fit into so many words: a multiple of four.
    static AB_FN u32 most(u32 words) { return (words - TALLY) * 4 / (LABEL_BYTES + 1) / 4 * 4; }
    AB_FN u32* labels() const { return words + TALLY; }
    AB_FN u32* cells() const { return words + TALLY + LABEL_BYTES * most_cells / 4; }  // four in a word
};

// Find the objects of a grid by rules, with everything but the result in room close by: found(labels, how many, of how
// many cells). False where it has no room, or colours that labels are not for.
template <class R, class F>
AB_FN bool find_near_by(const Group& g, const u32* from, u32 h, u32 w, NearRoom room, R rules, bool without, F found) {
    using Found = Labels<R>;
    constexpr u32 BEYOND = 0x01010101u * (256 - Found::COLOURS);  // the bits that colours beyond have in each cell
    static_assert((Found::COLOURS & (Found::COLOURS - 1)) == 0, "colours are told by their bits");
    u32 n = h * w;
    if (n == 0 || n > least(room.most_cells, Found::MOST_CELLS)) return false;
    u32* mine = room.cells();
    bool beyond = g.flagged((n + 3) / 4, [&](u32 k) {
        u32 cells = from[k], there = n - 4 * k;
        mine[k] = cells;
        return (there < 4 ? cells & ((1u << 8 * there) - 1) : cells) & BEYOND;
    });
    if (beyond) return false;
    Found labels(g, reinterpret_cast<const i8*>(mine), h, w, rules, room.labels(), room.words);
    u32 cells = labels.begin(without);
    labels.find();
    u32 count = labels.number(cells);
    found(labels, count, cells);
    return true;
}

// f(rules) for those of a mode, as `o_g` has it; each has code of its own.
template <class F>
AB_FN auto with_rules(u32 mode, F f) {
    switch (mode >> 1) {
        case 0:
            return f(FixedRules<false, false>{});
        case 1:
            return f(FixedRules<false, true>{});
        case 2:
            return f(FixedRules<true, false>{});
    }
    return f(FixedRules<true, true>{});
}
template <class F>
AB_FN bool find_near(const Group& g, const u32* from, u32 h, u32 w, NearRoom room, u32 mode, F found) {
    return with_rules(mode, [&](auto rules) { return find_near_by(g, from, h, w, room, rules, mode & 1, found); });
}

// Find the objects of a grid with labels in the arena, behind the room for the result.
template <class R>
AB_FN Status find_in_arena(Ctx& c, Grid g, R rules, bool without, Found& found) {
    using Here = Labels<R, FarForm>;
    static_assert(Here::MOST_CELLS >= u32(MAX_CELLS), "any grid");
    u32* room;
    Status s = take_words(c, u64(Here::CELL_BYTES) * u32(g.h) * u32(g.w) / 4 + Here::TALLY_WORDS + 1, room);
    if (s != OK) return s;
    u32* aligned = room + (u64(room) / sizeof(u32) & 1);
    Here labels(c.g, cells(c, g), u32(g.h), u32(g.w), rules, aligned + Here::TALLY_WORDS, aligned);
    found.cells = labels.begin(without);
    labels.find();
    found.count = labels.number(found.cells);
    labels.write(found.count, found.keys, found.pairs, c.a.at(found.keys));
    return OK;
}

// Into the arena; false where there is no room close by for that.
AB_FN bool objects_near(Ctx& c, Grid g, u32 mode, Objects& out, Status& s) {
    if (c.near.count < NearRoom::size(4)) return false;
    NearRoom room{c.near.words, NearRoom::most(c.near.count)};
    return find_near(c.g, c.a.at(g.off), u32(g.h), u32(g.w), room, mode, [&](auto& labels, u32 count, u32 all) {
        Object keys;
        s = make_array(c, all, keys);
        if (s == OK) s = make_pairs(c, count, out);
        if (s == OK) labels.write(count, keys.off, words(c, out), words(c, keys));
    });
}
#endif

// Without room close by: with labels in the arena, or where colours are not for labels on boards.
AB_FN Status objects_beyond(Ctx& c, Grid g, u32 mode, Objects& out) {
    bool without = mode & 1;
    Found found;
    Boards b;
    Status s = make_found(c, g, u32(g.h) * u32(g.w), found, out);
#if AB_WARP
    if (s != OK) return s;
    if (!c.g.any(u32(g.h) * u32(g.w), [&](u32 k) { return u8(cells(c, g)[k]) >= Labels<>::COLOURS; })) {
        s = with_rules(mode, [&](auto rules) { return find_in_arena(c, g, rules, without, found); });
        if (s == OK) keep_found(c, found, out.off, out);
        return s;
    }
#endif
    if (s == OK) s = draw_boards(c, g, b);
    Rules rules{(mode & 4) != 0, (mode & 2) != 0, NOWHERE};
    if (s == OK && without) s = background_slot(c, b, rules.background);
    if (s != OK) return s;
    s = b.stride <= 1 ? narrow_components(c, b, g, rules, found) : wide_components(c, b, g, rules, found);
    if (s == OK) keep_found(c, found, out.off, out);
    return s;
}

}  // namespace objects_impl

namespace op {

AB_CALL Status objects(Ctx& c, Grid g, i32 univalued, i32 diagonal, i32 without_bg, Objects& out) {
    if (without_bg && (g.h == 0 || g.w == 0)) return EMPTY;
    u32 mode = (univalued ? 4 : 0) | (diagonal ? 2 : 0) | (without_bg ? 1 : 0);
#if AB_WARP
    Status near = OK;
    if (objects_impl::objects_near(c, g, mode, out, near)) return near;
#endif
    return objects_impl::objects_beyond(c, g, mode, out);
}

AB_FN Status o_g(Ctx& c, Grid g, i32 mode, Objects& out) {
    if (mode < 0 || mode > 7) return BOUNDS;
    return objects(c, g, mode & 4, mode & 2, mode & 1, out);
}

AB_FN Status partition(Ctx& c, Grid g, Objects& out) { return objects_impl::by_colour(c, g, false, out); }

AB_FN Status fgpartition(Ctx& c, Grid g, Objects& out) {
    if (g.h == 0 || g.w == 0) return EMPTY;
    return objects_impl::by_colour(c, g, true, out);
}

// Rows and columns come in the order they have where all are of one colour; where not, they are sorted.
AB_FN Status frontiers(Ctx& c, Grid g, Objects& out) {
    using namespace objects_impl;
    if (g.h == 0) return EMPTY;
    u32 h = u32(g.h), w = u32(g.w);
    const i8* from = cells(c, g);
    if (w == 0) return make_pairs(c, 0, out);
    u32 *row_of_one, *column_of_one;
    Status s = take_words(c, h, row_of_one);
    if (s == OK) s = take_words(c, w, column_of_one);
    if (s != OK) return s;
    c.g.each(h, [&](u32 i) {
        u32 j = 1;
        while (j < w && from[i * w + j] == from[i * w]) ++j;
        row_of_one[i] = j == w;
    });
    c.g.each(w, [&](u32 j) {
        u32 i = 1;
        while (i < h && from[i * w + j] == from[j]) ++i;
        column_of_one[j] = i == h;
    });
    u32 rows = u32(c.g.sum_of(h, [&](u32 i) { return row_of_one[i]; }));
    u32 columns = u32(c.g.sum_of(w, [&](u32 j) { return column_of_one[j]; }));
    s = make_pairs(c, rows + columns, out);
    u32 keys = c.a.take(u64(rows) * w + u64(columns) * h);
    if (s == OK && keys == NOWHERE) s = OVERFLOW_;
    if (s != OK) return s;
    Found found{keys, words(c, out), 0, 0};
    auto add_row = [&](u32 i) {
        u32* to = c.a.at(keys + found.cells);
        c.g.each(w, [&](u32 j) { to[j] = cell_key(from[i * w], IJ{i32(i), i32(j)}); });
        found.add(w);
    };
    auto add_column = [&](u32 j) {
        u32* to = c.a.at(keys + found.cells);
        c.g.each(h, [&](u32 i) { to[i] = cell_key(from[j], IJ{i32(i), i32(j)}); });
        found.add(h);
    };
    if (row_of_one[0]) add_row(0);
    for (u32 j = 0; j < w; ++j)
        if (column_of_one[j]) add_column(j);
    for (u32 i = 1; i < h; ++i)
        if (row_of_one[i]) add_row(i);
    out.n = sort_unique_objects(c, words(c, out), out.n);
    return OK;
}

}  // namespace op
}  // namespace arcbatt
