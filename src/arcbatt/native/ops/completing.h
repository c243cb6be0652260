// Completing: what is hidden in a grid, found by its symmetry or by what repeats in it.
#pragma once

#include "ops/images.h"

namespace arcbatt {
namespace images {

constexpr i32 MOST_PERIOD = 30, MOST_SHIFT = 8;

// Where a cell is sent: its columns or rows counted from the other side, transposed, or shifted.
struct Move {
    IJ down, across, offset;  // of a place (i, j): i times `down` plus j times `across` plus `offset`
    AB_FN IJ operator()(i32 i, i32 j) const {
        return IJ{i * down.i + j * across.i + offset.i, i * down.j + j * across.j + offset.j};
    }
};
AB_FN Move columns_reversed(i32 s) { return Move{IJ{1, 0}, IJ{0, -1}, IJ{0, s}}; }
AB_FN Move rows_reversed(i32 s) { return Move{IJ{-1, 0}, IJ{0, 1}, IJ{s, 0}}; }
AB_FN Move transposed(i32 s) { return Move{IJ{0, 1}, IJ{1, 0}, IJ{s, -s}}; }
AB_FN Move shifted(IJ by) { return Move{IJ{1, 0}, IJ{0, 1}, by}; }

// The cells of one row that are sent onto the grid, from column `begin` on and before `end`: that of column j to the
// cell `base` + j * `stride`.
struct SentRow {
    i32 begin, end, base, stride;
    AB_FN SentRow(Grid g, Move move, i32 i) {
        IJ start = move(i, 0);
        begin = 0;
        end = g.w;
        base = start.i * g.w + start.j;
        stride = move.across.i * g.w + move.across.j;
        keep_between(start.i, move.across.i, g.h);
        keep_between(start.j, move.across.j, g.w);
    }
    // Columns j with start + j * step from 0 to before n; a step is -1, 0 or 1.
    AB_FN void keep_between(i32 start, i32 step, i32 n) {
        if (step == 0) {
            if (start < 0 || start >= n) end = begin;
            return;
        }
        begin = most(begin, step > 0 ? -start : start - n + 1);
        end = least(end, step > 0 ? n - start : start + 1);
    }
};

// Whether a known cell of a row is sent to a known cell of another colour.
AB_FN bool row_differs(const i8* from, Grid g, i32 hole, Move move, i32 i) {
    SentRow sent(g, move, i);
    const i8 *row = from + i * g.w, *others = from + sent.base;
    i8 unknown = i8(hole);
    u8 differ = 0, all_known = !colour_fits(hole);
    auto compare = [&](i8 here, i8 there) {
        differ |= u8((here != there) & ((here != unknown) | all_known) & ((there != unknown) | all_known));
    };
    // Cells that lie in a row are compared many at once.
    if (sent.stride == 1)
        for (i32 j = sent.begin; j < sent.end; ++j) compare(row[j], others[j]);
    else
        for (i32 j = sent.begin; j < sent.end; ++j) compare(row[j], others[j * sent.stride]);
    return differ != 0;
}
AB_FN bool any_differs(const Ctx& c, Grid g, i32 hole, Move move) {
    const i8* from = cells(c, g);
    return c.g.any(u32(g.h), [&](u32 i) { return row_differs(from, g, hole, move, i32(i)); });
}

// How many known cells have the colour of the known cell they are sent to, if that is another; 0 if one differs.
AB_CALL i32 agreement(const Ctx& c, Grid g, i32 hole, Move move) {
    if (any_differs(c, g, hole, move)) return 0;
    const i8* from = cells(c, g);
    return i32(c.g.sum_of(u32(g.h), [&](u32 i) {
        SentRow sent(g, move, i32(i));
        i32 start = i32(i) * g.w, agree = 0;
        for (i32 j = sent.begin; j < sent.end; ++j) {
            i32 to = sent.base + j * sent.stride;
            agree += from[start + j] != hole && from[to] != hole && to != start + j;
        }
        return agree;
    }));
}

// The move at most so far from the middle under which most cells agree and none differ, of as good ones that nearest to
// the middle, then the lesser; false if there is none. `most_at` is how many cells can agree at a distance at most.
template <class M, class B>
AB_FN bool best_move(const Ctx& c, Grid g, i32 hole, i32 middle, i32 far, M move_by, B most_at, Move& out) {
    i32 best = 0;
    for (i32 k = 0; k <= far && best < most_at(k) && !c.stopped(); ++k)
        for (i32 side = 0; side < (k ? 2 : 1); ++side) {
            Move move = move_by(side ? middle + k : middle - k);
            i32 agree = agreement(c, g, hole, move);
            if (agree <= best) continue;
            best = agree;
            out = move;
        }
    return best > 0;
}

// Cells that are whole periods apart are a class: how many there are, and the first cell of each.
AB_FN u32 class_count(Grid g, IJ period) { return u32(least(g.h, period.i)) * u32(least(g.w, period.j)); }
AB_FN IJ class_first(Grid g, IJ period, u32 k) {
    u32 wide = u32(least(g.w, period.j));
    return IJ{i32(k / wide), i32(k % wide)};
}
// f(cell's index) for the cells of a class by rows, until it holds; whether it did.
template <class F>
AB_FN bool in_class(Grid g, IJ period, IJ first, F f) {
    for (i32 i = first.i; i < g.h; i += period.i)
        for (i32 j = first.j; j < g.w; j += period.j)
            if (f(cell_index(g, IJ{i, j}))) return true;
    return false;
}

// Whether every class of cells has just one known colour.
AB_CALL bool repeats(const Ctx& c, Grid g, i32 hole, IJ period) {
    const i8* from = cells(c, g);
    return !c.g.any(class_count(g, period), [&](u32 k) {
        i32 known = NONE;
        bool differ = in_class(g, period, class_first(g, period, k), [&](u32 at) {
            if (from[at] == hole) return false;
            if (known == NONE) known = from[at];
            return known != from[at];
        });
        return differ || known == NONE;
    });
}

}  // namespace images

namespace op {

AB_FN Status mirrorfill(Ctx& c, Grid g, i32 colour, i32 mode, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (mode < 0 || mode > 7) return BOUNDS;
    const i8* from = cells(c, g);
    u32 n = cell_count(g);
    if (!c.g.any(n, [&](u32 k) { return from[k] == colour; })) {
        out = g;
        return OK;
    }
    Move moves[3];
    u32 count = 0;
    if (mode & 4)
        count += best_move(
            c, g, colour, g.w - 1, (g.w - 1) / 2, columns_reversed, [&](i32 k) { return g.h * (g.w - k); },
            moves[count]);
    if (mode & 2)
        count += best_move(
            c, g, colour, g.h - 1, (g.h - 1) / 2, rows_reversed, [&](i32 k) { return g.w * (g.h - k); }, moves[count]);
    if (mode & 1)
        count += best_move(c, g, colour, 0, least(g.h, g.w) / 2, transposed, [&](i32) { return i32(n); }, moves[count]);
    if (count == 0) return EMPTY;
    Grid next;
    Status s = gridwork::make_copy(c, g, out);
    if (s == OK) s = make_grid(c, g.h, g.w, next);
    if (s != OK) return s;
    // Each round reads the one before, so that the order of cells makes no difference.
    for (bool changed = true; changed && !c.stopped();) {
        const i8* now = cells(c, out);
        i8* to = cells(c, next);
        changed = c.g.flagged(u32(g.h), [&](u32 i) {
            bool any = false;
            for (u32 j = 0, k = i * u32(g.w); j < u32(g.w); ++j, ++k) {
                to[k] = now[k];
                for (u32 m = 0; m < count && to[k] == colour; ++m) {
                    IJ p = moves[m](i32(i), i32(j));
                    if (on_grid(g, p)) to[k] = now[cell_index(g, p)];
                }
                any = any || to[k] != now[k];
            }
            return any;
        });
        Grid swapped = out;
        out = next;
        next = swapped;
    }
    return OK;
}

// Only periods under which no known cell differs from the next one down, and across, are looked at in full.
AB_FN Status gridperiod(Ctx& c, Grid g, i32 colour, IJ& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    i32 tall = least(g.h, MOST_PERIOD), wide = least(g.w, MOST_PERIOD);
    u32 n = cell_count(g), down = 0, across = 0;
    for (i32 p = 1; p <= tall; ++p)
        if (!any_differs(c, g, colour, shifted(IJ{p, 0}))) down |= 1u << p;
    for (i32 q = 1; q <= wide; ++q)
        if (!any_differs(c, g, colour, shifted(IJ{0, q}))) across |= 1u << q;
    for (u32 area = 1; 2 * area <= n && area <= u32(tall * wide) && !c.stopped(); ++area)
        for (u32 p = 1; p <= u32(tall) && p <= area; ++p) {
            u32 q = area / p;
            if (p * q != area || q > u32(wide) || !(down >> p & 1) || !(across >> q & 1)) continue;
            out = IJ{i32(p), i32(q)};
            if (repeats(c, g, colour, out)) return OK;
        }
    return EMPTY;
}

AB_FN Status periodfill(Ctx& c, Grid g, i32 colour, IJ period, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (period.i <= 0 || period.j <= 0) return BOUNDS;
    period = near_step(period);
    Status s = gridwork::make_copy(c, g, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    c.g.each(class_count(g, period), [&](u32 k) {
        IJ first = class_first(g, period, k);
        i8 known = i8(colour);
        bool found = in_class(g, period, first, [&](u32 at) {
            known = from[at];
            return from[at] != colour;
        });
        if (found)
            in_class(g, period, first, [&](u32 at) {
                if (from[at] == colour) to[at] = known;
                return false;
            });
    });
    return OK;
}

AB_FN Status drift(Ctx& c, Grid g, i32 colour, IJ& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    i32 down = least(g.h - 1, MOST_SHIFT), across = least(g.w - 1, MOST_SHIFT), best = 0;
    for (i32 a = 0; a <= down && !c.stopped(); ++a)
        for (i32 b = a ? -across : 1; b <= across; ++b) {
            if ((g.h - a) * (g.w - magnitude(b)) <= best) continue;
            i32 agree = agreement(c, g, colour, shifted(IJ{a, b}));
            if (agree <= best) continue;
            best = agree;
            out = IJ{a, b};
        }
    return best ? OK : EMPTY;
}

AB_FN Status driftfill(Ctx& c, Grid g, i32 colour, IJ shift, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (!is_step(shift)) return BOUNDS;
    shift = near_step(shift);
    const i8* from = cells(c, g);
    return redraw(
        c, g,
        [&](i32 i, i32 j, u32 k) -> i32 {
            if (from[k] != colour) return from[k];
            IJ ahead = plus(IJ{i, j}, shift), behind = plus(IJ{i, j}, opposite(shift));
            while (on_grid(g, ahead) || on_grid(g, behind)) {
                if (on_grid(g, ahead) && from[cell_index(g, ahead)] != colour) return from[cell_index(g, ahead)];
                if (on_grid(g, behind) && from[cell_index(g, behind)] != colour) return from[cell_index(g, behind)];
                ahead = plus(ahead, shift);
                behind = plus(behind, opposite(shift));
            }
            return from[k];
        },
        out);
}

}  // namespace op
}  // namespace arcbatt
