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

// What lies before each cell of a region: the label of the region it would come to rest on, or the edge, and how many
// cells of ground there are up to it.
constexpr u32 EDGE = NOWHERE;
struct Falling {
    const u32* label;
    u32 *ahead, *gap;
    u32* way;  // by label, how far the region goes
};

AB_FN void look_ahead(const Ctx& c, Grid g, i32 ground, IJ d, Falling f) {
    const i8* from = cells(c, g);
    each_line(c, g, opposite(d), [&](IJ p) {
        u32 ahead = EDGE, gap = 0;
        for (; on_grid(g, p); p = plus(p, opposite(d))) {
            u32 k = cell_index(g, p);
            if (from[k] == ground) {
                ++gap;
                continue;
            }
            f.ahead[k] = ahead;
            f.gap[k] = gap;
            ahead = f.label[k];
            gap = 0;
        }
    });
}

// A region goes as far as the edge lets it, or as the region before it goes and the gap to that: the least of all these
// ways, found by trying them until none is shorter. No way is longer than the grid is.
AB_FN void find_ways(const Ctx& c, Grid g, i32 ground, IJ d, Falling f) {
    const i8* from = cells(c, g);
    u32 w = u32(g.w);
    c.g.each(cell_count(g), [&](u32 k) { f.way[k] = u32(2 * MAX_SIDE); });
    for (bool shorter = true; shorter && !c.stopped();)
        shorter = c.g.flagged(u32(g.h), [&](u32 row) {
            // What comes to rest on something mostly comes after it.
            u32 i = d.i > 0 ? u32(g.h) - 1 - row : row;
            bool any = false;
            for (u32 at = 0; at < w; ++at) {
                u32 k = i * w + (d.j > 0 ? w - 1 - at : at);
                if (from[k] == ground || f.ahead[k] == f.label[k]) continue;
                u32 way = f.gap[k] + (f.ahead[k] == EDGE ? 0 : f.way[f.ahead[k]]);
                if (way >= f.way[f.label[k]]) continue;
                fetch_least(f.way[f.label[k]], way);
                any = true;
            }
            return any;
        });
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
AB_FN Status cellfall(Ctx& c, Grid g, i32 ground, IJ direction, Grid& out) {
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
AB_FN Status regionfall(Ctx& c, Grid g, i32 ground, bool diagonal, IJ direction, Grid& out) {
    using namespace images;
    Status s = can_go(g, direction);
    if (s == OK) s = make_grid(c, g.h, g.w, out);
    Regions regions;
    if (s == OK) s = find_regions(c, g, diagonal, regions);
    Falling f;
    u32 n = cell_count(g);
    f.label = regions.label;
    if (s == OK) s = take_words(c, n, f.ahead);
    if (s == OK) s = take_words(c, n, f.gap);
    if (s == OK) s = take_words(c, n, f.way);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    IJ d = near_step(direction);
    look_ahead(c, g, ground, d, f);
    find_ways(c, g, ground, d, f);
    if (c.stopped()) return OK;
    c.g.each(n, [&](u32 k) { to[k] = i8(ground); });
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32 k) {
        i32 way = i32(f.way[f.label[k]]);
        if (from[k] != ground) to[cell_index(g, IJ{i32(i) + way * d.i, i32(j) + way * d.j})] = from[k];
    });
    return OK;
}

}  // namespace op
}  // namespace arcbatt
