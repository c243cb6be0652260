// Runs primitives and function values, counting steps and sizes: `Machine` of language/reference.py.
#pragma once

#include <atomic>
#include <string>

#include "dynamic/order.h"

namespace arcbatt {
namespace dynamic {

class Machine;

enum class Kind : u8 { PLAIN, LOOP, COMBINATOR };

// What the table says of a primitive, and what it does.
struct Op {
    Value (*run)(Machine&, u32, const Value*);  // given its own number in the language
    Kind kind;
    u32 arity;
    bool product;                                            // costs the product of the sizes of its two arguments too
    bool makes_grid;                                         // a tuple it gives is a grid
    Value (*invoke)(Machine&, const Object&, const Value*);  // of a combinator, how what it made is called
};

// The operations of a language by number, in the order of their names, which is also the order of functions.
struct Language {
    std::vector<Op> ops;
    std::vector<std::string> names;
    u32 equality = 0;  // what a matcher compares with
};

// Runs a custom operation: its number, its arguments.
class Custom {
   public:
    virtual ~Custom() = default;
    virtual Value call(u32 op, const Value* args) = 0;
};

// What the values of a thread may hold. An evaluation that needs more has no outcome: std::bad_alloc.
constexpr i64 MOST_BYTES = i64(4) << 30;

class Machine {
   public:
    Machine(const Language& language, u64 max_steps, u64 max_total, const std::atomic<bool>& stop, Custom& custom)
        : language(language),
          max_total(max_total),
          max_steps_(max_steps),
          stop_(stop),
          custom_(custom),
          asked_(ordering::stop_asked) {
        ordering::stop_asked = &stop;
        memory::held = 0;
        memory::most_held = MOST_BYTES;
    }
    ~Machine() {
        ordering::stop_asked = asked_;
        memory::most_held = INT64_MAX;
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Language& language;
    const u64 max_total;
    u64 total_steps = 0;
    u64 end_total = ~u64(0);  // beyond this many of all steps a call fails

    // A function of arguments; the arguments of the call must stay alive meanwhile.
    Value call(const Value& function, const Value* args, u32 count) {
        Deeper deeper(calls_open_);
        if (calls_open_ > MAX_CALL_DEPTH) fail(LIMIT);
        if (!function.is_function()) fail(TYPE);
        const Object& known = function.object();
        const Op& op = language.ops[known.op];
        if (count != known.arity) fail(TYPE);
        return known.count ? op.invoke(*this, known, args) : run(known.op, op, args);
    }
    Value call(const Value& function, const Value& arg) { return call(function, &arg, 1); }
    Value call(const Value& function, const Value& a, const Value& b) {
        Value args[2] = {a, b};
        return call(function, args, 2);
    }
    // An operation by its number, as a call of it by name.
    Value call(u32 number, const Value* args, u32 count) {
        Deeper deeper(calls_open_);
        if (calls_open_ > MAX_CALL_DEPTH) fail(LIMIT);
        const Op& op = language.ops[number];
        if (count != op.arity) fail(TYPE);
        return run(number, op, args);
    }

    // Whatever is called counts together, as in a loop.
    template <class F>
    Value together(F calls) {
        if (loops_open_ == 0) steps_ = 0;
        Deeper deeper(loops_open_);
        return calls();
    }

    // Whether to stop; for whatever may run long without a charge.
    void look() const {
        if (stop_.load(std::memory_order_relaxed)) throw Stopped{};
    }

    Value call_custom(u32 number, const Value* args) { return custom_.call(number, args); }

   private:
    struct Deeper {
        explicit Deeper(u32& depth) : depth(depth) { ++depth; }
        ~Deeper() { --depth; }
        u32& depth;
    };

    void charge(u64 steps) {
        look();
        steps_ += steps;
        total_steps += steps;
        if (steps_ > max_steps_ || total_steps > end_total) fail(LIMIT);
    }

    Value run(u32 number, const Op& op, const Value* args) {
        if (op.kind == Kind::COMBINATOR) {
            // Outside of loops it is charged only to all calls together.
            if (loops_open_ == 0) steps_ = u64(0) - (2 + op.arity);
            charge(2 + op.arity);
            return op.run(*this, number, args);
        }
        if (loops_open_ == 0) steps_ = 0;
        u64 sizes = 1;
        for (u32 k = 0; k < op.arity; ++k) sizes += args[k].size();
        charge(sizes);
        if (op.product) charge(args[0].size() * args[1].size());
        Value result = op.kind == Kind::LOOP ? looped(number, op, args) : op.run(*this, number, args);
        charge(checked_size(op, result));
        return result;
    }

    Value looped(u32 number, const Op& op, const Value* args) {
        Deeper deeper(loops_open_);
        return op.run(*this, number, args);
    }

    static u64 checked_size(const Op& op, const Value& value) {
        u64 size = value.size();
        if (!value.is_container()) return size;
        u32 items = value.length(), most_items = MAX_ITEMS;
        if (op.makes_grid && value.is_tuple()) {
            if (items) {
                Value row = value.item(0);
                if (!row.is_container()) fail(TYPE);
                items = most(items, row.length());
            }
            most_items = u32(MAX_SIDE);
            if (size > u64(MAX_CELLS)) fail(LIMIT);
        }
        if (items > most_items || size > MAX_SIZE || value.levels() > MAX_LEVELS) fail(LIMIT);
        return size;
    }

    u64 max_steps_, steps_ = 0;
    u32 calls_open_ = 0, loops_open_ = 0;
    const std::atomic<bool>& stop_;
    Custom& custom_;
    const std::atomic<bool>* asked_;  // of the machine before, if this thread has one
};

// --- what a value must be ---
inline const Value& set_of(const Value& value) {
    if (!value.is_set()) fail(TYPE);
    return value;
}
inline const Value& tuple_of(const Value& value) {
    if (!value.is_tuple()) fail(TYPE);
    return value;
}
inline const Value& container_of(const Value& value) {
    if (!value.is_container()) fail(TYPE);
    return value;
}
inline const Value& function_of(const Value& value) {
    if (!value.is_function()) fail(TYPE);
    return value;
}
inline i32 int_of(const Value& value) {
    if (!value.is_number()) fail(TYPE);
    return value.number();
}
// A tuple of two numbers, which always has the form of an IJ.
inline const Value& ij_of(const Value& value) {
    if (value.tag() != Tag::IJ) fail(TYPE);
    return value;
}
inline const Value& pair_of(const Value& value) {
    if (!value.is_tuple() || value.length() != 2) fail(TYPE);
    return value;
}
inline i32 number(i64 x) {
    if (x < INT_LEAST || x > INT_MOST) fail(LIMIT);
    return i32(x);
}
inline void need_room(i64 items) {
    if (items > i64(MAX_ITEMS)) fail(LIMIT);
}
inline void need_side(i64 height, i64 width) {
    if (height > MAX_SIDE || width > MAX_SIDE) fail(LIMIT);
}

// --- making values ---
inline Value integer(i64 x) { return Value::integer(number(x)); }
inline Value boolean(bool b) { return Value::boolean(b); }
inline Value nothing() { return make_tuple(Items()); }
inline Value empty_set() { return set_of_ascending({}); }

// The items in a container of the same kind.
inline Value like(const Value& container, Items items) {
    return container.is_set() ? make_set(std::move(items)) : make_tuple(std::move(items));
}
inline Items items_of(const Value& container) {
    Items items;
    u32 n = container.length();
    items.reserve(n);
    for (u32 k = 0; k < n; ++k) items.push_back(container.item(k));
    return items;
}
inline bool contains(const Value& container, const Value& value) {
    u32 n = container.length();
    if (container.is_set()) return find_in_set(container, value) < n;
    for (u32 k = 0; k < n; ++k)
        if (equal(container.item(k), value)) return true;
    return false;
}

}  // namespace dynamic
}  // namespace arcbatt
