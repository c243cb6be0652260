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

// Of grids whose cells 16 bits can count.
template <class R = FixedRules<true, true>>
struct Labels {
    static constexpr u32 COLOURS = ColourCounts::COLOURS;  // from 0 on that labels are for
    static constexpr u32 CELL_BYTES = 8;                   // of room
    static constexpr u32 MOST_CELLS = 0xFFFFu;             // of a grid
    static constexpr u32 BESIDE = 2;  // cells that a lane looks at side by side, so that it waits once for all

    const Group& g;
    const i8* from;
    u32 h, w;
    R rules;
    RowOf row;
    u32* node;  // of each cell its label, and of a root, in the upper half, what `number` and `write` count
    u16 *order, *rank;
    u16* first;             // in the place of `order`, as far as that was read
    u32* tally;             // a word per colour and one more
    i32 background = NONE;  // a colour

    AB_FN Labels(const Group& lanes, const i8* cells, u32 height, u32 width, R which, u32* room, u32* colours)
        : g(lanes), from(cells), h(height), w(width), rules(which), row(width) {
        u32 n = h * w;
        node = room;
        order = reinterpret_cast<u16*>(room + n);
        rank = order + n;
        first = order;
        tally = colours;
    }
    static AB_FN u32 label_of(u32 word) { return word & MOST_CELLS; }
    static AB_FN u32 count_of(u32 word) { return word >> 16; }
    static AB_FN u32 with_count(u32 label, u32 count) { return label | count << 16; }

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
        deal_out(size(), [&](u32 k) { return from[k]; }, [&](u32 k, u32 at) { order[at] = u16(k); });
        return all;
    }
    // How many of n things have each colour, to `tally`.
    template <class F>
    AB_FN void tally_colours(u32 n, F colour_of) {
        g.sync();
        tally[g.lane()] = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += BESIDE * AB_LANES) {
            u32 colour[BESIDE], alike[BESIDE];
            look(start, n, colour_of, colour, alike);
            for (u32 k = 0; k < BESIDE; ++k)
                if (colour[k] < COLOURS && (alike[k] & below()) == 0) fetch_add(tally[colour[k]], count_bits(alike[k]));
        }
        g.sync();
    }
    // The colours of things from `start` on, COLOURS beyond the last, and which lanes have the same.
    template <class F>
    AB_FN void look(u32 start, u32 n, F colour_of, u32 (&colour)[BESIDE], u32 (&alike)[BESIDE]) const {
        for (u32 k = 0; k < BESIDE; ++k) {
            u32 at = start + k * AB_LANES + g.lane();
            colour[k] = at < n ? u32(colour_of(at)) : COLOURS;
        }
        for (u32 k = 0; k < BESIDE; ++k) alike[k] = g.alike(colour[k]);
    }
    // Have each colour's places begin behind those of the colours before, a lane having its colour's count; their sum.
    AB_FN u32 begin_places(u32 mine) {
        u32 all = 0, place = g.sum_before(mine, all);
        g.sync();
        tally[g.lane()] = place;
        g.sync();
        return all;
    }
    // put(k, place) for each of n things that are not the background, in order among those of its colour, whose places
    // begin where `tally` says.
    template <class F, class P>
    AB_FN void deal_out(u32 n, F colour_of, P put) {
        AB_ROLLED
        for (u32 start = 0; start < n; start += BESIDE * AB_LANES) {
            u32 colour[BESIDE], alike[BESIDE];
            look(start, n, colour_of, colour, alike);
            for (u32 k = 0; k < BESIDE; ++k) {
                bool there = colour[k] < COLOURS && i32(colour[k]) != background;
                u32 next = there ? tally[colour[k]] : 0;
                g.sync();
                if (there) put(start + k * AB_LANES + g.lane(), next + count_bits(alike[k] & below()));
                if (there && (alike[k] & below()) == 0) tally[colour[k]] = next + count_bits(alike[k]);
                g.sync();
            }
        }
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
                if (greater != lesser) was = fetch_least(node[greater], lesser);
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
    // each has to its root, which of them each cell is to `rank`, and every cell is labelled by its root.
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
                u32 place = before + count_bits(alike[k] & below());
                u32 begin = g.ballot(place == 0);
                g.sync();
                if (there[k]) {
                    if (cell[k] != mine[k]) node[cell[k]] = mine[k];
                    rank[cell[k]] = u16(place);
                    if (place == 0) first[components + count_bits(begin & below())] = u16(mine[k]);
                    if ((alike[k] & below()) == 0) node[mine[k]] = with_count(mine[k], before + count_bits(alike[k]));
                }
                components += count_bits(begin);
                g.sync();
            }
        }
        return components;
    }

    // Write the numbered components: where the keys of each begin, counted from `base`, and how many they are, to
    // `pairs`, by colour and place of the first; the keys to `keys`.
    AB_FN void write(u32 components, u32 base, u32* pairs, u32* keys) {
        u32 lane = g.lane(), sum = 0, all = 0;
        auto colour_of = [&](u32 k) { return from[first[k]]; };
        if (rules.univalued) {
            tally_colours(components, colour_of);
            begin_places(tally[lane]);
            // Where a component's pair goes, in the place of its first cell's rank, which is 0.
            deal_out(components, colour_of, [&](u32 k, u32 at) { rank[first[k]] = u16(at); });
        }
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < components; start += AB_LANES) {
            u32 k = start + lane;
            bool there = k < components;
            u32 mine = there ? first[k] : 0, cells = there ? count_of(node[mine]) : 0;
            u32 before = sum + g.sum_before(cells, all);
            sum += all;
            if (there) {
                u32 at = rules.univalued ? rank[mine] : k;
                pairs[2 * at] = base + before;
                pairs[2 * at + 1] = cells;
                node[mine] = with_count(mine, before);
                if (rules.univalued) rank[mine] = 0;
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
                x.at = colour == background ? NOWHERE : count_of(node[label_of(node[cell])]) + rank[cell];
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
