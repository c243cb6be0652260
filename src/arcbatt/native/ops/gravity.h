// Gravitation: moving a patch straight to another until they touch.
#pragma once

#include "ops/matching.h"
#include "ops/patch_boards.h"

namespace arcbatt {
namespace shapes {

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
    n = sort_unique_keys(c, lines, n, K_IJ);
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
