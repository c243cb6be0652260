// Containers: language/primitives/containers.py.
#pragma once

#include "dynamic/machine.h"

namespace arcbatt {
namespace dynamic {
namespace ops {

inline Value size(Machine&, const Value& container) { return integer(container_of(container).length()); }
inline Value contained(Machine&, const Value& value, const Value& container) {
    return boolean(contains(container_of(container), value));
}

// The items of two sets, of equal ones those of the first.
inline Value united(const Value& a, const Value& b) {
    Items items;
    items.reserve(a.length() + b.length());
    const Value *x = a.object().values(), *x_end = x + a.length(), *y = b.object().values(), *y_end = y + b.length();
    while (x != x_end || y != y_end) {
        i32 order = x == x_end ? 1 : y == y_end ? -1 : compare(*x, *y);
        items.push_back(order <= 0 ? *x : *y);
        x += order <= 0;
        y += order >= 0;
    }
    return set_of_ascending(std::move(items));
}
inline Value combine(Machine&, const Value& a, const Value& b) {
    if (a.is_set() && b.is_set()) return united(a, b);
    if (a.has_integers() && b.has_integers()) {
        std::vector<i32> numbers(a.object().numbers(), a.object().numbers() + a.length());
        numbers.insert(numbers.end(), b.object().numbers(), b.object().numbers() + b.length());
        return tuple_of_numbers(numbers.data(), u32(numbers.size()));
    }
    Items items = items_of(container_of(a));
    u32 n = container_of(b).length();
    items.reserve(items.size() + n);
    for (u32 k = 0; k < n; ++k) items.push_back(b.item(k));
    return like(a, std::move(items));
}

// The items of a container for which a test holds, in the same kind of container.
template <class F>
Value kept(const Value& container, F test) {
    Items items;
    for (u32 k = 0, n = container.length(); k < n; ++k) {
        Value item = container.item(k);
        if (test(item)) items.push_back(std::move(item));
    }
    return container.is_set() ? set_of_ascending(std::move(items)) : make_tuple(std::move(items));
}

// The items of a set that are in another, or those that are not; walks both at once where neither is far longer.
inline Value kept_of_set(const Value& a, const Value& b, bool wanted) {
    if (b.length() / 8 > a.length()) return kept(a, [&](const Value& item) { return contains(b, item) == wanted; });
    const Value *at = b.object().values(), *end = at + b.length();
    return kept(a, [&](const Value& item) {
        i32 order = 1;
        while (at != end && (order = compare(*at, item)) < 0) ++at;
        return (at != end && order == 0) == wanted;
    });
}
inline Value intersection(Machine&, const Value& a, const Value& b) {
    set_of(a), set_of(b);
    return a.length() < b.length() ? kept_of_set(a, b, true) : kept_of_set(b, a, true);
}
inline Value difference(Machine&, const Value& a, const Value& b) { return kept_of_set(set_of(a), set_of(b), false); }
inline Value insert(Machine&, const Value& value, const Value& container) {
    if (contains(set_of(container), value)) return container;
    Items items = items_of(container);
    auto before = [](const Value& a, const Value& b) { return compare(a, b) < 0; };
    items.insert(size_t(std::upper_bound(items.begin(), items.end(), value, before) - items.begin()), value);
    return set_of_ascending(std::move(items));
}
inline Value remove(Machine&, const Value& value, const Value& container) {
    return kept(container_of(container), [&](const Value& item) { return !equal(item, value); });
}
inline Value initset(Machine&, const Value& value) { return set_of_ascending({value}); }
inline Value repeat(Machine&, const Value& item, const Value& n) {
    need_room(int_of(n));
    return make_tuple(Items(size_t(most(0, n.number())), item));
}
inline Value dedupe(Machine&, const Value& container) {
    tuple_of(container);
    Items items = items_of(container);
    std::vector<u32> places(items.size());
    for (u32 k = 0; k < places.size(); ++k) places[k] = k;
    std::stable_sort(places.begin(), places.end(), [&](u32 a, u32 b) { return compare(items[a], items[b]) < 0; });
    std::vector<bool> again(items.size());
    for (size_t k = 1; k < places.size(); ++k) again[places[k]] = compare(items[places[k - 1]], items[places[k]]) == 0;
    Items firsts;
    for (size_t k = 0; k < items.size(); ++k)
        if (!again[k]) firsts.push_back(std::move(items[k]));
    return make_tuple(std::move(firsts));
}
inline Value difference_tuple(Machine&, const Value& a, const Value& b) {
    Value without = container_of(b).is_set() ? b : make_set(items_of(b));
    return kept(tuple_of(a), [&](const Value& item) { return !contains(without, item); });
}
inline Value merge(Machine&, const Value& containers) {
    Items items;
    for (u32 k = 0, n = container_of(containers).length(); k < n; ++k) {
        Value inner = containers.item(k);
        for (u32 j = 0, count = container_of(inner).length(); j < count; ++j) items.push_back(inner.item(j));
    }
    return like(containers, std::move(items));
}
inline Value totuple(Machine&, const Value& container) {
    return container_of(container).is_tuple() ? container : make_tuple(items_of(container));
}

inline Value nth(const Value& container, i64 rank) {
    i64 n = container.length();
    if (rank < -n || rank >= n) fail(n ? BOUNDS : EMPTY);
    return container.item(u32(rank < 0 ? rank + n : rank));
}
inline Value first(Machine&, const Value& container) { return nth(container_of(container), 0); }
inline Value second(Machine&, const Value& container) { return nth(container_of(container), 1); }
inline Value last(Machine&, const Value& container) { return nth(container_of(container), -1); }
inline Value other(Machine&, const Value& container, const Value& value) {
    for (u32 k = 0, n = container_of(container).length(); k < n; ++k) {
        Value item = container.item(k);
        if (!equal(item, value)) return item;
    }
    fail(EMPTY);
}
inline Value itemcount(Machine&, const Value& container, const Value& value) {
    i64 count = 0;
    for (u32 k = 0, n = container_of(container).length(); k < n; ++k) count += equal(container.item(k), value);
    return integer(count);
}
inline Value get_nth_t(Machine&, const Value& container, const Value& rank) {
    return nth(tuple_of(container), int_of(rank));
}
inline Value get_nth_f(Machine&, const Value& container, const Value& rank) {
    return nth(container_of(container), int_of(rank));
}

// Which of the keys, one at least, is the greatest or the least; the first of several.
inline u32 best_of(const Items& keys, bool greatest) {
    need_comparable(keys);
    u32 best = 0;
    for (u32 k = 1; k < keys.size(); ++k) {
        i32 order = compare(keys[k], keys[best]);
        if (greatest ? order > 0 : order < 0) best = k;
    }
    return best;
}
inline Value best_item(const Value& container, bool greatest) {
    if (!container_of(container).length()) return integer(0);
    Items items = items_of(container);
    return items[best_of(items, greatest)];
}
inline Value maximum(Machine&, const Value& container) { return best_item(container, true); }
inline Value minimum(Machine&, const Value& container) { return best_item(container, false); }

// Of items that are not empty the one that occurs most or least; the least of several.
inline Value by_count(Items items, bool greatest) {
    std::stable_sort(items.begin(), items.end(), [](const Value& a, const Value& b) { return compare(a, b) < 0; });
    size_t best = 0, best_count = 0;
    for (size_t k = 0, end; k < items.size(); k = end) {
        for (end = k + 1; end < items.size() && compare(items[k], items[end]) == 0;) ++end;
        if (!best_count || (greatest ? end - k > best_count : end - k < best_count)) {
            best = k;
            best_count = end - k;
        }
    }
    return items[best];
}
inline Value counted(const Value& container, bool greatest) {
    if (!container_of(container).length()) fail(EMPTY);
    return by_count(items_of(container), greatest);
}
inline Value mostcommon(Machine&, const Value& container) { return counted(container, true); }
inline Value leastcommon(Machine&, const Value& container) { return counted(container, false); }

// --- by a function ---
inline Items keys_of(Machine& m, const Value& container, const Value& key) {
    Items keys;
    for (u32 k = 0, n = container_of(container).length(); k < n; ++k) keys.push_back(m.call(key, container.item(k)));
    return keys;
}
inline Value order(Machine& m, const Value& container, const Value& key) {
    Items keys = keys_of(m, container, key), items;
    need_comparable(keys);
    std::vector<u32> places(keys.size());
    for (u32 k = 0; k < places.size(); ++k) places[k] = k;
    std::stable_sort(places.begin(), places.end(), [&](u32 a, u32 b) { return compare(keys[a], keys[b]) < 0; });
    for (u32 place : places) items.push_back(container.item(place));
    return make_tuple(std::move(items));
}
inline Value best_by(Machine& m, const Value& container, const Value& key, bool greatest, bool gives_key) {
    Items keys = keys_of(m, container, key);
    if (keys.empty()) fail(EMPTY);
    u32 best = best_of(keys, greatest);
    return gives_key ? keys[best] : container.item(best);
}
inline Value argmax(Machine& m, const Value& container, const Value& key) {
    return best_by(m, container, key, true, false);
}
inline Value argmin(Machine& m, const Value& container, const Value& key) {
    return best_by(m, container, key, false, false);
}
inline Value valmax(Machine& m, const Value& container, const Value& key) {
    return container.truth() ? best_by(m, container, key, true, true) : m.call(key, integer(0));
}
inline Value valmin(Machine& m, const Value& container, const Value& key) {
    return container.truth() ? best_by(m, container, key, false, true) : m.call(key, integer(0));
}
inline Value sfilter(Machine& m, const Value& container, const Value& condition) {
    return kept(container_of(container), [&](const Value& item) { return m.call(condition, item).truth(); });
}
inline Value mfilter(Machine& m, const Value& container, const Value& condition) {
    return merge(m, sfilter(m, container, condition));
}
inline Value extract(Machine& m, const Value& container, const Value& condition) {
    for (u32 k = 0, n = container_of(container).length(); k < n; ++k) {
        Value item = container.item(k);
        if (m.call(condition, item).truth()) return item;
    }
    fail(EMPTY);
}

inline Value sizefilter(Machine&, const Value& container, const Value& n) {
    Items items;
    for (u32 k = 0, count = container_of(container).length(); k < count; ++k) {
        Value item = container.item(k);
        u32 length = container_of(item).length();
        if (i64(length) == int_of(n)) items.push_back(std::move(item));
    }
    return make_set(std::move(items));
}
inline Value product(Machine&, const Value& a, const Value& b) {
    u32 rows = container_of(a).length(), columns = container_of(b).length();
    need_room(i64(rows) * columns);
    Items items;
    items.reserve(size_t(rows) * columns);
    for (u32 i = 0; i < rows; ++i)
        for (u32 j = 0; j < columns; ++j) items.push_back(pair(a.item(i), b.item(j)));
    return make_set(std::move(items));
}
inline Value pair(Machine&, const Value& a, const Value& b) {
    Items items;
    for (u32 k = 0, n = least(container_of(a).length(), container_of(b).length()); k < n; ++k)
        items.push_back(dynamic::pair(a.item(k), b.item(k)));
    return make_tuple(std::move(items));
}

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
