// The dynamic tier on random values under the sanitizers: every primitive on arguments of every kind, right and wrong,
// within few steps, some with little memory. What it gives is compared with the reference elsewhere; here only memory
// and arithmetic are watched.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include "dynamic/language.h"
#include "dynamic/verdict.h"

using namespace arcbatt;
using namespace arcbatt::dynamic;

namespace {

struct NoCustom : Custom {
    Value call(u32, const Value*) override { fail(TYPE); }
};

Language standard() {
    std::vector<std::string> names;
    for (const auto& one : standard_ops()) names.push_back(one.first);
    std::sort(names.begin(), names.end());
    Language made;
    std::string unknown;
    make_language(names, {}, made, unknown);
    return made;
}

class Draw {
   public:
    Draw(u64 seed, const Language& language, Machine& machine)
        : random_(seed), language_(language), machine_(machine) {}

    u32 below(u32 n) { return u32(random_() % n); }

    Value value(u32 depth) {
        switch (below(depth ? 12 : 5)) {
            case 0:
            case 1:
                return number();
            case 2:
                return below(9) ? pair(number(), number()) : Value();
            case 3:
                return pair(number(), pair(number(), number()));
            case 4:
                return function(depth);
            case 5:
            case 6:
                return grid();
            case 7:
            case 8:
                return patch();
            default:
                return container(depth - 1);
        }
    }

   private:
    Value number() {
        constexpr i32 EXTREMES[] = {INT_LEAST, INT_LEAST + 1, -65537, 65535, 65536, INT_MOST - 1, INT_MOST};
        u32 kind = below(16);
        if (kind == 0) return Value::integer(EXTREMES[below(7)]);
        return kind == 1 ? boolean(below(2)) : Value::integer(i32(below(13)) - 3);
    }
    Value grid() {
        u32 tall = below(6), wide = below(6), colours = 1 + below(4);
        Items rows;
        for (u32 i = 0; i < tall; ++i) {
            Items row;
            u32 n = below(12) ? wide : below(7);
            for (u32 j = 0; j < n; ++j) row.push_back(below(60) ? Value::integer(i32(below(colours))) : value(0));
            rows.push_back(make_tuple(std::move(row)));
        }
        return make_tuple(std::move(rows));
    }
    Value patch() {
        bool cells = below(2);
        Items items;
        for (u32 n = below(9); n; --n) {
            Value place = Value::ij(i32(below(6)) - 1, i32(below(6)) - 1);
            items.push_back(!below(30) ? value(0) : cells ? pair(Value::integer(i32(below(3))), place) : place);
        }
        return below(8) ? make_set(std::move(items)) : make_tuple(std::move(items));
    }
    Value container(u32 depth) {
        Items items;
        u32 kind = below(4);
        for (u32 n = below(5); n; --n)
            items.push_back(kind == 0 ? number() : kind == 1 ? patch() : kind == 2 ? grid() : value(depth));
        return below(2) ? make_set(std::move(items)) : make_tuple(std::move(items));
    }
    Value function(u32 depth) {
        u32 op = below(u32(language_.ops.size()));
        Value made = primitive(op, language_.ops[op].arity);
        if (depth == 0 || language_.ops[op].kind != dynamic::Kind::COMBINATOR) return made;
        Items args;
        for (u32 k = 0; k < language_.ops[op].arity; ++k)
            args.push_back(below(3) ? function(depth - 1) : value(depth - 1));
        try {
            return machine_.call(op, args.data(), u32(args.size()));
        } catch (const Failure&) {
            return made;
        }
    }

    std::mt19937_64 random_;
    const Language& language_;
    Machine& machine_;
};

// One case: a primitive on drawn arguments, then what it gave put in a set and read as an output is.
Status run_case(u64 seed, const Language& language) {
    std::atomic<bool> stop{false};
    NoCustom custom;
    Machine machine(language, 20000, ~u64(0), stop, custom);
    Draw draw(seed, language, machine);
    if (draw.below(8) == 0) memory::most_held = i64(1) << (9 + draw.below(12));
    u32 op = draw.below(u32(language.ops.size()));
    try {
        Items args;
        for (u32 k = 0; k < language.ops[op].arity; ++k) args.push_back(draw.value(2));
        Value result = machine.call(op, args.data(), u32(args.size()));
        brief_of(make_set({result, args[0], result}), language);
        brief_of(result, language);
        return OK;
    } catch (const Failure& failure) {
        return failure.reason;
    } catch (const std::bad_alloc&) {
        return OVERFLOW_;  // there was little memory
    }
}

// The same, and all memory is given back.
Status run_counted(u64 seed, const Language& language) {
    Status status = run_case(seed, language);
    if (memory::held == 0) return status;
    std::fprintf(stderr, "seed %llu: %lld bytes are still held\n", static_cast<unsigned long long>(seed),
                 static_cast<long long>(memory::held));
    std::abort();
}

}  // namespace

int main(int count, char** words) {
    double seconds = 10;
    u64 seed = 1;
    for (int k = 1; k + 1 < count; k += 2) {
        if (!std::strcmp(words[k], "--seconds")) seconds = std::atof(words[k + 1]);
        if (!std::strcmp(words[k], "--seed")) seed = std::strtoull(words[k + 1], nullptr, 10);
    }
    Language language = standard();
    u64 cases = 0, each[ZERO_DIVISION + 1] = {};
    auto begun = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() < seconds)
        for (int k = 0; k < 100; ++k) ++each[run_counted(seed + cases++, language)];
    std::printf("dynamic: %llu cases from seed %llu, %llu with a value, %llu out of memory\n",
                static_cast<unsigned long long>(cases), static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(each[OK]), static_cast<unsigned long long>(each[OVERFLOW_]));
    return 0;
}
