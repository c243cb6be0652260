// Instructions as the interpreter reads them; abi.h has what they begin with, their numbers and flags.
//
// A loop's extra words are flags, the number of bodies, and the bodies, each with slot and type of its parameters;
// behind them what columns.h needs where it can be columnar.
#pragma once

#include "core/types.h"

namespace arcbatt {

template <class T>
constexpr u32 WORDS_OF = u32(sizeof(T) / sizeof(u32));

// A number the compiler must know: of an argument, or of an operation.
template <u32 K>
struct Known {
    static constexpr u32 NUMBER = K;
    AB_FN constexpr operator u32() const { return K; }
};

struct Ins {
    const u32* w;
    AB_FN const InstructionHead* head() const { return reinterpret_cast<const InstructionHead*>(w); }
    AB_FN u32 op() const { return head()->op; }
    AB_FN u32 length() const { return head()->length; }
    AB_FN u32 dst() const { return head()->dst; }
    AB_FN i32 times() const { return head()->times; }
    AB_FN u32 cost_place() const { return head()->cost_place; }
    AB_FN u32 strict() const { return head()->strict; }
    AB_FN u32 count() const { return head()->count; }
    AB_FN u32 type() const { return head()->type; }
    AB_FN u32 arg(u32 k) const { return w[WORDS_OF<InstructionHead> + k]; }
    AB_FN u32 arg_type(u32 k) const { return w[WORDS_OF<InstructionHead> + count() + k]; }
    AB_FN const u32* extra() const { return w + WORDS_OF<InstructionHead> + 2 * count(); }
    AB_FN bool has(u32 flag) const { return extra()[0] & flag; }
    // f(k) for every argument.
    template <class F>
    AB_FN void each_arg(F f) const {
        for (u32 k = 0; k < count(); ++k) f(k);
    }
};

// The steps of a CHARGE: a number, and the costs of calls, each as often as it is charged.
AB_FN u64 charged_steps(const Arena& a, Ins ins) {
    u64 steps = ins.w[2];
    for (u32 k = 0; k < ins.w[3]; ++k) steps += u64(*a.at(ins.w[4 + 2 * k])) * ins.w[5 + 2 * k];
    return steps;
}

struct BodyRef {
    const u32* w;
    static constexpr u32 HEAD = WORDS_OF<BodyHead>;
    AB_FN const BodyHead* head() const { return reinterpret_cast<const BodyHead*>(w); }
    AB_FN u32 code() const { return head()->code; }
    AB_FN u32 result() const { return head()->result; }
    AB_FN u32 type() const { return head()->type; }
    AB_FN u32 params() const { return head()->params; }
    AB_FN u32 param(u32 k) const { return w[HEAD + 2 * k]; }
    AB_FN u32 param_type(u32 k) const { return w[HEAD + 2 * k + 1]; }
    AB_FN BodyRef next() const { return BodyRef{w + HEAD + 2 * params()}; }
};

// What a columnar loop needs: where its body's slots are, side by side; `scope`, how many of the loops around it must
// stay at the same item for its containers to stay the same; where the result is; for each word of the slots a bit, set
// if it depends only on the items of the containers; then the body's columnar code, up to END_BODY.
//
// That code has calls whose times and costs do not matter, loops, and
//   GUARD    values from outside that must be there
//   CHARGE   steps of an item
//   COUNT    the size of a value, or the product of the sizes of two, counts `times` steps
//   ABSOLUTE a number without its sign
// An argument may be a part of a value of the body: the place of the word before its first.
struct ColumnsRef {
    const u32* w;
    static constexpr u32 HEAD = WORDS_OF<ColumnsHead>;
    AB_FN const ColumnsHead* head() const { return reinterpret_cast<const ColumnsHead*>(w); }
    AB_FN u32 first() const { return head()->first; }
    AB_FN u32 rows() const { return head()->rows; }
    AB_FN u32 scope() const { return head()->scope; }
    AB_FN u32 result() const { return head()->result; }
    AB_FN const u32* kept() const { return w + HEAD; }
    AB_FN u32 bit_words() const { return (rows() + 31) / 32; }
    AB_FN const u32* code() const { return w + HEAD + bit_words(); }
    AB_FN u32 code_words() const { return head()->code_words; }
    AB_FN bool keeps(u32 place) const { return kept()[(place - first()) / 32] >> (place - first()) % 32 & 1u; }
    AB_FN bool varies(u32 place) const { return place - first() < rows(); }
    AB_FN bool has_loops() const {
        Ins ins{code()};
        while (ins.op() < FIRST_LOOP && ins.op() != END_BODY) ins.w += ins.length();
        return ins.op() != END_BODY;
    }
};

// What the op table says of loops.
#define AB_CASE(op) case op:
#define AB_IS(name, list)                          \
    AB_FN bool name(u32 op) {                      \
        switch (op) { list(AB_CASE) return true; } \
        return false;                              \
    }
AB_IS(can_be_columnar, AB_COLUMNAR_LOOPS)
AB_IS(looks_for_best, AB_BEST_LOOPS)
AB_IS(gives_best_value, AB_BEST_VALUE_LOOPS)
#undef AB_IS
#undef AB_CASE
// Whether a loop's second argument is walked as its first is, or, of a power, is how often, of a fold the first state.
AB_FN bool walks_two(u32 op) {
    return op == LOOP_PAPPLY || op == LOOP_MPAPPLY || op == LOOP_PRAPPLY || op == LOOP_POWER || op == LOOP_FOLD;
}

}  // namespace arcbatt
