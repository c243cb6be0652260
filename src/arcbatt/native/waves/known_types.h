// The types and the instruction of a kernel as its compiler knows them, so that it has no more code than these need.
// engine/waves/kernels.py gives them as lists of numbers: AB_WAVE_TYPES, AB_WAVE_PARTS (core/types.h), AB_WAVE_WORDS
// (an instruction without places, exec/code.h).
#pragma once

#include "exec/code.h"

namespace arcbatt {

constexpr TypeDesc KNOWN_TYPES[] = {AB_WAVE_TYPES};
constexpr u32 KNOWN_PARTS[] = {AB_WAVE_PARTS};
constexpr u32 KNOWN_WORDS[] = {AB_WAVE_WORDS};

template <u32 NUMBER>
struct KnownRow {
    static constexpr TypeDesc row = KNOWN_TYPES[NUMBER];
    static constexpr u32 kind = row.kind, slot_words = row.slot_words, item_words = row.item_words;
    static constexpr u32 leaves = row.leaves, flat_first = row.flat_first, flat_count = row.flat_count;
    static constexpr u32 scalar = row.scalar;
    Known<row.item> item;
};

struct KnownTypes {
    template <u32 NUMBER>
    AB_FN constexpr KnownRow<NUMBER> operator[](Known<NUMBER>) const {
        return {};
    }
    template <u32 NUMBER, class F>
    AB_FN bool each_part(const KnownRow<NUMBER>&, F f) const {
        return parts_from<KNOWN_TYPES[NUMBER].flat_first, KNOWN_TYPES[NUMBER].flat_count>(f);
    }
    template <u32 FIRST, u32 COUNT, class F>
    AB_FN bool parts_from(F& f) const {
        if constexpr (COUNT == 0)
            return true;
        else
            return f(Known<KNOWN_PARTS[FIRST]>{}) && parts_from<FIRST + 1, COUNT - 1>(f);
    }
};

// An instruction whose words are known, but for the places of its result, cost and arguments.
struct KnownIns {
    static constexpr bool KNOWN = true;
    static constexpr u32 HEAD = WORDS_OF<InstructionHead>;
    static constexpr u32 OP = KNOWN_WORDS[0], COUNT = KNOWN_WORDS[6];
    u32 result, cost, places[COUNT ? COUNT : 1];

    static AB_FN constexpr u32 op() { return OP; }
    static AB_FN constexpr i32 times() { return i32(KNOWN_WORDS[3]); }
    static AB_FN constexpr u32 strict() { return KNOWN_WORDS[5]; }
    static AB_FN constexpr u32 count() { return COUNT; }
    static AB_FN constexpr Known<KNOWN_WORDS[7]> type() { return {}; }
    AB_FN u32 dst() const { return result; }
    AB_FN u32 cost_place() const { return KNOWN_WORDS[4] ? cost : 0; }
    AB_FN u32 arg(u32 k) const { return places[k]; }
    template <u32 K>
    AB_FN auto arg_type(Known<K>) const {
        return Known<KNOWN_WORDS[HEAD + COUNT + (K < COUNT ? K : 0)]>{};
    }
    // A type among the extra words, behind flags and the number of bodies.
    template <u32 K>
    AB_FN auto type_behind(Known<K>) const {
        return Known<KNOWN_WORDS[HEAD + 2 * COUNT + 2 + K]>{};
    }
    static AB_FN const u32* extra() { return KNOWN_WORDS + HEAD + 2 * COUNT; }
    static AB_FN constexpr bool has(u32 flag) { return KNOWN_WORDS[HEAD + 2 * COUNT] & flag; }
    template <class F>
    AB_FN void each_arg(F f) const {
        args_from<0>(f);
    }
    template <u32 K, class F>
    AB_FN void args_from(F& f) const {
        if constexpr (K < COUNT) {
            f(Known<K>{});
            args_from<K + 1>(f);
        }
    }
};

}  // namespace arcbatt
