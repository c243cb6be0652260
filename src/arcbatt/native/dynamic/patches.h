// How primitives read patches and grids.
#pragma once

#include "dynamic/machine.h"

namespace arcbatt {
namespace dynamic {

struct Place {
    i64 i, j;
};
struct Box {
    i64 top, bottom, left, right;
    i64 tall() const { return bottom - top + 1; }
    i64 wide() const { return right - left + 1; }
};

// --- patches: sets, or tuples that serve as such ---

inline Value as_patch(const Value& patch) { return container_of(patch).is_set() ? patch : make_set(items_of(patch)); }

// Whether a patch that is not empty is an object: its first item carries a colour.
inline bool holds_cells(const Value& patch) { return pair_of(patch.item(0)).item(1).is_tuple(); }

inline Value toindices(const Value& patch) {
    u32 n = container_of(patch).length();
    if (!n) return empty_set();
    bool cells = holds_cells(patch);
    if (!cells && patch.is_set()) return patch;
    Items places;
    places.reserve(n);
    for (u32 k = 0; k < n; ++k) places.push_back(cells ? pair_of(patch.item(k)).item(1) : patch.item(k));
    return make_set(std::move(places));
}

// Calls f(i, j) for places, all of which must be pairs of numbers.
template <class F>
void each_place(const Value& places, F f) {
    u32 n = places.length();
    for (u32 k = 0; k < n; ++k) ij_of(places.item(k));
    for (u32 k = 0; k < n; ++k) {
        Value place = places.item(k);
        f(i64(place.i()), i64(place.j()));
    }
}
inline std::vector<Place> numbers_of(const Value& places) {
    std::vector<Place> found;
    found.reserve(places.length());
    each_place(places, [&](i64 i, i64 j) { found.push_back({i, j}); });
    return found;
}

// Calls f(colour, i, j) for the cells of an object in their order; all must be colours with pairs of numbers.
template <class F>
void each_cell(const Value& object, F f) {
    u32 n = object.length();
    for (u32 k = 0; k < n; ++k) {
        Value cell = object.item(k);
        if (cell.tag() != Tag::CELL) ij_of(pair_of(cell).item(1));
    }
    for (u32 k = 0; k < n; ++k) {
        Value cell = object.item(k), place = cell.item(1);
        f(cell.item(0), i64(place.i()), i64(place.j()));
    }
}
struct Spot {
    Value colour;
    i64 i, j;
};
inline std::vector<Spot> spots_of(const Value& object) {
    std::vector<Spot> found;
    found.reserve(object.length());
    each_cell(object, [&](Value colour, i64 i, i64 j) { found.push_back({std::move(colour), i, j}); });
    return found;
}

// The box of a patch that must not be empty.
inline Box box_of(const Value& patch) {
    u32 n = container_of(patch).length();
    if (!n) fail(EMPTY);
    bool cells = holds_cells(patch);
    Box box{INT_MOST, INT_LEAST, INT_MOST, INT_LEAST};
    for (u32 k = 0; k < n; ++k) {
        Value place = patch.item(k);
        if (!cells || place.tag() != Tag::CELL) {  // a Cell has its place in it
            if (cells) place = pair_of(place).item(1);
            ij_of(place);
        }
        box.top = least<i64>(box.top, place.i());
        box.bottom = most<i64>(box.bottom, place.i());
        box.left = least<i64>(box.left, place.j());
        box.right = most<i64>(box.right, place.j());
    }
    return box;
}

inline Value ij(i64 i, i64 j) {
    i32 row = number(i);
    return Value::ij(row, number(j));
}

// --- grids: tuples of rows ---

inline const Value& rows_of(const Value& grid) {
    for (u32 k = 0, n = tuple_of(grid).length(); k < n; ++k) tuple_of(grid.item(k));
    return grid;
}

// Rows and columns of a grid that must not be empty.
inline Place extent(const Value& grid) {
    u32 rows = tuple_of(grid).length();
    if (!rows) fail(EMPTY);
    return {rows, tuple_of(grid.item(0)).length()};
}

// The cell at a place inside the grid's shape; a ragged grid may have none there.
inline Value cell_at(const Value& grid, i64 i, i64 j) {
    Value row = grid.item(u32(i));
    if (j >= i64(container_of(row).length())) fail(BOUNDS);
    return tuple_of(row).item(u32(j));
}

// The rows of a grid as arrays of cells: of integers where all cells are such, else of values.
template <class C>
struct Row {
    const C* cells;
    u32 n;
    const C* begin() const { return cells; }
    const C* end() const { return cells + n; }
};
template <class C>
using Rows = std::vector<Row<C>>;

inline Value value_of(i32 cell) { return Value::integer(cell); }
inline const Value& value_of(const Value& cell) { return cell; }

// What a function gives of the rows of a grid.
template <class F>
auto with_rows(const Value& grid, F f) {
    u32 n = rows_of(grid).length();
    const Value* rows = n ? grid.object().values() : nullptr;
    bool integers = true;
    for (u32 k = 0; integers && k < n; ++k)
        integers = rows[k].has_integers() || (rows[k].tag() == Tag::IJ && !rows[k].bools());
    if (integers) {
        Rows<i32> found(n);
        std::vector<i32> pairs(2 * size_t(n));  // the numbers of rows of two
        for (u32 k = 0; k < n; ++k) {
            pairs[2 * k] = rows[k].has_object() ? 0 : rows[k].i();
            pairs[2 * k + 1] = rows[k].has_object() ? 0 : rows[k].j();
            found[k] = {rows[k].has_object() ? rows[k].object().numbers() : &pairs[2 * k], rows[k].length()};
        }
        return f(found);
    }
    Rows<Value> found(n);
    std::vector<Items> items(n);
    for (u32 k = 0; k < n; ++k) {
        items[k] = items_of(rows[k]);
        found[k] = {items[k].data(), rows[k].length()};
    }
    return f(found);
}

// --- colours ---

// The colour of every cell of a grid or an object: integers where all are such, else values.
struct Colours {
    std::vector<i32> numbers;
    Items others;

    void add(const Value& colour) {
        if (others.empty() && colour.tag() == Tag::INT) {
            numbers.push_back(colour.number());
            return;
        }
        for (i32 x : numbers) others.push_back(Value::integer(x));
        numbers.clear();
        others.push_back(colour);
    }
    void add(const Row<i32>& row) { numbers.insert(numbers.end(), row.begin(), row.end()); }
    void add(const Row<Value>& row) {
        for (const Value& cell : row) add(cell);
    }
};
inline Colours colours_of(const Value& element) {
    Colours found;
    if (element.is_tuple()) {
        with_rows(element, [&](const auto& rows) {
            for (const auto& row : rows) found.add(row);
        });
        return found;
    }
    for (u32 k = 0, n = set_of(element).length(); k < n; ++k) found.add(pair_of(element.item(k)).item(0));
    return found;
}

// Each distinct integer with its count, ascending.
inline std::vector<std::pair<i32, u32>> tally(std::vector<i32> numbers) {
    std::vector<std::pair<i32, u32>> counts;
    constexpr i32 FEW = 16;  // colours are most often such numbers
    u32 each[FEW] = {};
    bool few = true;
    for (i32 x : numbers) few &= u32(x) < u32(FEW);
    if (few) {
        for (i32 x : numbers) ++each[x];
        for (i32 x = 0; x < FEW; ++x)
            if (each[x]) counts.emplace_back(x, each[x]);
        return counts;
    }
    std::sort(numbers.begin(), numbers.end());
    for (i32 x : numbers) {
        if (counts.empty() || counts.back().first != x) counts.emplace_back(x, 0);
        ++counts.back().second;
    }
    return counts;
}

}  // namespace dynamic
}  // namespace arcbatt
