// What an output is to those who only compare it: whether it is a grid, its cells, how many of them are as expected,
// and a 64-bit hash. All of it is by value: a tuple of equally long tuples of small integers is a grid however the
// program came by it. `engine/outputs.py` says the same of the reference's values.
//
// A hash is a sum over places of mixed words, mixed again, so that lanes may share the work: of a grid over its cells,
// eight per word; of any other value over its tokens in reading order (a number, None, a tuple or set of so many).
//
// A value is read by its *shape*, the type in words, each part after what it is a part of: a scalar or GRID alone; TUP
// and how many parts; SET or SEQ, words per item, words of the item's shape. Parts of a tuple lie one after the other,
// so that only containers need a place on the stack.
#pragma once

#include "core/packed.h"
#include "core/types.h"

namespace arcbatt {

AB_FN u64 mixed(u64 x) {
    x = (x ^ (x >> 30)) * MIX_1;
    x = (x ^ (x >> 27)) * MIX_2;
    return x ^ (x >> 31);
}
AB_FN u64 hash_failed(Status s) { return mixed(FAILED_SEED + u64(s)); }

AB_FN u64 hash_grid(const Group& g, const i8* from, i32 h, i32 w) {
    u32 n = u32(h) * u32(w);
    u64 total = u64(g.sum_of((n + 7) / 8, [&](u32 k) {
        u64 word = 0;
        u32 end = least(n - 8 * k, 8u);
        for (u32 b = 0; b < end; ++b) word |= u64(u8(from[8 * k + b])) << (8 * b);
        return i64(mixed(word + u64(k + 1) * GOLDEN));
    }));
    return mixed(total + mixed(GRID_SEED + (u64(h) << 32 | u64(w))));
}

// Reads the tokens of a value: their hash and, if they are those of a grid, its shape and hash; its cells go to `out`.
struct Reader {
    u64 total = mixed(VALUE_SEED), place = 0;
    bool grid = true;
    i32 h = 0, w = 0;
    u64 row_left = 0, rows = 0, cells = 0;
    i8* out = nullptr;

    AB_FN void token(Token kind, u32 word) { total += mixed((u64(kind) << 32 | word) + ++place * GOLDEN); }
    AB_FN void number(i32 x) {
        token(T_NUMBER, u32(x));
        if (row_left == 0 || !colour_fits(x)) grid = false;
        if (!grid) return;
        --row_left;
        if (out) out[cells] = i8(x);
        ++cells;
    }
    AB_FN void none() {
        token(T_NONE, 0);
        grid = false;
    }
    AB_FN void tuple(u32 n) {
        bool first = place == 0, fits = n > 0 && n <= 0x7FFFFFFFu && row_left == 0;
        token(T_TUPLE, n);
        if (first) {
            grid = fits;
            h = i32(n);
            return;
        }
        if (rows == 0) w = i32(n);
        if (!fits || i32(n) != w) grid = false;
        ++rows;
        row_left = n;
    }
    AB_FN void set(u32 n) {
        token(T_SET, n);
        grid = false;
    }
    AB_FN bool is_grid() const { return grid && h > 0 && rows == u64(h) && row_left == 0; }
    AB_FN u64 hash() const { return mixed(total); }
};

template <class R>
AB_FN void read_scalar(R& to, u32 kind, const u32* slot) {
    if (kind == K_OPT && i32(slot[0]) == NONE) return to.none();
    if (kind == K_IJ) to.tuple(2);
    if (kind == K_CELL) to.tuple(2);
    to.number(i32(slot[0]));
    if (kind == K_CELL) to.tuple(2);
    if (kind >= K_IJ) to.number(i32(slot[1]));
    if (kind == K_CELL) to.number(i32(slot[2]));
}

template <class R>
AB_FN void read_grid(const Ctx& c, R& to, const u32* words) {
    u32 h = words[1] >> 16, w = words[1] & 0xFFFFu;
    const i8* from = reinterpret_cast<const i8*>(c.a.at(words[0]));
    to.tuple(h);
    for (u32 i = 0; i < h; ++i) {
        to.tuple(w);
        for (u32 j = 0; j < w; ++j) to.number(from[i * w + j]);
    }
}

// Read the value of a slot by its shape; the reader is told of tokens as they come.
template <class R>
AB_FN void read_value(const Ctx& c, const u32* shape, u32 length, const u32* slot, R& to) {
    struct Level {
        const u32 *begin, *end, *at;  // of the shape
        const u32 *item, *words;
        u32 left, stride;
    };
    Level levels[MAX_TYPE_DEPTH + 1];
    levels[0] = Level{shape, shape + length, shape, slot, slot, 1, 0};
    u32 depth = 0;
    for (;;) {
        Level& level = levels[depth];
        if (level.at == level.end) {
            if (--level.left == 0) {
                if (depth == 0) return;
                --depth;
                continue;
            }
            level.item += level.stride;
            level.words = level.item;
            level.at = level.begin;
            continue;
        }
        u32 kind = *level.at & KIND_BITS;
        if (kind == K_TUP) {
            to.tuple(level.at[1]);
            level.at += 2;
        } else if (kind == K_GRID) {
            read_grid(c, to, level.words);
            level.at += 1;
            level.words += 2;
        } else if (kind == K_SET || kind == K_SEQ) {
            u32 n = level.words[1];
            const u32 *items = c.a.at(level.words[0]), *begin = level.at + 3, *end = begin + level.at[2];
            u32 stride = level.at[1];
            level.words += 2;
            level.at = end;
            if (kind == K_SET)
                to.set(n);
            else
                to.tuple(n);
            if (n) levels[++depth] = Level{begin, end, begin, items, items, n, stride};
        } else {
            u32 scalar[3] = {0, 0, 0};
            if (depth == 0) {
                u32 words = kind == K_CELL ? 3 : kind == K_IJ ? 2 : 1;
                copy_words(scalar, level.words, words);
                level.words += words;
            } else {
                unbox_part(kind, level.words, scalar);
                level.words += 1;
            }
            read_scalar(to, kind, scalar);
            level.at += 1;
        }
    }
}

// What an output grid is worth where the expected one is known: cells that are as expected, and whether all are.
struct Verdict {
    u16 agreement;
    bool match;
};

AB_FN Verdict verdict_on(const Group& g, const Packed& data, i32 sample, i32 h, i32 w, const i8* cells) {
    i32 expected = data.expected[sample];
    if (expected < 0 || h != data.height[expected] || w != data.width[expected]) return Verdict{0, false};
    const u8* wanted = data.cells + data.offset[expected];
    u32 n = u32(h) * u32(w);
    u32 same = u32(g.sum_of(n, [&](u32 k) { return u8(cells[k]) == wanted[k]; }));
    return Verdict{u16(least(same, 65535u)), same == n};
}

}  // namespace arcbatt
