// Grids: language/primitives/grids.py.
#pragma once

#include "dynamic/shapes.h"

namespace arcbatt {
namespace dynamic {
namespace ops {

// A row whose k-th cell, an integer or a value, is what `cell` gives of k.
template <class C, class F>
Value row_by(u32 n, F cell) {
    if constexpr (std::is_same_v<C, i32>) {
        if (n == 2) return Value::ij(cell(0), cell(1));
        Object* made = integers(n);
        for (u32 k = 0; k < n; ++k) made->numbers()[k] = cell(k);
        return Value::of(Tag::TUPLE, made);
    } else {
        Items cells;
        cells.reserve(n);
        for (u32 k = 0; k < n; ++k) cells.push_back(cell(k));
        return make_tuple(std::move(cells));
    }
}
// A grid of so many rows, each made by `row`.
template <class F>
Value grid_by(u32 n, F row) {
    Items rows;
    rows.reserve(n);
    for (u32 k = 0; k < n; ++k) rows.push_back(row(k));
    return make_tuple(std::move(rows));
}

// --- turning ---

// The columns of a grid as rows, as long as the shortest row allows; read from the last row or the last column.
inline Value columns_of(const Value& grid, bool from_below, bool from_right) {
    return with_rows(grid, [&](const auto& rows) {
        using C = std::decay_t<decltype(*rows[0].cells)>;
        u32 tall = u32(rows.size()), wide = tall ? rows[0].n : 0;
        for (const auto& row : rows) wide = least(wide, row.n);
        return grid_by(wide, [&](u32 j) {
            u32 column = from_right ? wide - 1 - j : j;
            return row_by<C>(tall, [&](u32 i) { return rows[from_below ? tall - 1 - i : i].cells[column]; });
        });
    });
}
inline Value rows_reversed(const Value& grid) {
    u32 n = rows_of(grid).length();
    return grid_by(n, [&](u32 k) { return grid.item(n - 1 - k); });
}
inline Value cells_reversed(const Value& grid) {
    return with_rows(grid, [&](const auto& rows) {
        using C = std::decay_t<decltype(*rows[0].cells)>;
        return grid_by(u32(rows.size()), [&](u32 i) {
            return row_by<C>(rows[i].n, [&](u32 j) { return rows[i].cells[rows[i].n - 1 - j]; });
        });
    });
}
inline Value rot90(Machine&, const Value& grid) { return columns_of(grid, true, false); }
inline Value rot180(Machine&, const Value& grid) { return rows_reversed(cells_reversed(grid)); }
inline Value rot270(Machine&, const Value& grid) { return columns_of(grid, false, true); }

// Each place (i, j) sent to (a i + b j + down, c i + d j + right).
struct Turn {
    i64 a, b, down, c, d, right;
};
inline Value turned(const Value& patch, const Turn& turn) {
    if (!container_of(patch).length()) return empty_set();
    Items moved;
    moved.reserve(patch.length());
    auto place = [&](i64 i, i64 j) {
        return ij(turn.a * i + turn.b * j + turn.down, turn.c * i + turn.d * j + turn.right);
    };
    if (holds_cells(patch))
        each_cell(patch,
                  [&](const Value& colour, i64 i, i64 j) { moved.push_back(dynamic::pair(colour, place(i, j))); });
    else
        each_place(patch, [&](i64 i, i64 j) { moved.push_back(place(i, j)); });
    return make_set(std::move(moved));
}
inline Box need_box(const Value& patch) {
    Box box = box_of(patch);
    number(box.tall()), number(box.wide());
    return box;
}
inline Value hmirror(Machine&, const Value& piece) {
    if (piece.is_tuple()) return rows_reversed(piece);
    Box box = need_box(piece);
    return turned(piece, {-1, 0, box.top + box.bottom, 0, 1, 0});
}
inline Value vmirror(Machine&, const Value& piece) {
    if (piece.is_tuple()) return cells_reversed(piece);
    Box box = need_box(piece);
    return turned(piece, {1, 0, 0, 0, -1, box.left + box.right});
}
inline Value dmirror(Machine&, const Value& piece) {
    if (piece.is_tuple()) return columns_of(piece, false, false);
    Box box = need_box(piece);
    return turned(piece, {0, 1, box.top - box.left, 1, 0, box.left - box.top});
}
inline Value cmirror(Machine&, const Value& piece) {
    if (piece.is_tuple()) {
        // Each row is turned round before columns are taken, so that rows of different lengths meet at their ends.
        return columns_of(rows_reversed(cells_reversed(piece)), false, false);
    }
    Box box = need_box(piece);
    return turned(piece, {0, -1, box.top + box.right, -1, 0, box.left + box.bottom});
}

// --- cutting and joining ---

// Where a slice of Python from start to stop begins and ends among n items.
struct Slice {
    Slice(i64 start, i64 stop, i64 n) {
        auto bounded = [&](i64 at) { return at < 0 ? most<i64>(0, at + n) : least(at, n); };
        begin = bounded(start);
        end = most(begin, bounded(stop));
    }
    i64 begin, end;
};
inline Value sliced(const Value& tuple, i64 start, i64 stop) {
    Slice part(start, stop, tuple.length());
    if (part.begin == 0 && part.end == i64(tuple.length())) return tuple;
    if (tuple.has_integers())
        return tuple_of_numbers(tuple.object().numbers() + part.begin, u32(part.end - part.begin));
    Items items;
    for (i64 k = part.begin; k < part.end; ++k) items.push_back(tuple.item(u32(k)));
    return make_tuple(std::move(items));
}
inline Value cropped(const Value& grid, i64 i, i64 j, i64 tall, i64 wide) {
    Slice part(i, i + tall, rows_of(grid).length());
    return grid_by(u32(part.end - part.begin),
                   [&](u32 k) { return sliced(grid.item(u32(part.begin) + k), j, j + wide); });
}
inline Value crop(Machine&, const Value& grid, const Value& start, const Value& dims) {
    ij_of(start), ij_of(dims);
    return cropped(grid, start.i(), start.j(), dims.i(), dims.j());
}
inline Value subgrid(Machine&, const Value& patch, const Value& grid) {
    Box box = need_box(patch);
    return cropped(grid, box.top, box.left, box.tall(), box.wide());
}
inline Value hconcat(Machine& m, const Value& a, const Value& b) {
    u32 n = least(rows_of(a).length(), rows_of(b).length());
    return grid_by(n, [&](u32 k) { return combine(m, a.item(k), b.item(k)); });
}
inline Value vconcat(Machine& m, const Value& a, const Value& b) { return combine(m, rows_of(a), rows_of(b)); }

struct Parts {
    i64 length, step;  // of a part, and from one part's start to the next
    Parts(i64 side, const Value& n) {
        i64 count = int_of(n);
        if (count == 0) fail(ZERO_DIVISION);
        need_room(count);
        length = floor_divided(side, count);
        step = length + (side % count != 0);
    }
};
inline Value hsplit(Machine&, const Value& grid, const Value& n) {
    Place sides = extent(grid);
    Parts parts(sides.j, n);
    return grid_by(u32(most(0, n.number())),
                   [&](u32 k) { return cropped(grid, 0, k * parts.step, sides.i, parts.length); });
}
inline Value vsplit(Machine&, const Value& grid, const Value& n) {
    Place sides = extent(grid);
    Parts parts(sides.i, n);
    return grid_by(u32(most(0, n.number())),
                   [&](u32 k) { return cropped(grid, k * parts.step, 0, parts.length, sides.j); });
}
inline Value tophalf(Machine&, const Value& grid) { return sliced(rows_of(grid), 0, grid.length() / 2); }
inline Value bottomhalf(Machine&, const Value& grid) {
    return sliced(rows_of(grid), (grid.length() + 1) / 2, grid.length());
}
inline Value lefthalf(Machine& m, const Value& grid) { return rot270(m, tophalf(m, rot90(m, grid))); }
inline Value righthalf(Machine& m, const Value& grid) { return rot270(m, bottomhalf(m, rot90(m, grid))); }

// --- scaling ---

inline Value hupscale(Machine&, const Value& grid, const Value& n) {
    return with_rows(grid, [&](const auto& rows) {
        using C = std::decay_t<decltype(*rows[0].cells)>;
        i64 times = int_of(n), wide = 0;
        for (const auto& row : rows) wide = most<i64>(wide, row.n);
        need_side(i64(rows.size()), wide * times);
        return grid_by(u32(rows.size()), [&](u32 i) {
            u32 cells = times > 0 ? rows[i].n * u32(times) : 0;
            return row_by<C>(cells, [&](u32 k) { return rows[i].cells[k / u32(times)]; });
        });
    });
}
inline Value vupscale(Machine&, const Value& grid, const Value& n) {
    i64 tall = rows_of(grid).length(), times = int_of(n);
    need_side(tall * times, 0);
    return grid_by(u32(most<i64>(0, tall * times)), [&](u32 k) { return grid.item(k / u32(times)); });
}
inline Value upscale(Machine& m, const Value& element, const Value& n) {
    if (element.is_tuple()) return vupscale(m, hupscale(m, element, n), n);
    if (!set_of(element).length()) return element;
    i64 times = most(0, int_of(n)), cells = times * times;
    if (cells > i64(MAX_ITEMS)) fail(LIMIT);
    need_room(element.length() * cells);
    Box box = box_of(element);
    Items items;
    each_cell(element, [&](const Value& colour, i64 i, i64 j) {
        i64 top = (i - box.top) * times + box.top, left = (j - box.left) * times + box.left;
        for (i64 di = 0; di < times; ++di)
            for (i64 dj = 0; dj < times; ++dj) items.push_back(dynamic::pair(colour, ij(top + di, left + dj)));
    });
    return make_set(std::move(items));
}
inline Value downscale(Machine&, const Value& grid, const Value& n) {
    i64 step = std::abs(i64(int_of(n)));
    if (step == 0) fail(ZERO_DIVISION);
    extent(grid);
    return with_rows(grid, [&](const auto& rows) {
        using C = std::decay_t<decltype(*rows[0].cells)>;
        auto every = [&](size_t count) { return u32((i64(count) + step - 1) / step); };
        return grid_by(every(rows.size()), [&](u32 i) {
            const auto& row = rows[size_t(i * step)];
            return row_by<C>(every(row.n), [&](u32 j) { return row.cells[j * step]; });
        });
    });
}
inline Value trim(Machine&, const Value& grid) {
    Slice inner(1, -1, rows_of(grid).length());
    return grid_by(u32(inner.end - inner.begin), [&](u32 k) { return sliced(grid.item(u32(inner.begin) + k), 1, -1); });
}

inline bool same_cell(i32 a, i32 b) { return a == b; }
inline bool same_cell(const Value& a, const Value& b) { return equal(a, b); }

inline Value compress(Machine&, const Value& grid) {
    return with_rows(grid, [&](const auto& rows) {
        using C = std::decay_t<decltype(*rows[0].cells)>;
        u32 tall = u32(rows.size()), wide = tall ? rows[0].n : 0;
        for (const auto& row : rows) wide = least(wide, row.n);
        std::vector<u32> columns;
        for (u32 j = 0; j < wide; ++j) {
            bool one = true;
            for (u32 i = 1; one && i < tall; ++i) one = same_cell(rows[i].cells[j], rows[0].cells[j]);
            if (!one) columns.push_back(j);
        }
        Items result;
        for (const auto& row : rows) {
            bool one = row.n > 0;
            for (u32 j = 1; one && j < row.n; ++j) one = same_cell(row.cells[j], row.cells[0]);
            if (!one) result.push_back(row_by<C>(u32(columns.size()), [&](u32 k) { return row.cells[columns[k]]; }));
        }
        return make_tuple(std::move(result));
    });
}

// --- cell by cell ---

inline Value canvas(Machine&, const Value& colour, const Value& dims) {
    Value tall = pair_of(dims).item(0), wide = dims.item(1);
    if (int_of(tall) <= 0) return nothing();
    need_side(tall.number(), int_of(wide));
    Value row = make_tuple(Items(size_t(most(0, wide.number())), colour));
    return make_tuple(Items(size_t(tall.number()), row));
}
inline Value cellwise(Machine&, const Value& a, const Value& b, const Value& fallback) {
    Place sides = extent(a);
    if (i64(rows_of(b).length()) < sides.i) fail(BOUNDS);
    rows_of(a);
    for (u32 k = 0; k < sides.i; ++k)
        if (i64(a.item(k).length()) < sides.j || i64(b.item(k).length()) < sides.j) fail(BOUNDS);
    return grid_by(u32(sides.i), [&](u32 i) {
        Value ours = a.item(i), theirs = b.item(i);
        return row_by<Value>(u32(sides.j), [&](u32 j) {
            Value cell = ours.item(j);
            if (equal(cell, theirs.item(j))) return cell;
            int_of(fallback);
            return fallback;
        });
    });
}

// A grid with cells that another colour takes the place of: `becomes` gives the colour of a cell, or none.
template <class F>
Value recoloured(const Value& grid, F becomes) {
    return with_rows(grid, [&](const auto& rows) {
        return grid_by(u32(rows.size()), [&](u32 i) {
            bool changes = false;
            for (const auto& cell : rows[i]) changes |= becomes(value_of(cell)) != nullptr;
            if (!changes) return grid.item(i);
            return row_by<Value>(rows[i].n, [&](u32 j) {
                const Value* other = becomes(value_of(rows[i].cells[j]));
                return other ? *other : Value(value_of(rows[i].cells[j]));
            });
        });
    });
}
inline Value replace(Machine&, const Value& grid, const Value& replacee, const Value& replacer) {
    return recoloured(grid, [&](const Value& cell) { return equal(cell, replacee) ? &replacer : nullptr; });
}
inline Value switch_(Machine&, const Value& grid, const Value& a, const Value& b) {
    return recoloured(grid, [&](const Value& cell) { return equal(cell, b) ? &a : equal(cell, a) ? &b : nullptr; });
}
inline Value index(Machine&, const Value& grid, const Value& loc) {
    Place sides = extent(grid);
    ij_of(loc);
    if (loc.i() < 0 || loc.i() >= sides.i || loc.j() < 0 || loc.j() >= sides.j) return Value();
    return cell_at(grid, loc.i(), loc.j());
}

// --- painting ---

// A grid with cells set, in order, where they lie on it, and on the given colour unless that is None.
class Painting {
   public:
    explicit Painting(const Value& grid) : grid_(grid), sides_(extent(grid)), rows_(rows_of(grid).length()) {}

    void set(i64 i, i64 j, const Value& colour, const Value& only_on) {
        if (i < 0 || i >= sides_.i || j < 0 || j >= sides_.j) return;
        const Value& row = grid_.object().values()[i];
        if (j >= i64(row.length())) fail(BOUNDS);
        if (!only_on.is_none() && !equal(row.item(u32(j)), only_on)) return;
        Value& own = rows_[size_t(i)];
        if (own.is_none()) own = row.has_integers() ? tuple_of_numbers(row.object().numbers(), row.length()) : row;
        if (own.has_integers() && colour.tag() == Tag::INT) {
            own.numbers()[j] = colour.number();
            return;
        }
        Items cells = items_of(own);
        cells[size_t(j)] = colour;
        own = make_tuple(std::move(cells));
    }
    Value done() {
        return grid_by(u32(rows_.size()), [&](u32 i) { return rows_[i].is_none() ? grid_.item(i) : rows_[i]; });
    }

   private:
    const Value& grid_;
    Place sides_;
    std::vector<Value> rows_;  // those that are not as they were, else None
};

inline Value filled(const Value& grid, const Value& colour, const Value& patch, bool under) {
    Value places = dynamic::toindices(patch);
    if (places.length()) int_of(colour);
    Value only_on = under ? by_cells(grid, true) : Value();
    Painting painting(grid);
    each_place(places, [&](i64 i, i64 j) { painting.set(i, j, colour, only_on); });
    return painting.done();
}
inline Value painted(const Value& grid, const Value& object, bool under) {
    container_of(object);
    Value only_on = under ? by_cells(grid, true) : Value();
    Painting painting(grid);
    each_cell(object, [&](const Value& colour, i64 i, i64 j) { painting.set(i, j, colour, only_on); });
    return painting.done();
}
inline Value fill(Machine&, const Value& grid, const Value& colour, const Value& patch) {
    return filled(grid, colour, patch, false);
}
inline Value underfill(Machine&, const Value& grid, const Value& colour, const Value& patch) {
    return filled(grid, colour, patch, true);
}
inline Value paint(Machine&, const Value& grid, const Value& object) { return painted(grid, object, false); }
inline Value underpaint(Machine&, const Value& grid, const Value& object) { return painted(grid, object, true); }
inline Value cover(Machine&, const Value& grid, const Value& patch) {
    return filled(grid, by_cells(grid, true), patch, false);
}
inline Value shift(Machine&, const Value& patch, const Value& directions) {
    ij_of(directions);
    return turned(patch, {1, 0, directions.i(), 0, 1, directions.j()});
}
inline Value move(Machine& m, const Value& grid, const Value& object, const Value& offset) {
    Value covered = cover(m, grid, object);
    return paint(m, covered, shift(m, object, offset));
}

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
