// Casts: values in another form of theirs, as another type has it.
#pragma once

#include "exec/dispatch.h"
#include "exec/machine.h"
#include "ops/containers.h"

namespace arcbatt {

template <class Table, class From, class To>
AB_FN bool holds_none(const Table& types, From from, To to, const u32* slot) {
    const auto& f = types[from];
    if (f.kind == K_OPT) return types[to].kind != K_OPT && i32(slot[0]) == NONE;
    if (f.kind != K_TUP) return false;
    return !types.each_part(f, [&](auto inner) {
        const auto& part = types[inner];
        bool none = part.kind == K_OPT && i32(slot[0]) == NONE;
        slot += part.slot_words;
        return !none;
    });
}

// Whether a container of integers or None holds None.
template <class M, class Type>
AB_FN bool has_none(const M& m, Type container, const u32* keys, u32 n) {
    return m.types[m.item_type(container)].kind == K_OPT && m.c.g.any(n, [&](u32 k) { return keys[k] == 0; });
}

// Items in another form of the same numbers, none of which may be None where that has no form.
template <class M, class From, class Row>
AB_FN Status cast_items(M& m, From from, const Row& t, const u32* arg, u32* out) {
    Ctx& c = m.c;
    const auto& types = m.types;
    generic::Items items;
    Status s = generic::make(c, types, t.item, arg[1], items);
    if (s != OK) return s;
    bool lost = c.g.flagged(arg[1], [&](u32 k) {
        u32 slot[3 * MAX_ITEM_WORDS];
        unbox(types, from, c.a.at(arg[0]) + k * types[from].item_words, slot);
        return holds_none(types, from, t.item, slot) ||
               box(types, t.item, slot, c.a.at(items.off) + k * types[t.item].item_words) != OK;
    });
    if (lost) return ESCAPE;
    if (t.kind == K_SET) items.n = sort_unique_items(c, types, t.item, c.a.at(items.off), items.n);
    generic::put(out, items);
    return OK;
}

AB_FN Status grid_rows(Ctx& c, Grid g, u32* pairs) {
    u32 off = c.a.take(u64(g.h) * u64(g.w));
    if (off == NOWHERE) return OVERFLOW_;
    const i8* from = cells(c, g);
    u32* keys = c.a.at(off);
    c.g.each(u32(g.h * g.w), [&](u32 k) { keys[k] = int_key(from[k]); });
    c.g.each(u32(g.h), [&](u32 i) {
        pairs[2 * i] = off + i * u32(g.w);
        pairs[2 * i + 1] = u32(g.w);
    });
    return OK;
}

AB_FN Status rows_to_grid(Ctx& c, generic::Items rows, u32* out) {
    const u32* pairs = c.a.at(rows.off);
    u32 h = rows.n, w = h ? pairs[1] : 0;
    if (h > u32(MAX_SIDE) || w > u32(MAX_SIDE) || h * w > u32(MAX_CELLS)) return ESCAPE;
    if (c.g.any(h, [&](u32 i) { return pairs[2 * i + 1] != w; })) return ESCAPE;
    Grid g;
    Status s = make_grid(c, h, w, g);
    if (s != OK) return s;
    i8* to = cells(c, g);
    bool beyond = c.g.any(h, [&](u32 i) {
        const u32* keys = c.a.at(pairs[2 * i]);
        bool bad = false;
        for (u32 j = 0; j < w; ++j) bad = bad || !colour_fits(key_int(keys[j]));
        return bad;
    });
    if (beyond) return ESCAPE;
    c.g.each(h, [&](u32 i) {
        const u32* keys = c.a.at(pairs[2 * i]);
        for (u32 j = 0; j < w; ++j) to[i * w + j] = i8(key_int(keys[j]));
    });
    Form<Grid>::store(out, g);
    return OK;
}

template <class M, class From, class To>
AB_CALL Status cast(M& m, From from, To to, const u32* arg, u32* out) {
    Ctx& c = m.c;
    const auto& types = m.types;
    const auto& f = types[from];
    const auto& t = types[to];
    if (f.kind == K_GRID && t.kind == K_SEQ) {
        Grid g = Form<Grid>::load(arg);
        generic::Items rows;
        Status s = generic::make(c, types, t.item, u64(g.h), rows);
        if (s != OK || (s = grid_rows(c, g, c.a.at(rows.off))) != OK) return s;
        generic::put(out, rows);
        return OK;
    }
    if (t.kind == K_GRID) return rows_to_grid(c, generic::items_at(arg), out);
    if (f.kind == t.kind && (f.kind == K_SET || f.kind == K_SEQ)) return cast_items(m, f.item, t, arg, out);
    if (f.kind == K_SEQ && t.kind == K_SET) {
        generic::Items set;
        Status s = generic::make(c, types, t.item, arg[1], set);
        if (s != OK) return s;
        u32* to_words = c.a.at(set.off);
        const u32* x = c.a.at(arg[0]);
        c.g.each(set.n * types[t.item].item_words, [&](u32 k) { to_words[k] = x[k]; });
        set.n = sort_unique_items(c, types, t.item, to_words, set.n);
        generic::put(out, set);
        return OK;
    }
    if (f.kind == K_SEQ && t.kind == K_IJ) {
        if (arg[1] != 2 || has_none(m, from, c.a.at(arg[0]), 2)) return ESCAPE;
        out[0] = u32(key_int(c.a.at(arg[0])[0]));
        out[1] = u32(key_int(c.a.at(arg[0])[1]));
        return OK;
    }
    if (f.kind == K_OPT && t.kind == K_INT) {
        if (i32(arg[0]) == NONE) return ESCAPE;
        out[0] = arg[0];
        return OK;
    }
    if (f.kind == K_INT && t.kind == K_OPT) {
        if (i32(arg[0]) == NONE) return ESCAPE;
        out[0] = arg[0];
        return OK;
    }
    if (t.kind == K_IJ || t.kind == K_CELL || t.kind == K_TUP) {
        if (holds_none(types, from, to, arg)) return ESCAPE;
        copy_words(out, arg, t.slot_words);
        return OK;
    }
    if (t.kind == K_SEQ) {  // a tuple of known parts, all of the item's type
        const auto& item = types[t.item];
        u32 n = f.kind == K_IJ ? 2 : f.flat_count / (item.kind == K_TUP ? item.flat_count : 1);
        u32 words = types[t.item].slot_words;
        generic::Items items;
        Status s = generic::make(c, types, t.item, n, items);
        if (s != OK) return s;
        for (u32 k = 0; k < n; ++k) {
            s = box(types, t.item, arg + k * words, c.a.at(items.off) + k * types[t.item].item_words);
            if (s != OK) return s;
        }
        generic::put(out, items);
        return OK;
    }
    copy_words(out, arg, t.slot_words);
    return OK;
}

}  // namespace arcbatt
