// The language's order of values (`rank` in language/values.py), equality, and the comparison of keys.
#pragma once

#include <algorithm>

#include "dynamic/value.h"

namespace arcbatt {
namespace dynamic {

namespace ordering {

inline i32 three_way(i64 a, i64 b) { return (a > b) - (a < b); }

// None before numbers before tuples before sets before functions.
inline i32 kind(const Value& value) {
    if (value.is_none()) return 0;
    if (value.is_number()) return 1;
    return value.is_tuple() ? 2 : value.is_set() ? 3 : 4;
}

inline bool both(const Value& a, const Value& b, Tag tag) { return a.tag() == tag && b.tag() == tag; }

}  // namespace ordering

// Below, at or above zero as a stands before, with or behind b. Operations are numbered by the order of their names.
inline i32 compare(const Value& a, const Value& b) {
    using namespace ordering;
    if (both(a, b, Tag::CELL) || both(a, b, Tag::IJ)) {
        if (a.number() != b.number()) return a.number() < b.number() ? -1 : 1;
        if (a.second() != b.second()) return a.second() < b.second() ? -1 : 1;
        return three_way(a.third(), b.third());
    }
    i32 by_kind = kind(a) - kind(b);
    if (by_kind) return by_kind;
    if (a.is_number()) return three_way(a.number(), b.number());
    if (a.is_none()) return 0;
    if (a.has_object() && b.has_object() && &a.object() == &b.object()) return 0;
    if (a.is_function() && a.object().op != b.object().op)
        return three_way(a.object().op, b.object().op);
    u32 n = least(a.length(), b.length());
    if (a.has_object() && b.has_object() && !a.object().integers && !b.object().integers) {
        for (u32 k = 0; k < n; ++k)
            if (i32 order = compare(a.object().values()[k], b.object().values()[k])) return order;
    } else {
        for (u32 k = 0; k < n; ++k)
            if (i32 order = compare(a.item(k), b.item(k))) return order;
    }
    return three_way(a.length(), b.length());
}

inline bool equal(const Value& a, const Value& b) {
    if (a.is_container() && b.is_container() && a.length() != b.length()) return false;
    return compare(a, b) == 0;
}

// The set of the items; of equal ones the first is kept.
inline Value make_set(Items items) {
    auto before = [](const Value& a, const Value& b) { return compare(a, b) < 0; };
    bool ascending = true;
    for (size_t k = 1; ascending && k < items.size(); ++k) ascending = before(items[k - 1], items[k]);
    if (!ascending) {
        std::stable_sort(items.begin(), items.end(), before);
        auto same = [](const Value& a, const Value& b) { return compare(a, b) == 0; };
        items.erase(std::unique(items.begin(), items.end(), same), items.end());
    }
    return set_of_ascending(std::move(items));
}

// Where a value is in a set, or its count of items.
inline u32 find_in_set(const Value& set, const Value& value) {
    const Value *begin = set.object().values(), *end = begin + set.length();
    const Value* at =
        std::lower_bound(begin, end, value, [](const Value& a, const Value& b) { return compare(a, b) < 0; });
    return u32((at != end && compare(*at, value) == 0 ? at : end) - begin);
}

// Whether two keys can be compared: numbers, sets, and tuples whose first difference is in items that can be.
inline bool comparable(const Value& a, const Value& b) {
    if (ordering::kind(a) != ordering::kind(b) || a.is_none() || a.is_function()) return false;
    if (!a.is_tuple()) return true;
    for (u32 k = 0, n = least(a.length(), b.length()); k < n; ++k) {
        Value x = a.item(k), y = b.item(k);
        if (compare(x, y) != 0) return comparable(x, y);
    }
    return true;
}

// Fails unless any two of the keys can be compared. Where two cannot be, neither can some two that are next to each
// other in order: keys with the same items up to a place stand together, and there by kind of what they have at it.
inline void need_comparable(const Items& keys) {
    if (keys.size() < 2) return;
    if (std::all_of(keys.begin(), keys.end(), [](const Value& key) { return key.is_number(); })) return;
    std::vector<const Value*> sorted;
    sorted.reserve(keys.size());
    for (const Value& key : keys) sorted.push_back(&key);
    std::sort(sorted.begin(), sorted.end(),
              [](const Value* a, const Value* b) { return compare(*a, *b) < 0; });
    for (size_t k = 1; k < sorted.size(); ++k)
        if (!comparable(*sorted[k - 1], *sorted[k])) fail(TYPE);
}

}  // namespace dynamic
}  // namespace arcbatt
