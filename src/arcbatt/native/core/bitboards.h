// Bitboards: grids and objects as bits, one per cell, 64-bit words along the rows, a board per colour. Bit k of a word
// is column k, so walking the bits of a board of one colour gives its keys in ascending order.
#pragma once

#include "core/arrays.h"

namespace arcbatt {
namespace objects_impl {

AB_FN u64 low_bits(u32 n) { return n >= 64 ? ~u64(0) : (u64(1) << n) - 1; }

// 64-bit words in the arena, each as two of its words: no alignment to see to.
struct Bits {
    u32* at;
    AB_FN u64 get(u32 k) const { return at[2 * k] | (u64(at[2 * k + 1]) << 32); }
    AB_FN void set(u32 k, u64 x) const {
        at[2 * k] = u32(x);
        at[2 * k + 1] = u32(x >> 32);
    }
    AB_FN Bits from(u32 k) const { return Bits{at + 2 * k}; }
};

AB_FN Status take_words(Ctx& c, u64 n, u32*& out) {
    u32 off = c.a.take(n);
    if (off == NOWHERE) return OVERFLOW_;
    out = c.a.at(off);
    return OK;
}
AB_FN Status take_bits(Ctx& c, u64 n, Bits& out) { return take_words(c, 2 * n, out.at); }

// Which of eight cells have the colour spread over all bytes of `colour`, a bit each: a byte of x ^ colour is zero
// where they are equal; adding 0x7F to its low bits carries into its top bit where it is not; the product gathers
// those.
AB_FN u64 equal_bytes(u64 x, u64 colour) {
    constexpr u64 LOW = 0x7F7F7F7F7F7F7F7Fu;
    u64 y = x ^ colour;
    u64 zero = ~(((y & LOW) + LOW) | y | LOW);
    return ((zero >> 7) * 0x0102040810204080u) >> 56;
}

AB_FN u64 eight_cells(const i8* from) {
    auto byte = [&](u32 k) { return u64(u8(from[k])) << (8 * k); };
    return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);
}

// The bits of up to 64 cells; whole eights are read as long as they lie before `end`.
AB_FN u64 bits_of_colour(const i8* from, u32 n, const i8* end, i32 colour) {
    u64 spread = u64(u8(colour)) * 0x0101010101010101u;
    u64 bits = 0;
    u32 k = 0;
    for (; k < n && end - from >= i64(k) + 8; k += 8) bits |= equal_bytes(eight_cells(from + k), spread) << k;
    for (; k < n; ++k) bits |= u64(from[k] == colour) << k;
    return bits & low_bits(n);
}

struct Boards {
    u32 words;     // a board
    u32 stride;    // words per row
    u32 slots;     // boards, one per colour, colours ascending
    u32* colours;  // as signed numbers
    Bits bits;

    AB_FN Bits board(u32 slot) const { return bits.from(slot * words); }
    AB_FN i32 colour(u32 slot) const { return i32(colours[slot]); }
    AB_FN u32 row(u32 word) const { return stride == 1 ? word : word / stride; }
    AB_FN u32 column(u32 word) const { return stride == 1 ? 0 : word % stride * 64; }
};

AB_FN void draw_board(const Ctx& c, Grid g, const Boards& b, Bits board, i32 colour) {
    const i8* from = cells(c, g);
    const i8* end = from + u32(g.h) * u32(g.w);
    c.g.each(b.words, [&](u32 word) {
        u32 column = b.column(word);
        board.set(word,
                  bits_of_colour(from + b.row(word) * u32(g.w) + column, least(64u, u32(g.w) - column), end, colour));
    });
}

// The colours of a grid, ascending, into room for 256; how many.
AB_FN Status colours_of(Ctx& c, Grid g, u32* colours, u32& count) {
    u32 mark = c.a.top;
    const i8* from = cells(c, g);
    u32 n = u32(g.h) * u32(g.w);
    u64 all = c.g.bits_of(n, [&](u32 k) { return u64(1) << least<u32>(u8(from[k]), 63); });
    count = 0;
    if (all >> 63 == 0) {
        for (; all; all &= all - 1) colours[count++] = lowest_bit(all);
        return OK;
    }
    u32* there;
    Status s = take_words(c, 256, there);
    if (s != OK) return s;
    c.g.each(256, [&](u32 k) { there[k] = 0; });
    c.g.each(n, [&](u32 k) { there[from[k] + 128] = 1; });
    count = c.g.compact(256, [&](u32 k) { return there[k] != 0; }, [&](u32 k, u32 at) { colours[at] = k - 128; });
    c.a.top = mark;
    return OK;
}

#if AB_WARP
// All boards of a grid no wider than a group, a row at a time: each lane has a cell, and a ballot for each colour is
// that row of its board, which the lane of that number puts down.
AB_FN void ballot_boards(const Ctx& c, Grid g, const Boards& b) {
    const i8* from = cells(c, g);
    u32 lane = c.g.lane(), w = u32(g.w);
    u32* bits = b.bits.at;
    c.g.sync();
    AB_ROLLED
    for (u32 i = 0; i < u32(g.h); ++i) {
        i32 cell = lane < w ? from[i * w + lane] : NONE;
        u32 mine = 0;
        AB_ROLLED
        for (u32 slot = 0; slot < b.slots; ++slot) {
            u32 row = c.g.ballot(cell == b.colour(slot));
            if (lane == slot) mine = row;
        }
        if (lane < b.slots) {
            bits[2 * (lane * b.words + i)] = mine;
            bits[2 * (lane * b.words + i) + 1] = 0;
        }
    }
    c.g.sync();
}
#endif

AB_CALL Status draw_boards(Ctx& c, Grid g, Boards& out) {
    out.stride = (u32(g.w) + 63) / 64;
    out.words = u32(g.h) * out.stride;
    Status s = take_words(c, 256, out.colours);
    if (s == OK) s = colours_of(c, g, out.colours, out.slots);
    if (s == OK) s = take_bits(c, u64(out.slots) * out.words, out.bits);
    if (s != OK) return s;
#if AB_WARP
    if (out.stride == 1 && g.w <= i32(AB_LANES) && out.slots <= AB_LANES) {
        ballot_boards(c, g, out);
        return OK;
    }
#endif
    for (u32 slot = 0; slot < out.slots; ++slot) draw_board(c, g, out, out.board(slot), out.colour(slot));
    return OK;
}

// The slot of the most common colour, the least of several.
AB_FN Status background_slot(Ctx& c, const Boards& b, u32& slot) {
    u32 mark = c.a.top;
    u32* counts;
    Status s = take_words(c, b.slots, counts);
    if (s != OK) return s;
    c.g.each(b.slots, [&](u32 k) {
        Bits board = b.board(k);
        u32 n = 0;
        for (u32 word = 0; word < b.words; ++word) n += count_bits(board.get(word));
        counts[k] = n;
    });
    slot = 0;
    for (u32 k = 1; k < b.slots; ++k)
        if (counts[k] > counts[slot]) slot = k;
    c.a.top = mark;
    return OK;
}

// The keys of the bits of n words, in order: key(k) is that of bit 0 of word k. `starts` is room for n words.
template <class M, class K>
AB_FN u32 write_keys(const Ctx& c, u32 n, M mask, K key, u32* starts, u32* out) {
    u32 count = c.g.scan(n, [&](u32 k) { return count_bits(mask(k)); }, [&](u32 k, u32 sum) { starts[k] = sum; });
    c.g.each(n, [&](u32 k) {
        u32* to = out + starts[k];
        u32 base = key(k);
        for (u64 rest = mask(k); rest; rest &= rest - 1) *to++ = base + lowest_bit(rest);
    });
    return count;
}

// The cells of one board, or those of them that are in a mask.
AB_FN u32 write_cells(const Ctx& c, const Boards& b, u32 slot, u32* starts, u32* out) {
    Bits board = b.board(slot);
    i32 colour = b.colour(slot);
    auto key = [&](u32 k) { return cell_key(colour, IJ{i32(b.row(k)), i32(b.column(k))}); };
    return write_keys(c, b.words, [&](u32 k) { return board.get(k); }, key, starts, out);
}
AB_FN u32 write_cells(const Ctx& c, const Boards& b, u32 slot, Bits mask, u32* starts, u32* out) {
    Bits board = b.board(slot);
    i32 colour = b.colour(slot);
    auto key = [&](u32 k) { return cell_key(colour, IJ{i32(b.row(k)), i32(b.column(k))}); };
    return write_keys(c, b.words, [&](u32 k) { return board.get(k) & mask.get(k); }, key, starts, out);
}

}  // namespace objects_impl
}  // namespace arcbatt
