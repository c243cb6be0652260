// Colour and shape: what grids and patches look like, and where patches lie.
#pragma once

#include "arrays.h"
#include "numbers.h"

namespace arcbatt {
namespace shapes {

AB_FN u32 cell_count(Grid g) { return u32(g.h) * u32(g.w); }

// --- colours ---

// How many cells of a grid have each colour from `first` on. Colours are nearly always below 16, so the table is that
// short where it can be; four tables take turns, since neighbours often have the same colour and would wait for each
// other.
struct Tally {
    const u32* count;
    u32 size;
    i32 first;
};
AB_FN bool colours_below_16(const Ctx& c, Grid g) {
    const u32* four = c.a.at(g.off);
    const i8* cell = cells(c, g);
    u32 n = cell_count(g), whole = n / 4;
    for (u32 k = 4 * whole; k < n; ++k)
        if (u32(i32(cell[k])) > 15u) return false;
    return !c.g.any(whole, [&](u32 k) { return (four[k] & 0xF0F0F0F0u) != 0; });
}
AB_FN Status tally(Ctx& c, Grid g, Tally& out) {
    bool few = colours_below_16(c, g);
    u32 size = few ? 16 : 256, flip = few ? 0 : 128;
    u32 place = c.a.take(4 * size);
    if (place == NOWHERE) return OVERFLOW_;
    u32 *count = c.a.at(place), *second = count + size, *third = second + size, *fourth = third + size;
    const u32* four = c.a.at(g.off);
    const i8* cell = cells(c, g);
    u32 n = cell_count(g), whole = n / 4;
    c.g.each(4 * size, [&](u32 k) { count[k] = 0; });
    c.g.each(whole, [&](u32 k) {
        u32 x = four[k] ^ flip * 0x01010101u;
        fetch_add(count[x & 255], 1);
        fetch_add(second[x >> 8 & 255], 1);
        fetch_add(third[x >> 16 & 255], 1);
        fetch_add(fourth[x >> 24], 1);
    });
    c.g.each(n - 4 * whole, [&](u32 k) { fetch_add(count[(u32(cell[4 * whole + k]) ^ flip) & 255], 1); });
    c.g.each(size, [&](u32 k) { count[k] += second[k] + third[k] + fourth[k]; });
    out = Tally{count, size, -i32(flip)};
    return OK;
}

// f(colour, count) for every colour of an object, ascending: its cells are sorted by colour.
template <class F>
AB_FN void each_colour(const Ctx& c, Object o, F f) {
    const u32* keys = words(c, o);
    for (u32 start = 0; start < o.n;) {
        i32 colour = key_colour(keys[start]);
        u32 end = o.n;
        if (key_colour(keys[o.n - 1]) != colour)
            end = start + lower_bound(keys + start, o.n - start, cell_key(colour + 1, IJ{-2048, -2048}));
        f(colour, end - start);
        start = end;
    }
}

template <int TAG>
AB_FN Status colours_of(Ctx& c, Object o, Array<TAG>& out) {
    Status s = make_array(c, least(o.n, 256u), out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    u32 n = 0;
    each_colour(c, o, [&](i32 colour, u32) { keys[n++] = int_key(colour); });
    out.n = n;
    c.a.top = out.off + n;
    return OK;
}
template <int TAG>
AB_FN Status colours_of(Ctx& c, Grid g, Array<TAG>& out) {
    Status s = make_array(c, least(cell_count(g), 256u), out);
    if (s != OK || out.n == 0) return s;
    Tally t;
    s = tally(c, g, t);
    if (s != OK) return s;
    u32* keys = words(c, out);
    out.n = c.g.compact(
        t.size, [&](u32 k) { return t.count[k] != 0; }, [&](u32 k, u32 at) { keys[at] = int_key(t.first + i32(k)); });
    c.a.top = out.off + out.n;
    return OK;
}

// How many bytes of a word are zero.
AB_FN u32 zero_bytes(u32 word) {
    u32 low = (word & 0x7F7F7F7Fu) + 0x7F7F7F7Fu;
    u32 zero = ~(low | word | 0x7F7F7F7Fu);
    return ((zero >> 7) * 0x01010101u) >> 24;
}

// Objects picked in order from a set or a tuple as a set; how many are left.
AB_FN u32 settled(const Ctx&, Objects, u32*, u32 n) { return n; }
AB_FN u32 settled(const Ctx& c, ObjectSeq, u32* pairs, u32 n) { return settle_objects(c, pairs, n); }

// --- extents ---

struct Span {
    i32 first, last;
    AB_FN i32 length() const { return last - first + 1; }
    AB_FN i32 middle() const { return first + length() / 2; }
};
struct Extent {
    Span rows, columns;
};

AB_FN bool one_colour(const Ctx& c, Object o) {
    const u32* keys = words(c, o);
    return (keys[0] ^ keys[o.n - 1]) < (1u << 24);
}
// Whether the keys of a patch that is not empty ascend by place.
AB_FN bool places_ascend(const Ctx&, Indices) { return true; }
AB_FN bool places_ascend(const Ctx& c, Object o) { return one_colour(c, o); }

template <class P>
AB_FN i32 first_row(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    if (places_ascend(c, patch)) return place_of(patch, keys[0]).i;
    return c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).i; });
}
template <class P>
AB_FN i32 last_row(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    if (places_ascend(c, patch)) return place_of(patch, keys[patch.n - 1]).i;
    return c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).i; });
}
template <class P>
AB_FN i32 first_column(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    return c.g.min_of(patch.n, INT_MOST, [&](u32 k) { return place_of(patch, keys[k]).j; });
}
template <class P>
AB_FN i32 last_column(const Ctx& c, P patch) {
    const u32* keys = words(c, patch);
    return c.g.max_of(patch.n, INT_LEAST, [&](u32 k) { return place_of(patch, keys[k]).j; });
}
template <class P>
AB_FN Span rows_of(const Ctx& c, P patch) {
    return Span{first_row(c, patch), last_row(c, patch)};
}
template <class P>
AB_FN Span columns_of(const Ctx& c, P patch) {
    return Span{first_column(c, patch), last_column(c, patch)};
}
template <class P>
AB_FN Extent extent_of(const Ctx& c, P patch) {
    return Extent{rows_of(c, patch), columns_of(c, patch)};
}
AB_FN IJ middle_of(Extent e) { return IJ{e.rows.middle(), e.columns.middle()}; }

AB_FN IJ shape_of(const Ctx&, Grid g) { return IJ{g.h, g.w}; }
template <class P>
AB_FN IJ shape_of(const Ctx& c, P patch) {
    if (patch.n == 0) return IJ{0, 0};
    Extent e = extent_of(c, patch);
    return IJ{e.rows.length(), e.columns.length()};
}

// --- places ---

// Sorted distinct places. Those of one colour are so already; of several, a map of the box orders them in linear time
// where the box is not much emptier than the object, a sort where it is.
AB_FN Status places_of(Ctx&, Indices patch, Indices& out) {
    out = patch;
    return OK;
}
AB_FN Status places_of(Ctx& c, Object o, Indices& out) {
    Status s = make_array(c, o.n, out);
    if (s != OK || o.n == 0) return s;
    const u32* from = words(c, o);
    u32* to = words(c, out);
    if (one_colour(c, o)) {
        c.g.each(o.n, [&](u32 k) { to[k] = ij_key(key_place(from[k])); });
        return OK;
    }
    u32 room = NOWHERE, wide = 0, area = 0;
    i32 top = 0, left = 0;
    if (o.n >= 24) {
        Extent e = extent_of(c, o);
        top = e.rows.first;
        left = e.columns.first;
        wide = u32(e.columns.length());
        area = u32(e.rows.length()) * wide;
        if (area <= 16 * o.n) room = c.a.take((area + 3) / 4);
    }
    if (room == NOWHERE) {
        c.g.each(o.n, [&](u32 k) { to[k] = ij_key(key_place(from[k])); });
        out.n = settle_keys(c, to, o.n);
    } else {
        u32* blank = c.a.at(room);
        u8* taken = reinterpret_cast<u8*>(blank);
        c.g.each((area + 3) / 4, [&](u32 k) { blank[k] = 0; });
        c.g.each(o.n, [&](u32 k) {
            IJ p = key_place(from[k]);
            taken[u32(p.i - top) * wide + u32(p.j - left)] = 1;
        });
        out.n = c.g.compact(
            area, [&](u32 k) { return taken[k] != 0; },
            [&](u32 k, u32 at) { to[at] = ij_key(IJ{top + i32(k / wide), left + i32(k % wide)}); });
    }
    c.a.top = out.off + out.n;
    return OK;
}

// Whether two patches have a line in common, `line` being a place's row or column, `sa` and `sb` the spans of those.
template <class A, class B, class F>
AB_FN Status share_line(Ctx& c, A a, Span sa, B b, Span sb, F line, bool& out) {
    const u32 *ours = words(c, a), *others = words(c, b);
    i32 low = most(sa.first, sb.first), high = least(sa.last, sb.last);
    out = false;
    if (low > high) return OK;
    if (u64(a.n) * b.n <= 128) {
        for (u32 k = 0; k < a.n && !out; ++k) {
            i32 at = line(place_of(a, ours[k]));
            out = c.g.any(b.n, [&](u32 m) { return line(place_of(b, others[m])) == at; });
        }
        return OK;
    }
    u32 range = u32(high - low) + 1, kept = c.a.top, room = c.a.take((range + 3) / 4);
    if (room == NOWHERE) return OVERFLOW_;
    u32* blank = c.a.at(room);
    u8* taken = reinterpret_cast<u8*>(blank);
    c.g.each((range + 3) / 4, [&](u32 k) { blank[k] = 0; });
    c.g.each(a.n, [&](u32 k) {
        u32 at = u32(line(place_of(a, ours[k])) - low);
        if (at < range) taken[at] = 1;
    });
    out = c.g.any(b.n, [&](u32 k) {
        u32 at = u32(line(place_of(b, others[k])) - low);
        return at < range && taken[at] != 0;
    });
    c.a.top = kept;
    return OK;
}
template <class A, class B>
AB_FN Status share_column(Ctx& c, A a, Span sa, B b, Span sb, bool& out) {
    return share_line(c, a, sa, b, sb, [](IJ p) { return p.j; }, out);
}

// --- boards ---

// A bit a place of a window. Column w of words comes whole, from top to bottom, between two words that stay zero, so
// that a place's neighbours are a shift or a word away without a test for the edge.
struct Board {
    u32* bits;
    u32 rows, span;
    AB_FN u32* column(u32 w) const { return bits + w * (rows + 2); }
    AB_FN u32 size() const { return span * (rows + 2); }
};
AB_FN u32 span_for(i32 columns) { return (u32(columns) + 31) / 32; }

// Zeroed words, or nullptr.
AB_FN u32* take_zeros(Ctx& c, u32 n) {
    u32 place = c.a.take(n);
    if (place == NOWHERE) return nullptr;
    u32* zeros = c.a.at(place);
    c.g.each(n, [&](u32 k) { zeros[k] = 0; });
    return zeros;
}

// Mark the places of a patch, `spot` telling their row and column on the board; those beyond it are left out.
template <class P, class F>
AB_FN void put_on(const Ctx& c, Board board, P patch, F spot) {
    const u32* keys = words(c, patch);
    c.g.each(patch.n, [&](u32 k) {
        IJ at = spot(place_of(patch, keys[k]));
        u32 w = u32(at.j) >> 5;
        if (u32(at.i) < board.rows && w < board.span) fetch_or(board.column(w)[at.i + 1], 1u << (u32(at.j) & 31));
    });
}

// All places of a board and their neighbours on it. `zeros` are as many as a column of words has.
AB_FN void spread(const Ctx& c, Board from, Board to, const u32* zeros) {
    for (u32 w = 0; w < from.span; ++w) {
        const u32* here = from.column(w);
        const u32* before = w > 0 ? from.column(w - 1) : zeros;
        const u32* after = w + 1 < from.span ? from.column(w + 1) : zeros;
        u32* result = to.column(w);
        c.g.each(from.rows, [&](u32 r) {
            u32 x = here[r + 1];
            result[r + 1] = here[r] | x | here[r + 2] | x << 1 | x >> 1 | before[r + 1] >> 31 | after[r + 1] << 31;
        });
    }
}

// Whether a place of a, moved down by so many rows, is one of b.
AB_FN bool boards_meet(const Ctx& c, Board a, Board b, i32 down) {
    i32 low = most(0, -down), high = least(i32(a.rows), i32(b.rows) - down);
    if (low >= high) return false;
    for (u32 w = 0; w < a.span; ++w) {
        const u32 *ours = a.column(w) + 1 + low, *others = b.column(w) + 1 + (low + down);
        if (c.g.any(u32(high - low), [&](u32 r) { return (ours[r] & others[r]) != 0; })) return true;
    }
    return false;
}

// Ways to compare all places of two patches: every pair; boards, where they are small beside the number of pairs;
// searches in sorted places, where both the pairs and the window are many.
enum class Way { PAIRS, BOARDS, SEARCHES };
AB_FN Way way_for(u64 pairs, u64 board_words) {
    if (pairs <= 128) return Way::PAIRS;
    if (board_words <= 32768 && 8 * board_words <= pairs + 512) return Way::BOARDS;
    return pairs <= 16384 ? Way::PAIRS : Way::SEARCHES;
}

// --- distance ---

// How far a span moves until it shares a line with another.
AB_FN i32 approach(Span from, Span to) {
    if (from.last < to.first) return to.first - from.last;
    if (from.first > to.last) return to.last - from.first;
    return 0;
}
AB_FN Span joined(Span a, i32 move, Span b) {
    return Span{least(a.first + move, b.first), most(a.last + move, b.last)};
}

template <class A, class B>
AB_FN i32 distance_by_pairs(const Ctx& c, A a, IJ move, B b) {
    const u32 *ours = words(c, a), *others = words(c, b);
    i32 found = INT_MOST;
    auto apart = [&](u32 k, u32 m) {
        IJ p = place_of(a, ours[k]), q = place_of(b, others[m]);
        return magnitude(p.i + move.i - q.i) + magnitude(p.j + move.j - q.j);
    };
#if AB_LANES == 1
    for (u32 k = 0; k < a.n && found > 0; ++k) found = c.g.min_of(b.n, found, [&](u32 m) { return apart(k, m); });
    return found;
#else
    return c.g.min_of(a.n * b.n, found, [&](u32 pair) { return apart(pair / b.n, pair % b.n); });
#endif
}

// Spread b until it meets a. The window holds both boxes, and with them a shortest way between any two places.
template <class A, class B>
AB_FN Status distance_by_boards(Ctx& c, A a, IJ move, B b, Span rows, Span columns, i32 cap, i32& out) {
    Board still{nullptr, u32(rows.length()), span_for(columns.length())};
    Board now = still, next = still;
    u32 kept = c.a.top, size = still.size();
    u32* room = take_zeros(c, 3 * size + still.rows + 2);
    if (room == nullptr) return OVERFLOW_;
    still.bits = room;
    now.bits = room + size;
    next.bits = room + 2 * size;
    const u32* zeros = room + 3 * size;
    put_on(c, still, a, [&](IJ p) { return IJ{p.i + move.i - rows.first, p.j + move.j - columns.first}; });
    put_on(c, now, b, [&](IJ p) { return IJ{p.i - rows.first, p.j - columns.first}; });
    for (out = 0; out <= cap && !boards_meet(c, still, now, 0); ++out) {
        spread(c, now, next, zeros);
        Board last = now;
        now = next;
        next = last;
    }
    c.a.top = kept;
    return OK;
}

// The least of `found` and the distance of a place from sorted places. Row by row both ways, as far as a row can still
// hold a nearer one; in a row only the neighbours of the place's column count.
AB_FN i32 nearer(const u32* keys, u32 n, IJ p, i32 found) {
    auto look = [&](i32 row) {
        u32 at = lower_bound(keys, n, ij_key(IJ{row, p.j}));
        for (u32 k = at > 0 ? at - 1 : 0; k <= at && k < n; ++k) {
            IJ q = key_ij(keys[k]);
            if (q.i == row) found = least(found, magnitude(row - p.i) + magnitude(q.j - p.j));
        }
    };
    u32 at = lower_bound(keys, n, ij_key(IJ{p.i, -32768}));
    for (u32 k = at; k < n && key_ij(keys[k]).i - p.i < found;) {
        i32 row = key_ij(keys[k]).i;
        look(row);
        k = row == 32767 ? n : lower_bound(keys, n, ij_key(IJ{row + 1, -32768}));
    }
    for (u32 k = at; k > 0 && p.i - key_ij(keys[k - 1]).i < found;) {
        i32 row = key_ij(keys[k - 1]).i;
        look(row);
        k = lower_bound(keys, n, ij_key(IJ{row, -32768}));
    }
    return found;
}
template <class A, class B>
AB_FN Status distance_by_searches(Ctx& c, A a, IJ move, B b, i32& out) {
    u32 kept = c.a.top;
    Indices sorted;
    Status s = places_of(c, b, sorted);
    if (s != OK) return s;
    const u32 *ours = words(c, a), *others = words(c, sorted);
    i32 found = INT_MOST;
    c.g.each(a.n, [&](u32 k) {
        IJ p = place_of(a, ours[k]);
        if (found > 0) found = nearer(others, sorted.n, IJ{p.i + move.i, p.j + move.j}, found);
    });
    out = c.g.least_held(found);
    c.a.top = kept;
    return OK;
}

// The least distance of two patches, or any number above cap where it is above that. Boxes apart are first moved until
// they share a row and a column: that takes the same off the distance of any two places.
template <class A, class B>
AB_FN Status distance(Ctx& c, A a, B b, i32 cap, i32& out) {
    if (a.n == 0 || b.n == 0) return EMPTY;
    Extent ea = extent_of(c, a), eb = extent_of(c, b);
    IJ move{approach(ea.rows, eb.rows), approach(ea.columns, eb.columns)};
    i32 apart = magnitude(move.i) + magnitude(move.j);
    out = apart;
    if (apart > cap) return OK;
    Span rows = joined(ea.rows, move.i, eb.rows), columns = joined(ea.columns, move.j, eb.columns);
    i32 rest = 0;
    Status s = OK;
    switch (way_for(u64(a.n) * b.n, u64(rows.length()) * span_for(columns.length()))) {
        case Way::PAIRS:
            rest = distance_by_pairs(c, a, move, b);
            break;
        case Way::BOARDS:
            s = distance_by_boards(c, a, move, b, rows, columns, cap - apart, rest);
            break;
        case Way::SEARCHES:
            s = distance_by_searches(c, a, move, b, rest);
            break;
    }
    out = apart + rest;
    return s;
}

// --- gravitation ---

constexpr i32 MOST_MOVES = 42;

// The straight way a patch moves. Places are seen along it, so that every move is one row down.
struct Course {
    bool vertical;
    i32 sign;
    AB_FN IJ operator()(IJ p) const { return vertical ? IJ{sign * p.i, p.j} : IJ{sign * p.j, p.i}; }
    AB_FN Extent operator()(Extent e) const {
        Span along = vertical ? e.rows : e.columns, across = vertical ? e.columns : e.rows;
        return Extent{sign > 0 ? along : Span{-along.last, -along.first}, across};
    }
};

// Which numbers of moves bring a place of source onto one of the destination (same) or beside one in the next line
// (beside): bit m + 1 for m moves, from -1 to MOST_MOVES.
struct Contact {
    u64 same, beside;
    AB_FN void add(i32 moves, i32 aside) {
        if (u32(moves + 1) > u32(MOST_MOVES + 1) || aside < -1 || aside > 1) return;
        u64 bit = u64(1) << (moves + 1);
        if (aside == 0)
            same |= bit;
        else
            beside |= bit;
    }
    // What all lanes found.
    AB_FN Contact together(const Group& g) const { return Contact{g.bits_held(same), g.bits_held(beside)}; }
    // The first number of moves after which something touches and nothing overlaps.
    AB_FN i32 first() const {
        u64 good = (same << 1 | same >> 1 | beside) & ~same;
        i32 moves = 0;
        while (moves < MOST_MOVES && !(good >> (moves + 1) & 1)) ++moves;
        return moves;
    }
};

template <class A, class B>
AB_FN i32 moves_by_pairs(const Ctx& c, A source, B destination, Course course) {
    const u32 *ours = words(c, source), *others = words(c, destination);
    Contact contact{0, 0};
    c.g.each(source.n, [&](u32 k) {
        IJ p = course(place_of(source, ours[k]));
        for (u32 m = 0; m < destination.n; ++m) {
            IJ q = course(place_of(destination, others[m]));
            contact.add(q.i - p.i, q.j - p.j);
        }
    });
    return contact.together(c.g).first();
}

// Where on their courses source and destination can come in touch at all.
struct Meeting {
    Span source, destination;  // rows of each
    Span across;               // columns of both
};

template <class A, class B>
AB_FN Status moves_by_boards(Ctx& c, A source, B destination, Course course, Meeting at, i32& out) {
    u32 span = span_for(at.across.length());
    Board moving{nullptr, u32(at.source.length()), span};
    Board goal{nullptr, u32(at.destination.length()) + 2, span};
    u32 kept = c.a.top;
    u32* room = take_zeros(c, moving.size() + 2 * goal.size() + goal.rows + 2);
    if (room == nullptr) return OVERFLOW_;
    moving.bits = room;
    goal.bits = room + moving.size();
    Board around{goal.bits + goal.size(), goal.rows, span};
    i32 top = at.destination.first - 1, left = at.across.first;
    auto on_board = [&](IJ p, i32 first) {
        IJ seen = course(p);
        return IJ{seen.i - first, seen.j - left};
    };
    put_on(c, moving, source, [&](IJ p) { return on_board(p, at.source.first); });
    put_on(c, goal, destination, [&](IJ p) { return on_board(p, top); });
    spread(c, goal, around, around.bits + around.size());
    for (out = most(0, top - at.source.last); out < MOST_MOVES; ++out) {
        i32 down = at.source.first + out - top;
        if (boards_meet(c, moving, around, down) && !boards_meet(c, moving, goal, down)) break;
    }
    out = least(out, MOST_MOVES);
    c.a.top = kept;
    return OK;
}

// The destination's places by line and then by row of the course: what one place can touch lies in three short runs.
template <class A, class B>
AB_FN Status moves_by_searches(Ctx& c, A source, B destination, Course course, Extent box, i32& out) {
    u32 kept = c.a.top, n = destination.n, room = c.a.take(n);
    if (room == NOWHERE) return OVERFLOW_;
    u32* lines = c.a.at(room);
    const u32 *ours = words(c, source), *others = words(c, destination);
    i32 top = box.rows.first, left = box.columns.first;
    c.g.each(n, [&](u32 k) {
        IJ q = course(place_of(destination, others[k]));
        lines[k] = u32(q.j - left) << 16 | u32(q.i - top);
    });
    n = settle_keys(c, lines, n);
    Contact contact{0, 0};
    c.g.each(source.n, [&](u32 k) {
        IJ p = course(place_of(source, ours[k]));
        i32 low = most(0, p.i - top - 1), high = least(box.rows.length() - 1, p.i - top + MOST_MOVES);
        for (i32 aside = -1; aside <= 1 && low <= high; ++aside) {
            i32 line = p.j - left + aside;
            if (line < 0 || line >= box.columns.length()) continue;
            u32 end = u32(line) << 16 | u32(high);
            for (u32 m = lower_bound(lines, n, u32(line) << 16 | u32(low)); m < n && lines[m] <= end; ++m)
                contact.add(i32(lines[m] & 0xFFFFu) + top - p.i, aside);
        }
    });
    out = contact.together(c.g).first();
    c.a.top = kept;
    return OK;
}

// How many moves bring source beside destination, MOST_MOVES where none do.
template <class A, class B>
AB_FN Status moves_to_touch(Ctx& c, A source, Extent es, B destination, Extent ed, Course course, i32& out) {
    es = course(es);
    ed = course(ed);
    Meeting at{Span{most(es.rows.first, ed.rows.first - MOST_MOVES), least(es.rows.last, ed.rows.last + 1)},
               Span{most(ed.rows.first, es.rows.first - 1), least(ed.rows.last, es.rows.last + MOST_MOVES)},
               Span{most(es.columns.first, ed.columns.first) - 1, least(es.columns.last, ed.columns.last) + 1}};
    out = MOST_MOVES;
    if (at.source.length() <= 0 || at.destination.length() <= 0 || at.across.length() <= 1) return OK;
    u64 board_words = (u64(at.source.length()) + u64(at.destination.length())) * span_for(at.across.length());
    switch (way_for(u64(source.n) * destination.n, board_words)) {
        case Way::PAIRS:
            out = moves_by_pairs(c, source, destination, course);
            return OK;
        case Way::BOARDS:
            return moves_by_boards(c, source, destination, course, at, out);
        default:
            return moves_by_searches(c, source, destination, course, ed, out);
    }
}

}  // namespace shapes

namespace op {

// --- colours ---

AB_FN Status mostcolor(Ctx& c, Grid g, i32& out) {
    if (shapes::cell_count(g) == 0) return EMPTY;
    u32 kept = c.a.top;
    shapes::Tally t;
    Status s = shapes::tally(c, g, t);
    if (s != OK) return s;
    i32 found = c.g.max_of(t.size, 0, [&](u32 k) { return t.count[k] << 8 | (255 - k); });
    out = t.first + 255 - (found & 255);
    c.a.top = kept;
    return OK;
}
AB_FN Status mostcolor(Ctx& c, Object o, i32& out) {
    if (o.n == 0) return EMPTY;
    u32 found = 0;
    shapes::each_colour(c, o, [&](i32 colour, u32 count) {
        if (count > found) {
            found = count;
            out = colour;
        }
    });
    return OK;
}
AB_FN Status leastcolor(Ctx& c, Grid g, i32& out) {
    if (shapes::cell_count(g) == 0) return EMPTY;
    u32 kept = c.a.top;
    shapes::Tally t;
    Status s = shapes::tally(c, g, t);
    if (s != OK) return s;
    i32 found = c.g.min_of(t.size, INT_MOST, [&](u32 k) { return t.count[k] ? i32(t.count[k] << 8 | k) : INT_MOST; });
    out = t.first + (found & 255);
    c.a.top = kept;
    return OK;
}
AB_FN Status leastcolor(Ctx& c, Object o, i32& out) {
    if (o.n == 0) return EMPTY;
    u32 found = NOWHERE;
    shapes::each_colour(c, o, [&](i32 colour, u32 count) {
        if (count < found) {
            found = count;
            out = colour;
        }
    });
    return OK;
}
template <class E>
AB_FN Status palette(Ctx& c, E element, Ints& out) {
    return shapes::colours_of(c, element, out);
}
AB_FN Status p_g(Ctx& c, Grid g, IntSeq& out) { return shapes::colours_of(c, g, out); }
AB_FN Status numcolors(Ctx& c, Grid g, i32& out) {
    u32 kept = c.a.top;
    shapes::Tally t;
    Status s = shapes::tally(c, g, t);
    if (s != OK) return s;
    out = i32(c.g.sum_of(t.size, [&](u32 k) { return t.count[k] != 0; }));
    c.a.top = kept;
    return OK;
}
AB_FN Status numcolors(Ctx& c, Object o, i32& out) {
    out = 0;
    shapes::each_colour(c, o, [&](i32, u32) { ++out; });
    return OK;
}
AB_FN Status color(Ctx& c, Object o, i32& out) {
    if (o.n == 0) return EMPTY;
    out = key_colour(words(c, o)[0]);
    return OK;
}
AB_FN Status colorcount(Ctx& c, Grid g, i32 colour, i32& out) {
    out = 0;
    if (!colour_fits(colour)) return OK;
    const u32* four = c.a.at(g.off);
    const i8* cell = cells(c, g);
    u32 n = shapes::cell_count(g), whole = n / 4, pattern = (u32(colour) & 0xFFu) * 0x01010101u;
    out = i32(c.g.sum_of(whole, [&](u32 k) { return shapes::zero_bytes(four[k] ^ pattern); }));
    for (u32 k = 4 * whole; k < n; ++k) out += cell[k] == colour;
    return OK;
}
AB_FN Status colorcount(Ctx& c, Object o, i32 colour, i32& out) {
    out = 0;
    if (!colour_fits(colour)) return OK;
    const u32* keys = words(c, o);
    u32 start = lower_bound(keys, o.n, cell_key(colour, IJ{-2048, -2048}));
    u32 end = colour == 127 ? o.n : lower_bound(keys, o.n, cell_key(colour + 1, IJ{-2048, -2048}));
    out = i32(end - start);
    return OK;
}

template <class C>
AB_FN Status colorfilter(Ctx& c, C objects, i32 colour, Objects& out) {
    if (c.g.any(objects.n, [&](u32 k) { return member(c, objects, k).n == 0; })) return EMPTY;
    Status s = make_pairs(c, objects.n, out);
    if (s != OK) return s;
    u32* pairs = words(c, out);
    u32 n = c.g.compact(
        objects.n, [&](u32 k) { return key_colour(words(c, member(c, objects, k))[0]) == colour; },
        [&](u32 k, u32 at) {
            Object o = member(c, objects, k);
            pairs[2 * at] = o.off;
            pairs[2 * at + 1] = o.n;
        });
    out.n = shapes::settled(c, objects, pairs, n);
    c.a.top = out.off + 2 * out.n;
    return OK;
}

// --- shape ---

AB_FN Status height(Ctx&, Grid g, i32& out) {
    out = g.h;
    return OK;
}
template <class P>
AB_FN Status height(Ctx& c, P patch, i32& out) {
    out = patch.n == 0 ? 0 : shapes::rows_of(c, patch).length();
    return OK;
}
AB_FN Status width(Ctx&, Grid g, i32& out) {
    out = g.w;
    return OK;
}
template <class P>
AB_FN Status width(Ctx& c, P patch, i32& out) {
    out = patch.n == 0 ? 0 : shapes::columns_of(c, patch).length();
    return OK;
}
template <class P>
AB_FN Status shape(Ctx& c, P piece, IJ& out) {
    out = shapes::shape_of(c, piece);
    return OK;
}
template <class P>
AB_FN Status portrait(Ctx& c, P piece, i32& out) {
    IJ size = shapes::shape_of(c, piece);
    out = size.i > size.j;
    return OK;
}
AB_FN Status square(Ctx&, Grid g, i32& out) {
    out = g.h == g.w;
    return OK;
}
template <class P>
AB_FN Status square(Ctx& c, P patch, i32& out) {
    IJ size = shapes::shape_of(c, patch);
    out = size.i == size.j && i64(size.i) * size.j == i64(patch.n);
    return OK;
}
template <class P>
AB_FN Status vline(Ctx& c, P patch, i32& out) {
    IJ size = shapes::shape_of(c, patch);
    out = size.j == 1 && u32(size.i) == patch.n;
    return OK;
}
template <class P>
AB_FN Status hline(Ctx& c, P patch, i32& out) {
    IJ size = shapes::shape_of(c, patch);
    out = size.i == 1 && u32(size.j) == patch.n;
    return OK;
}

// --- place ---

template <class P>
AB_FN Status toindices(Ctx& c, P patch, Indices& out) {
    return shapes::places_of(c, patch, out);
}
template <class P>
AB_FN Status uppermost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::first_row(c, patch);
    return OK;
}
template <class P>
AB_FN Status lowermost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::last_row(c, patch);
    return OK;
}
template <class P>
AB_FN Status leftmost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::first_column(c, patch);
    return OK;
}
template <class P>
AB_FN Status rightmost(Ctx& c, P patch, i32& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::last_column(c, patch);
    return OK;
}
template <class P>
AB_FN Status ulcorner(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return VOID_;
    out = IJ{shapes::first_row(c, patch), shapes::first_column(c, patch)};
    return OK;
}
template <class P>
AB_FN Status urcorner(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return VOID_;
    out = IJ{shapes::first_row(c, patch), shapes::last_column(c, patch)};
    return OK;
}
template <class P>
AB_FN Status llcorner(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return VOID_;
    out = IJ{shapes::last_row(c, patch), shapes::first_column(c, patch)};
    return OK;
}
template <class P>
AB_FN Status lrcorner(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return VOID_;
    out = IJ{shapes::last_row(c, patch), shapes::last_column(c, patch)};
    return OK;
}
template <class P>
AB_FN Status center(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return EMPTY;
    out = shapes::middle_of(shapes::extent_of(c, patch));
    return OK;
}
// A place of several colours counts once in the sum and once a colour in the number it is divided by.
template <class P>
AB_FN Status centerofmass(Ctx& c, P patch, IJ& out) {
    if (patch.n == 0) return VOID_;
    auto mean = [&](auto spots) {
        const u32* keys = words(c, spots);
        i64 rows = c.g.sum_of(spots.n, [&](u32 k) { return place_of(spots, keys[k]).i; });
        i64 columns = c.g.sum_of(spots.n, [&](u32 k) { return place_of(spots, keys[k]).j; });
        return IJ{i32(floor_divide(rows, patch.n)), i32(floor_divide(columns, patch.n))};
    };
    if (shapes::places_ascend(c, patch)) {
        out = mean(patch);
        return OK;
    }
    u32 kept = c.a.top;
    Indices spots;
    Status s = shapes::places_of(c, patch, spots);
    if (s == OK) out = mean(spots);
    c.a.top = kept;
    return s;
}
template <class P>
AB_FN Status corners(Ctx& c, P patch, Indices& out) {
    if (patch.n == 0) return ESCAPE;
    shapes::Extent e = shapes::extent_of(c, patch);
    u32 rows = e.rows.first == e.rows.last ? 1 : 2, columns = e.columns.first == e.columns.last ? 1 : 2;
    Status s = make_array(c, rows * columns, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    keys[0] = ij_key(IJ{e.rows.first, e.columns.first});
    keys[columns - 1] = ij_key(IJ{e.rows.first, e.columns.last});
    keys[out.n - columns] = ij_key(IJ{e.rows.last, e.columns.first});
    keys[out.n - 1] = ij_key(IJ{e.rows.last, e.columns.last});
    return OK;
}

// --- two patches ---

template <class A, class B>
AB_FN Status hmatching(Ctx& c, A a, B b, i32& out) {
    bool found = false;
    Status s = OK;
    if (a.n != 0 && b.n != 0)
        s = shapes::share_line(c, a, shapes::rows_of(c, a), b, shapes::rows_of(c, b), [](IJ p) { return p.i; }, found);
    out = found;
    return s;
}
template <class A, class B>
AB_FN Status vmatching(Ctx& c, A a, B b, i32& out) {
    bool found = false;
    Status s = OK;
    if (a.n != 0 && b.n != 0)
        s = shapes::share_column(c, a, shapes::columns_of(c, a), b, shapes::columns_of(c, b), found);
    out = found;
    return s;
}
template <class A, class B>
AB_FN Status manhattan(Ctx& c, A a, B b, i32& out) {
    return shapes::distance(c, a, b, INT_MOST, out);
}
template <class A, class B>
AB_FN Status adjacent(Ctx& c, A a, B b, i32& out) {
    i32 apart = 0;
    Status s = shapes::distance(c, a, b, 1, apart);
    out = apart == 1;
    return s;
}
template <class P>
AB_FN Status bordering(Ctx& c, P patch, Grid g, i32& out) {
    if (patch.n == 0 || g.h == 0) return EMPTY;
    shapes::Extent e = shapes::extent_of(c, patch);
    out = e.rows.first == 0 || e.columns.first == 0 || e.rows.last == g.h - 1 || e.columns.last == g.w - 1;
    return OK;
}
template <class A, class B>
AB_FN Status position(Ctx& c, A a, B b, IJ& out) {
    if (a.n == 0 || b.n == 0) return EMPTY;
    IJ from = shapes::middle_of(shapes::extent_of(c, a)), to = shapes::middle_of(shapes::extent_of(c, b));
    out = IJ{(to.i > from.i) - (to.i < from.i), (to.j > from.j) - (to.j < from.j)};
    if (out.i == 0 && out.j == 0) out.j = -1;
    return OK;
}
template <class A, class B>
AB_FN Status gravitate(Ctx& c, A source, B destination, IJ& out) {
    if (source.n == 0 || destination.n == 0) return EMPTY;
    shapes::Extent es = shapes::extent_of(c, source), ed = shapes::extent_of(c, destination);
    IJ from = shapes::middle_of(es), to = shapes::middle_of(ed);
    bool vertical = false;
    Status s = shapes::share_column(c, source, es.columns, destination, ed.columns, vertical);
    if (s != OK) return s;
    shapes::Course course{vertical, (vertical ? from.i < to.i : from.j < to.j) ? 1 : -1};
    i32 moves = 0;
    s = shapes::moves_to_touch(c, source, es, destination, ed, course, moves);
    if (s != OK) return s;
    out = vertical ? IJ{course.sign * moves, 0} : IJ{0, course.sign * moves};
    return OK;
}

}  // namespace op
}  // namespace arcbatt
