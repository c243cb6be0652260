// Numbers: arithmetic on integers and IJs, comparison, logic.
#pragma once

#include "core/values.h"

namespace arcbatt {
namespace op {

AB_FN Status fit(i64 x, i32& out) {
    if (!in_range(x)) return LIMIT;
    out = i32(x);
    return OK;
}

// One function on an integer or on both parts of an IJ.
template <class F>
AB_FN Status on_each(F f, i32 n, i32& out) {
    return fit(f(i64(n)), out);
}
template <class F>
AB_FN Status on_each(F f, IJ n, IJ& out) {
    Status s = fit(f(i64(n.i)), out.i);
    return s != OK ? s : fit(f(i64(n.j)), out.j);
}
// One function on two numbers; an integer beside an IJ counts for both its parts.
template <class F>
AB_FN Status on_both(F f, i32 a, i32 b, i32& out) {
    return fit(f(i64(a), i64(b)), out);
}
template <class F>
AB_FN Status on_both(F f, IJ a, IJ b, IJ& out) {
    Status s = fit(f(i64(a.i), i64(b.i)), out.i);
    return s != OK ? s : fit(f(i64(a.j), i64(b.j)), out.j);
}
template <class F>
AB_FN Status on_both(F f, i32 a, IJ b, IJ& out) {
    return on_both(f, IJ{a, a}, b, out);
}
template <class F>
AB_FN Status on_both(F f, IJ a, i32 b, IJ& out) {
    return on_both(f, a, IJ{b, b}, out);
}

AB_FN i64 floor_halve(i64 x) { return x >> 1; }
AB_FN i64 signum(i64 x) { return (x > 0) - (x < 0); }

template <class A, class B, class R>
AB_FN Status add(Ctx&, A a, B b, R& out) {
    return on_both([](i64 x, i64 y) { return x + y; }, a, b, out);
}
template <class A, class B, class R>
AB_FN Status subtract(Ctx&, A a, B b, R& out) {
    return on_both([](i64 x, i64 y) { return x - y; }, a, b, out);
}
template <class A, class B, class R>
AB_FN Status multiply(Ctx&, A a, B b, R& out) {
    return on_both([](i64 x, i64 y) { return x * y; }, a, b, out);
}
AB_FN i64 floor_divide(i64 x, i64 y) {
    i64 q = x / y;
    return (x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q;
}
template <class A, class B, class R>
AB_FN Status divide(Ctx&, A a, B b, R& out) {
    // The parts are taken in order: the first may be beyond the range before the second is found to be zero.
    Status s = OK;
    Status r = on_both(
        [&](i64 x, i64 y) -> i64 {
            if (y == 0) {
                if (s == OK) s = ZERO_DIVISION;
                return 0;
            }
            i64 q = floor_divide(x, y);
            if (!in_range(q) && s == OK) s = LIMIT;
            return q;
        },
        a, b, out);
    return s != OK ? s : r;
}
template <class A, class B, class R>
AB_FN Status modulo(Ctx&, A a, B b, R& out) {
    bool by_zero = false;
    Status s = on_both(
        [&](i64 x, i64 y) -> i64 {
            by_zero = by_zero || y == 0;
            return y == 0 ? 0 : x - y * floor_divide(x, y);
        },
        a, b, out);
    return by_zero ? ZERO_DIVISION : s;
}
template <class A>
AB_FN Status invert(Ctx&, A n, A& out) {
    return on_each([](i64 x) { return -x; }, n, out);
}
template <class A>
AB_FN Status double_(Ctx&, A n, A& out) {
    return on_each([](i64 x) { return 2 * x; }, n, out);
}
template <class A>
AB_FN Status halve(Ctx&, A n, A& out) {
    return on_each(floor_halve, n, out);
}
template <class A>
AB_FN Status increment(Ctx&, A n, A& out) {
    return on_each([](i64 x) { return x + 1; }, n, out);
}
template <class A>
AB_FN Status decrement(Ctx&, A n, A& out) {
    return on_each([](i64 x) { return x - 1; }, n, out);
}
template <class A>
AB_FN Status sign(Ctx&, A n, A& out) {
    return on_each(signum, n, out);
}
template <class A>
AB_FN Status crement(Ctx&, A n, A& out) {
    return on_each([](i64 x) { return x + signum(x); }, n, out);
}
AB_FN Status even(Ctx&, i32 n, i32& out) {
    out = (n & 1) == 0;
    return OK;
}
AB_FN Status positive(Ctx&, i32 n, i32& out) {
    out = n > 0;
    return OK;
}
AB_FN Status greater(Ctx&, i32 a, i32 b, i32& out) {
    out = a > b;
    return OK;
}
AB_FN Status flip(Ctx&, i32 b, i32& out) {
    out = !b;
    return OK;
}
AB_FN Status both(Ctx&, i32 a, i32 b, i32& out) {
    out = a && b;
    return OK;
}
AB_FN Status either(Ctx&, i32 a, i32 b, i32& out) {
    out = a || b;
    return OK;
}
AB_FN Status toivec(Ctx&, i32 i, IJ& out) {
    out = IJ{i, 0};
    return OK;
}
AB_FN Status tojvec(Ctx&, i32 j, IJ& out) {
    out = IJ{0, j};
    return OK;
}
AB_FN Status interval(Ctx& c, i32 start, i32 stop, i32 step, IntSeq& out) {
    if (step == 0) return ZERO_DIVISION;
    i64 span = step > 0 ? i64(stop) - start : i64(start) - stop;
    i64 stride = step > 0 ? i64(step) : -i64(step);
    u64 n = span > 0 ? u64((span + stride - 1) / stride) : 0;
    Status s = make_array(c, n, out);
    if (s != OK) return s;
    u32* keys = words(c, out);
    c.g.each(out.n, [&](u32 k) { keys[k] = int_key(i32(start + i64(k) * step)); });
    return OK;
}

}  // namespace op
}  // namespace arcbatt
