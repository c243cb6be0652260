// Measures: numbers in the place of colours, that say of each cell how it lies among the others.
#pragma once

#include "ops/images.h"
#include "ops/painting.h"

namespace arcbatt {
namespace images {

// --- distances ---

// Of each cell how far the nearest marked cell is, and which it is, as one word: so the least word is the nearest, and
// the first of several. A marked cell's word comes from its number alone.
constexpr u32 FAR = 0xFFFFFFFFu, STEP = 1u << 16;

AB_FN u32 step_from(u32 word) { return word == FAR ? FAR : word + STEP; }

// Along rows first, then from row to row both ways, straight or also aslant: any way can be walked in that order.
template <class F>
AB_FN Status find_nearest(Ctx& c, Grid g, bool diagonal, F marked, u32*& out) {
    u32 h = u32(g.h), w = u32(g.w);
    u32* upward;
    Status s = take_words(c, cell_count(g), out);
    if (s == OK) s = take_words(c, cell_count(g), upward);
    if (s != OK) return s;
    u32* downward = out;
    c.g.each(h, [&](u32 i) {
        u32 word = FAR;
        for (u32 k = i * w; k < (i + 1) * w; ++k) {
            word = least(step_from(word), marked(k) ? k : FAR);
            downward[k] = word;
        }
        word = FAR;
        for (u32 k = (i + 1) * w; k-- > i * w;) {
            word = least(step_from(word), downward[k]);
            downward[k] = word;
            upward[k] = word;
        }
    });
    auto advance = [&](u32* words, u32 row, u32 before) {
        c.g.each(w, [&](u32 j) {
            const u32* there = words + before * w;
            u32 word = there[j];
            if (diagonal && j > 0) word = least(word, there[j - 1]);
            if (diagonal && j + 1 < w) word = least(word, there[j + 1]);
            words[row * w + j] = least(words[row * w + j], step_from(word));
        });
    };
    for (u32 i = 1; i < h; ++i) {
        advance(downward, i, i - 1);
        advance(upward, h - 1 - i, h - i);
    }
    c.g.each(cell_count(g), [&](u32 k) { downward[k] = least(downward[k], upward[k]); });
    return OK;
}

// --- boxes of regions ---

// The ends of regions along rows and columns, by label: the least and the greatest row and column.
struct Ends {
    u32 *top, *bottom, *left, *right;
};
AB_FN Status find_ends(Ctx& c, Grid g, const Regions& regions, Ends& out) {
    u32 n = cell_count(g);
    Status s = take_words(c, n, out.top);
    if (s == OK) s = take_words(c, n, out.bottom);
    if (s == OK) s = take_words(c, n, out.left);
    if (s == OK) s = take_words(c, n, out.right);
    if (s != OK) return s;
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32 k) {
        out.top[k] = out.bottom[k] = i;
        out.left[k] = out.right[k] = j;
    });
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32 k) {
        u32 at = regions.label[k];
        fetch_most(out.bottom[at], i);
        fetch_least(out.left[at], j);
        fetch_most(out.right[at], j);
    });
    return OK;
}

template <class F>
AB_FN Status both_images(Ctx& c, Grid a, Grid b, F f, Grid& out) {
    if (!has_cells(a) || !has_cells(b)) return EMPTY;
    if (!same_shape(a, b)) return BOUNDS;
    const i8 *x = cells(c, a), *y = cells(c, b);
    return redraw(c, a, [&](i32, i32, u32 k) { return f(x[k], y[k]); }, out);
}

template <int TAG>
AB_FN i32 greater_numbers(Ctx& c, Array<TAG> numbers, i32 value) {
    const u32* keys = words(c, numbers);
    return i32(c.g.sum_of(numbers.n, [&](u32 k) { return keys[k] > int_key(value); }));
}

}  // namespace images

namespace op {

AB_FN Status colormask(Ctx& c, Grid g, i32 colour, Grid& out) {
    if (!images::has_cells(g)) return EMPTY;
    return gridwork::map_cells(c, g, [colour](i8 cell) { return i8(cell == colour); }, out);
}
AB_FN Status ramp(Ctx& c, IJ dims, IJ step, Grid& out) {
    Status s = images::make_image(c, dims.i, dims.j, out);
    if (s != OK) return s;
    auto number = [&](i64 i, i64 j) { return i * step.i + j * step.j; };
    auto fits = [&](i64 x) { return x >= -COLOUR_BIAS && x < COLOUR_BIAS; };
    i64 i = out.h - 1, j = out.w - 1;
    if (!fits(number(i, j)) || !fits(number(i, 0)) || !fits(number(0, j))) return LIMIT;
    i8* to = cells(c, out);
    each_cell(c, u32(out.h), u32(out.w), [&](u32 down, u32 across, u32 k) { to[k] = i8(number(down, across)); });
    return OK;
}
AB_FN Status wrap(Ctx& c, Grid g, i32 n, Grid& out) {
    if (!images::has_cells(g)) return EMPTY;
    if (n == 0) return ZERO_DIVISION;
    auto left = [n](i32 x) {
        i32 rest = x % n;
        return rest != 0 && (rest < 0) != (n < 0) ? rest + n : rest;
    };
    const i8* from = cells(c, g);
    if (c.g.any(gridwork::cell_count(g), [&](u32 k) { return !colour_fits(left(from[k])); })) return LIMIT;
    return gridwork::map_cells(c, g, [left](i8 cell) { return i8(left(cell)); }, out);
}
AB_FN Status cellmin(Ctx& c, Grid a, Grid b, Grid& out) {
    return images::both_images(c, a, b, [](i8 x, i8 y) { return least(x, y); }, out);
}
AB_FN Status cellmax(Ctx& c, Grid a, Grid b, Grid& out) {
    return images::both_images(c, a, b, [](i8 x, i8 y) { return most(x, y); }, out);
}

// --- regions ---

AB_FN Status enclosed(Ctx& c, Grid g, i32 ground, bool diagonal, Indices& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    const i8* from = cells(c, g);
    u32 n = cell_count(g), h = u32(g.h), w = u32(g.w);
    u32 places = u32(c.g.sum_of(n, [&](u32 k) { return from[k] == ground; }));
    Status s = make_array(c, places, out);
    Regions regions;
    if (s == OK) s = find_regions(c, g, diagonal, regions);
    u32* open;
    if (s == OK) s = take_words(c, n, open);
    if (s != OK) return s;
    c.g.each(n, [&](u32 k) { open[k] = 0; });
    c.g.each(w, [&](u32 j) { open[regions.label[j]] = open[regions.label[n - w + j]] = 1; });
    c.g.each(h, [&](u32 i) { open[regions.label[i * w]] = open[regions.label[i * w + w - 1]] = 1; });
    u32* to = words(c, out);
    out.n = compact_cells(
        c, h, w, [&](u32 k) { return from[k] == ground && !open[regions.label[k]]; },
        [&](u32 i, u32 j, u32 at) { to[at] = ij_key(IJ{i32(i), i32(j)}); });
    return OK;
}
AB_FN Status regionsize(Ctx& c, Grid g, bool diagonal, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    u32 n = cell_count(g);
    Status s = make_grid(c, g.h, g.w, out);
    Regions regions;
    if (s == OK) s = find_regions(c, g, diagonal, regions);
    u32* sizes;
    if (s == OK) s = take_words(c, n, sizes);
    if (s != OK) return s;
    c.g.each(n, [&](u32 k) { sizes[k] = 0; });
    c.g.each(n, [&](u32 k) { fetch_add(sizes[regions.label[k]], 1); });
    i8* to = cells(c, out);
    c.g.each(n, [&](u32 k) { to[k] = i8(least(sizes[regions.label[k]], u32(GREATEST))); });
    return OK;
}
AB_FN Status inset(Ctx& c, Grid g, bool diagonal, IJ direction, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (!is_step(direction)) return BOUNDS;
    Status s = make_grid(c, g.h, g.w, out);
    Regions regions;
    Ends ends;
    if (s == OK) s = find_regions(c, g, diagonal, regions);
    if (s == OK) s = find_ends(c, g, regions, ends);
    if (s != OK) return s;
    i8* to = cells(c, out);
    each_cell(c, u32(g.h), u32(g.w), [&](u32 i, u32 j, u32 k) {
        u32 at = regions.label[k], far = u32(GREATEST);
        if (direction.i != 0) far = least(far, direction.i > 0 ? ends.bottom[at] - i : i - ends.top[at]);
        if (direction.j != 0) far = least(far, direction.j > 0 ? ends.right[at] - j : j - ends.left[at]);
        to[k] = i8(far);
    });
    return OK;
}
AB_FN Status ranks(Ctx& c, Grid g, i32 ground, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    Status s = make_grid(c, g.h, g.w, out);
    u32 *there, *rank;  // by number, the greatest first
    if (s == OK) s = take_words(c, COLOURS, there);
    if (s == OK) s = take_words(c, COLOURS, rank);
    if (s != OK) return s;
    auto place = [](i8 number) { return u32(COLOUR_BIAS - 1 - number); };
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    u32 n = cell_count(g);
    c.g.each(COLOURS, [&](u32 k) { there[k] = 0; });
    c.g.each(n, [&](u32 k) {
        if (from[k] != ground) there[place(from[k])] = 1;
    });
    c.g.scan(COLOURS, [&](u32 k) { return there[k]; }, [&](u32 k, u32 above) { rank[k] = above; });
    if (c.g.any(COLOURS, [&](u32 k) { return there[k] && rank[k] > u32(GREATEST); })) return LIMIT;
    c.g.each(n, [&](u32 k) { to[k] = from[k] == ground ? from[k] : i8(rank[place(from[k])]); });
    return OK;
}
AB_FN Status rankof(Ctx& c, i32 value, Ints numbers, i32& out) {
    out = images::greater_numbers(c, numbers, value);
    return OK;
}
AB_FN Status rankof(Ctx& c, i32 value, IntSeq numbers, i32& out) {
    u32 kept = c.a.top;
    Ints distinct;
    Status s = make_array(c, numbers.n, distinct);
    if (s != OK) return s;
    const u32* from = words(c, numbers);
    u32* to = words(c, distinct);
    c.g.each(numbers.n, [&](u32 k) { to[k] = from[k]; });
    distinct.n = sort_unique_keys(c, to, numbers.n, K_INT);
    out = images::greater_numbers(c, distinct, value);
    c.a.top = kept;
    return OK;
}

// --- near and far ---

AB_FN Status distance(Ctx& c, Grid g, i32 colour, bool diagonal, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    const i8* from = cells(c, g);
    u32* near;
    Status s = make_grid(c, g.h, g.w, out);
    if (s == OK) s = find_nearest(c, g, diagonal, [&](u32 k) { return from[k] == colour; }, near);
    if (s != OK) return s;
    i8* to = cells(c, out);
    c.g.each(cell_count(g), [&](u32 k) { to[k] = i8(least(near[k] / STEP, u32(GREATEST))); });
    return OK;
}
AB_FN Status nearfill(Ctx& c, Grid g, i32 ground, i32 steps, bool diagonal, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    const i8* from = cells(c, g);
    u32* near;
    Status s = make_grid(c, g.h, g.w, out);
    if (s == OK) s = find_nearest(c, g, diagonal, [&](u32 k) { return from[k] != ground; }, near);
    if (s != OK) return s;
    i8* to = cells(c, out);
    c.g.each(cell_count(g), [&](u32 k) {
        bool there = near[k] != FAR && i32(near[k] / STEP) <= steps;
        to[k] = there ? from[near[k] % STEP] : from[k];
    });
    return OK;
}
AB_FN Status neighborcount(Ctx& c, Grid g, i32 colour, bool diagonal, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    const i8* from = cells(c, g);
    Status s = make_grid(c, g.h, g.w, out);
    if (s != OK) return s;
    i8* to = cells(c, out);
    c.g.each(u32(g.h), [&](u32 row) {
        i8* mine = to + row * u32(g.w);
        for (i32 j = 0; j < g.w; ++j) mine[j] = 0;
        for (i32 a = -1; a <= 1; ++a) {
            i32 i = i32(row) + a;
            if (i < 0 || i >= g.h) continue;
            for (i32 b = -1; b <= 1; ++b) {
                if ((a == 0 && b == 0) || (a != 0 && b != 0 && !diagonal)) continue;
                const i8* there = from + i * g.w + b;
                for (i32 j = most(0, -b); j < least(g.w, g.w - b); ++j) mine[j] = i8(mine[j] + (there[j] == colour));
            }
        }
    });
    return OK;
}
AB_FN Status linecount(Ctx& c, Grid g, i32 colour, IJ direction, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (!is_step(direction)) return BOUNDS;
    Status s = make_grid(c, g.h, g.w, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    IJ d = near_step(direction);
    each_line(c, g, d, [&](IJ first) {
        i32 count = 0;
        for (IJ p = first; on_grid(g, p); p = plus(p, d)) count += from[cell_index(g, p)] == colour;
        for (IJ p = first; on_grid(g, p); p = plus(p, d)) to[cell_index(g, p)] = i8(least(count, GREATEST));
    });
    return OK;
}

}  // namespace op
}  // namespace arcbatt
