// Connected components by labels, for groups of lanes: every cell has a label, the index of a cell it is connected
// with, at first that of its run's first cell; then those of neighbouring runs are joined until all cells of a
// component have its least index. All components grow at once, so that the work is in proportion to the cells, however
// many components there are.
//
// Two components are joined by having the greater of their roots point to the lesser. Where several lanes do so for the
// same root the least remains, and whoever came later joins what it pointed to before with what it points to now.
#pragma once

#include "core/bitboards.h"

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
    static constexpr u32 COLOURS = 32;          // colours from 0 on that labels are for
    static constexpr u32 CELL_BYTES = 8;        // of room
    static constexpr u32 MOST_CELLS = 0xFFFFu;  // of a grid

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
        tally_colours(size(), [&](u32 k) { return from[k]; });
        u32 mine = tally[g.lane()];
        if (without_background) {
            i32 most_cells = g.most_held(i32(mine));
            background = i32(lowest_bit(g.ballot(i32(mine) == most_cells)));
            if (rules.univalued) return size() - u32(most_cells);
            if (i32(g.lane()) == background) mine = 0;
        }
        u32 all = begin_places(mine);
        deal_out(size(), [&](u32 k) { return from[k]; }, [&](u32 k, u32 at) { order[at] = u16(k); });
        return all;
    }
    // How many of n things have each colour, to `tally`.
    template <class F>
    AB_FN void tally_colours(u32 n, F colour_of) {
        u32 lane = g.lane();
        g.sync();
        tally[lane] = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            u32 colour = start + lane < n ? u32(colour_of(start + lane)) : COLOURS, alike = g.alike(colour);
            if (colour < COLOURS && (alike & below()) == 0) tally[colour] += count_bits(alike);
            g.sync();
        }
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
        u32 lane = g.lane();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            u32 colour = start + lane < n ? u32(colour_of(start + lane)) : COLOURS, alike = g.alike(colour);
            bool there = colour < COLOURS && i32(colour) != background;
            u32 next = there ? tally[colour] : 0;
            g.sync();
            if (there) put(start + lane, next + count_bits(alike & below()));
            if (there && (alike & below()) == 0) tally[colour] = next + count_bits(alike);
            g.sync();
        }
    }

    AB_FN u32 root(u32 cell) const {
        u32 at = label_of(node[cell]);
        for (u32 next = label_of(node[at]); next != at; next = label_of(node[at])) at = next;
        return at;
    }
    // Join a cell's component with another's, where a lane wants it; nothing is counted yet.
    AB_FN void join(bool wants, u32 a, u32 b) const {
        for (;;) {
            if (wants) {
                a = root(a);
                b = root(b);
                wants = a != b;
            }
            if (!g.ballot(wants)) return;
            g.sync();
            if (wants) {
                u32 greater = most(a, b), lesser = least(a, b), was = fetch_least(node[greater], lesser);
                wants = was != greater && was != lesser;
                a = was;
                b = lesser;
            }
            g.sync();
            if (!g.ballot(wants)) return;
        }
    }

    // Label every cell by the first of its run in its row, then join runs with those above.
    AB_FN void find() {
        u32 n = size(), lane = g.lane(), open = 0;  // the run that goes on from the cells before
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            u32 cell = start + lane;
            i32 mine = cell < n ? from[cell] : NONE;
            bool there = cell < n && mine != background;
            u32 i = row(cell), j = cell - i * w;
            bool left = there && j > 0 && same(mine, cell - 1);
            u32 starts = g.ballot(!left) & (below() * 2 + 1);
            u32 run = starts ? start + 31 - leading_zeros(starts) : open;
            if (cell < n) node[cell] = run;
            open = g.shuffle(run, u32(AB_LANES - 1));
            g.sync();
            bool above = there && i > 0;
            bool up = above && same(mine, cell - w);
            bool corner = above && j > 0 && same(mine, cell - w - 1);
            // Of the three above that a cell touches, the middle one makes the others needless.
            bool slant = rules.diagonal && corner && !up && !left;
            bool other = rules.diagonal && above && !up && j + 1 < w && same(mine, cell - w + 1);
            u32 with = up ? cell - w : slant ? cell - w - 1 : cell - w + 1;
            join((up && !(left && corner)) || slant || other, run, with);
            if (rules.diagonal) join(slant && other, run, cell - w + 1);
        }
    }

    // Number the components as their first cells come: how many there are. Their roots go to `first`, how many cells
    // each has to its root, which of them each cell is to `rank`, and every cell is labelled by its root.
    AB_FN u32 number(u32 cells) {
        u32 n = rules.univalued ? size() : cells, lane = g.lane(), components = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            u32 cell = start + lane;
            bool there = cell < n;
            if (there && rules.univalued) there = from[cell] != background;
            if (there && !rules.univalued) cell = order[cell];
            u32 mine = there ? root(cell) : NOWHERE, alike = g.alike(mine);
            u32 before = there ? count_of(node[mine]) : 1;
            u32 place = before + count_bits(alike & below());
            u32 begin = g.ballot(place == 0);
            g.sync();
            if (there) {
                if (cell != mine) node[cell] = mine;
                rank[cell] = u16(place);
                if (place == 0) first[components + count_bits(begin & below())] = u16(mine);
                if ((alike & below()) == 0) node[mine] = with_count(mine, before + count_bits(alike));
            }
            components += count_bits(begin);
            g.sync();
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
