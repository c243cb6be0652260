// Objects and patches: finding them in grids, and drawing new ones.
//
// Grids and objects are searched as bitboards: a bit a cell, 64-bit words along the rows, a board a colour. Bit k of a
// word is column k, so walking the bits of a board of one colour gives its keys in ascending order.
#pragma once

#include "arrays.h"

namespace arcbatt {
namespace objects_impl {

AB_FN u64 low_bits(u32 n) { return n >= 64 ? ~u64(0) : (u64(1) << n) - 1; }

// 64-bit words in the arena, each as two of its words: no alignment to see to.
struct Bits {
    u32* at;
    AB_FN u64 get(u32 k) const { return at[2 * k] | (u64(at[2 * k + 1]) << 32); }
    AB_FN void set(u32 k, u64 x) const {
        at[2 * k] = u32(x);
        at[2 * k + 1] = u32(x >> 32);
    }
    AB_FN Bits from(u32 k) const { return Bits{at + 2 * k}; }
};

AB_FN Status take_words(Ctx& c, u64 n, u32*& out) {
    u32 off = c.a.take(n);
    if (off == NOWHERE) return OVERFLOW_;
    out = c.a.at(off);
    return OK;
}
AB_FN Status take_bits(Ctx& c, u64 n, Bits& out) { return take_words(c, 2 * n, out.at); }

// --- boards of a grid ---

// Which of eight cells have the colour spread over all bytes of `colour`, a bit each: a byte of x ^ colour is zero
// where they are equal; adding 0x7F to its low bits carries into its top bit where it is not; the product gathers
// those.
AB_FN u64 equal_bytes(u64 x, u64 colour) {
    constexpr u64 LOW = 0x7F7F7F7F7F7F7F7Fu;
    u64 y = x ^ colour;
    u64 zero = ~(((y & LOW) + LOW) | y | LOW);
    return ((zero >> 7) * 0x0102040810204080u) >> 56;
}

AB_FN u64 eight_cells(const i8* from) {
    auto byte = [&](u32 k) { return u64(u8(from[k])) << (8 * k); };
    return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);
}

// The bits of up to 64 cells; whole eights are read as long as they lie before `end`.
AB_FN u64 bits_of_colour(const i8* from, u32 n, const i8* end, i32 colour) {
    u64 spread = u64(u8(colour)) * 0x0101010101010101u;
    u64 bits = 0;
    u32 k = 0;
    for (; k < n && end - from >= i64(k) + 8; k += 8) bits |= equal_bytes(eight_cells(from + k), spread) << k;
    for (; k < n; ++k) bits |= u64(from[k] == colour) << k;
    return bits & low_bits(n);
}

struct Boards {
    u32 words;     // a board
    u32 stride;    // words a row
    u32 slots;     // boards, one a colour, colours ascending
    u32* colours;  // as signed numbers
    Bits bits;

    AB_FN Bits board(u32 slot) const { return bits.from(slot * words); }
    AB_FN i32 colour(u32 slot) const { return i32(colours[slot]); }
    AB_FN u32 row(u32 word) const { return stride == 1 ? word : word / stride; }
    AB_FN u32 column(u32 word) const { return stride == 1 ? 0 : word % stride * 64; }
};

AB_FN void draw_board(const Ctx& c, Grid g, const Boards& b, Bits board, i32 colour) {
    const i8* from = cells(c, g);
    const i8* end = from + u32(g.h) * u32(g.w);
    c.g.each(b.words, [&](u32 word) {
        u32 column = b.column(word);
        board.set(word,
                  bits_of_colour(from + b.row(word) * u32(g.w) + column, least(64u, u32(g.w) - column), end, colour));
    });
}

// The colours of a grid, ascending, into room for 256; how many.
AB_FN Status colours_of(Ctx& c, Grid g, u32* colours, u32& count) {
    u32 mark = c.a.top;
    const i8* from = cells(c, g);
    u32 n = u32(g.h) * u32(g.w);
    u64 all = c.g.bits_of(n, [&](u32 k) { return u64(1) << least<u32>(u8(from[k]), 63); });
    count = 0;
    if (all >> 63 == 0) {
        for (; all; all &= all - 1) colours[count++] = lowest_bit(all);
        return OK;
    }
    u32* there;
    Status s = take_words(c, 256, there);
    if (s != OK) return s;
    c.g.each(256, [&](u32 k) { there[k] = 0; });
    c.g.each(n, [&](u32 k) { there[from[k] + 128] = 1; });
    count = c.g.compact(256, [&](u32 k) { return there[k] != 0; }, [&](u32 k, u32 at) { colours[at] = k - 128; });
    c.a.top = mark;
    return OK;
}

#if AB_LANES > 1
// All boards of a grid no wider than a group, a row at a time: each lane has a cell, and a ballot for each colour is
// that row of its board, which the lane of that number puts down.
AB_FN void ballot_boards(const Ctx& c, Grid g, const Boards& b) {
    const i8* from = cells(c, g);
    u32 lane = c.g.lane(), w = u32(g.w);
    u32* bits = b.bits.at;
    c.g.sync();
    AB_ROLLED
    for (u32 i = 0; i < u32(g.h); ++i) {
        i32 cell = lane < w ? from[i * w + lane] : NONE;
        u32 mine = 0;
        AB_ROLLED
        for (u32 slot = 0; slot < b.slots; ++slot) {
            u32 row = c.g.ballot(cell == b.colour(slot));
            if (lane == slot) mine = row;
        }
        if (lane < b.slots) {
            bits[2 * (lane * b.words + i)] = mine;
            bits[2 * (lane * b.words + i) + 1] = 0;
        }
    }
    c.g.sync();
}
#endif

AB_CALL Status draw_boards(Ctx& c, Grid g, Boards& out) {
    out.stride = (u32(g.w) + 63) / 64;
    out.words = u32(g.h) * out.stride;
    Status s = take_words(c, 256, out.colours);
    if (s == OK) s = colours_of(c, g, out.colours, out.slots);
    if (s == OK) s = take_bits(c, u64(out.slots) * out.words, out.bits);
    if (s != OK) return s;
#if AB_LANES > 1
    if (out.stride == 1 && g.w <= i32(AB_LANES) && out.slots <= AB_LANES) {
        ballot_boards(c, g, out);
        return OK;
    }
#endif
    for (u32 slot = 0; slot < out.slots; ++slot) draw_board(c, g, out, out.board(slot), out.colour(slot));
    return OK;
}

// The slot of the most common colour, the least of several.
AB_FN Status background_slot(Ctx& c, const Boards& b, u32& slot) {
    u32 mark = c.a.top;
    u32* counts;
    Status s = take_words(c, b.slots, counts);
    if (s != OK) return s;
    c.g.each(b.slots, [&](u32 k) {
        Bits board = b.board(k);
        u32 n = 0;
        for (u32 word = 0; word < b.words; ++word) n += count_bits(board.get(word));
        counts[k] = n;
    });
    slot = 0;
    for (u32 k = 1; k < b.slots; ++k)
        if (counts[k] > counts[slot]) slot = k;
    c.a.top = mark;
    return OK;
}

// The keys of the bits of n words, in order: key(k) is that of bit 0 of word k. `starts` is room for n words.
template <class M, class K>
AB_FN u32 write_keys(const Ctx& c, u32 n, M mask, K key, u32* starts, u32* out) {
    u32 count = c.g.scan(n, [&](u32 k) { return count_bits(mask(k)); }, [&](u32 k, u32 sum) { starts[k] = sum; });
    c.g.each(n, [&](u32 k) {
        u32* to = out + starts[k];
        u32 base = key(k);
        for (u64 rest = mask(k); rest; rest &= rest - 1) *to++ = base + lowest_bit(rest);
    });
    return count;
}

// The cells of one board, or those of them that are in a mask.
AB_FN u32 write_cells(const Ctx& c, const Boards& b, u32 slot, u32* starts, u32* out) {
    Bits board = b.board(slot);
    i32 colour = b.colour(slot);
    auto key = [&](u32 k) { return cell_key(colour, IJ{i32(b.row(k)), i32(b.column(k))}); };
    return write_keys(c, b.words, [&](u32 k) { return board.get(k); }, key, starts, out);
}
AB_FN u32 write_cells(const Ctx& c, const Boards& b, u32 slot, Bits mask, u32* starts, u32* out) {
    Bits board = b.board(slot);
    i32 colour = b.colour(slot);
    auto key = [&](u32 k) { return cell_key(colour, IJ{i32(b.row(k)), i32(b.column(k))}); };
    return write_keys(c, b.words, [&](u32 k) { return board.get(k) & mask.get(k); }, key, starts, out);
}

// --- connected components ---

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

// One component on a board of a word a row: `now` is zero but for the rows from `first` to `last`.
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

#if AB_LANES > 1
// Components of grids no taller than a group, a row a lane: a component grows by what the rows above and below hold,
// until no lane has anything new. T holds a row.
template <class T>
struct RowFlood {
    const Ctx& c;
    const Boards& b;
    Rules rules;
    u32 h, w;
    Found& found;

    AB_FN T row_of(u32 slot) const { return c.g.lane() < h ? T(b.board(slot).get(c.g.lane())) : T(0); }
    // The component of the first cell of `seeds`, by rows.
    AB_FN T grown(T open, T seeds) const {
        u32 lane = c.g.lane(), first = lowest_bit(c.g.ballot(seeds != 0));
        T now = lane == first ? fill_runs<T>(open, seeds & (~seeds + 1), w) : T(0);
        for (;;) {
            T above = c.g.shuffle(now, lane - 1), below = c.g.shuffle(now, lane + 1);
            T beside = (lane > 0 ? above : T(0)) | (lane + 1 < AB_LANES ? below : T(0));
            if (rules.diagonal) beside |= (beside << 1) | (beside >> 1);
            T fresh = beside & open & ~now;
            if (c.g.ballot(fresh != 0) == 0) return now;
            if (fresh) now |= fill_runs<T>(open, fresh, w);
        }
    }
    // Write the cells of one colour; how many.
    AB_FN u32 write(T bits, i32 colour) const {
        u32 all = 0, before = c.g.sum_before(count_bits(u64(bits)), all);
        u32* to = c.a.at(found.keys + found.cells) + before;
        u32 base = cell_key(colour, IJ{i32(c.g.lane()), 0});
        AB_ROLLED
        for (; bits; bits &= bits - 1) *to++ = base + lowest_bit(u64(bits));
        return all;
    }
    AB_FN void univalued(u32 slot) const {
        T open = row_of(slot);
        while (c.g.ballot(open != 0)) {
            T now = grown(open, open);
            found.add(write(now, b.colour(slot)));
            open &= ~now;
        }
    }
    AB_FN void mixed(u32 slot, T& open) const {
        T board = row_of(slot);
        while (c.g.ballot((board & open) != 0)) {
            T now = grown(open, board & open);
            u32 n = 0, cells = found.cells;
            for (u32 k = slot; k < b.slots; ++k) {
                T bits = now & row_of(k);
                if (c.g.ballot(bits != 0) == 0) continue;
                u32 more = write(bits, b.colour(k));
                n += more;
                found.cells += more;
            }
            found.cells = cells;
            found.add(n);
            open &= ~now;
        }
    }
    AB_FN void run() const {
        c.g.sync();
        T open = 0;
        if (!rules.univalued && c.g.lane() < h) {
            open = T(low_bits(w));
            if (rules.background < b.slots) open &= ~row_of(rules.background);
        }
        AB_ROLLED
        for (u32 slot = 0; slot < b.slots; ++slot) {
            if (slot == rules.background) continue;
            if (rules.univalued)
                univalued(slot);
            else
                mixed(slot, open);
        }
        c.g.sync();
    }
};
#endif

// Components of grids up to 64 wide: one lane finds them, all write them.
AB_FN Status narrow_components(Ctx& c, const Boards& b, Grid g, Rules rules, Found& found) {
    u32 h = u32(g.h), w = u32(g.w);
#if AB_LANES > 1
    if (h <= AB_LANES) {
        if (w <= 32)
            RowFlood<u32>{c, b, rules, h, w, found}.run();
        else
            RowFlood<u64>{c, b, rules, h, w, found}.run();
        return OK;
    }
#endif
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

// An object for each colour, the most common one left out or not.
AB_FN Status by_colour(Ctx& c, Grid g, bool without_background, Objects& out) {
    Found found;
    Boards b;
    u32* starts;
    u32 n = u32(g.h) * u32(g.w);
    Status s = make_found(c, g, least(n, 256u), found, out);
    if (s == OK) s = draw_boards(c, g, b);
    if (s == OK) s = take_words(c, b.words, starts);
    u32 background = NOWHERE;
    if (s == OK && without_background) s = background_slot(c, b, background);
    if (s != OK) return s;
    for (u32 slot = 0; slot < b.slots; ++slot)
        if (slot != background) found.add(write_cells(c, b, slot, starts, c.a.at(found.keys + found.cells)));
    keep_found(c, found, out.off, out);
    return OK;
}

// --- patches ---

AB_FN bool in_row_order(const Ctx&, Indices) { return true; }
AB_FN bool in_row_order(const Ctx& c, Object patch) {
    const u32* keys = words(c, patch);
    return patch.n == 0 || keys[0] >> 24 == keys[patch.n - 1] >> 24;
}

// The box of a patch that is not empty.
template <class P>
AB_FN Box patch_box(const Ctx& c, P patch) {
    if (!in_row_order(c, patch)) return box_of(c, patch);
    const u32* keys = words(c, patch);
    Box b;
    b.top = place_of(patch, keys[0]).i;
    b.bottom = place_of(patch, keys[patch.n - 1]).i;
    b.left = c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).j; });
    b.right = c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).j; });
    return b;
}

// The places of a box that are in the patch, or those that are not, in order, into room enough; how many.
template <class P>
AB_FN Status sift_box(Ctx& c, P patch, Box b, bool inside, u32* out, u32& count) {
    u32 mark = c.a.top, h = u32(b.height()), w = u32(b.width());
    u32* there;
    Status s = take_words(c, u64(h) * w, there);
    if (s != OK) return s;
    const u32* keys = words(c, patch);
    c.g.each(h * w, [&](u32 k) { there[k] = 0; });
    c.g.each(patch.n, [&](u32 k) {
        IJ p = place_of(patch, keys[k]);
        there[u32(p.i - b.top) * w + u32(p.j - b.left)] = 1;
    });
    u32 first = ij_key(IJ{b.top, b.left});
    count = compact_cells(
        c, h, w, [&](u32 k) { return (there[k] != 0) == inside; },
        [&](u32 i, u32 j, u32 at) { out[at] = first + (i << 16) + j; });
    c.a.top = mark;
    return OK;
}

// The places of a patch, without colours.
AB_FN Status places_of(Ctx&, Indices patch, Indices& out) {
    out = patch;
    return OK;
}
AB_FN Status places_of(Ctx& c, Object patch, Indices& out) {
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    const u32* keys = words(c, patch);
    u32* to = words(c, out);
    if (!in_row_order(c, patch)) {
        Box b = patch_box(c, patch);
        if (u64(b.height()) * u64(b.width()) <= 64 + 8 * u64(patch.n)) {
            s = sift_box(c, patch, b, true, to, out.n);
            c.a.top = out.off + out.n;
            return s;
        }
    }
    c.g.each(patch.n, [&](u32 k) { to[k] = ij_key(key_place(keys[k])); });
    if (!in_row_order(c, patch)) {
        out.n = settle_keys(c, to, out.n);
        c.a.top = out.off + out.n;
    }
    return OK;
}

// The grid's cells at some places, those that lie on it, into room enough: the board of each colour, of which only the
// bits at the places are taken.
AB_FN Status cut_cells(Ctx& c, Indices places, Grid g, u32* out, u32& count) {
    Boards b;
    Bits mask;
    u32* starts;
    Status s = draw_boards(c, g, b);
    if (s == OK) s = take_bits(c, b.words, mask);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s != OK) return s;
    const u32* keys = words(c, places);
    c.g.each(b.words, [&](u32 word) {
        u32 first = ij_key(IJ{i32(b.row(word)), i32(b.column(word))});
        u64 bits = 0;
        for (u32 k = lower_bound(keys, places.n, first); k < places.n && keys[k] - first < 64; ++k)
            bits |= u64(1) << (keys[k] - first);
        mask.set(word, bits);
    });
    count = 0;
    for (u32 slot = 0; slot < b.slots; ++slot) count += write_cells(c, b, slot, mask, starts, out + count);
    return OK;
}

// The grid's cells at the places of a patch, those that lie on it, in the order of the patch.
template <class P>
AB_FN u32 read_cells(const Ctx& c, P patch, Grid g, u32* out) {
    const u32* keys = words(c, patch);
    const i8* from = cells(c, g);
    auto on = [&](u32 k) {
        IJ p = place_of(patch, keys[k]);
        return u32(p.i) < u32(g.h) && u32(p.j) < u32(g.w);
    };
    return c.g.compact(patch.n, on, [&](u32 k, u32 at) {
        IJ p = place_of(patch, keys[k]);
        out[at] = cell_key(from[p.i * g.w + p.j], p);
    });
}

AB_FN bool strictly_ascending(const Ctx& c, const u32* keys, u32 n) {
    return n < 2 || !c.g.any(n - 1, [&](u32 k) { return keys[k] >= keys[k + 1]; });
}

AB_FN Status outline(Ctx& c, i32 top, i32 bottom, i32 left, i32 right, Indices& out) {
    u32 h = u32(bottom - top), w = u32(right - left);
    if (2 * u64(h + w) > MAX_ITEMS) return LIMIT;
    if (!ij_fits(IJ{top, left}) || !ij_fits(IJ{bottom, right})) return ESCAPE;
    u32 sides = w == 0 ? 1 : 2;
    u32 n = h == 0 ? w + 1 : 2 * (w + 1) + (h - 1) * sides;
    Status s = make_array(c, n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 first = ij_key(IJ{top, left});
    c.g.each(w + 1, [&](u32 j) {
        keys[j] = first + j;
        keys[n - 1 - w + j] = ij_key(IJ{bottom, left}) + j;
    });
    if (h == 0) return OK;
    c.g.each(h - 1, [&](u32 i) {
        u32 at = first + ((i + 1) << 16);
        keys[w + 1 + i * sides] = at;
        keys[w + i * sides + sides] = at + w;
    });
    return OK;
}

// The places at some steps from one.
template <u32 N>
AB_FN Status places_around(Ctx& c, IJ loc, const IJ (&steps)[N], Indices& out) {
    Status s = make_array(c, N, out);
    if (s != OK) return s;
    for (u32 k = 0; k < N; ++k)
        if (!in_range(i64(loc.i) + steps[k].i) || !in_range(i64(loc.j) + steps[k].j)) return LIMIT;
    for (u32 k = 0; k < N; ++k) {
        IJ p{loc.i + steps[k].i, loc.j + steps[k].j};
        if (!ij_fits(p)) return ESCAPE;
        words(c, out)[k] = ij_key(p);
    }
    return OK;
}

// --- occurrences ---

// The bits of m from which n bits upwards are all set.
AB_FN u64 runs_from(u64 m, u32 n) {
    u32 have = 1;
    for (; 2 * have <= n; have *= 2) m &= m >> have;
    return m & (m >> (n - have));
}

// Where a grid up to 64 wide holds an object that fits it: the object's cells are taken as runs of one colour along a
// row, and each run strikes out, a word at a time, the columns it does not fit from. Late colours come first, they are
// seldom the background.
AB_FN Status narrow_occurrences(Ctx& c, Grid g, Object obj, Box box, Indices& out) {
    const u32* keys = words(c, obj);
    i32 least_colour = key_colour(keys[0]);
    u32 slots = u32(key_colour(keys[obj.n - 1]) - least_colour) + 1;
    u32 h = u32(g.h), rows = h - u32(box.height()) + 1, columns = u32(g.w - box.width()) + 1;
    Status s = make_array(c, u64(rows) * columns, out);
    if (s != OK) return s;
    Boards b{h, 1, slots, nullptr, Bits{nullptr}};
    Bits fits;
    u32 *runs, *starts;
    s = take_bits(c, u64(slots) * h, b.bits);
    if (s == OK) s = take_bits(c, rows, fits);
    if (s == OK) s = take_words(c, rows, starts);
    if (s == OK) s = take_words(c, obj.n + 1, runs);
    if (s != OK) return s;
    u32 n = c.g.compact(
        obj.n, [&](u32 k) { return k == 0 || keys[k] != keys[k - 1] + 1; }, [&](u32 k, u32 at) { runs[at] = k; });
    runs[n] = obj.n;
    for (u32 k = 0, drawn = NOWHERE; k < n; ++k) {
        u32 slot = u32(key_colour(keys[runs[k]]) - least_colour);
        if (slot != drawn) draw_board(c, g, b, b.board(slot), least_colour + i32(slot));
        drawn = slot;
    }
    c.g.each(rows, [&](u32 row) {
        u64 open = low_bits(columns);
        for (u32 k = n; k-- > 0 && open;) {
            u32 key = keys[runs[k]];
            IJ p = key_place(key);
            u64 cells = b.board(u32(key_colour(key) - least_colour)).get(row + u32(p.i - box.top));
            open &= runs_from(cells, runs[k + 1] - runs[k]) >> u32(p.j - box.left);
        }
        fits.set(row, open);
    });
    out.n = write_keys(
        c, rows, [&](u32 k) { return fits.get(k); }, [&](u32 k) { return ij_key(IJ{i32(k), 0}); }, starts,
        words(c, out));
    c.a.top = out.off + out.n;
    return OK;
}

AB_FN Status wide_occurrences(Ctx& c, Grid g, Object obj, Box box, Indices& out) {
    const u32* keys = words(c, obj);
    const i8* from = cells(c, g);
    u32 rows = u32(g.h - box.height()) + 1, columns = u32(g.w - box.width()) + 1;
    Status s = make_array(c, u64(rows) * columns, out);
    if (s != OK) return s;
    u32 count = 0;
    for (u32 i = 0; i < rows; ++i) {
        const i8* corner = from + i32(i) * g.w;
        auto fits = [&](u32 j) {
            for (u32 k = obj.n; k-- > 0;) {
                IJ p = key_place(keys[k]);
                if (corner[(p.i - box.top) * g.w + p.j - box.left + i32(j)] != key_colour(keys[k])) return false;
            }
            return true;
        };
        u32* to = words(c, out) + count;
        count += c.g.compact(columns, fits, [&](u32 j, u32 k) { to[k] = ij_key(IJ{i32(i), i32(j)}); });
    }
    out.n = count;
    c.a.top = out.off + out.n;
    return OK;
}

// --- periods ---

// An object as its lines: the cells of one colour in one row, as bits from the left of its box.
struct Lines {
    u32 n;
    u32 stride;   // words a line
    u32* starts;  // the place of each line's first key
    u32* heads;   // colour and row of each line, as in a key
    Bits bits;
};

AB_FN Status lines_of(Ctx& c, Object obj, Box box, Lines& out) {
    const u32* keys = words(c, obj);
    out.stride = u32(box.width() + 63) / 64;
    Status s = take_words(c, obj.n + 1, out.starts);
    if (s != OK) return s;
    out.n = c.g.compact(
        obj.n, [&](u32 k) { return k == 0 || keys[k] >> 12 != keys[k - 1] >> 12; },
        [&](u32 k, u32 at) { out.starts[at] = k; });
    out.starts[out.n] = obj.n;
    s = take_words(c, out.n, out.heads);
    if (s == OK) s = take_bits(c, u64(out.n) * out.stride, out.bits);
    if (s != OK) return s;
    c.g.each(out.n, [&](u32 line) {
        Bits bits = out.bits.from(line * out.stride);
        u32 k = out.starts[line], end = out.starts[line + 1];
        out.heads[line] = keys[k] >> 12;
        for (u32 word = 0; word < out.stride; ++word) {
            u64 x = 0;
            for (; k < end; ++k) {
                u32 column = u32(key_place(keys[k]).j - box.left);
                if (column / 64 != word) break;
                x |= u64(1) << (column % 64);
            }
            bits.set(word, x);
        }
    });
    return OK;
}

// Whether a line moved left holds a cell that the line does not.
AB_FN bool differs_moved_left(Bits line, u32 stride, u32 by) {
    u32 skip = by / 64, shift = by % 64;
    for (u32 word = 0; word + skip < stride; ++word) {
        u64 x = line.get(word + skip) >> shift;
        if (shift && word + skip + 1 < stride) x |= line.get(word + skip + 1) << (64 - shift);
        if (x & ~line.get(word)) return true;
    }
    return false;
}

// Whether the line so many rows above lacks a cell of this one.
AB_FN bool differs_moved_up(const Lines& lines, u32 line, u32 by) {
    u32 head = lines.heads[line] - by;
    u32 other = lower_bound(lines.heads, line, head);
    if (other == line || lines.heads[other] != head) return true;
    for (u32 word = 0; word < lines.stride; ++word)
        if (lines.bits.get(line * lines.stride + word) & ~lines.bits.get(other * lines.stride + word)) return true;
    return false;
}

}  // namespace objects_impl

namespace op {

AB_CALL Status objects(Ctx& c, Grid g, i32 univalued, i32 diagonal, i32 without_bg, Objects& out) {
    using namespace objects_impl;
    u32 n = u32(g.h) * u32(g.w);
    if (without_bg && n == 0) return EMPTY;
    Found found;
    Boards b;
    Status s = make_found(c, g, n, found, out);
    if (s == OK) s = draw_boards(c, g, b);
    Rules rules{univalued != 0, diagonal != 0, NOWHERE};
    if (s == OK && without_bg) s = background_slot(c, b, rules.background);
    if (s != OK) return s;
    s = b.stride <= 1 ? narrow_components(c, b, g, rules, found) : wide_components(c, b, g, rules, found);
    if (s == OK) keep_found(c, found, out.off, out);
    return s;
}

AB_FN Status o_g(Ctx& c, Grid g, i32 mode, Objects& out) {
    if (mode < 0 || mode > 7) return BOUNDS;
    return objects(c, g, mode & 4, mode & 2, mode & 1, out);
}

AB_FN Status partition(Ctx& c, Grid g, Objects& out) { return objects_impl::by_colour(c, g, false, out); }

AB_FN Status fgpartition(Ctx& c, Grid g, Objects& out) {
    if (g.h == 0 || g.w == 0) return EMPTY;
    return objects_impl::by_colour(c, g, true, out);
}

// Rows and columns come in the order they have where all are of one colour; where not, they are sorted.
AB_FN Status frontiers(Ctx& c, Grid g, Objects& out) {
    using namespace objects_impl;
    if (g.h == 0) return EMPTY;
    u32 h = u32(g.h), w = u32(g.w);
    const i8* from = cells(c, g);
    if (w == 0) return make_pairs(c, 0, out);
    u32 *row_of_one, *column_of_one;
    Status s = take_words(c, h, row_of_one);
    if (s == OK) s = take_words(c, w, column_of_one);
    if (s != OK) return s;
    c.g.each(h, [&](u32 i) {
        u32 j = 1;
        while (j < w && from[i * w + j] == from[i * w]) ++j;
        row_of_one[i] = j == w;
    });
    c.g.each(w, [&](u32 j) {
        u32 i = 1;
        while (i < h && from[i * w + j] == from[j]) ++i;
        column_of_one[j] = i == h;
    });
    u32 rows = u32(c.g.sum_of(h, [&](u32 i) { return row_of_one[i]; }));
    u32 columns = u32(c.g.sum_of(w, [&](u32 j) { return column_of_one[j]; }));
    s = make_pairs(c, rows + columns, out);
    u32 keys = c.a.take(u64(rows) * w + u64(columns) * h);
    if (s == OK && keys == NOWHERE) s = OVERFLOW_;
    if (s != OK) return s;
    Found found{keys, words(c, out), 0, 0};
    auto add_row = [&](u32 i) {
        u32* to = c.a.at(keys + found.cells);
        c.g.each(w, [&](u32 j) { to[j] = cell_key(from[i * w], IJ{i32(i), i32(j)}); });
        found.add(w);
    };
    auto add_column = [&](u32 j) {
        u32* to = c.a.at(keys + found.cells);
        c.g.each(h, [&](u32 i) { to[i] = cell_key(from[j], IJ{i32(i), i32(j)}); });
        found.add(h);
    };
    if (row_of_one[0]) add_row(0);
    for (u32 j = 0; j < w; ++j)
        if (column_of_one[j]) add_column(j);
    for (u32 i = 1; i < h; ++i)
        if (row_of_one[i]) add_row(i);
    out.n = settle_objects(c, words(c, out), out.n);
    return OK;
}

AB_FN Status asindices(Ctx& c, Grid g, Indices& out) {
    u32 w = u32(g.w);
    Status s = make_array(c, u64(g.h) * w, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 first = ij_key(IJ{0, 0});
    each_cell(c, u32(g.h), w, [&](u32 i, u32 j, u32 k) { keys[k] = first + (i << 16) + j; });
    return OK;
}

AB_FN Status asobject(Ctx& c, Grid g, Object& out) {
    using namespace objects_impl;
    Boards b;
    u32* starts;
    Status s = make_array(c, u64(g.h) * u64(g.w), out);
    u32 mark = c.a.top;
    if (s == OK) s = draw_boards(c, g, b);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s != OK) return s;
    u32 count = 0;
    for (u32 slot = 0; slot < b.slots; ++slot) count += write_cells(c, b, slot, starts, words(c, out) + count);
    c.a.top = mark;
    return OK;
}

AB_FN Status ofcolor(Ctx& c, Grid g, i32 colour, Indices& out) {
    using namespace objects_impl;
    if (!colour_fits(colour)) return make_array(c, 0, out);
    u32 stride = (u32(g.w) + 63) / 64;
    Boards b{u32(g.h) * stride, stride, 1, nullptr, Bits{nullptr}};
    u32* starts;
    Status s = make_array(c, u64(g.h) * u64(g.w), out);
    if (s == OK) s = take_bits(c, b.words, b.bits);
    if (s == OK) s = take_words(c, b.words, starts);
    if (s != OK) return s;
    draw_board(c, g, b, b.bits, colour);
    out.n = write_keys(
        c, b.words, [&](u32 k) { return b.bits.get(k); },
        [&](u32 k) { return ij_key(IJ{i32(b.row(k)), i32(b.column(k))}); }, starts, words(c, out));
    c.a.top = out.off + out.n;
    return OK;
}

// An object cut from the same grid comes out in order as it is; a few cells are soon sorted.
template <class P>
AB_FN Status toobject(Ctx& c, P patch, Grid g, Object& out) {
    using namespace objects_impl;
    if (g.h == 0) return EMPTY;
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 count = read_cells(c, patch, g, keys);
    if (!strictly_ascending(c, keys, count)) {
        if (count < 24) {
            count = settle_keys(c, keys, count);
        } else {
            Indices places;
            s = places_of(c, patch, places);
            if (s == OK) s = cut_cells(c, places, g, keys, count);
        }
    }
    out.n = count;
    c.a.top = out.off + count;
    return s;
}

template <class P>
AB_FN Status recolor(Ctx& c, i32 colour, P patch, Object& out) {
    using namespace objects_impl;
    if (patch.n == 0) return make_array(c, 0, out);
    if (!colour_fits(colour)) return ESCAPE;
    Indices places;
    Status s = make_array(c, patch.n, out);
    u32 mark = c.a.top;
    if (s == OK) s = places_of(c, patch, places);
    if (s != OK) return s;
    const u32* from = words(c, places);
    u32* keys = words(c, out);
    if (c.g.any(places.n, [&](u32 k) { return !place_fits_cell(key_ij(from[k])); })) return ESCAPE;
    c.g.each(places.n, [&](u32 k) { keys[k] = cell_key(colour, key_ij(from[k])); });
    c.a.top = mark - (out.n - places.n);
    out.n = places.n;
    return OK;
}

// All keys move by the same, so they stay in order.
template <class P>
AB_FN Status normalize(Ctx& c, P patch, P& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    const u32* from = words(c, patch);
    u32 corner = 0, origin = 0, end = 0;
    if (!moved_key(patch, from[0], IJ{b.bottom - b.top, b.right - b.left}, end)) return ESCAPE;
    moved_key(patch, from[0], IJ{b.top, b.left}, corner);
    moved_key(patch, from[0], IJ{0, 0}, origin);
    Status s = make_array(c, patch.n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(patch.n, [&](u32 k) { keys[k] = from[k] + (origin - corner); });
    return OK;
}

template <class P>
AB_FN Status backdrop(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    u32 w = u32(b.width());
    Status s = make_array(c, u64(b.height()) * w, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 first = ij_key(IJ{b.top, b.left});
    each_cell(c, u32(b.height()), w, [&](u32 i, u32 j, u32 k) { keys[k] = first + (i << 16) + j; });
    return OK;
}

template <class P>
AB_FN Status delta(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    Status s = make_array(c, u64(b.height()) * u64(b.width()), out);
    if (s == OK) s = objects_impl::sift_box(c, patch, b, false, words(c, out), out.n);
    if (s == OK) c.a.top = out.off + out.n;
    return s;
}

template <class P>
AB_FN Status box(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return make_array(c, 0, out);
    Box b = objects_impl::patch_box(c, patch);
    return objects_impl::outline(c, b.top, b.bottom, b.left, b.right, out);
}

template <class P>
AB_FN Status inbox(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return EMPTY;
    Box b = objects_impl::patch_box(c, patch);
    return objects_impl::outline(c, least(b.top + 1, b.bottom - 1), most(b.top + 1, b.bottom - 1),
                                 least(b.left + 1, b.right - 1), most(b.left + 1, b.right - 1), out);
}

template <class P>
AB_FN Status outbox(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return EMPTY;
    Box b = objects_impl::patch_box(c, patch);
    return objects_impl::outline(c, b.top - 1, b.bottom + 1, b.left - 1, b.right + 1, out);
}

AB_FN Status dneighbors(Ctx& c, IJ loc, Indices& out) {
    const IJ steps[] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    return objects_impl::places_around(c, loc, steps, out);
}

AB_FN Status ineighbors(Ctx& c, IJ loc, Indices& out) {
    const IJ steps[] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    return objects_impl::places_around(c, loc, steps, out);
}

AB_FN Status neighbors(Ctx& c, IJ loc, Indices& out) {
    const IJ steps[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
    return objects_impl::places_around(c, loc, steps, out);
}

AB_FN Status connect(Ctx& c, IJ a, IJ b, Indices& out) {
    i64 rows = i64(b.i) - a.i, columns = i64(b.j) - a.j;
    i64 tall = rows < 0 ? -rows : rows, wide = columns < 0 ? -columns : columns;
    if (rows && columns && tall != wide) return make_array(c, 0, out);
    u64 n = u64(most(tall, wide)) + 1;
    if (n > MAX_ITEMS) return LIMIT;
    if (!ij_fits(a) || !ij_fits(b)) return ESCAPE;
    Status s = make_array(c, n, out);
    if (s != OK) return s;
    bool backwards = rows < 0 || (rows == 0 && columns < 0);
    u32 first = ij_key(backwards ? b : a), last = ij_key(backwards ? a : b);
    u32 step = n > 1 ? u32(i64(i64(last) - first) / i64(n - 1)) : 0;
    u32* keys = words(c, out);
    c.g.each(out.n, [&](u32 k) { keys[k] = first + k * step; });
    return OK;
}

AB_FN Status shoot(Ctx& c, IJ start, IJ direction, Indices& out) {
    i64 i = start.i + 42 * i64(direction.i), j = start.j + 42 * i64(direction.j);
    if (!in_range(i) || !in_range(j)) return LIMIT;
    return connect(c, start, IJ{i32(i), i32(j)}, out);
}

AB_FN Status vfrontier(Ctx& c, IJ loc, Indices& out) {
    if (!ij_fits(IJ{0, loc.j})) return ESCAPE;
    Status s = make_array(c, 30, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(30, [&](u32 k) { keys[k] = ij_key(IJ{i32(k), loc.j}); });
    return OK;
}

AB_FN Status hfrontier(Ctx& c, IJ loc, Indices& out) {
    if (!ij_fits(IJ{loc.i, 0})) return ESCAPE;
    Status s = make_array(c, 30, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(30, [&](u32 k) { keys[k] = ij_key(IJ{loc.i, i32(k)}); });
    return OK;
}

// An empty object has no height and no width, so it also fits just beyond the last row and column.
AB_FN Status occurrences(Ctx& c, Grid g, Object obj, Indices& out) {
    if (g.h == 0) return EMPTY;
    if (obj.n == 0) {
        u32 columns = u32(g.w) + 1;
        Status s = make_array(c, u64(g.h + 1) * columns, out);
        if (s != OK) return s;
        u32* keys = words(c, out);
        c.g.each(u32(g.h) + 1, [&](u32 i) {
            for (u32 j = 0; j < columns; ++j) keys[i * columns + j] = ij_key(IJ{i32(i), i32(j)});
        });
        return OK;
    }
    Box b = objects_impl::patch_box(c, obj);
    if (b.height() > g.h || b.width() > g.w) return make_array(c, 0, out);
    if (g.w <= 64) return objects_impl::narrow_occurrences(c, g, obj, b, out);
    return objects_impl::wide_occurrences(c, g, obj, b, out);
}

AB_FN Status hperiod(Ctx& c, Object obj, i32& out) {
    using namespace objects_impl;
    out = 0;
    if (obj.n == 0) return OK;
    Box b = patch_box(c, obj);
    out = b.width();
    if (out > MAX_SIDE) return LIMIT;
    u32 mark = c.a.top;
    Lines lines;
    Status s = lines_of(c, obj, b, lines);
    if (s != OK) return s;
    auto differs = [&](u32 by) {
        return c.g.any(lines.n, [&](u32 line) {
            return differs_moved_left(lines.bits.from(line * lines.stride), lines.stride, by);
        });
    };
    u32 p = 1;
    while (p < u32(out) && differs(p)) ++p;
    out = i32(p);
    c.a.top = mark;
    return OK;
}

AB_FN Status vperiod(Ctx& c, Object obj, i32& out) {
    using namespace objects_impl;
    out = 0;
    if (obj.n == 0) return OK;
    Box b = patch_box(c, obj);
    out = b.height();
    if (out > MAX_SIDE) return LIMIT;
    u32 mark = c.a.top;
    Lines lines;
    Status s = lines_of(c, obj, b, lines);
    if (s != OK) return s;
    u32 top = u32(b.top + 2048);
    auto differs = [&](u32 by) {
        return c.g.any(lines.n, [&](u32 line) {
            return (lines.heads[line] & 0xFFFu) >= top + by && differs_moved_up(lines, line, by);
        });
    };
    u32 p = 1;
    while (p < u32(out) && differs(p)) ++p;
    out = i32(p);
    c.a.top = mark;
    return OK;
}

}  // namespace op
}  // namespace arcbatt
