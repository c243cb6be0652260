// Colour and shape: language/primitives/shapes.py.
#pragma once

#include "dynamic/containers.h"
#include "dynamic/numbers.h"
#include "dynamic/patches.h"

namespace arcbatt {
namespace dynamic {
namespace ops {

// The colour of most or of fewest cells; the least of several.
inline Value by_cells(const Value& element, bool greatest) {
    Colours colours = colours_of(element);
    if (!colours.others.empty()) {
        need_comparable(items_of(make_set(colours.others)));
        return by_count(std::move(colours.others), greatest);
    }
    if (colours.numbers.empty()) fail(EMPTY);
    auto counts = tally(std::move(colours.numbers));
    auto best = counts[0];
    for (auto& one : counts)
        if (greatest ? one.second > best.second : one.second < best.second) best = one;
    return integer(best.first);
}
inline Value mostcolor(Machine&, const Value& element) { return by_cells(element, true); }
inline Value leastcolor(Machine&, const Value& element) { return by_cells(element, false); }

inline Items distinct(Colours colours) {
    if (!colours.others.empty()) return items_of(make_set(std::move(colours.others)));
    Items found;
    for (auto& one : tally(std::move(colours.numbers))) found.push_back(Value::integer(one.first));
    return found;
}
inline Value palette(Machine&, const Value& element) { return set_of_ascending(distinct(colours_of(element))); }
inline Value p_g(Machine&, const Value& grid) {
    Items colours = distinct(colours_of(tuple_of(grid)));
    need_comparable(colours);
    return make_tuple(std::move(colours));
}
inline Value numcolors(Machine&, const Value& element) { return integer(i64(distinct(colours_of(element)).size())); }

inline i32 colour_of(const Value& object) {
    if (!container_of(object).length()) fail(EMPTY);
    Value first = object.item(0);
    if (tuple_of(first).length() == 0) fail(BOUNDS);
    return int_of(first.item(0));
}
inline Value color(Machine&, const Value& object) { return integer(colour_of(object)); }
inline Value colorcount(Machine&, const Value& element, const Value& colour) {
    Colours colours = colours_of(element);
    i64 count = 0;
    if (colour.is_number())
        for (i32 x : colours.numbers) count += x == colour.number();
    for (const Value& one : colours.others) count += equal(one, colour);
    return integer(count);
}
inline Value colorfilter(Machine&, const Value& objects, const Value& colour) {
    Items items;
    for (u32 k = 0, n = container_of(objects).length(); k < n; ++k) {
        Value item = objects.item(k);
        i32 own = colour_of(item);
        if (colour.is_number() && own == colour.number()) items.push_back(std::move(item));
    }
    return make_set(std::move(items));
}

inline Value toindices(Machine&, const Value& patch) { return dynamic::toindices(patch); }
inline Value uppermost(Machine&, const Value& patch) { return integer(box_of(patch).top); }
inline Value lowermost(Machine&, const Value& patch) { return integer(box_of(patch).bottom); }
inline Value leftmost(Machine&, const Value& patch) { return integer(box_of(patch).left); }
inline Value rightmost(Machine&, const Value& patch) { return integer(box_of(patch).right); }

// A corner of the box; of nothing, the empty tuple.
inline Value corner(const Value& patch, i64 Box::* row, i64 Box::* column) {
    if (!container_of(patch).length()) return nothing();
    Box box = box_of(patch);
    return ij(box.*row, box.*column);
}
inline Value ulcorner(Machine&, const Value& patch) { return corner(patch, &Box::top, &Box::left); }
inline Value urcorner(Machine&, const Value& patch) { return corner(patch, &Box::top, &Box::right); }
inline Value llcorner(Machine&, const Value& patch) { return corner(patch, &Box::bottom, &Box::left); }
inline Value lrcorner(Machine&, const Value& patch) { return corner(patch, &Box::bottom, &Box::right); }

inline i64 height_of(const Value& piece) {
    if (!container_of(piece).length()) return 0;
    return piece.is_tuple() ? piece.length() : number(box_of(piece).tall());
}
inline i64 width_of(const Value& piece) {
    if (!container_of(piece).length()) return 0;
    return piece.is_tuple() ? tuple_of(piece.item(0)).length() : number(box_of(piece).wide());
}
inline Value height(Machine&, const Value& piece) { return integer(height_of(piece)); }
inline Value width(Machine&, const Value& piece) { return integer(width_of(piece)); }
inline Place shape_of(const Value& piece) {
    i64 tall = height_of(piece);
    return {tall, width_of(piece)};
}
inline Value shape(Machine&, const Value& piece) {
    Place sides = shape_of(piece);
    return ij(sides.i, sides.j);
}
inline Value portrait(Machine&, const Value& piece) {
    Place sides = shape_of(piece);
    return boolean(sides.i > sides.j);
}
inline Value square(Machine&, const Value& piece) {
    Place sides = shape_of(piece);
    return boolean(sides.i == sides.j && (piece.is_tuple() || sides.i * sides.j == i64(piece.length())));
}
inline Value vline(Machine&, const Value& patch) {
    Value cells = as_patch(patch);
    return boolean(width_of(cells) == 1 && height_of(cells) == i64(cells.length()));
}
inline Value hline(Machine&, const Value& patch) {
    Value cells = as_patch(patch);
    return boolean(height_of(cells) == 1 && width_of(cells) == i64(cells.length()));
}

inline Place center_of(const Value& patch) {
    Box box = box_of(patch);
    return {box.top + box.tall() / 2, box.left + box.wide() / 2};
}
inline Value center(Machine&, const Value& patch) {
    Place middle = center_of(patch);
    return ij(middle.i, middle.j);
}
inline Value centerofmass(Machine&, const Value& patch) {
    if (!container_of(patch).length()) return nothing();
    i64 rows = 0, columns = 0, count = as_patch(patch).length();
    each_place(dynamic::toindices(patch), [&](i64 i, i64 j) {
        rows += i;
        columns += j;
    });
    return ij(floor_divided(rows, count), floor_divided(columns, count));
}
inline Value corners(Machine& m, const Value& patch) {
    return make_set({ulcorner(m, patch), urcorner(m, patch), llcorner(m, patch), lrcorner(m, patch)});
}

// The rows or the columns of places, ascending and distinct.
inline std::vector<i64> lines_of(const Value& patch, i64 Place::* line) {
    std::vector<i64> found;
    for (const Place& place : numbers_of(dynamic::toindices(patch))) found.push_back(place.*line);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}
inline bool share_line(const Value& a, const Value& b, i64 Place::* line) {
    std::vector<i64> ours = lines_of(a, line), theirs = lines_of(b, line);
    return std::any_of(ours.begin(), ours.end(),
                       [&](i64 one) { return std::binary_search(theirs.begin(), theirs.end(), one); });
}
inline Value hmatching(Machine&, const Value& a, const Value& b) { return boolean(share_line(a, b, &Place::i)); }
inline Value vmatching(Machine&, const Value& a, const Value& b) { return boolean(share_line(a, b, &Place::j)); }

inline i64 least_distance(Machine& m, const std::vector<Place>& ours, const std::vector<Place>& others) {
    if (ours.empty() || others.empty()) fail(EMPTY);
    i64 least_yet = i64(1) << 40;
    for (const Place& a : ours) {
        m.look();
        for (const Place& b : others) least_yet = least(least_yet, std::abs(a.i - b.i) + std::abs(a.j - b.j));
    }
    return least_yet;
}
inline i64 least_distance(Machine& m, const Value& a, const Value& b) {
    Value ours = dynamic::toindices(a), others = dynamic::toindices(b);
    if (!ours.length() || !others.length()) fail(EMPTY);
    return least_distance(m, numbers_of(ours), numbers_of(others));
}
inline Value manhattan(Machine& m, const Value& a, const Value& b) { return integer(least_distance(m, a, b)); }
inline Value adjacent(Machine& m, const Value& a, const Value& b) { return boolean(least_distance(m, a, b) == 1); }

inline Value bordering(Machine&, const Value& patch, const Value& grid) {
    Box box = box_of(patch);
    Place end = extent(grid);
    return boolean(box.top == 0 || box.left == 0 || box.bottom == end.i - 1 || box.right == end.j - 1);
}
inline Value position(Machine&, const Value& a, const Value& b) {
    Place from = center_of(a), to = center_of(b);
    i64 row = sign_of(to.i - from.i), column = sign_of(to.j - from.j);
    return row == 0 && column == 0 ? ij(0, -1) : ij(row, column);
}
inline Value gravitate(Machine& m, const Value& source, const Value& destination) {
    Place from = center_of(source), to = center_of(destination), step{0, 0};
    if (share_line(source, destination, &Place::j))
        step.i = from.i < to.i ? 1 : -1;
    else
        step.j = from.j < to.j ? 1 : -1;
    std::vector<Place> moving = numbers_of(dynamic::toindices(source));
    std::vector<Place> goal = numbers_of(dynamic::toindices(destination));
    i64 count = 0;
    for (; count < 42 && least_distance(m, moving, goal) != 1; ++count)
        for (Place& place : moving) place = {place.i + step.i, place.j + step.j};
    return ij(step.i * count, step.j * count);
}

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
