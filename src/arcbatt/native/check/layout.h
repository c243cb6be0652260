// The load check's first reading: instructions, bodies and slots are well formed, and no word is read twice.
#pragma once

#include "check/state.h"

namespace arcbatt {
namespace check {

class Layout {
   public:
    explicit Layout(State& state) : s_(state) {}

    void lay_out() {
        seen_.assign(s_.program.code.size(), false);
        for (u32 place : {s_.program.input_slot, s_.program.samples_slot, s_.program.expected_slot})
            if (place && (!lay_slot(place, 3) || s_.slots[place].written)) {
                s_.refuse("an input outside the slots: " + std::to_string(place));
                return;
            } else if (place) {
                s_.slots[place].written = true;
            }
        for (const TypedSlot& argument : s_.program.arguments) {
            if (!lay_value(argument.slot, argument.type) || s_.slots[argument.slot].written) {
                s_.refuse("an argument outside the slots: " + std::to_string(argument.slot));
                return;
            }
            s_.slots[argument.slot].written = true;
        }
        std::vector<u32> starts{0};
        for (size_t k = 0; k < starts.size() && s_.reason.empty(); ++k)
            lay_run(starts[k], k == 0 ? HALT : END_BODY, starts);
        for (const TypedSlot& output : s_.program.outputs)
            if (s_.reason.empty() && !lay_value(output.slot, output.type))
                s_.refuse("an output outside the slots: " + std::to_string(output.slot));
    }

   private:
    static constexpr u32 HEAD = WORDS_OF<InstructionHead>;

    // Read instructions up to the one that ends them.
    void lay_run(u32 at, u32 end, std::vector<u32>& starts) {
        for (;;) {
            if (size_t(at) + 2 > s_.program.code.size()) {
                s_.refuse("code that does not end, at word " + std::to_string(at));
                return;
            }
            u32 op = s_.program.code[at], length = s_.program.code[at + 1];
            if (name_of(op).empty()) {
                s_.refuse("an unknown operation, " + std::to_string(op) + ", at word " + std::to_string(at));
                return;
            }
            if (length < 2 || length > s_.program.code.size() - at) {
                s_.refuse(at, "does not end");
                return;
            }
            for (u32 k = at; k < at + length; ++k) {
                if (seen_[k]) {
                    s_.refuse(at, "is read twice");
                    return;
                }
                seen_[k] = true;
            }
            if (op == HALT || op == END_BODY) {
                if (op != end) s_.refuse(at, op == HALT ? "stands in a body" : "stands outside of bodies");
                return;
            }
            if (!(op == CHARGE ? lay_charge(at) : lay_call(at, starts))) return;
            at += length;
        }
    }

    bool lay_slot(u32 place, u32 length) {
        if (place == 0 || u64(place) + length > s_.slots.size()) return false;
        if (s_.slots[place].length == length) return true;
        for (u32 k = place; k < place + length; ++k)
            if (s_.slots[k].within) return false;
        for (u32 k = place; k < place + length; ++k) s_.slots[k].within = true;
        s_.slots[place].length = length;
        return true;
    }
    bool lay_value(u32 place, u32 type) {
        return s_.types.known(type) && lay_slot(place, 1 + s_.program.types[type].slot_words);
    }

    bool lay_charge(u32 at) {
        Ins ins = s_.ins_at(at);
        if (ins.length() < 4 || u64(ins.w[3]) * 2 + 4 != ins.length()) return s_.refuse(at, "is not well formed");
        for (u32 k = 0; k < ins.w[3]; ++k)
            if (!lay_slot(ins.w[4 + 2 * k], 1)) return s_.refuse(at, "charges what is no cost");
        return true;
    }

    bool lay_call(u32 at, std::vector<u32>& starts) {
        Ins ins = s_.ins_at(at);
        if (ins.length() <= HEAD || u64(ins.count()) * 2 + HEAD >= ins.length()) return s_.refuse(at, "is too short");
        if (!lay_value(ins.dst(), ins.type())) return s_.refuse(at, "its result is outside the slots");
        s_.slots[ins.dst()].written = true;
        if (ins.cost_place()) {
            if (!lay_slot(ins.cost_place(), 1)) return s_.refuse(at, "its cost is outside the slots");
            s_.slots[ins.cost_place()].written = true;
        }
        for (u32 k = 0; k < ins.count(); ++k) {
            if (!lay_value(ins.arg(k), ins.arg_type(k))) return s_.refuse(at, "an argument is outside the slots");
            if (ins.arg(k) == ins.dst()) return s_.refuse(at, "its result is one of its arguments");
        }
        return ins.op() < FIRST_LOOP || lay_bodies(at, starts);
    }

    bool lay_bodies(u32 at, std::vector<u32>& starts) {
        Ins ins = s_.ins_at(at);
        const u32 *end = ins.w + ins.length(), *word = ins.extra() + 2;
        if (word > end) return s_.refuse(at, "has no bodies");
        for (u32 k = 0; k < ins.extra()[1]; ++k) {
            BodyRef body{word};
            if (end - word < BodyRef::HEAD || body.params() > 2 || end - word < i64(BodyRef::HEAD + 2 * body.params()))
                return s_.refuse(at, "a body is not well formed");
            if (!lay_value(body.result(), body.type())) return s_.refuse(at, "a body's result is outside the slots");
            for (u32 q = 0; q < body.params(); ++q) {
                if (!lay_value(body.param(q), body.param_type(q)))
                    return s_.refuse(at, "a parameter is outside the slots");
                s_.slots[body.param(q)].written = true;
            }
            starts.push_back(body.code());
            word = body.next().w;
        }
        if (ins.has(COLUMNAR)) {
            ColumnsRef columns{word};
            bool whole = end - word >= i64(ColumnsRef::HEAD) && columns.rows() <= MAX_COLUMN_ROWS;
            if (!whole || end - word != i64(ColumnsRef::HEAD) + columns.bit_words() + columns.code_words())
                return s_.refuse(at, "its columns are not well formed");
            return true;
        }
        return word == end || s_.refuse(at, "has words behind its bodies");
    }

    State& s_;
    std::vector<bool> seen_;
};

}  // namespace check
}  // namespace arcbatt
