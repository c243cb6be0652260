// The operations of a language: what the table (dynamic/table.h) names, found here by name, and custom ones.
#pragma once

#include <unordered_map>

#include "dynamic/evaluate.h"
#include "dynamic/images.h"
#include "dynamic/objects.h"
#include "dynamic/table.h"

namespace arcbatt {
namespace dynamic {

// A primitive of values as a function of an array of them.
template <auto F>
struct OfArray;
template <class... Args, Value (*F)(Machine&, Args...)>
struct OfArray<F> {
    template <size_t... K>
    static Value spread(Machine& m, const Value* args, std::index_sequence<K...>) {
        return F(m, args[K]...);
    }
    static Value run(Machine& m, u32, const Value* args) { return spread(m, args, std::index_sequence_for<Args...>{}); }
};

inline Value run_custom(Machine& m, u32 number, const Value* args) { return m.call_custom(number, args); }

inline const std::unordered_map<std::string, Op>& standard_ops() {
    static const std::unordered_map<std::string, Op> ops = {
#define AB_ROW(name, function, kind, arity, product, grid) \
    {#name, Op{&OfArray<&ops::function>::run, Kind::kind, arity, product, grid, nullptr}},
#define AB_COMBINATOR(name, arity) {#name, Op{&ops::name, Kind::COMBINATOR, arity, false, false, &called::name}},
        AB_DYNAMIC(AB_ROW, AB_COMBINATOR)
#undef AB_ROW
#undef AB_COMBINATOR
    };
    return ops;
}

// A language of names that ascend; `arities` has the custom operations. Empty where a name is of neither.
inline bool make_language(std::vector<std::string> names, const std::unordered_map<std::string, u32>& arities,
                          Language& made, std::string& unknown) {
    for (const std::string& name : names) {
        auto standard = standard_ops().find(name);
        auto custom = arities.find(name);
        if (custom != arities.end()) {
            made.ops.push_back(Op{&run_custom, Kind::PLAIN, custom->second, false, false, nullptr});
        } else if (standard != standard_ops().end()) {
            if (name == AB_MATCHES_BY) made.equality = u32(made.ops.size());
            made.ops.push_back(standard->second);
        } else {
            unknown = name;
            return false;
        }
    }
    made.names = std::move(names);
    return true;
}

}  // namespace dynamic
}  // namespace arcbatt
