// Containers of any type: what the language does with sets and tuples whatever they hold.
// A container is two words, offset and count; `type` is the type of its items.
#pragma once

#include "core/types.h"

namespace arcbatt {
namespace generic {

struct Items {
    u32 off, n;
};

AB_FN Items items_at(const u32* slot) { return Items{slot[0], slot[1]}; }
AB_FN void put(u32* slot, Items v) {
    slot[0] = v.off;
    slot[1] = v.n;
}
template <class Table, class Type>
AB_FN Status make(Ctx& c, const Table& types, Type type, u64 n, Items& out) {
    u32 off = c.a.take(n * types[type].item_words);
    if (off == NOWHERE) return OVERFLOW_;
    out = Items{off, u32(n)};
    return OK;
}

// The union of two sorted arrays of distinct keys; how many there are.
AB_FN u32 unite(const Ctx& c, const u32* x, u32 xn, const u32* y, u32 yn, u32* to) {
#if AB_LANES == 1
    (void)c;
    u32 i = 0, j = 0, n = 0;
    while (i < xn || j < yn) {
        if (j == yn || (i < xn && x[i] <= y[j])) {
            if (j < yn && x[i] == y[j]) ++j;
            to[n++] = x[i++];
        } else {
            to[n++] = y[j++];
        }
    }
    return n;
#else
    c.g.each(xn, [&](u32 i) { to[i + lower_bound(y, yn, x[i])] = x[i]; });
    c.g.each(yn, [&](u32 j) {
        u32 at = lower_bound(x, xn, y[j]);
        to[j + at + (at < xn && x[at] == y[j])] = y[j];
    });
    return distinct_keys(c, to, xn + yn);
#endif
}

template <class Table, class Type>
AB_CALL Status combine(Ctx& c, const Table& types, Type type, bool is_set, Items a, Items b, Items& out) {
    u32 stride = types[type].item_words;
    Status s = make(c, types, type, u64(a.n) + b.n, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32 *x = c.a.at(a.off), *y = c.a.at(b.off);
    if (is_set && is_key(types[type])) {
        out.n = unite(c, x, a.n, y, b.n, to);
        c.a.top = out.off + out.n;
        return OK;
    }
    c.g.each(a.n * stride, [&](u32 k) { to[k] = x[k]; });
    c.g.each(b.n * stride, [&](u32 k) { to[a.n * stride + k] = y[k]; });
    if (is_set) {
        out.n = sort_unique_items(c, types, type, to, out.n);
        c.a.top = out.off + out.n * stride;
    }
    return OK;
}

// Items of a that are (keep) or are not (drop) in b; order stays.
template <class Table, class Type>
AB_CALL Status select(Ctx& c, const Table& types, Type type, Items a, Items b, bool b_is_set, bool keep, Items& out) {
    constexpr u32 FEW = 32;
    u32 stride = types[type].item_words;
    Status s = make(c, types, type, a.n, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32 *x = c.a.at(a.off), *y = c.a.at(b.off);
    if (!b_is_set && b.n > FEW) {  // many items are searched in order
        Items sorted;
        s = make(c, types, type, b.n, sorted);
        if (s != OK) return s;
        u32* in_order = c.a.at(sorted.off);
        c.g.each(b.n * stride, [&](u32 k) { in_order[k] = y[k]; });
        sort_items(c, types, type, in_order, b.n);
        y = in_order;
        b_is_set = true;
    }
    out.n = c.g.compact(
        a.n,
        [&](u32 k) {
            const u32* item = x + k * stride;
            bool in = b_is_set ? in_set(c, types, type, y, b.n, item) : found_in_tuple(c, types, type, y, b.n, item);
            return in == keep;
        },
        [&](u32 k, u32 place) { copy_words(to + place * stride, x + k * stride, stride); });
    c.a.top = out.off + out.n * stride;
    return OK;
}

template <class Table, class Type>
AB_CALL Status insert(Ctx& c, const Table& types, Type type, const u32* item, Items set, Items& out) {
    u32 stride = types[type].item_words;
    Status s = make(c, types, type, u64(set.n) + 1, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32* x = c.a.at(set.off);
    c.g.each(set.n * stride, [&](u32 k) { to[k] = x[k]; });
    copy_words(to + set.n * stride, item, stride);
    out.n = sort_unique_items(c, types, type, to, out.n);
    c.a.top = out.off + out.n * stride;
    return OK;
}

template <class Table, class Type>
AB_CALL Status remove(Ctx& c, const Table& types, Type type, const u32* item, Items from, Items& out) {
    u32 stride = types[type].item_words;
    Status s = make(c, types, type, from.n, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32* x = c.a.at(from.off);
    out.n = c.g.compact(
        from.n, [&](u32 k) { return compare_items(c, types, type, x + k * stride, item) != 0; },
        [&](u32 k, u32 place) { copy_words(to + place * stride, x + k * stride, stride); });
    c.a.top = out.off + out.n * stride;
    return OK;
}

template <class Table, class Type>
AB_CALL Status repeat(Ctx& c, const Table& types, Type type, const u32* item, i32 n, Items& out) {
    u32 stride = types[type].item_words;
    if (n > i32(MAX_ITEMS)) return LIMIT;
    Status s = make(c, types, type, n > 0 ? u64(n) : 0, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    c.g.each(out.n, [&](u32 k) { copy_words(to + k * stride, item, stride); });
    return OK;
}

// The first of equal items, in their order: short tuples are searched as they are, others by sorting items and places.
template <class Table, class Type>
AB_CALL Status dedupe(Ctx& c, const Table& types, Type type, Items from, Items& out) {
    constexpr u32 FEW = 64;
    u32 stride = types[type].item_words, entry = stride + 1, kept = 0;
    Status s = make(c, types, type, from.n, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32* x = c.a.at(from.off);
    if (from.n <= FEW) {
        for (u32 k = 0; k < from.n; ++k) {
            if (in_tuple(c, types, type, to, kept, x + k * stride)) continue;
            copy_words(to + kept * stride, x + k * stride, stride);
            ++kept;
        }
    } else {
        u32 off = c.a.take(u64(from.n) * entry);
        if (off == NOWHERE) return OVERFLOW_;
        u32* entries = c.a.at(off);
        c.g.each(from.n, [&](u32 k) {
            copy_words(entries + k * entry, x + k * stride, stride);
            entries[k * entry + stride] = k;
        });
        order_items<MAX_ITEM_WORDS + 1>(c, entries, from.n, entry, [&](const u32* a, const u32* b) {
            i32 order = compare_items(c, types, type, a, b);
            return order < 0 || (order == 0 && a[stride] < b[stride]);
        });
        kept = c.g.compact(
            from.n,
            [&](u32 k) {
                const u32* now = entries + k * entry;
                return k == 0 || compare_items(c, types, type, now - entry, now) != 0;
            },
            [&](u32 k, u32 at) { to[at] = entries[k * entry + stride]; });
        sort_keys(c, to, kept);
        c.g.each(kept, [&](u32 k) { entries[k] = to[k]; });
        c.g.each(kept, [&](u32 k) { copy_words(to + k * stride, x + entries[k] * stride, stride); });
    }
    out.n = kept;
    c.a.top = out.off + kept * stride;
    return OK;
}

// The items of containers one behind the other; OVERFLOW_ where there is no room to count them.
AB_FN Status copy_all(Ctx& c, const u32* pairs, u32 n, u64 total, u32 stride, u32* to) {
#if AB_LANES == 1
    for (u32 k = 0; k < n; ++k) {
        copy_words(to, c.a.at(pairs[2 * k]), pairs[2 * k + 1] * stride);
        to += pairs[2 * k + 1] * stride;
    }
#else
    u32 kept = c.a.top, room = c.a.take(n);
    if (room == NOWHERE) return OVERFLOW_;
    u32* starts = c.a.at(room);
    c.g.scan(n, [&](u32 k) { return pairs[2 * k + 1] * stride; }, [&](u32 k, u32 sum) { starts[k] = sum; });
    each_in_all(c, pairs, n, total, stride, [&](u32 k, u32 i, u32 word) { to[starts[k] + i] = word; });
    c.a.top = kept;
#endif
    (void)total;
    return OK;
}

// The items of the items; `inner` is their type.
template <class Table, class Type>
AB_CALL Status merge(Ctx& c, const Table& types, Type inner, bool to_set, Items from, Items& out) {
    u32 stride = types[inner].item_words;
    const u32* pairs = c.a.at(from.off);
    u64 total = u64(c.g.sum_of(from.n, [&](u32 k) { return i64(pairs[2 * k + 1]); }));
    if (total > 4 * u64(MAX_SIZE)) return ESCAPE;  // whether that is beyond a limit depends on what is equal
    if (to_set && is_key(types[inner]) && unite_by_marks(c, types[inner].kind, pairs, from.n, total, out.off, out.n))
        return OK;
    Status s = make(c, types, inner, total, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    s = copy_all(c, pairs, from.n, total, stride, to);
    if (s != OK) return s;
    if (to_set) {
        out.n = sort_unique_items(c, types, inner, to, out.n);
        c.a.top = out.off + out.n * stride;
    }
    return OK;
}

// The item that occurs most or least; the least of several.
template <class Table, class Type>
AB_CALL Status common(Ctx& c, const Table& types, Type type, bool is_set, bool most_common, Items from, u32* item) {
    if (from.n == 0) return EMPTY;
    u32 stride = types[type].item_words, mark = c.a.top;
    const u32* x = c.a.at(from.off);
    if (!is_set) {
        Items sorted;
        Status s = make(c, types, type, from.n, sorted);
        if (s != OK) return s;
        u32* to = c.a.at(sorted.off);
        c.g.each(from.n * stride, [&](u32 k) { to[k] = x[k]; });
        sort_items(c, types, type, to, from.n);
        x = to;
    }
    u32 best = 0, best_count = 0;
    for (u32 start = 0; start < from.n;) {
        u32 end = start + 1;
        while (end < from.n && compare_items(c, types, type, x + start * stride, x + end * stride) == 0) ++end;
        u32 count = end - start;
        if (best_count == 0 || (most_common ? count > best_count : count < best_count)) {
            best = start;
            best_count = count;
        }
        start = end;
    }
    copy_words(item, x + best * stride, stride);
    c.a.top = mark;
    return OK;
}

template <class Table, class Left, class Right, class Pair>
AB_CALL Status product(Ctx& c, const Table& types, Left left, Right right, bool left_set, bool right_set,
                       Pair pair_type, Items a, Items b, Items& out) {
    u64 n = u64(a.n) * b.n;
    if (n > MAX_ITEMS) return LIMIT;
    u32 ls = types[left].item_words, rs = types[right].item_words, stride = types[pair_type].item_words;
    Status s = make(c, types, pair_type, n, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32 *x = c.a.at(a.off), *y = c.a.at(b.off);
    if (types[pair_type].kind == K_IJ || types[pair_type].kind == K_CELL) {
        // Two keys become one.
        bool cell = types[pair_type].kind == K_CELL;
        bool bad = c.g.any(u32(n), [&](u32 k) {
            u32 p = x[k / b.n], q = y[k % b.n];
            if (cell) return !colour_fits(key_int(p)) || !place_fits_cell(key_ij(q));
            return !ij_fits(IJ{key_int(p), key_int(q)});
        });
        if (bad) return ESCAPE;
        c.g.each(u32(n), [&](u32 k) {
            u32 p = x[k / b.n], q = y[k % b.n];
            to[k] = cell ? cell_key(key_int(p), key_ij(q)) : ij_key(IJ{key_int(p), key_int(q)});
        });
    } else {
        auto put = [&](u32 i, u32 j) {
            u32* item = to + (i * b.n + j) * stride;
            copy_words(item, x + i * ls, ls);
            copy_words(item + ls, y + j * rs, rs);
        };
        if (b.n < AB_LANES) {
            c.g.each(u32(n), [&](u32 k) { put(k / b.n, k % b.n); });
        } else {
            for (u32 i = 0; i < a.n; ++i) c.g.each(b.n, [&](u32 j) { put(i, j); });
        }
    }
    if (!left_set || !right_set) {
        out.n = sort_unique_items(c, types, pair_type, to, out.n);
        c.a.top = out.off + out.n * stride;
    }
    return OK;
}

template <class Table, class Type>
AB_CALL Status sizefilter(Ctx& c, const Table& types, Type type, bool is_set, Items from, i32 size, Items& out) {
    Status s = make(c, types, type, from.n, out);
    if (s != OK) return s;
    u32* to = c.a.at(out.off);
    const u32* x = c.a.at(from.off);
    out.n = c.g.compact(
        from.n, [&](u32 k) { return i64(x[2 * k + 1]) == size; },
        [&](u32 k, u32 place) { copy_words(to + 2 * place, x + 2 * k, 2); });
    if (!is_set) out.n = sort_unique_items(c, types, type, to, out.n);
    c.a.top = out.off + 2 * out.n;
    return OK;
}

}  // namespace generic
}  // namespace arcbatt
