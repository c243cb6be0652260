// Connected components by labels, for groups of lanes: every cell has a label, the index of a cell it is connected
// with, at first that of its run's first cell; then those of neighbouring runs are joined until all cells of a
// component have its least index. All components grow at once, so that the work is in proportion to the cells, however
// many components there are.
//
// Two components are joined by having the greater of their roots point to the lesser. Where several lanes do so for the
// same root the least remains, and whoever came later joins what it pointed to before with what it points to now.
#pragma once

#include "core/bitboards.h"
#include "core/colour_counts.h"

#if AB_WARP

namespace arcbatt {
namespace objects_impl {

// Where the row of a cell is, without dividing integers; exact for any grid there can be.
struct RowOf {
    float share;
    AB_FN explicit RowOf(u32 w) : share(1.0f / float(w)) {}
    AB_FN u32 operator()(u32 cell) const { return u32((float(cell) + 0.5f) * share); }
};

// What belongs together.
template <bool UNIVALUED, bool DIAGONAL>
struct FixedRules {
    static constexpr bool univalued = UNIVALUED, diagonal = DIAGONAL;
};

// What is kept of each cell: its label, and of a root how many cells its component has, later where these begin among
// all; and which of them it is. Three numbers in a word, so of grids of so many cells.
struct NearForm {
    using Word = u32;
    using Number = u16;
    static constexpr u32 BITS = 10;
};
struct FarForm {
    using Word = u64;
    using Number = u32;
    static constexpr u32 BITS = 20;
};

template <class R = FixedRules<true, true>, class Form = NearForm>
struct Labels {
    using Word = typename Form::Word;
    using Number = typename Form::Number;
    static constexpr u32 BITS = Form::BITS, MASK = (1u << BITS) - 1;
    static constexpr u32 COLOURS = ColourCounts::COLOURS;             // from 0 on that labels are for
    static constexpr u32 CELL_BYTES = sizeof(Word) + sizeof(Number);  // of room, behind `tally`
    static constexpr u32 TALLY_WORDS = AB_LANES;
    static constexpr u32 MOST_CELLS = MASK;  // of a grid
    static constexpr u32 BESIDE = 2;         // cells that a lane looks at side by side, so that it waits once for all

    const Group& g;
    const i8* from;
    u32 h, w;
    R rules;
    RowOf row;
    Word* node;             // of each cell
    Number* order;          // cells by colour, if that is not the order they are in
    Number* first;          // in the place of `order`, as far as that was read
    u32* tally;             // a word for each lane, of which colours have the first
    i32 background = NONE;  // a colour

    AB_FN Labels(const Group& lanes, const i8* cells, u32 height, u32 width, R which, u32* room, u32* colours)
        : g(lanes), from(cells), h(height), w(width), rules(which), row(width) {
        node = reinterpret_cast<Word*>(room);
        order = first = reinterpret_cast<Number*>(node + size());
        tally = colours;
    }
    static AB_FN u32 label_of(Word word) { return u32(word) & MASK; }
    static AB_FN u32 count_of(Word word) { return u32(word >> BITS) & MASK; }
    static AB_FN u32 rank_of(Word word) { return u32(word >> 2 * BITS); }
    static AB_FN Word with_count(Word word, u32 count) { return (word & ~(Word(MASK) << BITS)) | Word(count) << BITS; }
    static AB_FN Word with_rank(u32 label, u32 rank) { return Word(label) | Word(rank) << 2 * BITS; }

    AB_FN u32 size() const { return h * w; }
    AB_FN u32 below() const { return (1u << g.lane()) - 1; }
    // Whether two cells that touch belong together.
    AB_FN bool same(i32 mine, u32 other) const {
        i32 there = from[other];
        return rules.univalued ? there == mine : there != background;
    }

    // Make ready to find components: how many cells they have altogether, without the background or with it. Where
    // they may have several colours, their cells go to `order` by colour and place, since that is the order they are
    // wanted in.
    AB_FN u32 begin(bool without_background) {
        if (rules.univalued && !without_background) return size();
        ColourCounts counts = count_colours(g, reinterpret_cast<const u32*>(from), size());
        u32 mine = counts.mine;
        if (without_background) {
            background = most_common(g, counts);
            if (rules.univalued) return size() - g.shuffle(mine, u32(background));
            if (i32(g.lane()) == background) mine = 0;
        }
        u32 all = begin_places(mine);
        AB_ROLLED
        for (u32 start = 0; start < size(); start += AB_LANES) {
            u32 k = start + g.lane(), colour = k < size() ? u32(from[k]) : COLOURS;
            if (i32(colour) == background) colour = COLOURS;
            u32 at = next_place(colour);
            if (colour < COLOURS) order[at] = Number(k);
        }
        return all;
    }
    // How many of n things have each colour, to `tally`.
    template <class F>
    AB_FN void tally_colours(u32 n, F colour_of) const {
        g.sync();
        tally[g.lane()] = 0;
        g.each(n, [&](u32 k) { fetch_add(tally[colour_of(k)], 1u); });
    }
    // Have each colour's places begin behind those of the colours before, a lane having its colour's count; their sum.
    AB_FN u32 begin_places(u32 mine) {
        u32 all = 0, place = g.sum_before(mine, all);
        g.sync();
        tally[g.lane()] = place;
        g.sync();
        return all;
    }
    // The place of each lane's thing of a colour, in order among those of that colour, whose places begin where `tally`
    // says; of COLOURS, which is none, any.
    AB_FN u32 next_place(u32 colour) const {
        u32 alike = g.alike(colour), next = colour < COLOURS ? tally[colour] : 0;
        g.sync();
        if (colour < COLOURS && (alike & below()) == 0) tally[colour] = next + count_bits(alike);
        g.sync();
        return next + count_bits(alike & below());
    }

    // From cells to the roots of their components, all chains side by side.
    template <u32 N>
    AB_FN void follow(u32 (&at)[N]) const {
        for (bool moved = true; moved;) {
            u32 next[N];
            for (u32 k = 0; k < N; ++k) next[k] = label_of(node[at[k]]);
            moved = false;
            for (u32 k = 0; k < N; ++k) {
                moved |= next[k] != at[k];
                at[k] = next[k];
            }
        }
    }
    // Join the components of pairs of cells, where a lane wants it; nothing is counted yet.
    template <u32 N>
    AB_FN void join(bool (&wants)[N], const u32 (&from_cell)[N], const u32 (&to_cell)[N]) const {
        u32 at[2 * N];
        for (u32 k = 0; k < N; ++k) {
            at[2 * k] = wants[k] ? from_cell[k] : 0;  // the first cell is a root
            at[2 * k + 1] = wants[k] ? to_cell[k] : 0;
        }
        for (;;) {
            bool some = false;
            follow(at);
            for (u32 k = 0; k < N; ++k) some |= at[2 * k] != at[2 * k + 1];
            if (!g.ballot(some)) return;
            g.sync();
            some = false;
            for (u32 k = 0; k < N; ++k) {
                u32 greater = most(at[2 * k], at[2 * k + 1]), lesser = least(at[2 * k], at[2 * k + 1]), was = greater;
                if (greater != lesser) was = u32(fetch_least(node[greater], Word(lesser)));
                bool late = was != greater && was != lesser;
                at[2 * k] = late ? was : 0;
                at[2 * k + 1] = late ? lesser : 0;
                some |= late;
            }
            g.sync();
            if (!g.ballot(some)) return;
        }
    }

    // Label every cell by the first of its run in its row, then join runs with those above.
    AB_FN void find() {
        u32 n = size(), open = 0;  // the run that goes on from the cells before
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += BESIDE * AB_LANES) {
            u32 cell[BESIDE], run[BESIDE], j[BESIDE];
            i32 mine[BESIDE];
            bool above[BESIDE], left[BESIDE];
            for (u32 k = 0; k < BESIDE; ++k) {
                cell[k] = start + k * AB_LANES + g.lane();
                mine[k] = cell[k] < n ? from[cell[k]] : NONE;
                bool there = cell[k] < n && mine[k] != background;
                u32 i = row(cell[k]);
                j[k] = cell[k] - i * w;
                above[k] = there && i > 0;
                left[k] = there && j[k] > 0 && same(mine[k], cell[k] - 1);
            }
            for (u32 k = 0; k < BESIDE; ++k) {
                u32 first = start + k * AB_LANES, all = g.ballot(!left[k]), starts = all & (below() * 2 + 1);
                run[k] = starts ? first + 31 - leading_zeros(starts) : open;
                if (all) open = first + 31 - leading_zeros(all);
                if (cell[k] < n) node[cell[k]] = run[k];
            }
            g.sync();
            bool wants[BESIDE], both[BESIDE], some = false;
            u32 with[BESIDE], last[BESIDE];
            for (u32 k = 0; k < BESIDE; ++k) {
                last[k] = cell[k] - w + 1;
                bool up = above[k] && same(mine[k], cell[k] - w);
                bool corner = above[k] && j[k] > 0 && same(mine[k], cell[k] - w - 1);
                // Of the three above that a cell touches, the middle one makes the others needless.
                bool slant = rules.diagonal && corner && !up && !left[k];
                bool other = rules.diagonal && above[k] && !up && j[k] + 1 < w && same(mine[k], last[k]);
                with[k] = up ? cell[k] - w : slant ? cell[k] - w - 1 : last[k];
                wants[k] = (up && !(left[k] && corner)) || slant || other;
                both[k] = slant && other;
                some |= both[k];
            }
            join(wants, run, with);
            if (rules.diagonal && g.ballot(some)) join(both, run, last);
        }
    }

    // Number the components as their first cells come: how many there are. Their roots go to `first`, how many cells
    // each has to its root; every cell is labelled by its root, with which cell of the component it is.
    AB_FN u32 number(u32 cells) {
        u32 n = rules.univalued ? size() : cells, components = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += BESIDE * AB_LANES) {
            u32 cell[BESIDE], mine[BESIDE], alike[BESIDE];
            bool there[BESIDE];
            for (u32 k = 0; k < BESIDE; ++k) {
                cell[k] = start + k * AB_LANES + g.lane();
                there[k] = cell[k] < n;
                if (there[k] && rules.univalued) there[k] = from[cell[k]] != background;
                if (there[k] && !rules.univalued) cell[k] = order[cell[k]];
                mine[k] = there[k] ? cell[k] : 0;
            }
            follow(mine);
            for (u32 k = 0; k < BESIDE; ++k) alike[k] = g.alike(there[k] ? mine[k] : NOWHERE);
            for (u32 k = 0; k < BESIDE; ++k) {
                u32 before = there[k] ? count_of(node[mine[k]]) : 1;
                u32 rank = before + count_bits(alike[k] & below());
                u32 begin = g.ballot(rank == 0);
                g.sync();
                if (there[k] && cell[k] != mine[k]) node[cell[k]] = with_rank(mine[k], rank);
                if (rank == 0) first[components + count_bits(begin & below())] = Number(mine[k]);
                // A root is the first of its component but where cells come by colour; then both change its word.
                if (there[k] && (alike[k] & below()) == 0) fetch_add(node[mine[k]], Word(count_bits(alike[k])) << BITS);
                if (!rules.univalued && there[k] && cell[k] == mine[k]) fetch_add(node[mine[k]], with_rank(0, rank));
                components += count_bits(begin);
                g.sync();
            }
        }
        return components;
    }

    // Write the numbered components: where the keys of each begin, counted from `base`, and how many they are, to
    // `pairs`, by colour and place of the first; the keys to `keys`.
    AB_FN void write(u32 components, u32 base, u32* pairs, u32* keys) {
        u32 sum = 0, all = 0;
        if (rules.univalued) {
            tally_colours(components, [&](u32 k) { return from[first[k]]; });
            begin_places(tally[g.lane()]);
        }
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < components; start += AB_LANES) {
            u32 k = start + g.lane();
            bool there = k < components;
            u32 mine = there ? first[k] : 0, cells = there ? count_of(node[mine]) : 0;
            u32 begin = sum + g.sum_before(cells, all), at = k;
            sum += all;
            if (rules.univalued) at = next_place(there ? u32(from[mine]) : COLOURS);
            if (there) {
                pairs[2 * at] = base + begin;
                pairs[2 * at + 1] = cells;
                node[mine] = with_count(node[mine], begin);
            }
        }
        struct Placed {
            u32 at, key;
        };
        g.template mapped<Placed>(
            size(),
            [&](u32 cell, Placed& x) {
                i32 colour = from[cell];
                u32 i = row(cell);
                x.key = cell_key(colour, IJ{i32(i), i32(cell - i * w)});
                Word here = node[cell];
                x.at = colour == background ? NOWHERE : count_of(node[label_of(here)]) + rank_of(here);
                return false;
            },
            [&](u32, const Placed& x) {
                if (x.at != NOWHERE) keys[x.at] = x.key;
            });
    }
};

}  // namespace objects_impl
}  // namespace arcbatt

#endif
