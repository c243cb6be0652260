// Functions: language/primitives/functions.py. Combinators, how what they make is called, and loops.
#pragma once

#include <initializer_list>

#include "dynamic/containers.h"

namespace arcbatt {
namespace dynamic {

// A primitive as a value.
inline Value primitive(u32 op, u32 arity) {
    Object* made = Items().as_object();
    made->op = u16(op);
    made->arity = u16(arity);
    made->depth = made->calls = 1;
    return Value::of(Tag::FUNCTION, made);
}

// A function of parts, its depth and calls those of its parts.
inline Value function_of_parts(u32 op, u32 arity, Items parts) {
    Object* made = parts.as_object();
    made->op = u16(op);
    made->arity = u16(arity);
    made->beyond = sum_of_sizes(made->beyond, made->size);
    return Value::of(Tag::FUNCTION, made);
}

// What a combinator makes of its parts; fails where functions grow beyond the limits.
inline Value combined(u32 op, u32 arity, std::initializer_list<Value> given, u32 extra = 0) {
    Value function = function_of_parts(op, arity, given);
    u32 depth = function.depth() + 1, calls = function.calls() + extra;
    if (depth > MAX_DEPTH || calls > u32(MAX_FUNCTION_CALLS) || function.levels() > MAX_LEVELS) fail(LIMIT);
    Object& made = function.made();
    made.depth = depth;
    made.calls = calls;
    return function;
}

namespace ops {

// A combinator is told its own number in the language, which the function it makes carries.
inline Value compose(Machine&, u32 op, const Value* a) {
    return combined(op, 1, {function_of(a[0]), function_of(a[1])});
}
inline Value chain(Machine&, u32 op, const Value* a) {
    return combined(op, 1, {function_of(a[0]), function_of(a[1]), function_of(a[2])});
}
inline Value fork(Machine& m, u32 op, const Value* a) { return chain(m, op, a); }
inline Value matcher(Machine&, u32 op, const Value* a) { return combined(op, 1, {function_of(a[0]), a[1]}, 1); }
inline Value rbind(Machine&, u32 op, const Value* a) {
    return combined(op, function_of(a[0]).object().arity - 1, {a[0], a[1]});
}
inline Value lbind(Machine& m, u32 op, const Value* a) { return rbind(m, op, a); }
inline Value power(Machine&, u32 op, const Value* a) {
    if (int_of(a[1]) < 1) fail(BOUNDS);
    if (a[1].number() > MAX_POWER) fail(LIMIT);
    return combined(op, 1, {function_of(a[0]), a[1]});
}

}  // namespace ops

// How what a combinator made is called.
namespace called {

inline Value compose(Machine& m, const Object& f, const Value* args) {
    return m.call(f.values()[0], m.call(f.values()[1], args[0]));
}
inline Value chain(Machine& m, const Object& f, const Value* args) {
    return m.call(f.values()[0], m.call(f.values()[1], m.call(f.values()[2], args[0])));
}
// Where both inner functions fail, the reason that takes precedence.
inline Value fork(Machine& m, const Object& f, const Value* args) {
    Value sides[2];
    Status failed = OK;
    for (u32 k = 0; k < 2; ++k) {
        try {
            sides[k] = m.call(f.values()[1 + k], args[0]);
        } catch (const Failure& failure) {
            failed = failed == OK ? failure.reason : least(failed, failure.reason);
        }
    }
    if (failed != OK) fail(failed);
    return m.call(f.values()[0], sides, 2);
}
inline Value matcher(Machine& m, const Object& f, const Value* args) {
    Value sides[2] = {m.call(f.values()[0], args[0]), f.values()[1]};
    return m.call(m.language.equality, sides, 2);
}
// The first part of the arguments with the second among them at a place.
inline Value bound(Machine& m, const Object& f, const Value* args, u32 place) {
    constexpr u32 FEW = 4;
    Value few[FEW];
    Items many(f.arity < FEW ? 0 : f.arity + 1, Value());
    Value* all = f.arity < FEW ? few : many.data();
    for (u32 k = 0; k < f.arity; ++k) all[k + (k >= place)] = args[k];
    all[place] = f.values()[1];
    return m.call(f.values()[0], all, f.arity + 1);
}
inline Value rbind(Machine& m, const Object& f, const Value* args) { return bound(m, f, args, f.arity); }
inline Value lbind(Machine& m, const Object& f, const Value* args) { return bound(m, f, args, 0); }
inline Value power(Machine& m, const Object& f, const Value* args) {
    return m.together([&] {
        Value value = args[0];
        for (i32 k = 0; k < f.values()[1].number(); ++k) value = m.call(f.values()[0], value);
        return value;
    });
}

}  // namespace called

// The results of a loop as they come, for a set or a tuple. Once they are sure to be beyond the limits they are not
// kept, since the calls that are still to come may yet fail for another reason; so a loop holds no more than a few
// times what a value may, whatever its calls give.
class Gathering {
   public:
    explicit Gathering(bool set) : set_(set) {}

    void add(Value item) {
        if (beyond_) return;
        size_ += share(item);
        items_.push_back(std::move(item));
        if (size_ > 4 * u64(MAX_SIZE)) shrink();
    }
    // The items of a result; of one that is no container only that.
    void add_items(const Value& result) {
        if (!result.is_container()) not_containers_ = true;
        for (u32 k = 0, n = result.is_container() ? result.length() : 0; k < n; ++k) add(result.item(k));
    }
    Value done() {
        if (not_containers_) fail(TYPE);
        if (beyond_) fail(LIMIT);
        return set_ ? make_set(std::move(items_)) : make_tuple(std::move(items_));
    }

   private:
    void shrink() {
        Value distinct;
        if (set_) distinct = make_set(std::move(items_));
        items_ = Items();
        beyond_ = !set_ || distinct.size() > MAX_SIZE || distinct.length() > MAX_ITEMS;
        if (beyond_) return;
        items_ = items_of(distinct);
        size_ = distinct.size();
    }

    bool set_, beyond_ = false, not_containers_ = false;
    u64 size_ = 0;
    Items items_;
};

namespace ops {

inline Value apply(Machine& m, const Value& function, const Value& container) {
    Gathering results(container_of(container).is_set());
    for (u32 k = 0, n = container.length(); k < n; ++k) results.add(m.call(function, container.item(k)));
    return results.done();
}
inline Value rapply(Machine& m, const Value& functions, const Value& value) {
    Gathering results(container_of(functions).is_set());
    for (u32 k = 0, n = functions.length(); k < n; ++k) results.add(m.call(functions.item(k), value));
    return results.done();
}
inline Value mapply(Machine& m, const Value& function, const Value& container) {
    Gathering results(container_of(container).is_set());
    for (u32 k = 0, n = container.length(); k < n; ++k) results.add_items(m.call(function, container.item(k)));
    return results.done();
}
// Calls with the items of two containers in step.
template <class F>
Value in_step(Machine& m, const Value& function, const Value& a, const Value& b, F add) {
    Gathering results(false);
    for (u32 k = 0, n = least(container_of(a).length(), container_of(b).length()); k < n; ++k)
        add(results, m.call(function, a.item(k), b.item(k)));
    return results.done();
}
inline Value papply(Machine& m, const Value& function, const Value& a, const Value& b) {
    return in_step(m, function, a, b, [](Gathering& to, Value result) { to.add(std::move(result)); });
}
inline Value mpapply(Machine& m, const Value& function, const Value& a, const Value& b) {
    return in_step(m, function, a, b, [](Gathering& to, const Value& result) { to.add_items(result); });
}
inline Value prapply(Machine& m, const Value& function, const Value& a, const Value& b) {
    Gathering results(true);
    u32 columns = container_of(b).length();
    for (u32 i = 0, rows = container_of(a).length(); i < rows; ++i)
        for (u32 j = 0; j < columns; ++j) results.add(m.call(function, a.item(i), b.item(j)));
    return results.done();
}
inline Value fold(Machine& m, const Value& container, const Value& initial, const Value& function) {
    Value state = initial;
    for (u32 k = 0, n = container_of(container).length(); k < n; ++k)
        state = m.call(function, dynamic::pair(state, container.item(k)));
    return state;
}
inline Value iterate(Machine& m, const Value& function, const Value& condition, const Value& initial) {
    Value state = initial;
    for (i32 times = 0; m.call(condition, state).truth(); ++times) {
        if (times == MAX_POWER) fail(LIMIT);
        state = m.call(function, state);
    }
    return state;
}

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
