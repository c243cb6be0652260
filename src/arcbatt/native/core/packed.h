// The check of packed samples: that everything they name is there.
#pragma once

#include "abi.h"

#if !AB_DEVICE
#include <cstddef>
#include <string>
#endif

namespace arcbatt {

#if !AB_DEVICE

// How long its arrays are.
struct PackedSizes {
#define AB_ROW(type, name) size_t name;
    AB_PACKED(AB_ROW)
#undef AB_ROW
};

namespace packed {

inline bool within(const i32* numbers, size_t n, i32 low, size_t high) {
    bool good = true;
    for (size_t k = 0; k < n; ++k) good &= numbers[k] >= low && i64(numbers[k]) < i64(high);
    return good;
}
inline std::string first_beyond(const char* what, const i32* numbers, size_t n, i32 low, size_t high) {
    size_t k = 0;
    while (k + 1 < n && numbers[k] >= low && i64(numbers[k]) < i64(high)) ++k;
    return std::string(what) + "[" + std::to_string(k) + "] is " + std::to_string(numbers[k]) + ", there are " +
           std::to_string(high);
}

}  // namespace packed

// What is wrong with packed samples, or nothing.
inline std::string problem_with(const Packed& p, const PackedSizes& n) {
    auto differ = [](const char* a, size_t an, const char* b, size_t bn) {
        return std::string(a) + " has " + std::to_string(an) + " entries, " + b + " has " + std::to_string(bn);
    };
    if (n.height != n.offset) return differ("height", n.height, "offset", n.offset);
    if (n.width != n.offset) return differ("width", n.width, "offset", n.offset);
    if (n.expected != n.input) return differ("expected", n.expected, "input", n.input);
    if (n.task != n.input) return differ("task", n.task, "input", n.input);
    if (n.count != n.first) return differ("count", n.count, "first", n.first);
    if (n.demo % 2) return "demo has " + std::to_string(n.demo) + " entries, an odd number";
    for (size_t k = 0; k < n.offset; ++k) {
        i64 at = p.offset[k];
        if (p.height[k] < 0 || p.width[k] < 0 || at < 0 || at > i64(n.cells) ||
            i64(p.height[k]) * p.width[k] > i64(n.cells) - at)
            return "grid " + std::to_string(k) + " of " + std::to_string(p.height[k]) + " by " +
                   std::to_string(p.width[k]) + " at " + std::to_string(p.offset[k]) + " is not within the " +
                   std::to_string(n.cells) + " cells";
    }
    struct Numbers {
        const char* what;
        const i32* numbers;
        size_t n;
        i32 low;
        size_t high;
    };
    const Numbers all[] = {
        {"input", p.input, n.input, 0, n.offset},
        {"expected", p.expected, n.expected, -1, n.offset},
        {"task", p.task, n.task, 0, n.first},
        {"demo", p.demo, n.demo, 0, n.offset},
    };
    for (const Numbers& one : all)
        if (!packed::within(one.numbers, one.n, one.low, one.high))
            return packed::first_beyond(one.what, one.numbers, one.n, one.low, one.high);
    for (size_t k = 0; k < n.first; ++k)
        if (p.first[k] < 0 || p.count[k] < 0 || u32(p.count[k]) > MAX_ITEMS ||
            i64(p.first[k]) + p.count[k] > i64(n.demo / 2))
            return "task " + std::to_string(k) + " has " + std::to_string(p.count[k]) + " demonstrations from " +
                   std::to_string(p.first[k]) + ", there are " + std::to_string(n.demo / 2);
    return "";
}

#endif

}  // namespace arcbatt
