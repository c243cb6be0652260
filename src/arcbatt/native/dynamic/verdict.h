// What a run keeps of an outcome: `brief_of` of engine/packer.py, by the hash and the reader of core/digest.h.
#pragma once

#include "core/digest.h"
#include "dynamic/machine.h"

namespace arcbatt {
namespace dynamic {

struct Brief {
    u64 hash = 0;
    bool grid = false;
    i32 h = 0, w = 0;
    std::vector<i8> cells;
};

inline void read_tokens(const Value& value, const Language& language, Reader& to) {
    if (value.is_number()) return to.number(value.number());
    if (value.is_none()) return to.none();
    if (value.is_function()) {
        const Object& function = value.object();
        const std::string& name = language.names[function.op];
        u32 characters = 0;
        for (char byte : name) characters += (u8(byte) & 0xC0) != 0x80;
        to.grid = false;
        to.token(T_FUNCTION, characters);
        for (char byte : name) to.token(Token(0), u8(byte));
        to.tuple(function.count);
        for (u32 k = 0; k < function.count; ++k) read_tokens(function.values()[k], language, to);
        return;
    }
    u32 n = value.length();
    if (value.is_set())
        to.set(n);
    else
        to.tuple(n);
    if (value.has_integers()) {
        for (u32 k = 0; k < n; ++k) to.number(value.object().numbers()[k]);
        return;
    }
    for (u32 k = 0; k < n; ++k) read_tokens(value.item(k), language, to);
}

inline Brief brief_of(const Value& value, const Language& language) {
    Brief brief;
    Reader reader;
    if (value.is_tuple()) brief.cells.resize(size_t(value.size()));
    reader.out = brief.cells.data();
    read_tokens(value, language, reader);
    brief.grid = reader.is_grid();
    brief.h = reader.h;
    brief.w = reader.w;
    brief.hash = brief.grid ? hash_grid(Group{}, brief.cells.data(), brief.h, brief.w) : reader.hash();
    return brief;
}

}  // namespace dynamic
}  // namespace arcbatt
