// Objects and patches: language/primitives/objects.py.
#pragma once

#include "dynamic/grids.h"

namespace arcbatt {
namespace dynamic {
namespace ops {

constexpr i64 STEPS_AROUND[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

inline Value around(const Value& loc, u32 from, u32 to) {
    ij_of(loc);
    Items places;
    for (u32 k = from; k < to; ++k) places.push_back(ij(loc.i() + STEPS_AROUND[k][0], loc.j() + STEPS_AROUND[k][1]));
    return make_set(std::move(places));
}
inline Value dneighbors(Machine&, const Value& loc) { return around(loc, 0, 4); }
inline Value ineighbors(Machine&, const Value& loc) { return around(loc, 4, 8); }
inline Value neighbors(Machine&, const Value& loc) { return around(loc, 0, 8); }

// The places of rectangles, row by row.
inline Value rectangle(const Box& box) {
    if (box.tall() > i64(MAX_ITEMS) || box.wide() > i64(MAX_ITEMS)) fail(LIMIT);
    need_room(box.tall() * box.wide());
    Items places;
    places.reserve(size_t(box.tall() * box.wide()));
    for (i64 i = box.top; i <= box.bottom; ++i)
        for (i64 j = box.left; j <= box.right; ++j) places.push_back(ij(i, j));
    return set_of_ascending(std::move(places));
}
inline Value outline(const Box& box) {
    need_room(2 * (box.bottom - box.top + box.right - box.left));
    Items places;
    for (i64 i = box.top; i <= box.bottom; ++i) {
        bool full = i == box.top || i == box.bottom;
        for (i64 j = box.left; j <= box.right; j += full || j == box.right ? 1 : box.right - box.left)
            places.push_back(ij(i, j));
    }
    return set_of_ascending(std::move(places));
}

inline Value asindices(Machine&, const Value& grid) {
    if (!tuple_of(grid).length()) return empty_set();
    Place sides = extent(grid);
    if (sides.j == 0) return empty_set();
    return rectangle({0, sides.i - 1, 0, sides.j - 1});
}
inline Value asobject(Machine&, const Value& grid) {
    Items cells;
    with_rows(grid, [&](const auto& rows) {
        for (u32 i = 0; i < rows.size(); ++i)
            for (u32 j = 0; j < rows[i].n; ++j)
                cells.push_back(dynamic::pair(value_of(rows[i].cells[j]), Value::ij(i32(i), i32(j))));
    });
    return make_set(std::move(cells));
}
inline Value ofcolor(Machine&, const Value& grid, const Value& colour) {
    Items places;
    with_rows(grid, [&](const auto& rows) {
        for (u32 i = 0; i < rows.size(); ++i)
            for (u32 j = 0; j < rows[i].n; ++j)
                if (equal(value_of(rows[i].cells[j]), colour)) places.push_back(Value::ij(i32(i), i32(j)));
    });
    return set_of_ascending(std::move(places));
}

inline bool is_none(i32) { return false; }
inline bool is_none(const Value& cell) { return cell.is_none(); }

// Connected components of cells that are not the background, which is None where none is left out.
template <class C>
class Components {
   public:
    Components(const Rows<C>& rows, u32 wide, const Value& background, bool univalued, bool diagonal)
        : rows_(rows), tall_(i64(rows.size())), wide_(wide), univalued_(univalued), steps_(diagonal ? 8 : 4) {
        owner_.resize(size_t(tall_ * wide_), NOBODY);
        for (i64 k = 0; k < tall_ * wide_; ++k)
            if (background.is_none() ? is_none(cell(k)) : equal(value_of(cell(k)), background))
                owner_[size_t(k)] = LEFT_OUT;
    }

    Value found() {
        u32 count = 0;
        for (i64 k = 0; k < tall_ * wide_; ++k)
            if (owner_[size_t(k)] == NOBODY) walk(k, count++);
        std::vector<Items> components(count);
        for (i64 k = 0; k < tall_ * wide_; ++k)
            if (owner_[size_t(k)] != LEFT_OUT)
                components[owner_[size_t(k)]].push_back(
                    dynamic::pair(value_of(cell(k)), Value::ij(i32(k / wide_), i32(k % wide_))));
        Items objects;
        for (Items& cells : components) objects.push_back(make_set(std::move(cells)));
        return make_set(std::move(objects));
    }

   private:
    static constexpr u32 NOBODY = 0xFFFFFFFFu, LEFT_OUT = 0xFFFFFFFEu;

    const C& cell(i64 k) const { return rows_[size_t(k / wide_)].cells[k % wide_]; }

    void walk(i64 start, u32 owner) {
        std::vector<i64> waiting{start};
        owner_[size_t(start)] = owner;
        while (!waiting.empty()) {
            i64 at = waiting.back(), i = at / wide_, j = at % wide_;
            waiting.pop_back();
            for (u32 k = 0; k < steps_; ++k) {
                i64 row = i + STEPS_AROUND[k][0], column = j + STEPS_AROUND[k][1], next = row * wide_ + column;
                if (row < 0 || row >= tall_ || column < 0 || column >= wide_) continue;
                if (owner_[size_t(next)] != NOBODY || (univalued_ && !same_cell(cell(next), cell(start)))) continue;
                owner_[size_t(next)] = owner;
                waiting.push_back(next);
            }
        }
    }

    const Rows<C>& rows_;
    i64 tall_, wide_;
    bool univalued_;
    u32 steps_;
    std::vector<u32> owner_;
};

inline Value components(const Value& grid, bool univalued, bool diagonal, bool without_bg) {
    Value background = without_bg ? by_cells(grid, true) : Value();
    return with_rows(grid, [&](const auto& rows) {
        using C = std::decay_t<decltype(*rows[0].cells)>;
        u32 wide = rows.empty() ? 0 : rows[0].n;
        for (const auto& row : rows)
            if (row.n < wide) fail(BOUNDS);
        return Components<C>(rows, wide, background, univalued, diagonal).found();
    });
}
inline Value objects(Machine&, const Value& grid, const Value& univalued, const Value& diagonal,
                     const Value& without_bg) {
    return components(grid, univalued.truth(), diagonal.truth(), without_bg.truth());
}
inline Value o_g(Machine&, const Value& grid, const Value& mode) {
    i32 bits = int_of(mode);
    if (bits < 0 || bits > 7) fail(BOUNDS);
    return components(grid, bits & 4, bits & 2, bits & 1);
}

// One object for each of the colours, which ascend.
inline Value of_colours(Machine& m, const Value& grid, const Items& wanted) {
    if (wanted.empty()) return empty_set();
    Value cells = asobject(m, grid);
    Items objects;
    for (const Value& colour : wanted) {
        objects.push_back(kept(cells, [&](const Value& cell) { return equal(cell.item(0), colour); }));
    }
    return make_set(std::move(objects));
}
inline Value partition(Machine& m, const Value& grid) { return of_colours(m, grid, distinct(colours_of(grid))); }
inline Value fgpartition(Machine& m, const Value& grid) {
    Items wanted = distinct(colours_of(grid));
    Value most_common = by_cells(grid, true);
    auto left = std::remove_if(wanted.begin(), wanted.end(), [&](const Value& one) { return equal(one, most_common); });
    wanted.cut(size_t(left - wanted.begin()));
    return of_colours(m, grid, wanted);
}
inline Value frontiers(Machine&, const Value& grid) {
    Place sides = extent(grid);
    Items lines;
    auto line = [&](i64 n, auto place) {
        Items cells;
        bool one = n > 0;
        for (i64 k = 0; k < n; ++k) {
            Place at = place(k);
            cells.push_back(dynamic::pair(cell_at(grid, at.i, at.j), Value::ij(i32(at.i), i32(at.j))));
            one = one && equal(cells[0].item(0), cells.back().item(0));
        }
        if (one) lines.push_back(make_set(std::move(cells)));
    };
    for (i64 i = 0; i < sides.i; ++i) line(sides.j, [&](i64 k) { return Place{i, k}; });
    for (i64 j = 0; j < sides.j; ++j) line(sides.i, [&](i64 k) { return Place{k, j}; });
    return make_set(std::move(lines));
}

inline Value toobject(Machine&, const Value& patch, const Value& grid) {
    Place sides = extent(rows_of(grid));
    Items cells;
    each_place(dynamic::toindices(patch), [&](i64 i, i64 j) {
        if (i >= 0 && i < sides.i && j >= 0 && j < sides.j)
            cells.push_back(dynamic::pair(cell_at(grid, i, j), ij(i, j)));
    });
    return make_set(std::move(cells));
}
inline Value recolor(Machine&, const Value& colour, const Value& patch) {
    Value places = dynamic::toindices(patch);
    Items cells;
    for (u32 k = 0, n = places.length(); k < n; ++k) cells.push_back(dynamic::pair(colour, places.item(k)));
    return make_set(std::move(cells));
}
inline Value normalized(const Value& patch) {
    if (!container_of(patch).length()) return empty_set();
    Box box = box_of(patch);
    return turned(patch, {1, 0, number(-box.top), 0, 1, number(-box.left)});
}
inline Value normalize(Machine&, const Value& patch) { return normalized(patch); }

inline Value backdrop(Machine&, const Value& patch) {
    return container_of(patch).length() ? rectangle(box_of(patch)) : empty_set();
}
inline Value delta(Machine& m, const Value& patch) {
    return difference(m, backdrop(m, patch), dynamic::toindices(patch));
}
inline Value box(Machine&, const Value& patch) {
    return container_of(patch).length() ? outline(box_of(patch)) : empty_set();
}
inline Value inbox(Machine&, const Value& patch) {
    Box own = box_of(patch);
    i64 top = number(own.top + 1), bottom = number(own.bottom - 1);
    i64 left = number(own.left + 1), right = number(own.right - 1);
    return outline({least(top, bottom), most(top, bottom), least(left, right), most(left, right)});
}
inline Value outbox(Machine&, const Value& patch) {
    Box own = box_of(patch);
    return outline({number(own.top - 1), number(own.bottom + 1), number(own.left - 1), number(own.right + 1)});
}

inline Value line_between(Place a, Place b) {
    i64 rows = b.i - a.i, columns = b.j - a.j;
    if (rows && columns && std::abs(rows) != std::abs(columns)) return empty_set();
    i64 length = most(std::abs(rows), std::abs(columns));
    need_room(length + 1);
    Items places;
    for (i64 k = 0; k <= length; ++k) places.push_back(ij(a.i + k * sign_of(rows), a.j + k * sign_of(columns)));
    return make_set(std::move(places));
}
inline Value connect(Machine&, const Value& a, const Value& b) {
    ij_of(a), ij_of(b);
    return line_between({a.i(), a.j()}, {b.i(), b.j()});
}
inline Value shoot(Machine&, const Value& start, const Value& direction) {
    ij_of(start), ij_of(direction);
    i64 i = start.i(), j = start.j();
    return line_between({i, j}, {number(i + 42 * i64(direction.i())), number(j + 42 * i64(direction.j()))});
}
inline Value vfrontier(Machine&, const Value& loc) {
    ij_of(loc);
    return rectangle({0, 29, loc.j(), loc.j()});
}
inline Value hfrontier(Machine&, const Value& loc) {
    ij_of(loc);
    return rectangle({loc.i(), loc.i(), 0, 29});
}

inline Value occurrences(Machine& m, const Value& grid, const Value& object) {
    Place sides = extent(rows_of(grid));
    Value own = normalized(object);
    std::vector<Spot> spots = spots_of(own);
    Place box = shape_of(as_patch(object));
    if (spots.empty()) need_room((sides.i + 1) * (sides.j + 1));
    Items places;
    for (i64 i = 0; i <= sides.i - box.i; ++i) {
        m.look();
        for (i64 j = 0; j <= sides.j - box.j; ++j) {
            bool here = true;
            for (size_t k = 0; here && k < spots.size(); ++k)
                here = equal(cell_at(grid, i + spots[k].i, j + spots[k].j), spots[k].colour);
            if (here) places.push_back(ij(i, j));
        }
    }
    return set_of_ascending(std::move(places));
}

// The least shift against the step under which what stays in the box agrees with the object.
inline Value period(Machine& m, const Value& object, i64 length, const Place& step) {
    if (length > MAX_SIDE) fail(LIMIT);
    Value cells = normalized(object);
    std::vector<Spot> spots;
    if (length > 1) spots = spots_of(cells);
    for (i64 p = 1; p < length; ++p) {
        m.look();
        bool agrees = true;
        for (const Spot& spot : spots) {
            i64 i = spot.i - p * step.i, j = spot.j - p * step.j;
            if (i >= 0 && j >= 0 && !contains(cells, dynamic::pair(spot.colour, ij(i, j)))) {
                agrees = false;
                break;
            }
        }
        if (agrees) return integer(p);
    }
    return integer(length);
}
inline Value hperiod(Machine& m, const Value& object) { return period(m, object, width_of(as_patch(object)), {0, 1}); }
inline Value vperiod(Machine& m, const Value& object) { return period(m, object, height_of(as_patch(object)), {1, 0}); }

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
