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

}  // namespace arcbatt
