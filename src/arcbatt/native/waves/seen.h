// What results on a GPU are to those who only compare them; core/digest.h says how.
#pragma once

#include "core/digest.h"
#include "exec/dispatch.h"

namespace arcbatt {

// What an output that is OK is to those who compare it; see digest.h.
struct SeenThere {
    bool grid;
    i32 h, w;
    const i8* cells;
    u64 hash;
};
AB_FN Status look_at(Ctx& c, bool nothing, const u32* words, const u32* shape, u32 length, bool hashed,
                     SeenThere& out) {
    if (length == 1 && shape[0] == K_GRID) {
        Grid g = Form<Grid>::load(words);
        if (g.h > 0 && g.w > 0) {
            out = SeenThere{true, g.h, g.w, cells(c, g), 0};
            if (hashed) out.hash = hash_grid(c.g, out.cells, g.h, g.w);
            return OK;
        }
    }
    u32 room = c.a.take(5);
    if (room == NOWHERE) return OVERFLOW_;
    u32* found = c.a.at(room);
    c.g.one([&] {
        Reader reader;
        if (nothing)
            reader.tuple(0);
        else
            read_value(c, shape, length, words, reader);
        found[0] = reader.is_grid();
        found[1] = u32(reader.h);
        found[2] = u32(reader.w);
        found[3] = u32(reader.hash());
        found[4] = u32(reader.hash() >> 32);
    });
    out = SeenThere{found[0] != 0, i32(found[1]), i32(found[2]), nullptr, found[3] | u64(found[4]) << 32};
    if (!out.grid) return OK;
    u32 place = c.a.take((u64(out.h) * u64(out.w) + 3) / 4);
    if (place == NOWHERE) return OVERFLOW_;
    i8* to = reinterpret_cast<i8*>(c.a.at(place));
    c.g.one([&] {
        Reader reader;
        reader.out = to;
        read_value(c, shape, length, words, reader);
    });
    out.cells = to;
    if (hashed) out.hash = hash_grid(c.g, to, out.h, out.w);
    return OK;
}

// --- where results go: a launch `p` has arrays by sample and column ---

template <class P>
AB_FN void keep_grid(const Ctx& c, const P& p, u64 place, const SeenThere& seen) {
    u32 n = u32(seen.h) * u32(seen.w);
    if (n > p.largest) return;
    u32 unit =
        c.g.from_one([&] { return fetch_add(*device_pointer<u32>(p.pool_next), (n + POOL_UNIT - 1) / POOL_UNIT); });
    u64 start = u64(unit) * POOL_UNIT;
    device_pointer<i64>(p.grid_offset)[place] = i64(start);
    device_pointer<i32>(p.grid_height)[place] = seen.h;
    device_pointer<i32>(p.grid_width)[place] = seen.w;
    if (start + n > p.pool_bytes) return;  // the host sees how much was wanted, and does it again with that
    i8* to = device_pointer<i8>(p.pool) + start;
    c.g.each(n, [&](u32 k) { to[k] = seen.cells[k]; });
}

// The value of a slot to the place of its results; its status, OVERFLOW_ where there was no room to look at it.
template <class M, class P>
AB_FN Status put_result(M& m, const P& p, const Packed& data, u64 place, i32 sample, u32 slot, const u32* shape,
                        u32 shape_words) {
    Status s = m.status(slot);
    bool nothing = s == EMPTY_TUPLE;  // the corner of nothing is the empty tuple
    if (nothing) s = OK;
    SeenThere seen{false, 0, 0, nullptr, 0};
    if (s == OK) s = look_at(m.c, nothing, m.value(slot), shape, shape_words, p.hashes != 0, seen);
    device_pointer<u8>(p.statuses)[place] = u8(s);
    if (p.hashes) device_pointer<u64>(p.hashes)[place] = s == OK ? seen.hash : hash_failed(s);
    if (s != OK || !seen.grid || !p.matches) return s;
    Verdict verdict = verdict_on(m.c.g, data, sample, seen.h, seen.w, seen.cells);
    device_pointer<u16>(p.agreement)[place] = verdict.agreement;
    device_pointer<u8>(p.matches)[place] = verdict.match;
    if (p.pool) keep_grid(m.c, p, place, seen);
    return OK;
}

}  // namespace arcbatt
