// Numbers: language/primitives/numbers.py.
#pragma once

#include "dynamic/machine.h"

namespace arcbatt {
namespace dynamic {
namespace ops {

template <class F>
Value on_each(F f, const Value& n) {
    if (n.is_number()) return integer(f(n.number()));
    const Value& ij = ij_of(n);
    i32 i = number(f(ij.i()));
    return Value::ij(i, number(f(ij.j())));
}

// An integer beside an IJ counts for both its parts.
template <class F>
Value spread(F f, const Value& a, const Value& b) {
    if (a.is_number() && b.is_number()) return integer(f(a.number(), b.number()));
    i64 ai = a.is_number() ? a.number() : ij_of(a).i(), aj = a.is_number() ? a.number() : a.j();
    i64 bi = b.is_number() ? b.number() : ij_of(b).i(), bj = b.is_number() ? b.number() : b.j();
    i32 i = number(f(ai, bi));
    return Value::ij(i, number(f(aj, bj)));
}

inline i64 floor_divided(i64 a, i64 b) {
    if (b == 0) fail(ZERO_DIVISION);
    i64 quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}
inline i64 sign_of(i64 x) { return (x > 0) - (x < 0); }

inline Value add(Machine&, const Value& a, const Value& b) {
    return spread([](i64 x, i64 y) { return x + y; }, a, b);
}
inline Value subtract(Machine&, const Value& a, const Value& b) {
    return spread([](i64 x, i64 y) { return x - y; }, a, b);
}
inline Value multiply(Machine&, const Value& a, const Value& b) {
    return spread([](i64 x, i64 y) { return x * y; }, a, b);
}
inline Value divide(Machine&, const Value& a, const Value& b) { return spread(floor_divided, a, b); }
inline Value modulo(Machine&, const Value& a, const Value& b) {
    return spread([](i64 x, i64 y) { return x - y * floor_divided(x, y); }, a, b);
}
inline Value invert(Machine&, const Value& n) {
    return on_each([](i64 x) { return -x; }, n);
}
inline Value double_(Machine&, const Value& n) {
    return on_each([](i64 x) { return 2 * x; }, n);
}
inline Value halve(Machine&, const Value& n) {
    return on_each([](i64 x) { return floor_divided(x, 2); }, n);
}
inline Value increment(Machine&, const Value& n) {
    return on_each([](i64 x) { return x + 1; }, n);
}
inline Value decrement(Machine&, const Value& n) {
    return on_each([](i64 x) { return x - 1; }, n);
}
inline Value sign(Machine&, const Value& n) { return on_each(sign_of, n); }
inline Value crement(Machine&, const Value& n) {
    return on_each([](i64 x) { return x + sign_of(x); }, n);
}
inline Value even(Machine&, const Value& n) { return boolean(int_of(n) % 2 == 0); }
inline Value positive(Machine&, const Value& n) { return boolean(int_of(n) > 0); }
inline Value greater(Machine&, const Value& a, const Value& b) { return boolean(int_of(a) > int_of(b)); }
inline Value flip(Machine&, const Value& b) { return boolean(!b.truth()); }
inline Value both(Machine&, const Value& a, const Value& b) { return boolean(a.truth() && b.truth()); }
inline Value either(Machine&, const Value& a, const Value& b) { return boolean(a.truth() || b.truth()); }
inline Value equality(Machine&, const Value& a, const Value& b) { return boolean(equal(a, b)); }
inline Value toivec(Machine&, const Value& i) { return pair(i, Value::integer(0)); }
inline Value tojvec(Machine&, const Value& j) { return pair(Value::integer(0), j); }
inline Value astuple(Machine&, const Value& a, const Value& b) { return pair(a, b); }

inline Value interval(Machine&, const Value& start, const Value& stop, const Value& step) {
    i64 by = int_of(step);
    if (by == 0) fail(ZERO_DIVISION);
    i64 from = int_of(start), way = int_of(stop) - from;
    i64 count = most<i64>(0, (way + by - sign_of(by)) / by);
    need_room(count);
    std::vector<i32> numbers;
    for (i64 k = 0; k < count; ++k) numbers.push_back(i32(from + k * by));
    return tuple_of_numbers(numbers.data(), u32(count));
}

inline Value identity(Machine&, const Value& x) { return x; }
inline Value branch(Machine&, const Value& condition, const Value& a, const Value& b) {
    return condition.truth() ? a : b;
}

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
