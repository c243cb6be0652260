// Operations on values of any type, which look at types when they run (ops/containers.h has what they do to
// containers).
#pragma once

#include "exec/casts.h"

namespace arcbatt {

AB_FN Status map_grid(Ctx& c, Ins ins, const u32* const* args, u32* out) {
    i32 numbers[MAX_ARGS];
    for (u32 k = 1; k < ins.count(); ++k) numbers[k - 1] = i32(args[k][0]);
    Grid made;
    Status s = map_cells(c, CellCodeRef{ins.extra() + 2}, Form<Grid>::load(args[0]), numbers, made);
    if (s == OK) Form<Grid>::store(out, made);
    return s;
}

AB_FN Status pair(Machine& m, Ins ins, const u32* const* args, generic::Items& result) {
    Ctx& c = m.c;
    const Types& types = m.types;
    u32 n = least(args[0][1], args[1][1]);
    u32 left = m.item_type(ins.arg_type(0)), right = m.item_type(ins.arg_type(1)), inner = m.item_type(ins.type());
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

AB_FN Status merge_grids(Machine& m, generic::Items grids, u32 type, u32* out) {
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

AB_CALL Status generic_call(Machine& m, Ins ins, const u32* const* args, u32* out) {
    Ctx& c = m.c;
    const Types& types = m.types;
    using generic::Items;
    using generic::items_at;
    u32 item[MAX_ITEM_WORDS], other[MAX_ITEM_WORDS];
    Items result{0, 0};
    Status s = OK;
    u32 type = ins.type();
    switch (ins.op()) {
        case COPY:
        case COPY_COUNTED:
            copy_words(out, args[0], types[type].slot_words);
            return OK;
        case CAST:
            return cast(m, ins.arg_type(0), type, args[0], out);
        case NEVER:
            return TYPE;
        case AS_EMPTY:  // an empty container, of whatever type
            if (args[0][1]) return ESCAPE;
            generic::put(out, result);
            return OK;
        case BRANCH:
            copy_words(out, args[args[0][0] ? 1 : 2], types[type].slot_words);
            return OK;
        case POWER_COUNT: {
            i32 n = i32(args[0][0]);
            if (n < 1) return BOUNDS;
            if (n > MAX_POWER) return LIMIT;
            out[0] = u32(n);
            return OK;
        }
        case UNEQUAL:
            out[0] = 0;
            return OK;
        case EQUAL_EMPTY:
            out[0] = args[0][1] == 0 && args[1][1] == 0;
            return OK;
        case EQUAL: {
            const TypeDesc& t = types[ins.arg_type(0)];
            if (t.scalar) {  // numbers in slots compare as they are
                out[0] = 1;
                for (u32 k = 0; k < t.slot_words; ++k) out[0] &= args[0][k] == args[1][k];
                return OK;
            }
            if ((s = m.boxed(ins, 0, item)) != OK || (s = m.boxed(ins, 1, other)) != OK) return s;
            out[0] = compare_items(c, types, ins.arg_type(0), item, other) == 0;
            return OK;
        }
        case SIZE: {
            u32 kind = types[ins.arg_type(0)].kind;
            out[0] = kind == K_GRID ? args[0][1] >> 16 : kind == K_CELL ? 2 : args[0][1];
            return OK;
        }
        case CONTAINED: {
            u32 inner = m.item_type(ins.arg_type(1));
            s = ins.extra()[0] & NEVER_EQUAL ? ESCAPE : m.boxed(ins, 0, item);
            if (s == ESCAPE) {  // a value no item of the container can have
                out[0] = 0;
                return OK;
            }
            const u32* x = c.a.at(args[1][0]);
            out[0] = m.is_set(ins.arg_type(1)) ? in_set(c, types, inner, x, args[1][1], item)
                                               : in_tuple(c, types, inner, x, args[1][1], item);
            return OK;
        }
        case COMBINE:
            s = generic::combine(c, types, m.item_type(type), m.is_set(type), items_at(args[0]), items_at(args[1]),
                                 result);
            break;
        case INTERSECTION:
            s = generic::select(c, types, m.item_type(type), items_at(args[0]), items_at(args[1]), true, true, result);
            break;
        case DIFFERENCE:
            if (ins.extra()[0] & NEVER_EQUAL) {
                copy_words(out, args[0], 2);
                return OK;
            }
            s = generic::select(c, types, m.item_type(type), items_at(args[0]), items_at(args[1]),
                                m.is_set(ins.arg_type(1)), false, result);
            break;
        case INSERT:
            if ((s = m.boxed(ins, 0, item)) != OK) return s;
            s = generic::insert(c, types, m.item_type(type), item, items_at(args[1]), result);
            break;
        case REMOVE:
            s = ins.extra()[0] & NEVER_EQUAL ? ESCAPE : m.boxed(ins, 0, item);
            if (s == ESCAPE) {
                copy_words(out, args[1], 2);
                return OK;
            }
            s = generic::remove(c, types, m.item_type(type), item, items_at(args[1]), result);
            break;
        case INITSET: {
            if ((s = m.boxed(ins, 0, item)) != OK) return s;
            s = generic::make(c, types, m.item_type(type), 1, result);
            if (s != OK) return s;
            copy_words(c.a.at(result.off), item, types[m.item_type(type)].item_words);
            break;
        }
        case REPEAT:
            if ((s = m.boxed(ins, 0, item)) != OK) return s;
            s = generic::repeat(c, types, m.item_type(type), item, i32(args[1][0]), result);
            break;
        case DEDUPE:
            s = generic::dedupe(c, types, m.item_type(type), items_at(args[0]), result);
            break;
        case MERGE:
            s = generic::merge(c, types, m.item_type(type), m.is_set(type), items_at(args[0]), result);
            break;
        case MERGE_GRIDS:
            return merge_grids(m, items_at(args[0]), type, out);
        case NTH: {
            i64 n = args[0][1], at = i32(args[1][0]);
            if (at < -n || at >= n) return n ? BOUNDS : EMPTY;
            u32 inner = m.item_type(ins.arg_type(0));
            u32 place = u32(at < 0 ? at + n : at);
            unbox(types, inner, c.a.at(args[0][0]) + place * types[inner].item_words, out);
            return OK;
        }
        case OTHER: {
            u32 inner = m.item_type(ins.arg_type(0)), stride = types[inner].item_words;
            s = ins.extra()[0] & NEVER_EQUAL ? ESCAPE : m.boxed(ins, 1, item);
            const u32* x = c.a.at(args[0][0]);
            for (u32 k = 0; k < args[0][1]; ++k)
                if (s == ESCAPE || compare_items(c, types, inner, x + k * stride, item) != 0) {
                    unbox(types, inner, x + k * stride, out);
                    return OK;
                }
            return EMPTY;
        }
        case PART: {  // the part's words, from the place the extra says
            copy_words(out, args[0] + ins.extra()[2], types[type].slot_words);
            return OK;
        }
        case MAXIMUM:
        case MINIMUM: {
            if (types[ins.arg_type(0)].kind == K_IJ) {
                i32 a = i32(args[0][0]), b = i32(args[0][1]);
                out[0] = u32(ins.op() == MAXIMUM ? most(a, b) : least(a, b));
                return OK;
            }
            const u32* x = c.a.at(args[0][0]);
            u32 n = args[0][1];
            if (has_none(m, ins.arg_type(0), x, n)) return ESCAPE;
            if (n == 0) {
                out[0] = 0;
            } else if (ins.op() == MAXIMUM) {
                out[0] = u32(c.g.max_of(n, INT_LEAST, [&](u32 k) { return key_int(x[k]); }));
            } else {
                out[0] = u32(c.g.min_of(n, INT_MOST, [&](u32 k) { return key_int(x[k]); }));
            }
            return OK;
        }
        case MOSTCOMMON:
        case LEASTCOMMON: {
            u32 inner = m.item_type(ins.arg_type(0));
            s = generic::common(c, types, inner, m.is_set(ins.arg_type(0)), ins.op() == MOSTCOMMON, items_at(args[0]),
                                item);
            if (s == OK) unbox(types, inner, item, out);
            return s;
        }
        case SIZEFILTER:
            s = generic::sizefilter(c, types, m.item_type(type), m.is_set(ins.arg_type(0)), items_at(args[0]),
                                    i32(args[1][0]), result);
            break;
        case PRODUCT:
            s = generic::product(c, types, m.item_type(ins.arg_type(0)), m.item_type(ins.arg_type(1)),
                                 m.is_set(ins.arg_type(0)), m.is_set(ins.arg_type(1)), m.item_type(type),
                                 items_at(args[0]), items_at(args[1]), result);
            break;
        case PAIR:
            s = pair(m, ins, args, result);
            break;
        case ASTUPLE: {
            u32 n = types[ins.arg_type(0)].slot_words;
            copy_words(out, args[0], n);
            copy_words(out + n, args[1], types[ins.arg_type(1)].slot_words);
            return OK;
        }
        case CELLS:
            return map_grid(c, ins, args, out);
        case CUSTOM:
            return call_custom(c, ins.extra()[2], args, out);
        default:
            return ESCAPE;
    }
    if (s == OK) generic::put(out, result);
    return s;
}

}  // namespace arcbatt
