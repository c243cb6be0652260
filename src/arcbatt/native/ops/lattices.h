// Lattices: grids that full lines of one colour part into panes, and images laid beside and over one another.
#pragma once

#include "ops/cutting.h"
#include "ops/images.h"

namespace arcbatt {
namespace images {

// Whether all cells of a row or a column are of one colour.
AB_FN bool full_row(const i8* from, Grid g, u32 i, i32 colour) {
    for (u32 k = i * u32(g.w); k < (i + 1) * u32(g.w); ++k)
        if (from[k] != colour) return false;
    return true;
}
AB_FN bool full_column(const i8* from, Grid g, u32 j, i32 colour) {
    for (u32 k = j; k < cell_count(g); k += u32(g.w))
        if (from[k] != colour) return false;
    return true;
}

// The runs of lines that are not full: where each begins, and where it ends.
struct Spans {
    u32 n;
    u32 *starts, *ends;
    AB_FN i32 length(u32 k) const { return i32(ends[k] - starts[k]); }
};
template <class F>
AB_FN Status find_spans(Ctx& c, u32 lines, F is_full, Spans& out) {
    u32* full;
    Status s = take_words(c, lines, full);
    if (s == OK) s = take_words(c, lines, out.starts);
    if (s == OK) s = take_words(c, lines, out.ends);
    if (s != OK) return s;
    c.g.each(lines, [&](u32 k) { full[k] = is_full(k); });
    out.n = c.g.compact(
        lines, [&](u32 k) { return !full[k] && (k == 0 || full[k - 1]); }, [&](u32 k, u32 at) { out.starts[at] = k; });
    c.g.compact(
        lines, [&](u32 k) { return !full[k] && (k + 1 == lines || full[k + 1]); },
        [&](u32 k, u32 at) { out.ends[at] = k + 1; });
    return OK;
}

struct Panes {
    Spans down, across;
    AB_FN u32 count() const { return down.n * across.n; }
    AB_FN IJ corner(u32 k) const { return IJ{i32(down.starts[k / across.n]), i32(across.starts[k % across.n])}; }
    AB_FN IJ shape(u32 k) const { return IJ{down.length(k / across.n), across.length(k % across.n)}; }
};
AB_CALL Status find_panes(Ctx& c, Grid g, i32 colour, Panes& out) {
    const i8* from = cells(c, g);
    Status s = find_spans(c, u32(g.h), [&](u32 i) { return full_row(from, g, i, colour); }, out.down);
    if (s == OK) s = find_spans(c, u32(g.w), [&](u32 j) { return full_column(from, g, j, colour); }, out.across);
    return s;
}

// A copy of the grid in which cell (i, j) of the k-th pane is f(k, i, j).
template <class F>
AB_FN Status fill_panes(Ctx& c, Grid g, const Panes& panes, F f, Grid& out) {
    Status s = gridwork::make_copy(c, g, out);
    if (s != OK) return s;
    i8* to = cells(c, out);
    for (u32 k = 0; k < panes.count(); ++k) {
        IJ at = panes.corner(k), dims = panes.shape(k);
        each_cell(c, u32(dims.i), u32(dims.j),
                  [&](u32 i, u32 j, u32) { to[cell_index(g, IJ{at.i + i32(i), at.j + i32(j)})] = f(k, i, j); });
    }
    return OK;
}

AB_FN bool all_fit(const Ctx& c, IntSeq numbers) {
    const u32* keys = words(c, numbers);
    return !c.g.any(numbers.n, [&](u32 k) { return !colour_fits(key_int(keys[k])); });
}

AB_FN bool all_have_cells(const Ctx& c, GridSeq grids) {
    return !c.g.any(grids.n, [&](u32 k) { return !has_cells(item(c, grids, k)); });
}
AB_FN bool all_of_one_shape(const Ctx& c, GridSeq grids) {
    Grid first = item(c, grids, 0);
    return !c.g.any(grids.n, [&](u32 k) { return !same_shape(first, item(c, grids, k)); });
}

// A grid of the size dims whose cell (i, j) is the given one's at (row(i), column(j)).
template <class R, class C>
AB_FN Status resample(Ctx& c, Grid g, IJ dims, R row, C column, Grid& out) {
    if (!has_cells(g)) return EMPTY;
    Status s = make_image(c, dims.i, dims.j, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    i8* to = cells(c, out);
    c.g.each(u32(out.h), [&](u32 i) {
        const i8* source = from + u32(row(i)) * u32(g.w);
        i8* target = to + i * u32(out.w);
        for (u32 j = 0; j < u32(out.w); ++j) target[j] = source[column(j)];
    });
    return OK;
}

}  // namespace images

namespace op {

// --- panes ---

AB_FN Status seam(Ctx& c, Grid g, i32 ground, i32& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    const i8* from = cells(c, g);
    ByColour counts;
    u32 kept = c.a.top;
    Status s = make_by_colour(c, 0, counts);
    if (s != OK) return s;
    auto tally = [&](i32 colour) {
        if (colour != ground) fetch_add(counts[colour], 1);
    };
    c.g.each(u32(g.h), [&](u32 i) {
        if (full_row(from, g, i, from[i * u32(g.w)])) tally(from[i * u32(g.w)]);
    });
    c.g.each(u32(g.w), [&](u32 j) {
        if (full_column(from, g, j, from[j])) tally(from[j]);
    });
    i32 best = c.g.max_of(COLOURS, 0, [&](u32 k) { return i32(counts.number[k]); });
    out = c.g.min_of(COLOURS, INT_MOST,
                     [&](u32 k) { return i32(counts.number[k]) == best ? i32(k) - COLOUR_BIAS : INT_MOST; });
    c.a.top = kept;
    return best ? OK : EMPTY;
}
AB_FN Status panes(Ctx& c, Grid g, i32 colour, GridSeq& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    Panes found;
    Status s = find_panes(c, g, colour, found);
    if (s == OK) s = make_pairs(c, found.count(), out);
    for (u32 k = 0; s == OK && k < found.count(); ++k) {
        IJ at = found.corner(k), dims = found.shape(k);
        Grid part;
        s = gridwork::make_turned(c, g, dims.i, dims.j, i32(cell_index(g, at)), g.w, 1, part);
        if (s == OK) gridwork::set_item(c, out, k, part);
    }
    return s;
}
AB_FN Status panecount(Ctx& c, Grid g, i32 colour, IJ& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    Panes found;
    Status s = find_panes(c, g, colour, found);
    if (s == OK) out = IJ{i32(found.down.n), i32(found.across.n)};
    return s;
}
AB_FN Status panefill(Ctx& c, Grid g, i32 colour, IntSeq values, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (!all_fit(c, values)) return LIMIT;
    Panes found;
    Status s = find_panes(c, g, colour, found);
    if (s != OK) return s;
    if (found.count() != values.n) return BOUNDS;
    const u32* keys = words(c, values);
    return fill_panes(c, g, found, [&](u32 k, u32, u32) { return i8(key_int(keys[k])); }, out);
}
AB_FN Status panepaint(Ctx& c, Grid g, i32 colour, GridSeq images_, Grid& out) {
    using namespace images;
    if (!has_cells(g) || !all_have_cells(c, images_)) return EMPTY;
    Panes found;
    Status s = find_panes(c, g, colour, found);
    if (s != OK) return s;
    if (found.count() != images_.n || c.g.any(images_.n, [&](u32 k) {
            Grid part = item(c, images_, k);
            IJ dims = found.shape(k);
            return part.h != dims.i || part.w != dims.j;
        }))
        return BOUNDS;
    return fill_panes(
        c, g, found,
        [&](u32 k, u32 i, u32 j) {
            Grid part = item(c, images_, k);
            return cells(c, part)[i * u32(part.w) + j];
        },
        out);
}

// --- joining ---

AB_FN Status torows(Ctx& c, IntSeq numbers, i32 n, Grid& out) {
    using namespace images;
    if (!all_fit(c, numbers)) return LIMIT;
    if (numbers.n == 0) return EMPTY;
    if (n <= 0 || numbers.n % u32(n) != 0) return BOUNDS;
    Status s = make_image(c, i64(numbers.n / u32(n)), n, out);
    if (s != OK) return s;
    const u32* keys = words(c, numbers);
    i8* to = cells(c, out);
    c.g.each(numbers.n, [&](u32 k) { to[k] = i8(key_int(keys[k])); });
    return OK;
}
AB_FN Status hvconcat(Ctx& c, GridSeq images_, i32 n, Grid& out) {
    using namespace images;
    if (!all_have_cells(c, images_) || images_.n == 0) return EMPTY;
    if (n <= 0 || images_.n % u32(n) != 0 || !all_of_one_shape(c, images_)) return BOUNDS;
    Grid first = item(c, images_, 0);
    Status s = make_image(c, i64(images_.n / u32(n)) * first.h, i64(n) * first.w, out);
    if (s != OK) return s;
    i8* to = cells(c, out);
    for (u32 k = 0; k < images_.n; ++k) {
        IJ at{i32(k / u32(n)) * first.h, i32(k % u32(n)) * first.w};
        const i8* from = cells(c, item(c, images_, k));
        gridwork::copy_rows(c, to + cell_index(out, at), out.w, from, first.w, u32(first.h), u32(first.w));
    }
    return OK;
}
AB_FN Status overlay(Ctx& c, GridSeq images_, i32 ground, Grid& out) {
    using namespace images;
    if (!all_have_cells(c, images_) || images_.n == 0) return EMPTY;
    if (!all_of_one_shape(c, images_)) return BOUNDS;
    Status s = gridwork::make_copy(c, item(c, images_, 0), out);
    if (s != OK) return s;
    i8* to = cells(c, out);
    for (u32 k = 1; k < images_.n; ++k) {
        const i8* from = cells(c, item(c, images_, k));
        c.g.each(cell_count(out), [&](u32 at) {
            if (from[at] != ground) to[at] = from[at];
        });
    }
    return OK;
}

// --- placing ---

AB_FN Status paste(Ctx& c, Grid g, Grid image, IJ start, Grid& out) {
    using namespace images;
    if (!has_cells(g) || !has_cells(image)) return EMPTY;
    const i8 *from = cells(c, g), *part = cells(c, image);
    auto place = [&](i32 i, i32 j) { return IJ{i32(u32(i) - u32(start.i)), i32(u32(j) - u32(start.j))}; };
    auto cell = [&](i32 i, i32 j, u32 k) {
        IJ p = place(i, j);
        return on_grid(image, p) ? part[cell_index(image, p)] : from[k];
    };
    return redraw(c, g, cell, out);
}
AB_FN Status window(Ctx& c, Grid g, IJ start, IJ dims, i32 colour, Grid& out) {
    using namespace images;
    if (!has_cells(g)) return EMPTY;
    if (!colour_fits(colour)) return LIMIT;
    Status s = make_image(c, dims.i, dims.j, out);
    if (s != OK) return s;
    const i8* from = cells(c, g);
    auto cell = [&](i32 i, i32 j, u32) {
        IJ p{i32(u32(i) + u32(start.i)), i32(u32(j) + u32(start.j))};
        return on_grid(g, p) ? from[cell_index(g, p)] : i8(colour);
    };
    i8* to = cells(c, out);
    each_cell(c, u32(out.h), u32(out.w), [&](u32 i, u32 j, u32 k) { to[k] = cell(i32(i), i32(j), k); });
    return OK;
}
AB_FN Status tilegrid(Ctx& c, Grid g, IJ dims, Grid& out) {
    u32 h = u32(g.h), w = u32(g.w);
    return images::resample(c, g, dims, [h](u32 i) { return i % h; }, [w](u32 j) { return j % w; }, out);
}
AB_FN Status mirrortile(Ctx& c, Grid g, IJ dims, Grid& out) {
    auto folded = [](u32 n) { return [n](u32 k) { return k / n % 2 == 0 ? k % n : n - 1 - k % n; }; };
    return images::resample(c, g, dims, folded(u32(g.h)), folded(u32(g.w)), out);
}
AB_FN Status rescale(Ctx& c, Grid g, IJ dims, Grid& out) {
    auto scaled = [](i32 n, i32 to) { return [n, to](u32 k) { return k * u32(n) / u32(to); }; };
    return images::resample(c, g, dims, scaled(g.h, dims.i), scaled(g.w, dims.j), out);
}

}  // namespace op
}  // namespace arcbatt
