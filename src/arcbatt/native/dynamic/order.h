// The language's order of values (`rank` in language/values.py), equality, and the comparison of keys.
#pragma once

#include <algorithm>
#include <atomic>

#include "dynamic/value.h"

namespace arcbatt {
namespace dynamic {

// Thrown where an evaluation is told to stop.
struct Stopped {};

namespace ordering {

inline i32 three_way(i64 a, i64 b) { return (a > b) - (a < b); }

// None before numbers before tuples before sets before functions.
inline i32 kind(const Value& value) {
    if (value.is_none()) return 0;
    if (value.is_number()) return 1;
    return value.is_tuple() ? 2 : value.is_set() ? 3 : 4;
}

// Set by the machine of a thread: sorting and searching compare large values a great many times, far from anything that
// charges steps.
inline thread_local const std::atomic<bool>* stop_asked = nullptr;

inline void look_for_stop() {
    if (stop_asked && stop_asked->load(std::memory_order_relaxed)) throw Stopped{};
}

inline bool both(const Value& a, const Value& b, Tag tag) { return a.tag() == tag && b.tag() == tag; }

// Of two IJs or two Cells.
inline i32 compare_numbers(const Value& a, const Value& b) {
    if (a.number() != b.number()) return a.number() < b.number() ? -1 : 1;
    if (a.second() != b.second()) return a.second() < b.second() ? -1 : 1;
    return three_way(a.third(), b.third());
}

inline i32 compare_any(const Value& a, const Value& b);

}  // namespace ordering

// Below, at or above zero as a stands before, with or behind b. Operations are numbered by the order of their names.
inline i32 compare(const Value& a, const Value& b) {
    using namespace ordering;
    if (both(a, b, Tag::INT)) return three_way(a.number(), b.number());
    return both(a, b, Tag::CELL) || both(a, b, Tag::IJ) ? compare_numbers(a, b) : compare_any(a, b);
}

inline i32 ordering::compare_any(const Value& a, const Value& b) {
    i32 by_kind = kind(a) - kind(b);
    if (by_kind) return by_kind;
    if (a.is_number()) return three_way(a.number(), b.number());
    if (a.is_none()) return 0;
    if (a.has_object() && b.has_object() && &a.object() == &b.object()) return 0;
    look_for_stop();
    if (a.is_function() && a.object().op != b.object().op) return three_way(a.object().op, b.object().op);
    u32 n = least(a.length(), b.length());
    if (a.has_object() && b.has_object() && !a.object().integers && !b.object().integers) {
        for (u32 k = 0; k < n; ++k)
            if (i32 order = compare(a.object().values()[k], b.object().values()[k])) return order;
    } else if (a.has_integers() && b.has_integers()) {
        const i32 *x = a.object().numbers(), *y = b.object().numbers();
        for (u32 k = 0; k < n; ++k)
            if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
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

namespace ordering {

// The range of one of the numbers of items that all have the same tag.
struct Range {
    i64 low = INT_MOST, high = INT_LEAST;
    void take(i32 x) {
        low = least<i64>(low, x);
        high = most<i64>(high, x);
    }
    u64 size() const { return u64(high - low + 1); }
};

// Sorts integers, IJs or Cells that lie close together in linear time: a bit for each value that there could be. False
// where they do not, or where there are booleans among them.
inline bool sorted_by_bits(Items& items) {
    Tag tag = items[0].tag();
    if (tag != Tag::INT && tag != Tag::IJ && tag != Tag::CELL) return false;
    Range first, second, third;
    for (const Value& item : items) {
        if (item.tag() != tag || item.bools()) return false;
        first.take(item.number());
        second.take(item.second());
        third.take(item.third());
    }
    u64 most_bits = 32 * items.size() + 256;
    if (first.size() > most_bits || second.size() > most_bits || third.size() > most_bits ||
        first.size() * second.size() > most_bits || first.size() * second.size() * third.size() > most_bits)
        return false;
    std::vector<u64> bits((first.size() * second.size() * third.size() + 63) / 64);
    for (const Value& item : items) {
        u64 at = (u64(item.number() - first.low) * second.size() + u64(item.second() - second.low)) * third.size() +
                 u64(item.third() - third.low);
        bits[at / 64] |= u64(1) << at % 64;
    }
    size_t n = 0;
    for (size_t word = 0; word < bits.size(); ++word)
        for (u64 left = bits[word]; left; left &= left - 1) {
            u64 at = 64 * word + u64(__builtin_ctzll(left)), rest = at / third.size();
            i32 a = i32(first.low + i64(rest / second.size())), b = i32(second.low + i64(rest % second.size()));
            i32 c = i32(third.low + i64(at % third.size()));
            items[n++] = tag == Tag::INT ? Value::integer(a) : tag == Tag::IJ ? Value::ij(a, b) : Value::cell(a, b, c);
        }
    items.cut(n);
    return true;
}

}  // namespace ordering

// The set of the items; of equal ones the first is kept.
inline Value make_set(Items items) {
    auto before = [](const Value& a, const Value& b) { return compare(a, b) < 0; };
    bool ascending = true;
    for (size_t k = 1; ascending && k < items.size(); ++k) ascending = before(items[k - 1], items[k]);
    if (!ascending && !ordering::sorted_by_bits(items)) {
        std::stable_sort(items.begin(), items.end(), before);
        auto same = [](const Value& a, const Value& b) { return compare(a, b) == 0; };
        items.cut(size_t(std::unique(items.begin(), items.end(), same) - items.begin()));
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
    std::sort(sorted.begin(), sorted.end(), [](const Value* a, const Value* b) { return compare(*a, *b) < 0; });
    for (size_t k = 1; k < sorted.size(); ++k)
        if (!comparable(*sorted[k - 1], *sorted[k])) fail(TYPE);
}

}  // namespace dynamic
}  // namespace arcbatt
