// Connected components by labels, for groups of lanes: every cell has a label, the index of a cell it is connected
// with, at first that of its run's first cell; then those of neighbouring runs are joined until all cells of a
// component have its least index. All components grow at once, so that the work is in proportion to the cells, however
// many components there are.
//
// A label is joined by having the greater of two roots point to the lesser. Of several lanes that do so for the same
// root one wins; the others see that theirs are still apart, and try again.
#pragma once

#include "bitboards.h"

#if AB_LANES > 1

namespace arcbatt {
namespace objects_impl {

// Where the row of a cell is, without dividing integers; exact for any grid there can be.
struct RowOf {
    float share;
    AB_FN explicit RowOf(u32 w) : share(1.0f / float(w)) {}
    AB_FN u32 operator()(u32 cell) const { return u32((float(cell) + 0.5f) * share); }
};

// T holds the index of a cell.
template <class T>
struct Labels {
    static constexpr u32 COLOURS = 32;  // colours from 0 on that labels are for
    static constexpr u32 ROWS = 5;      // words a cell of room

    const Group& g;
    const i8* from;
    u32 h, w;
    bool univalued, diagonal;
    RowOf row;
    T *label, *order, *rank, *count, *first;
    u32* tally;             // a word a colour and one more
    i32 background = NONE;  // a colour

    AB_FN Labels(const Group& lanes, const i8* cells, u32 height, u32 width, bool one_colour, bool diagonals, T* room,
                 u32* colours)
        : g(lanes), from(cells), h(height), w(width), univalued(one_colour), diagonal(diagonals), row(width) {
        u32 n = h * w;
        label = room;
        order = room + n;
        rank = room + 2 * n;
        count = room + 3 * n;
        first = room + 4 * n;
        tally = colours;
    }

    AB_FN u32 size() const { return h * w; }
    AB_FN u32 below() const { return (1u << g.lane()) - 1; }
    // Whether two cells that touch belong together.
    AB_FN bool same(i32 mine, u32 other) const {
        i32 there = from[other];
        return univalued ? there == mine : there != background;
    }

    // The cells without the background by colour and place, into `order`: how many.
    AB_FN u32 sort_cells(bool without_background) {
        u32 n = size(), lane = g.lane();
        g.sync();
        tally[lane] = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            u32 colour = start + lane < n ? u32(from[start + lane]) : COLOURS, alike = g.alike(colour);
            if (colour < COLOURS && (alike & below()) == 0) tally[colour] += count_bits(alike);
            g.sync();
        }
        u32 mine = tally[lane], all = 0;
        if (without_background) {
            i32 most_cells = g.most_held(i32(mine));
            background = i32(lowest_bit(g.ballot(i32(mine) == most_cells)));
            if (i32(lane) == background) mine = 0;
        }
        u32 place = g.sum_before(mine, all);
        g.sync();
        tally[lane] = place;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            u32 colour = start + lane < n ? u32(from[start + lane]) : COLOURS, alike = g.alike(colour);
            bool there = colour < COLOURS && i32(colour) != background;
            u32 next = there ? tally[colour] : 0;
            g.sync();
            if (there) order[next + count_bits(alike & below())] = T(start + lane);
            if (there && (alike & below()) == 0) tally[colour] = next + count_bits(alike);
            g.sync();
        }
        return all;
    }

    AB_FN u32 root(u32 cell) const {
        u32 at = label[cell];
        for (u32 next = label[at]; next != at; next = label[at]) at = next;
        return at;
    }
    // Join a cell's component with another's, where a lane wants it.
    AB_FN void join(bool wants, u32 a, u32 b) const {
        while (g.ballot(wants)) {
            if (wants) {
                a = root(a);
                b = root(b);
                wants = a != b;
            }
            g.sync();
            if (wants) label[most(a, b)] = T(least(a, b));
            g.sync();
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
            if (cell < n) {
                label[cell] = T(run);
                count[cell] = 0;
            }
            open = g.shuffle(run, u32(AB_LANES - 1));
            g.sync();
            bool above = there && i > 0;
            bool up = above && same(mine, cell - w);
            bool corner = above && j > 0 && same(mine, cell - w - 1);
            join(up && !(left && corner), cell, cell - w);
            if (!diagonal) continue;
            join(corner && !up && !left, cell, cell - w - 1);
            join(above && !up && j + 1 < w && same(mine, cell - w + 1), cell, cell - w + 1);
        }
    }

    // Number the components of `n` cells in order: how many there are. Their roots go to `first`, how many cells each
    // has to `count` of its root, and which of them each cell is to `rank`.
    AB_FN u32 number(u32 n) {
        u32 lane = g.lane(), components = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < n; start += AB_LANES) {
            bool there = start + lane < n;
            u32 mine = there ? root(order[start + lane]) : NOWHERE;
            u32 alike = g.alike(mine), before = there ? count[mine] : 1;
            u32 place = before + count_bits(alike & below());
            u32 begin = g.ballot(place == 0);
            g.sync();
            if (there) {
                label[order[start + lane]] = T(mine);
                rank[start + lane] = T(place);
                if (place == 0) first[components + count_bits(begin & below())] = T(mine);
                if ((alike & below()) == 0) count[mine] = T(before + count_bits(alike));
            }
            components += count_bits(begin);
            g.sync();
        }
        return components;
    }

    // Write the numbered components: where the keys of each begin, counted from `base`, and how many they are, to
    // `pairs`; the keys to `keys`.
    AB_FN void write(u32 n, u32 components, u32 base, u32* pairs, u32* keys) {
        u32 lane = g.lane(), sum = 0, all = 0;
        g.sync();
        AB_ROLLED
        for (u32 start = 0; start < components; start += AB_LANES) {
            u32 k = start + lane;
            bool there = k < components;
            u32 mine = there ? first[k] : 0, cells = there ? count[mine] : 0;
            u32 before = sum + g.sum_before(cells, all);
            sum += all;
            if (there) {
                pairs[2 * k] = base + before;
                pairs[2 * k + 1] = cells;
                count[mine] = T(before);
            }
        }
        g.each(n, [&](u32 k) {
            u32 cell = order[k], i = row(cell);
            keys[count[root(cell)] + rank[k]] = cell_key(from[cell], IJ{i32(i), i32(cell - i * w)});
        });
    }
};

}  // namespace objects_impl
}  // namespace arcbatt

#endif
