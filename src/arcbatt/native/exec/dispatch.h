// From opcode to function: reads arguments out of slots, calls the variant, writes the result into a slot.
#pragma once

#include "ops/cells.h"
#include "ops/colours.h"
#include "ops/completing.h"
#include "ops/cutting.h"
#include "ops/distances.h"
#include "ops/gravity.h"
#include "ops/lattices.h"
#include "ops/matching.h"
#include "ops/measures.h"
#include "ops/numbers.h"
#include "ops/objects.h"
#include "ops/occurrences.h"
#include "ops/outlines.h"
#include "ops/painting.h"
#include "ops/patches.h"
#include "ops/periods.h"
#include "ops/rays.h"
#include "ops/rotate.h"
#include "ops/rules.h"
#include "ops/scaling.h"
#include "ops/shapes.h"

#if !AB_DEVICE
#include <atomic>
#endif

namespace arcbatt {

// How a value lies in a slot.
template <class T>
struct Form;
template <>
struct Form<i32> {
    static AB_FN i32 load(const u32* w) { return i32(w[0]); }
    static AB_FN void store(u32* w, i32 v) { w[0] = u32(v); }
};
template <>
struct Form<OptInt> {
    static AB_FN OptInt load(const u32* w) { return OptInt{i32(w[0])}; }
    static AB_FN void store(u32* w, OptInt v) { w[0] = u32(v.value); }
};
template <>
struct Form<IJ> {
    static AB_FN IJ load(const u32* w) { return IJ{i32(w[0]), i32(w[1])}; }
    static AB_FN void store(u32* w, IJ v) {
        w[0] = u32(v.i);
        w[1] = u32(v.j);
    }
};
template <>
struct Form<Grid> {
    static AB_FN Grid load(const u32* w) { return Grid{w[0], i32(w[1] >> 16), i32(w[1] & 0xFFFFu)}; }
    static AB_FN void store(u32* w, Grid v) {
        w[0] = v.off;
        w[1] = (u32(v.h) << 16) | u32(v.w);
    }
};
template <int TAG>
struct Form<Array<TAG>> {
    static AB_FN Array<TAG> load(const u32* w) { return Array<TAG>{w[0], w[1]}; }
    static AB_FN void store(u32* w, Array<TAG> v) {
        w[0] = v.off;
        w[1] = v.n;
    }
};

template <class R, class... A>
struct Variant;
template <class R, class A>
struct Variant<R, A> {
    template <class F>
    static AB_FN Status run(F f, const u32* const* args, R& out) {
        return f(Form<A>::load(args[0]), out);
    }
};
template <class R, class A, class B>
struct Variant<R, A, B> {
    template <class F>
    static AB_FN Status run(F f, const u32* const* args, R& out) {
        return f(Form<A>::load(args[0]), Form<B>::load(args[1]), out);
    }
};
template <class R, class A, class B, class C>
struct Variant<R, A, B, C> {
    template <class F>
    static AB_FN Status run(F f, const u32* const* args, R& out) {
        return f(Form<A>::load(args[0]), Form<B>::load(args[1]), Form<C>::load(args[2]), out);
    }
};
template <class R, class A, class B, class C, class D>
struct Variant<R, A, B, C, D> {
    template <class F>
    static AB_FN Status run(F f, const u32* const* args, R& out) {
        return f(Form<A>::load(args[0]), Form<B>::load(args[1]), Form<C>::load(args[2]), Form<D>::load(args[3]), out);
    }
};

// A function a variant; on a CPU they vanish into the switch. A template each, so that a kernel for one of them has
// that alone.
template <u32 NUMBER>
struct NativeCall;
#define AB_VARIANT(number, name, R, ...)                                                                        \
    template <>                                                                                                 \
    struct NativeCall<number> {                                                                                 \
        template <class C>                                                                                      \
        static AB_CALL Status call(C& c, const u32* const* args, u32* result) {                                 \
            R out{};                                                                                            \
            Status s = Variant<R, __VA_ARGS__>::run([&](auto&&... a) { return op::name(c, a...); }, args, out); \
            if (s == OK) Form<R>::store(result, out);                                                           \
            return s;                                                                                           \
        }                                                                                                       \
    };
AB_VARIANTS(AB_VARIANT)
#undef AB_VARIANT

// --- custom operations, by the number their instruction carries ---
using CustomFunction = Status (*)(Ctx& c, const u32* const* args, u32* result);

#if AB_DEVICE

// engine/cuda/source.py puts functions in the place of this file, and AB_CUSTOM_CASES that calls them.
#include "custom.inc"

AB_CALL Status call_custom(Ctx& c, u32 number, const u32* const* args, u32* result) {
    (void)c, (void)args, (void)result;
    switch (number) {
#ifdef AB_CUSTOM_CASES
        AB_CUSTOM_CASES
#endif
    }
    return ESCAPE;
}

#else

// Functions from libraries that were loaded meanwhile. Entries are only ever added, and there before they count.
struct CustomList {
    static constexpr u32 MOST = 1024;
    struct Entry {
        u32 number;
        CustomFunction function;
        const char* text;  // what it takes and gives, as signatures.h writes it
    };
    Entry entries[MOST];
    std::atomic<u32> count{0};

    const Entry* find(u32 number) const {
        for (u32 k = 0; k < count.load(std::memory_order_acquire); ++k)
            if (entries[k].number == number) return entries + k;
        return nullptr;
    }
};
inline CustomList& customs() {
    static CustomList list;
    return list;
}
inline Status call_custom(Ctx& c, u32 number, const u32* const* args, u32* result) {
    const CustomList::Entry* entry = customs().find(number);
    return entry ? entry->function(c, args, result) : ESCAPE;
}

#endif

// Call variant `opcode` on the words of its arguments; its result's words go to `result`.
template <class C>
AB_FN Status call_variant(C& c, u32 opcode, const u32* const* args, u32* result) {
    switch (opcode) {
#define AB_VARIANT(number, ...) \
    case number:                \
        return NativeCall<number>::call(c, args, result);
        AB_VARIANTS(AB_VARIANT)
#undef AB_VARIANT
    }
    return ESCAPE;
}

}  // namespace arcbatt
