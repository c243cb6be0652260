// Numbers: arithmetic on integers and IJs, comparison, logic.
#pragma once

#include "core/values.h"

namespace arcbatt {
namespace op {

// Without branches and, where sums are all there is, in 32 bits, so that columns of numbers are computed several at a
// time.
AB_FN Status fit(i64 x, i32& out) {
    out = i32(x);
    return in_range(x) ? OK : LIMIT;
}
AB_FN Status sum_of(i32 a, i32 b, i32& out) {
    u32 x = u32(a), y = u32(b), sum = x + y;
    out = i32(sum);
    return (~(x ^ y) & (x ^ sum)) >> 31 ? LIMIT : OK;
}
AB_FN Status difference_of(i32 a, i32 b, i32& out) {
    u32 x = u32(a), y = u32(b), left = x - y;
    out = i32(left);
    return ((x ^ y) & (x ^ left)) >> 31 ? LIMIT : OK;
}
AB_FN Status product_of(i32 a, i32 b, i32& out) { return fit(i64(a) * b, out); }

// One function on an integer or on both parts of an IJ.
template <class F>
AB_FN Status on_each(F f, i32 n, i32& out) {
    return f(n, out);
}
template <class F>
AB_FN Status on_each(F f, IJ n, IJ& out) {
    Status s = f(n.i, out.i), t = f(n.j, out.j);
    return s != OK ? s : t;
}
// One function on two numbers; an integer beside an IJ counts for both its parts.
template <class F>
AB_FN Status on_both(F f, i32 a, i32 b, i32& out) {
    return f(a, b, out);
}
template <class F>
AB_FN Status on_both(F f, IJ a, IJ b, IJ& out) {
    Status s = f(a.i, b.i, out.i), t = f(a.j, b.j, out.j);
    return s != OK ? s : t;
}
template <class F>
AB_FN Status on_both(F f, i32 a, IJ b, IJ& out) {
    return on_both(f, IJ{a, a}, b, out);
}
template <class F>
AB_FN Status on_both(F f, IJ a, i32 b, IJ& out) {
    return on_both(f, a, IJ{b, b}, out);
}

AB_FN i32 signum(i32 x) { return (x > 0) - (x < 0); }

template <class A, class B, class R>
AB_FN Status add(Ctx&, A a, B b, R& out) {
    return on_both([](i32 x, i32 y, i32& r) { return sum_of(x, y, r); }, a, b, out);
}
template <class A, class B, class R>
AB_FN Status subtract(Ctx&, A a, B b, R& out) {
    return on_both([](i32 x, i32 y, i32& r) { return difference_of(x, y, r); }, a, b, out);
}
template <class A, class B, class R>
AB_FN Status multiply(Ctx&, A a, B b, R& out) {
    return on_both([](i32 x, i32 y, i32& r) { return product_of(x, y, r); }, a, b, out);
}
AB_FN i64 floor_divide(i64 x, i64 y) {
    i64 q = x / y;
    return (x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q;
}
// The parts are taken in order: the first may be beyond the range before the second is found to be zero.
template <class A, class B, class R>
AB_FN Status divide(Ctx&, A a, B b, R& out) {
    return on_both([](i32 x, i32 y, i32& r) { return y == 0 ? ZERO_DIVISION : fit(floor_divide(x, y), r); }, a, b, out);
}
template <class A, class B, class R>
AB_FN Status modulo(Ctx&, A a, B b, R& out) {
    return on_both([](i32 x, i32 y, i32& r) { return y == 0 ? ZERO_DIVISION : fit(x - y * floor_divide(x, y), r); }, a,
                   b, out);
}
template <class A>
AB_FN Status invert(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return difference_of(0, x, r); }, n, out);
}
template <class A>
AB_FN Status double_(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return sum_of(x, x, r); }, n, out);
}
template <class A>
AB_FN Status halve(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return r = x >> 1, OK; }, n, out);
}
template <class A>
AB_FN Status increment(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return sum_of(x, 1, r); }, n, out);
}
template <class A>
AB_FN Status decrement(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return difference_of(x, 1, r); }, n, out);
}
template <class A>
AB_FN Status sign(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return r = signum(x), OK; }, n, out);
}
template <class A>
AB_FN Status crement(Ctx&, A n, A& out) {
    return on_each([](i32 x, i32& r) { return sum_of(x, signum(x), r); }, n, out);
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
