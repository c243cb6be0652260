// Types: enough to move, compare and measure any value without knowing the program.
//
// What is here takes a table of types and a type of it: a number where programs are data (`Types`), or a type of its
// own where the compiler is to know it (waves/known_types.h). Either gives the row of a type by `types[type]`.
//
// In a slot an integer, an IJ or a Cell lies as plain numbers (one, two, three words), everything else as in an item. A
// tuple of known parts is its parts one after the other, both in slots and as an item; `flat` lists them with nesting
// undone.
#pragma once

#include "core/arrays.h"

namespace arcbatt {

struct Types {
    const TypeDesc* table;
    const u32* parts;
    AB_FN const TypeDesc& operator[](u32 type) const { return table[type]; }

    // f(part) for the parts of a tuple, as long as it holds; whether it held for all.
    template <class F>
    AB_FN bool each_part(const TypeDesc& tuple, F f) const {
        for (u32 k = 0; k < tuple.flat_count; ++k)
            if (!f(parts[tuple.flat_first + k])) return false;
        return true;
    }
};

// A few words; written out so that it does not become a call.
AB_FN void copy_words(u32* to, const u32* from, u32 n) {
#if AB_DEVICE && !AB_WAVES
    AB_ROLLED
    for (u32 k = 0; k < n; ++k) to[k] = from[k];
    return;
#endif
    if (n == 0) return;
    to[0] = from[0];
    if (n == 1) return;
    to[1] = from[1];
    for (u32 k = 2; k < n; ++k) to[k] = from[k];
}

template <class Row>
AB_FN bool is_key(const Row& t) {
    return t.kind <= K_CELL;
}

// --- between slots and items ---
AB_FN Status box_part(u32 kind, const u32* slot, u32* item) {
    switch (kind) {
        case K_INT:
            item[0] = int_key(i32(slot[0]));
            return OK;
        case K_OPT:
            item[0] = i32(slot[0]) == NONE ? 0 : int_key(i32(slot[0]));
            return OK;
        case K_IJ: {
            IJ p{i32(slot[0]), i32(slot[1])};
            if (!ij_fits(p)) return ESCAPE;
            item[0] = ij_key(p);
            return OK;
        }
        case K_CELL: {
            IJ p{i32(slot[1]), i32(slot[2])};
            if (!colour_fits(i32(slot[0])) || !place_fits_cell(p)) return ESCAPE;
            item[0] = cell_key(i32(slot[0]), p);
            return OK;
        }
        default:
            item[0] = slot[0];
            item[1] = slot[1];
            return OK;
    }
}
AB_FN void unbox_part(u32 kind, const u32* item, u32* slot) {
    switch (kind) {
        case K_INT:
            slot[0] = u32(key_int(item[0]));
            return;
        case K_OPT:
            slot[0] = item[0] == 0 ? u32(NONE) : u32(key_int(item[0]));
            return;
        case K_IJ: {
            IJ p = key_ij(item[0]);
            slot[0] = u32(p.i);
            slot[1] = u32(p.j);
            return;
        }
        case K_CELL: {
            IJ p = key_place(item[0]);
            slot[0] = u32(key_colour(item[0]));
            slot[1] = u32(p.i);
            slot[2] = u32(p.j);
            return;
        }
        default:
            slot[0] = item[0];
            slot[1] = item[1];
    }
}
template <class Table, class Type>
AB_CALL Status box(const Table& types, Type type, const u32* slot, u32* item) {
    const auto& t = types[type];
    if (t.kind != K_TUP) return box_part(t.kind, slot, item);
    Status s = OK;
    types.each_part(t, [&](auto inner) {
        const auto& part = types[inner];
        s = box_part(part.kind, slot, item);
        slot += part.slot_words;
        item += part.item_words;
        return s == OK;
    });
    return s;
}
template <class Table, class Type>
AB_CALL void unbox(const Table& types, Type type, const u32* item, u32* slot) {
    const auto& t = types[type];
    if (t.kind != K_TUP) return unbox_part(t.kind, item, slot);
    types.each_part(t, [&](auto inner) {
        const auto& part = types[inner];
        unbox_part(part.kind, item, slot);
        slot += part.slot_words;
        item += part.item_words;
        return true;
    });
}

// --- order ---
AB_FN i32 compare_grids(const Ctx& c, const u32* a, const u32* b) {
    i32 ah = i32(a[1] >> 16), aw = i32(a[1] & 0xFFFFu), bh = i32(b[1] >> 16), bw = i32(b[1] & 0xFFFFu);
    const i8* x = reinterpret_cast<const i8*>(c.a.at(a[0]));
    const i8* y = reinterpret_cast<const i8*>(c.a.at(b[0]));
    i32 rows = least(ah, bh), columns = least(aw, bw);
    for (i32 i = 0; i < rows; ++i) {
        for (i32 j = 0; j < columns; ++j)
            if (x[i * aw + j] != y[i * bw + j]) return x[i * aw + j] < y[i * bw + j] ? -1 : 1;
        if (aw != bw) return aw < bw ? -1 : 1;
    }
    return ah == bh ? 0 : ah < bh ? -1 : 1;
}

// The order of two items of one type: -1, 0 or 1. Nesting is bounded, so this is no recursion but a copy for each of
// MAX_TYPE_DEPTH containers and one for the tuple or grid in the innermost.
template <u32 DEPTH>
struct Order {
    template <class Table, class Type>
    static AB_FN i32 part(const Ctx& c, const Table& types, Type type, const u32* a, const u32* b) {
        const auto& t = types[type];
        if (is_key(t)) return a[0] == b[0] ? 0 : a[0] < b[0] ? -1 : 1;
        if (t.kind == K_GRID) return compare_grids(c, a, b);
        const u32 *x = c.a.at(a[0]), *y = c.a.at(b[0]);
        u32 n = least(a[1], b[1]), stride = types[t.item].item_words;
        if (is_key(types[t.item])) return compare_keys(x, a[1], y, b[1]);
        for (u32 k = 0; k < n; ++k) {
            i32 order = Order<DEPTH - 1>::item(c, types, t.item, x + k * stride, y + k * stride);
            if (order) return order;
        }
        return a[1] == b[1] ? 0 : a[1] < b[1] ? -1 : 1;
    }
    template <class Table, class Type>
    static AB_FN i32 item(const Ctx& c, const Table& types, Type type, const u32* a, const u32* b) {
        const auto& t = types[type];
        if (t.kind != K_TUP) return part(c, types, type, a, b);
        i32 order = 0;
        types.each_part(t, [&](auto inner) {
            order = part(c, types, inner, a, b);
            a += types[inner].item_words;
            b += types[inner].item_words;
            return order == 0;
        });
        return order;
    }
};
template <>
struct Order<0> {
    template <class Table, class Type>
    static AB_FN i32 item(const Ctx&, const Table&, Type, const u32*, const u32*) {
        return 0;
    }
};
template <class Table, class Type>
AB_CALL i32 compare_items(const Ctx& c, const Table& types, Type type, const u32* a, const u32* b) {
    if (c.lane_stopped()) return 0;
    return Order<MAX_TYPE_DEPTH + 1>::item(c, types, type, a, b);
}

// --- size: of a container the sizes of its items, each at least 1; of a number 1 ---

// A value as an item or a part: at least 1, however little it holds.
AB_FN u64 at_least_one(u64 size) { return size ? size : 1; }
// A grid is a tuple of rows.
AB_FN u64 grid_size(u32 shape) { return u64(shape >> 16) * at_least_one(shape & 0xFFFFu); }

// Whether a value's own words say its size: one of fixed size, a grid, or a container of items of fixed size.
template <class Table, class Type>
AB_FN bool is_flat(const Table& types, Type type) {
    const auto& t = types[type];
    bool container = t.kind == K_SET || t.kind == K_SEQ;
    return t.leaves || t.kind == K_GRID || (container && types[t.item].leaves);
}
template <class Table, class Type>
AB_FN u64 flat_size(const Table& types, Type type, const u32* words) {
    const auto& t = types[type];
    if (t.leaves) return t.leaves;
    if (t.kind == K_GRID) return grid_size(words[1]);
    return u64(words[1]) * types[t.item].leaves;
}
// Measuring stops where it is beyond `cap`: a value may hold the same items many times over.
template <u32 DEPTH>
struct Size {
    template <class Table, class Type>
    static AB_FN u64 part(const Ctx& c, const Table& types, Type type, const u32* item, u64 cap) {
        const auto& t = types[type];
        if (is_flat(types, type)) return flat_size(types, type, item);
        const auto& inner = types[t.item];
        const u32* words = c.a.at(item[0]);
        u64 total = 0;
        for (u32 k = 0; k < item[1] && total <= cap; ++k)
            total += at_least_one(Size<DEPTH - 1>::item(c, types, t.item, words + k * inner.item_words, cap));
        return total;
    }
    template <class Table, class Type>
    static AB_FN u64 item(const Ctx& c, const Table& types, Type type, const u32* words, u64 cap) {
        const auto& t = types[type];
        if (t.kind != K_TUP || t.leaves) return part(c, types, type, words, cap);
        u64 total = 0;
        types.each_part(t, [&](auto inner) {
            total += at_least_one(part(c, types, inner, words, cap));
            words += types[inner].item_words;
            return true;
        });
        return total;
    }
};
template <>
struct Size<0> {
    template <class Table, class Type>
    static AB_FN u64 item(const Ctx&, const Table&, Type, const u32*, u64) {
        return 0;
    }
};
// The size of a value in a slot. (Where it is not fixed, a part with offsets lies there as in an item.)
template <class Table, class Type>
AB_CALL u64 deep_size_in_slot(const Ctx& c, const Table& types, Type type, const u32* slot, u64 cap) {
    const auto& t = types[type];
    if (t.kind != K_TUP) {  // the lanes share the items
        u32 stride = types[t.item].item_words;
        const u32* items = c.a.at(slot[0]);
        if (is_flat(types, t.item))
            return u64(c.g.sum_of(
                slot[1], [&](u32 k) { return i64(at_least_one(flat_size(types, t.item, items + k * stride))); }));
        u64 mine = 0;  // of a lane: beyond the cap, others need not know
        return u64(c.g.sum_of(slot[1], [&](u32 k) {
            if (mine > cap) return i64(0);
            u64 size = at_least_one(Size<MAX_TYPE_DEPTH>::item(c, types, t.item, items + k * stride, cap));
            mine += size;
            return i64(size);
        }));
    }
    u64 total = 0;
    types.each_part(t, [&](auto inner) {
        total += types[inner].leaves ? types[inner].leaves
                                     : at_least_one(Size<MAX_TYPE_DEPTH + 1>::part(c, types, inner, slot, cap));
        slot += types[inner].slot_words;
        return true;
    });
    return total;
}

template <class Table, class Type>
AB_FN u64 size_in_slot(const Ctx& c, const Table& types, Type type, const u32* slot, u64 cap) {
    return is_flat(types, type) ? flat_size(types, type, slot) : deep_size_in_slot(c, types, type, slot, cap);
}

// --- data: what a value points to ---

// Whether a value has no more than one level of it.
template <class Table, class Type>
AB_FN bool one_level(const Table& types, Type type) {
    const auto& t = types[type];
    bool container = t.kind == K_SET || t.kind == K_SEQ;
    return t.scalar || t.kind == K_GRID || (container && types[t.item].scalar);
}
// How many words that is.
template <class Table, class Type>
AB_FN u32 data_words(const Table& types, Type type, const u32* item) {
    const auto& t = types[type];
    if (t.scalar) return 0;
    if (t.kind == K_GRID) return ((item[1] >> 16) * (item[1] & 0xFFFFu) + 3) / 4;
    return item[1] * types[t.item].item_words;
}

// --- sets of any items ---

// Ascending order in place.
template <class Table, class Type>
AB_CALL void sort_items(const Ctx& c, const Table& types, Type type, u32* items, u32 n) {
    u32 stride = types[type].item_words;
    if (is_key(types[type])) return sort_keys(c, items, n);
    auto before = [&](const u32* a, const u32* b) { return compare_items(c, types, type, a, b) < 0; };
    if (n < 2 || !c.g.any(n - 1, [&](u32 k) { return before(items + (k + 1) * stride, items + k * stride); })) return;
    order_items<MAX_ITEM_WORDS>(c, items, n, stride, before);
}
// Whether items are sets or tuples of keys: two words, compared as arrays.
template <class Table, class Type>
AB_FN bool is_array(const Table& types, Type type) {
    const auto& t = types[type];
    return (t.kind == K_SET || t.kind == K_SEQ) && is_key(types[t.item]);
}
// Sort and drop what is equal; how many are left.
template <class Table, class Type>
AB_CALL u32 sort_unique_items(const Ctx& c, const Table& types, Type type, u32* items, u32 n) {
    if (is_key(types[type])) return sort_unique_keys(c, items, n, types[type].kind);
    if (is_array(types, type)) return sort_unique_objects(c, items, n);
    u32 stride = types[type].item_words;
    sort_items(c, types, type, items, n);
    return c.g.squeeze(items, n, stride, [&](u32 a, u32 b) {
        return compare_items(c, types, type, items + a * stride, items + b * stride) == 0;
    });
}
// Whether an item is in a sorted set, or anywhere in a tuple.
template <class Table, class Type>
AB_FN bool in_set(const Ctx& c, const Table& types, Type type, const u32* items, u32 n, const u32* item) {
    if (is_key(types[type])) return has_key(items, n, item[0]);
    u32 stride = types[type].item_words, low = 0, high = n;
    while (low < high) {
        u32 middle = (low + high) / 2;
        i32 order = compare_items(c, types, type, items + middle * stride, item);
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
template <class Table, class Type>
AB_FN bool in_tuple(const Ctx& c, const Table& types, Type type, const u32* items, u32 n, const u32* item) {
    u32 stride = types[type].item_words;
    if (is_key(types[type])) return c.g.any(n, [&](u32 k) { return items[k] == item[0]; });
    return c.g.any(n, [&](u32 k) { return compare_items(c, types, type, items + k * stride, item) == 0; });
}
// The same by one lane, for use inside a region.
template <class Table, class Type>
AB_FN bool found_in_tuple(const Ctx& c, const Table& types, Type type, const u32* items, u32 n, const u32* item) {
    u32 stride = types[type].item_words;
    for (u32 k = 0; k < n; ++k)
        if (compare_items(c, types, type, items + k * stride, item) == 0) return true;
    return false;
}

}  // namespace arcbatt
