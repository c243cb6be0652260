// Periods: the least moves that take an object onto itself, as far as it reaches.
#pragma once

#include "ops/patches.h"

namespace arcbatt {
namespace objects_impl {

// An object as its lines: the cells of one colour in one row, as bits from the left of its box.
struct Lines {
    u32 n;
    u32 stride;   // words per line
    u32* starts;  // the place of each line's first key
    u32* heads;   // colour and row of each line, as in a key
    Bits bits;
};

AB_FN Status lines_of(Ctx& c, Object obj, Box box, Lines& out) {
    const u32* keys = words(c, obj);
    out.stride = u32(box.width() + 63) / 64;
    Status s = take_words(c, obj.n + 1, out.starts);
    if (s != OK) return s;
    out.n = c.g.compact(
        obj.n, [&](u32 k) { return k == 0 || keys[k] >> 12 != keys[k - 1] >> 12; },
        [&](u32 k, u32 at) { out.starts[at] = k; });
    out.starts[out.n] = obj.n;
    s = take_words(c, out.n, out.heads);
    if (s == OK) s = take_bits(c, u64(out.n) * out.stride, out.bits);
    if (s != OK) return s;
    c.g.each(out.n, [&](u32 line) {
        Bits bits = out.bits.from(line * out.stride);
        u32 k = out.starts[line], end = out.starts[line + 1];
        out.heads[line] = keys[k] >> 12;
        for (u32 word = 0; word < out.stride; ++word) {
            u64 x = 0;
            for (; k < end; ++k) {
                u32 column = u32(key_place(keys[k]).j - box.left);
                if (column / 64 != word) break;
                x |= u64(1) << (column % 64);
            }
            bits.set(word, x);
        }
    });
    return OK;
}

// Whether a line moved left holds a cell that the line does not.
AB_FN bool differs_moved_left(Bits line, u32 stride, u32 by) {
    u32 skip = by / 64, shift = by % 64;
    for (u32 word = 0; word + skip < stride; ++word) {
        u64 x = line.get(word + skip) >> shift;
        if (shift && word + skip + 1 < stride) x |= line.get(word + skip + 1) << (64 - shift);
        if (x & ~line.get(word)) return true;
    }
    return false;
}

// Whether the line so many rows above lacks a cell of this one.
AB_FN bool differs_moved_up(const Lines& lines, u32 line, u32 by) {
    u32 head = lines.heads[line] - by;
    u32 other = lower_bound(lines.heads, line, head);
    if (other == line || lines.heads[other] != head) return true;
    for (u32 word = 0; word < lines.stride; ++word)
        if (lines.bits.get(line * lines.stride + word) & ~lines.bits.get(other * lines.stride + word)) return true;
    return false;
}

}  // namespace objects_impl

namespace op {

AB_FN Status hperiod(Ctx& c, Object obj, i32& out) {
    using namespace objects_impl;
    out = 0;
    if (obj.n == 0) return OK;
    Box b = patch_box(c, obj);
    out = b.width();
    if (out > MAX_SIDE) return LIMIT;
    u32 mark = c.a.top;
    Lines lines;
    Status s = lines_of(c, obj, b, lines);
    if (s != OK) return s;
    auto differs = [&](u32 by) {
        return c.g.any(lines.n, [&](u32 line) {
            return differs_moved_left(lines.bits.from(line * lines.stride), lines.stride, by);
        });
    };
    u32 p = 1;
    while (p < u32(out) && differs(p)) ++p;
    out = i32(p);
    c.a.top = mark;
    return OK;
}

AB_FN Status vperiod(Ctx& c, Object obj, i32& out) {
    using namespace objects_impl;
    out = 0;
    if (obj.n == 0) return OK;
    Box b = patch_box(c, obj);
    out = b.height();
    if (out > MAX_SIDE) return LIMIT;
    u32 mark = c.a.top;
    Lines lines;
    Status s = lines_of(c, obj, b, lines);
    if (s != OK) return s;
    u32 top = u32(b.top + 2048);
    auto differs = [&](u32 by) {
        return c.g.any(lines.n, [&](u32 line) {
            return (lines.heads[line] & 0xFFFu) >= top + by && differs_moved_up(lines, line, by);
        });
    };
    u32 p = 1;
    while (p < u32(out) && differs(p)) ++p;
    out = i32(p);
    c.a.top = mark;
    return OK;
}

}  // namespace op
}  // namespace arcbatt
