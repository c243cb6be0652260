// Rays: what is seen along lines, colours that run over the ground, and what falls.
#pragma once

#include "ops/images.h"

namespace arcbatt {
namespace images {

AB_FN Status can_go(Grid g, IJ direction) {
    if (!has_cells(g)) return EMPTY;
    return is_step(direction) ? OK : BOUNDS;
}

// A new image of cells that are each f(cell, the last colour but the ground before it in a direction, NONE without).
template <class F>
AB_FN Status along_lines(Ctx& c, Grid g, i32 ground, IJ direction, F f, Grid& out) {
    Status s = can_go(g, direction);
    if (s == OK) s = make_grid(c, g.h, g.w, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    IJ d = near_step(direction);
    each_line(c, g, d, [&](IJ p) {
        for (i32 seen = NONE; on_grid(g, p); p = plus(p, d)) {
            u32 k = cell_index(g, p);
            to[k] = i8(f(i32(from[k]), seen));
            if (from[k] != ground) seen = from[k];
        }
    });
    return OK;
}

// --- falling ---

// Regions that fall: each cell has its region's label and one more, the ground 0.
struct Falling {
    u32 *now, *next;
    u32* resting;  // by label
};

// Mark the regions that cannot move: those at the edge, and those before which one lies that cannot.
AB_FN void find_resting(const Ctx& c, Grid g, IJ d, Falling f) {
    u32 w = u32(g.w);
    c.g.each(cell_count(g) + 1, [&](u32 k) { f.resting[k] = 0; });
    auto rests = [&](u32 i, u32 j, u32 mine) {
        IJ p = plus(IJ{i32(i), i32(j)}, d);
        if (!on_grid(g, p)) return true;
        u32 there = f.now[cell_index(g, p)];
        return there != 0 && there != mine && f.resting[there] != 0;
    };
    bool grown = true;
    while (grown && !c.stopped())
        grown = c.g.flagged(u32(g.h), [&](u32 row) {
            u32 i = d.i > 0 ? u32(g.h) - 1 - row : row;  // what rests on something comes after it
            bool any = false;
            for (u32 j = 0; j < w; ++j) {
                u32 mine = f.now[i * w + j];
                if (mine == 0 || f.resting[mine] || !rests(i, j, mine)) continue;
                f.resting[mine] = 1;
                any = true;
            }
            return any;
        });
}

// Move all other regions one step; whether there were any.
AB_FN bool move_others(const Ctx& c, Grid g, IJ d, Falling f) {
    u32 n = cell_count(g);
    if (!c.g.any(n, [&](u32 k) { return f.now[k] != 0 && !f.resting[f.now[k]]; })) return false;
    c.g.each(n, [&](u32 k) { f.next[k] = 0; });
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32 k) {
        u32 mine = f.now[k];
        if (mine == 0) return;
        IJ p{i32(i), i32(j)};
        f.next[f.resting[mine] ? k : cell_index(g, plus(p, d))] = mine;
    });
    return true;
}

}  // namespace images

namespace op {

// What is seen ahead is what came last on the way back.
AB_FN Status look(Ctx& c, Grid g, i32 ground, IJ direction, Grid& out) {
    IJ back = images::opposite(images::near_step(direction));
    return images::along_lines(c, g, ground, back, [](i32, i32 seen) { return seen == NONE ? -1 : seen; }, out);
}
AB_FN Status smear(Ctx& c, Grid g, i32 ground, IJ direction, Grid& out) {
    auto cell = [ground](i32 mine, i32 seen) { return mine != ground || seen == NONE ? mine : seen; };
    return images::along_lines(c, g, ground, direction, cell, out);
}
AB_FN Status beam(Ctx& c, Grid g, i32 colour, i32 ground, IJ direction, Grid& out) {
    auto cell = [colour, ground](i32 mine, i32 seen) {
        return mine == ground && seen == colour && seen != NONE ? colour : mine;
    };
    return images::along_lines(c, g, ground, direction, cell, out);
}
AB_FN Status bridge(Ctx& c, Grid g, i32 ground, IJ direction, Grid& out) {
    using namespace images;
    Status s = can_go(g, direction);
    if (s == OK) s = gridwork::make_copy(c, g, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    IJ d = near_step(direction);
    each_line(c, g, d, [&](IJ p) {
        i32 seen = NONE;
        for (IJ start = p; on_grid(g, p); p = plus(p, d)) {
            i32 mine = from[cell_index(g, p)];
            if (mine == ground) continue;
            if (mine == seen)
                for (IJ q = plus(start, d); q.i != p.i || q.j != p.j; q = plus(q, d)) to[cell_index(g, q)] = i8(mine);
            seen = mine;
            start = p;
        }
    });
    return OK;
}
AB_FN Status fall(Ctx& c, Grid g, i32 ground, IJ direction, Grid& out) {
    using namespace images;
    Status s = can_go(g, direction);
    if (s == OK) s = gridwork::make_copy(c, g, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    IJ d = opposite(near_step(direction));
    each_line(c, g, d, [&](IJ p) {
        IJ rests = p;
        for (; on_grid(g, p); p = plus(p, d)) {
            i8 mine = from[cell_index(g, p)];
            if (mine == ground) continue;
            to[cell_index(g, rests)] = mine;
            rests = plus(rests, d);
        }
        for (; on_grid(g, rests); rests = plus(rests, d)) to[cell_index(g, rests)] = i8(ground);
    });
    return OK;
}
AB_FN Status drop(Ctx& c, Grid g, i32 ground, bool diagonal, IJ direction, Grid& out) {
    using namespace images;
    Status s = can_go(g, direction);
    if (s == OK) s = make_grid(c, g.h, g.w, out);
    Regions regions;
    if (s == OK) s = find_regions(c, g, diagonal, regions);
    Falling f;
    u32 n = cell_count(g);
    f.now = regions.label;
    if (s == OK) s = take_words(c, n, f.next);
    if (s == OK) s = take_words(c, n + 1, f.resting);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    c.g.each(n, [&](u32 k) { f.now[k] = from[k] == ground ? 0 : f.now[k] + 1; });
    IJ d = near_step(direction);
    for (find_resting(c, g, d, f); !c.stopped() && move_others(c, g, d, f); find_resting(c, g, d, f)) {
        u32* moved = f.next;
        f.next = f.now;
        f.now = moved;
    }
    i8* to = cells(c, out);
    c.g.each(n, [&](u32 k) { to[k] = f.now[k] ? from[f.now[k] - 1] : i8(ground); });
    return OK;
}

}  // namespace op
}  // namespace arcbatt
