// Operations on values of any type (ops/containers.h has what they do to containers).
#pragma once

#include "exec/casts.h"

namespace arcbatt {

template <class I>
AB_FN Status map_grid(Ctx& c, I ins, const u32* const* args, u32* out) {
    i32 numbers[MAX_ARGS];
    for (u32 k = 1; k < ins.count(); ++k) numbers[k - 1] = i32(args[k][0]);
    Grid made;
    Status s = map_cells(c, CellCodeRef{ins.extra() + 2}, Form<Grid>::load(args[0]), numbers, made);
    if (s == OK) Form<Grid>::store(out, made);
    return s;
}

template <class M, class I>
AB_FN Status pair(M& m, I ins, const u32* const* args, generic::Items& result) {
    Ctx& c = m.c;
    const auto& types = m.types;
    u32 n = least(args[0][1], args[1][1]);
    auto left = m.item_type(ins.arg_type(Known<0>{}));
    auto right = m.item_type(ins.arg_type(Known<1>{}));
    auto inner = m.item_type(ins.type());
    Status s = generic::make(c, types, inner, n, result);
    if (s != OK) return s;
    u32 slots[3 * MAX_ITEM_WORDS];
    for (u32 k = 0; k < n; ++k) {
        unbox(types, left, c.a.at(args[0][0]) + k * types[left].item_words, slots);
        unbox(types, right, c.a.at(args[1][0]) + k * types[right].item_words, slots + types[left].slot_words);
        s = box(types, inner, slots, c.a.at(result.off) + k * types[inner].item_words);
        if (s != OK) return s;
    }
    return OK;
}

template <class M, class Type>
AB_FN Status merge_grids(M& m, generic::Items grids, Type type, u32* out) {
    Ctx& c = m.c;
    u64 rows = 0;
    for (u32 k = 0; k < grids.n; ++k) rows += c.a.at(grids.off)[2 * k + 1] >> 16;
    generic::Items result;
    Status s = generic::make(c, m.types, m.item_type(type), rows, result);
    if (s != OK) return s;
    u32 at = 0;
    for (u32 k = 0; k < grids.n; ++k) {
        Grid g = Form<Grid>::load(c.a.at(grids.off) + 2 * k);
        s = grid_rows(c, g, c.a.at(result.off) + 2 * at);
        if (s != OK) return s;
        at += u32(g.h);
    }
    generic::put(out, result);
    return OK;
}

// A call of one of them; `call` is overloaded by the operation, so that a kernel for one of them has that alone.
template <class M, class I>
struct GenericCall {
    using Items = generic::Items;
    M& m;
    I ins;
    const u32* const* args;
    u32* out;

    AB_FN Items items(u32 k) const { return generic::items_at(args[k]); }
    AB_FN auto item_type() const { return m.item_type(ins.type()); }
    template <class Arg>
    AB_FN auto arg_item_type(Arg k) const {
        return m.item_type(ins.arg_type(k));
    }
    AB_FN Status copied(const u32* from) {
        copy_words(out, from, m.types[ins.type()].slot_words);
        return OK;
    }
    AB_FN Status number(u32 x) {
        out[0] = x;
        return OK;
    }
    AB_FN Status made(Status s, Items result) {
        if (s == OK) generic::put(out, result);
        return s;
    }
    // An argument as an item; escapes where no item can be equal to it.
    template <class Arg>
    AB_FN Status looked_for(Arg k, u32* item) {
        return ins.has(NEVER_EQUAL) ? ESCAPE : m.boxed(ins, k, item);
    }

    AB_FN Status call(Known<COPY>) { return copied(args[0]); }
    AB_FN Status call(Known<COPY_COUNTED>) { return copied(args[0]); }
    AB_FN Status call(Known<CAST>) { return cast(m, ins.arg_type(Known<0>{}), ins.type(), args[0], out); }
    AB_FN Status call(Known<NEVER>) { return TYPE; }
    AB_FN Status call(Known<AS_EMPTY>) {  // an empty container, of whatever type
        return args[0][1] ? ESCAPE : made(OK, Items{0, 0});
    }
    AB_FN Status call(Known<BRANCH>) { return copied(args[args[0][0] ? 1 : 2]); }
    AB_FN Status call(Known<POWER_COUNT>) {
        i32 n = i32(args[0][0]);
        if (n < 1) return BOUNDS;
        if (n > MAX_POWER) return LIMIT;
        return number(u32(n));
    }
    AB_FN Status call(Known<UNEQUAL>) { return number(0); }
    AB_FN Status call(Known<EQUAL_EMPTY>) { return number(args[0][1] == 0 && args[1][1] == 0); }
    AB_FN Status call(Known<EQUAL>) {
        auto type = ins.arg_type(Known<0>{});
        const auto& t = m.types[type];
        if (t.scalar) {  // numbers in slots compare as they are
            u32 same = 1;
            for (u32 k = 0; k < t.slot_words; ++k) same &= args[0][k] == args[1][k];
            return number(same);
        }
        u32 item[MAX_ITEM_WORDS], other[MAX_ITEM_WORDS];
        Status s = m.boxed(ins, Known<0>{}, item);
        if (s == OK) s = m.boxed(ins, Known<1>{}, other);
        return s != OK ? s : number(compare_items(m.c, m.types, type, item, other) == 0);
    }
    AB_FN Status call(Known<SIZE>) {
        u32 kind = m.types[ins.arg_type(Known<0>{})].kind;
        return number(kind == K_GRID ? args[0][1] >> 16 : kind == K_CELL ? 2 : args[0][1]);
    }
    AB_FN Status call(Known<CONTAINED>) {
        auto type = arg_item_type(Known<1>{});
        u32 item[MAX_ITEM_WORDS];
        if (looked_for(Known<0>{}, item) == ESCAPE) return number(0);
        const u32* x = m.c.a.at(args[1][0]);
        return number(m.is_set(ins.arg_type(Known<1>{})) ? in_set(m.c, m.types, type, x, args[1][1], item)
                                                         : in_tuple(m.c, m.types, type, x, args[1][1], item));
    }
    AB_FN Status call(Known<COMBINE>) {
        Items result{0, 0};
        Status s = generic::combine(m.c, m.types, item_type(), m.is_set(ins.type()), items(0), items(1), result);
        return made(s, result);
    }
    AB_FN Status call(Known<INTERSECTION>) {
        Items result{0, 0};
        Status s = generic::select(m.c, m.types, item_type(), items(0), items(1), true, true, result);
        return made(s, result);
    }
    AB_FN Status call(Known<DIFFERENCE>) {
        if (ins.has(NEVER_EQUAL)) return made(OK, items(0));
        Items result{0, 0};
        bool set = m.is_set(ins.arg_type(Known<1>{}));
        Status s = generic::select(m.c, m.types, item_type(), items(0), items(1), set, false, result);
        return made(s, result);
    }
    AB_FN Status call(Known<INSERT>) {
        u32 item[MAX_ITEM_WORDS];
        Items result{0, 0};
        Status s = m.boxed(ins, Known<0>{}, item);
        if (s == OK) s = generic::insert(m.c, m.types, item_type(), item, items(1), result);
        return made(s, result);
    }
    AB_FN Status call(Known<REMOVE>) {
        u32 item[MAX_ITEM_WORDS];
        Items result{0, 0};
        Status s = looked_for(Known<0>{}, item);
        if (s == ESCAPE) return made(OK, items(1));
        return made(generic::remove(m.c, m.types, item_type(), item, items(1), result), result);
    }
    AB_FN Status call(Known<INITSET>) {
        u32 item[MAX_ITEM_WORDS];
        Items result{0, 0};
        Status s = m.boxed(ins, Known<0>{}, item);
        if (s == OK) s = generic::make(m.c, m.types, item_type(), 1, result);
        if (s == OK) copy_words(m.c.a.at(result.off), item, m.types[item_type()].item_words);
        return made(s, result);
    }
    AB_FN Status call(Known<REPEAT>) {
        u32 item[MAX_ITEM_WORDS];
        Items result{0, 0};
        Status s = m.boxed(ins, Known<0>{}, item);
        if (s == OK) s = generic::repeat(m.c, m.types, item_type(), item, i32(args[1][0]), result);
        return made(s, result);
    }
    AB_FN Status call(Known<DEDUPE>) {
        Items result{0, 0};
        return made(generic::dedupe(m.c, m.types, item_type(), items(0), result), result);
    }
    AB_FN Status call(Known<MERGE>) {
        Items result{0, 0};
        return made(generic::merge(m.c, m.types, item_type(), m.is_set(ins.type()), items(0), result), result);
    }
    AB_FN Status call(Known<MERGE_GRIDS>) { return merge_grids(m, items(0), ins.type(), out); }
    AB_FN Status call(Known<NTH>) {
        i64 n = args[0][1], at = i32(args[1][0]);
        if (at < -n || at >= n) return n ? BOUNDS : EMPTY;
        auto type = arg_item_type(Known<0>{});
        u32 place = u32(at < 0 ? at + n : at);
        unbox(m.types, type, m.c.a.at(args[0][0]) + place * m.types[type].item_words, out);
        return OK;
    }
    AB_FN Status call(Known<OTHER>) {
        auto type = arg_item_type(Known<0>{});
        u32 item[MAX_ITEM_WORDS], stride = m.types[type].item_words;
        Status s = looked_for(Known<1>{}, item);
        const u32* x = m.c.a.at(args[0][0]);
        for (u32 k = 0; k < args[0][1]; ++k)
            if (s == ESCAPE || compare_items(m.c, m.types, type, x + k * stride, item) != 0) {
                unbox(m.types, type, x + k * stride, out);
                return OK;
            }
        return EMPTY;
    }
    AB_FN Status call(Known<ITEMCOUNT>) {
        auto type = arg_item_type(Known<0>{});
        u32 item[MAX_ITEM_WORDS], stride = m.types[type].item_words;
        if (looked_for(Known<1>{}, item) == ESCAPE) return number(0);
        const u32* x = m.c.a.at(args[0][0]);
        auto same = [&](u32 k) { return compare_items(m.c, m.types, type, x + k * stride, item) == 0; };
        return number(u32(m.c.g.sum_of(args[0][1], same)));
    }
    // The part's words, from the place the extra says.
    AB_FN Status call(Known<PART>) { return copied(args[0] + ins.extra()[2]); }
    AB_FN Status call(Known<MAXIMUM>) { return extreme(true); }
    AB_FN Status call(Known<MINIMUM>) { return extreme(false); }
    AB_FN Status extreme(bool greatest) {
        auto type = ins.arg_type(Known<0>{});
        if (m.types[type].kind == K_IJ) {
            i32 a = i32(args[0][0]), b = i32(args[0][1]);
            return number(u32(greatest ? most(a, b) : least(a, b)));
        }
        const u32* x = m.c.a.at(args[0][0]);
        u32 n = args[0][1];
        if (has_none(m, type, x, n)) return ESCAPE;
        if (n == 0) return number(0);
        auto at = [&](u32 k) { return key_int(x[k]); };
        return number(u32(greatest ? m.c.g.max_of(n, INT_LEAST, at) : m.c.g.min_of(n, INT_MOST, at)));
    }
    AB_FN Status call(Known<MOSTCOMMON>) { return common(true); }
    AB_FN Status call(Known<LEASTCOMMON>) { return common(false); }
    AB_FN Status common(bool most_common) {
        auto type = arg_item_type(Known<0>{});
        u32 item[MAX_ITEM_WORDS];
        bool set = m.is_set(ins.arg_type(Known<0>{}));
        Status s = generic::common(m.c, m.types, type, set, most_common, items(0), item);
        if (s == OK) unbox(m.types, type, item, out);
        return s;
    }
    AB_FN Status call(Known<SIZEFILTER>) {
        Items result{0, 0};
        bool set = m.is_set(ins.arg_type(Known<0>{}));
        Status s = generic::sizefilter(m.c, m.types, item_type(), set, items(0), i32(args[1][0]), result);
        return made(s, result);
    }
    AB_FN Status call(Known<PRODUCT>) {
        Items result{0, 0};
        Known<0> left;
        Known<1> right;
        Status s =
            generic::product(m.c, m.types, arg_item_type(left), arg_item_type(right), m.is_set(ins.arg_type(left)),
                             m.is_set(ins.arg_type(right)), item_type(), items(0), items(1), result);
        return made(s, result);
    }
    AB_FN Status call(Known<PAIR>) {
        Items result{0, 0};
        return made(pair(m, ins, args, result), result);
    }
    AB_FN Status call(Known<PAIRED>) { return call(Known<ASTUPLE>{}); }
    AB_FN Status call(Known<ASTUPLE>) {
        u32 n = m.types[ins.arg_type(Known<0>{})].slot_words;
        copy_words(out, args[0], n);
        copy_words(out + n, args[1], m.types[ins.arg_type(Known<1>{})].slot_words);
        return OK;
    }
    AB_FN Status call(Known<CELLS>) { return map_grid(m.c, ins, args, out); }
    AB_FN Status call(Known<CUSTOM>) { return call_custom(m.c, ins.extra()[2], args, out); }
};

template <class M, class I>
AB_CALL Status generic_call(M& m, I ins, const u32* const* args, u32* out) {
    GenericCall<M, I> call{m, ins, args, out};
    switch (ins.op()) {
#define AB_CASE(op) \
    case op:        \
        return call.call(Known<op>{});
        AB_GENERIC_CALLS(AB_CASE)
#undef AB_CASE
        default:
            return ESCAPE;
    }
}

}  // namespace arcbatt
