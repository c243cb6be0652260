// Connected components of a grid, on its bitboards.
#pragma once

#include "core/bitboards.h"
#include "core/labels.h"

namespace arcbatt {
namespace objects_impl {

// All runs of m that hold a bit of s. Upwards by carries: added to its run, a bit of s carries through all ones above
// it and leaves zeros there (a second bit of s on the way stays, so s is put back). Downwards by doubling: after the
// step k, `pass` has the bits from which 2k ones of m go up, and the fill has reached 2k - 1 bits down.
template <class T>
AB_FN T fill_runs(T m, T s, u32 width) {
    T fill = s | (m & ~(m + s));
    T pass = m;
    for (u32 k = 1; k < width; k <<= 1) {
        fill |= pass & (fill >> k);
        pass &= pass >> k;
    }
    return fill;
}

// One component on a board of one word per row: `now` is zero but for the rows from `first` to `last`.
struct Flood {
    Bits open, now;
    u32 height, width;
    bool diagonal;
    u32 first, last;

    AB_FN void start(u32 row, u64 seed) {
        first = last = row;
        now.set(row, fill_runs(open.get(row), seed, width));
    }
    // Spread what is next to a row into it; what the row then holds.
    AB_FN u64 spread(u32 row, u64 beside, bool& grown) const {
        u64 have = now.get(row), free = open.get(row);
        if (diagonal) beside |= (beside << 1) | (beside >> 1);
        u64 seeds = beside & free & ~have;
        if (seeds) {
            have |= fill_runs(free, seeds, width);
            now.set(row, have);
            grown = true;
        }
        return have;
    }
    AB_FN bool sweep_down() {
        bool grown = false;
        u64 beside = now.get(first);
        for (u32 row = first + 1; row < height; ++row) {
            beside = spread(row, beside, grown);
            if (!beside && row > last) break;
            last = most(last, row);
        }
        return grown;
    }
    AB_FN bool sweep_up() {
        bool grown = false;
        u64 beside = now.get(last);
        for (u32 row = last; row-- > 0;) {
            beside = spread(row, beside, grown);
            if (!beside && row < first) break;
            first = least(first, row);
        }
        return grown;
    }
    // A sweep leaves nothing to do in its own direction, so the first that changes nothing ends it.
    AB_FN void grow() {
        sweep_down();
        while (sweep_up() && sweep_down()) {
        }
    }
    // Take the component off the board.
    AB_FN void close() const {
        for (u32 row = first; row <= last; ++row) {
            open.set(row, open.get(row) & ~now.get(row));
            now.set(row, 0);
        }
    }
};

struct Found {
    u32 keys;    // where the cells of all objects go
    u32* pairs;  // where the objects go
    u32 cells, count;

    AB_FN void add(u32 n) {
        pairs[2 * count] = keys + cells;
        pairs[2 * count + 1] = n;
        ++count;
        cells += n;
    }
};

// Pieces of rows, of one colour each, that are still to be written as keys: the bits, the key of bit 0, and where among
// all keys those of the piece start.
struct Pieces {
    u32* at;
    u32 n;
    u32 cells;

    AB_FN void add(u64 bits, u32 key) {
        u32* piece = at + 4 * n++;
        Bits{piece}.set(0, bits);
        piece[2] = key;
        piece[3] = cells;
        cells += count_bits(bits);
    }
};

AB_FN void write_pieces(const Ctx& c, const u32* pieces, u32 n, u32* out) {
    c.g.each(n, [&](u32 k) {
        const u32* piece = pieces + 4 * k;
        u32* to = out + piece[3];
        for (u64 rest = piece[0] | (u64(piece[1]) << 32); rest; rest &= rest - 1) *to++ = piece[2] + lowest_bit(rest);
    });
}

struct Rules {
    bool univalued, diagonal;
    u32 background;  // its slot, or NOWHERE
};

// The pieces of the component just grown, colour by colour from its least one.
AB_FN void cut_pieces(const Boards& b, const Flood& f, u32 slot, bool univalued, Pieces& pieces) {
    u32 end = univalued ? slot + 1 : b.slots;
    for (u32 k = slot; k < end; ++k) {
        Bits board = b.board(k);
        u32 first = cell_key(b.colour(k), IJ{0, 0});
        for (u32 row = f.first; row <= f.last; ++row) {
            u64 bits = univalued ? f.now.get(row) : f.now.get(row) & board.get(row);
            if (bits) pieces.add(bits, first + (row << 12));
        }
    }
}

// Starting from the cells by colour, row and column, the first cell of a component is its least, so components come in
// the order of their contents.
AB_FN void find_components(const Boards& b, Rules rules, Flood f, Pieces& pieces, Found& found) {
    for (u32 slot = 0; slot < b.slots; ++slot) {
        if (slot == rules.background) continue;
        Bits board = b.board(slot);
        if (rules.univalued) f.open = board;
        for (u32 row = 0; row < f.height; ++row)
            while (u64 seeds = board.get(row) & f.open.get(row)) {
                f.start(row, seeds & (~seeds + 1));
                f.grow();
                cut_pieces(b, f, slot, rules.univalued, pieces);
                found.add(pieces.cells - found.cells);
                f.close();
            }
    }
}

// Components of grids up to 64 wide: one lane finds them, all write them.
AB_FN Status narrow_components(Ctx& c, const Boards& b, Grid g, Rules rules, Found& found) {
    u32 h = u32(g.h), w = u32(g.w);
    Bits rest{nullptr}, now;
    u32 *pieces, *totals;
    Status s = take_bits(c, h, now);
    if (s == OK && !rules.univalued) s = take_bits(c, h, rest);
    if (s == OK) s = take_words(c, 3, totals);
    if (s == OK) s = take_words(c, 4 * u64(h) * w, pieces);
    if (s != OK) return s;
    c.g.each(h, [&](u32 i) {
        now.set(i, 0);
        u64 apart = rules.background < b.slots ? b.board(rules.background).get(i) : 0;
        if (!rules.univalued) rest.set(i, low_bits(w) & ~apart);
    });
    c.g.one([&] {
        Pieces cut{pieces, 0, 0};
        Found into = found;
        find_components(b, rules, Flood{rest, now, h, w, rules.diagonal, 0, 0}, cut, into);
        totals[0] = cut.n;
        totals[1] = into.cells;
        totals[2] = into.count;
    });
    found.cells = totals[1];
    found.count = totals[2];
    write_pieces(c, pieces, totals[0], c.a.at(found.keys));
    return OK;
}

// Cells as trees, each cell below its parent's index; a root is its own parent.
struct Forest {
    u32* parent;

    AB_FN u32 root(u32 k) const {
        while (parent[k] != k) k = parent[k] = parent[parent[k]];
        return k;
    }
    AB_FN void join(u32 a, u32 b) const {
        u32 x = root(a), y = root(b);
        parent[most(x, y)] = least(x, y);
    }
};

AB_FN void join_components(const i8* from, u32 h, u32 w, Rules rules, i32 background, Forest forest) {
    auto join = [&](u32 a, u32 b) {
        if (rules.univalued ? from[a] == from[b] : from[b] != background) forest.join(a, b);
    };
    for (u32 i = 0; i < h; ++i)
        for (u32 j = 0; j < w; ++j) {
            u32 k = i * w + j;
            if (from[k] == background) continue;
            if (j > 0) join(k, k - 1);
            if (i == 0) continue;
            join(k, k - w);
            if (rules.diagonal && j > 0) join(k, k - w - 1);
            if (rules.diagonal && j + 1 < w) join(k, k - w + 1);
        }
}

// Deal out n sorted keys to the components of their cells, which so come in order themselves. `label` is NOWHERE all
// over.
AB_FN void deal_cells(const Ctx& c, const u32* keys, u32 n, u32 w, Forest forest, u32* label, Found& found) {
    auto root = [&](u32 key) {
        IJ p = key_place(key);
        return forest.root(u32(p.i) * w + u32(p.j));
    };
    for (u32 k = 0; k < n; ++k) {
        u32 tree = root(keys[k]);
        if (label[tree] == NOWHERE) {
            label[tree] = found.count;
            found.pairs[2 * found.count++ + 1] = 0;
        }
        ++found.pairs[2 * label[tree] + 1];
    }
    for (u32 k = 0; k < found.count; ++k) {
        found.pairs[2 * k] = found.keys + found.cells;
        found.cells += found.pairs[2 * k + 1];
        found.pairs[2 * k + 1] = 0;
    }
    for (u32 k = 0; k < n; ++k) {
        u32* pair = found.pairs + 2 * label[root(keys[k])];
        *c.a.at(pair[0] + pair[1]++) = keys[k];
    }
}

// Components of any grid, by one lane.
AB_FN Status wide_components(Ctx& c, const Boards& b, Grid g, Rules rules, Found& found) {
    u32 h = u32(g.h), w = u32(g.w), n = h * w;
    const i8* from = cells(c, g);
    Forest forest;
    u32 *label, *keys, *starts, *totals;
    Status s = take_words(c, n, forest.parent);
    if (s == OK) s = take_words(c, n, label);
    if (s == OK) s = take_words(c, n, keys);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s == OK) s = take_words(c, 2, totals);
    if (s != OK) return s;
    c.g.each(n, [&](u32 k) {
        forest.parent[k] = k;
        label[k] = NOWHERE;
    });
    u32 all = 0;
    for (u32 slot = 0; slot < b.slots; ++slot)
        if (slot != rules.background) all += write_cells(c, b, slot, starts, keys + all);
    c.g.one([&] {
        Found into = found;
        join_components(from, h, w, rules, rules.background < b.slots ? b.colour(rules.background) : NONE, forest);
        deal_cells(c, keys, all, w, forest, label, into);
        totals[0] = into.cells;
        totals[1] = into.count;
    });
    found.cells = totals[0];
    found.count = totals[1];
    return OK;
}

// Drops all above the cells and objects found, moving the objects down to the cells where they do not overlap.
AB_FN void keep_found(Ctx& c, const Found& found, u32 pairs_off, Objects& out) {
    u32 n = 2 * found.count, place = found.keys + found.cells;
    if (place + n <= pairs_off) {
        u32* to = c.a.at(place);
        const u32* from = c.a.at(pairs_off);
        c.g.each(n, [&](u32 k) { to[k] = from[k]; });
    } else {
        place = pairs_off;
    }
    c.a.top = place + n;
    out = Objects{place, found.count};
}

// Room for the cells of a grid and as many objects.
AB_FN Status make_found(Ctx& c, Grid g, u32 most_objects, Found& found, Objects& pairs) {
    Object keys;
    Status s = make_array(c, u64(g.h) * u64(g.w), keys);
    if (s == OK) s = make_pairs(c, most_objects, pairs);
    if (s != OK) return s;
    found = Found{keys.off, words(c, pairs), 0, 0};
    return OK;
}

}  // namespace objects_impl
}  // namespace arcbatt
