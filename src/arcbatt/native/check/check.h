// The check on load. Bytecode that passes it cannot, whatever it is, read or write outside its arena, take a value for
// one of another type, or run on without end: what goes wrong in it can only be a status.
//
//   Types    every row of the table is what its kind and parts make it; items and parts come before what holds them.
//   Slots    words of the image are dealt out once: a place is a slot of one length, and no two overlap.
//   Code     read from its start to HALT; a body is read where its loop names it, to END_BODY. No word is read twice,
//            so bodies have one loop each and there are no jumps. The walk keeps the type each slot holds: an
//            argument's declared type must be that. What a body wrote is gone when it ends (the arena is reused), and
//            what it reads from outside it must not write, for it runs again.
//   Image    slots that are read and nowhere written are constants: what they hold must be a value of their type, and
//            what they point to must lie outside all slots.
//
// Trips through loops are bounded by the interpreter (Machine::max_trips), everything else by the limits of values.
// The walk takes time in proportion to the code, the table and the image.
#pragma once

#include "check/calls.h"
#include "check/columns.h"
#include "check/constants.h"
#include "check/layout.h"

namespace arcbatt {
namespace check {

class Checker {
   public:
    explicit Checker(const Program& program) : s_(program) {}

    std::string problem() {
        const Program& program = s_.program;
        if (program.image.size() >= NOWHERE || program.code.size() >= NOWHERE)
            return "more words than there are places";
        std::string wrong = s_.types.read(program);
        if (wrong.empty()) Layout(s_).lay_out();
        if (wrong.empty() && s_.reason.empty()) walk();
        return wrong.empty() ? s_.reason : wrong;
    }

   private:
    // A loop whose bodies are being walked.
    struct Open {
        u32 place, number;
        u32 body;
        BodyRef at;
        size_t journal;
    };
    static constexpr u32 COST = NO_TYPE - 1;  // holds a number of steps, as a word without status

    // --- second reading: the type each slot holds ---

    void walk() {
        u32 grid = s_.types.find(K_GRID, 0, {});
        u32 pair = grid == NO_TYPE ? NO_TYPE : s_.types.find(K_TUP, 0, {grid, grid});
        set(s_.program.input_slot, grid);
        set(s_.program.expected_slot, grid);
        set(s_.program.samples_slot, pair == NO_TYPE ? NO_TYPE : s_.types.find(K_SEQ, pair, {}));
        for (const TypedSlot& argument : s_.program.arguments) set(argument.slot, s_.types.shape(argument.type));
        for (u32 at = 0; s_.reason.empty();) {
            u32 op = s_.program.code[at];
            if (op == HALT) break;
            if (op == END_BODY) {
                at = end_body();
            } else if (op == CHARGE) {
                charge(at);
                at += s_.program.code[at + 1];
            } else if (op >= FIRST_LOOP) {
                at = begin_loop(at);
            } else {
                if (read_args(at) && calls_.signature(at))
                    finish(at, op != GUARD && op != CHOOSE && op != CAST && CallCheck::sets_cost(op));
                at += s_.program.code[at + 1];
            }
        }
        for (const TypedSlot& output : s_.program.outputs)
            if (s_.reason.empty()) read(output.slot, output.type, NOWHERE);
    }

    void set(u32 place, u32 holds) {
        if (!place) return;
        Slot& slot = s_.slots[place];
        slot.holds = holds;
        slot.depth = u32(open_.size());
        if (!open_.empty()) journal_.push_back(place);
    }

    // A slot gets another value.
    bool write(u32 at, u32 place, u32 holds) {
        const Slot& slot = s_.slots[place];
        bool used = slot.read_depth < open_.size() && open_[slot.read_depth].number == slot.read_by;
        if (used) return s_.refuse(at, "writes slot " + std::to_string(place) + ", which its body needs again");
        set(place, holds);
        return true;
    }

    // A slot is read by the instruction at `at` (NOWHERE: when all is done), now and on every later trip through the
    // bodies around it that did not write it themselves.
    bool read(u32 place, u32 type, u32 at) {
        u32 wanted = s_.types.shape(type);
        Slot& slot = s_.slots[place];
        if (!slot.written) {
            if (slot.constant == NO_TYPE) {
                auto in_slot = [this](u32 word) { return s_.slots[word].within; };
                std::string wrong = constants_.problem(place, type, in_slot);
                if (!wrong.empty()) return s_.refuse("the constant at " + std::to_string(place) + ": " + wrong);
                slot.constant = wanted;
            }
            if (slot.constant != wanted) return s_.refuse(other(at, place, wanted, slot.constant));
            return true;
        }
        if (slot.holds != wanted) return s_.refuse(other(at, place, wanted, slot.holds));
        need(slot);
        return true;
    }
    void need(Slot& slot) {
        if (slot.depth < open_.size()) {
            slot.read_depth = slot.depth;
            slot.read_by = open_[slot.depth].number;
        }
    }
    std::string other(u32 at, u32 place, u32 wanted, u32 holds) const {
        std::string who = at == NOWHERE ? "an output" : name_of(s_.program.code[at]) + " at word " + std::to_string(at);
        std::string held = holds == NO_TYPE ? "nothing" : holds == COST ? "a cost" : s_.types.text(holds);
        return who + " reads " + s_.types.text(wanted) + " from slot " + std::to_string(place) + ", which holds " +
               held;
    }
    bool read_args(u32 at) {
        Ins ins = s_.ins_at(at);
        for (u32 k = 0; k < ins.count(); ++k)
            if (!read(ins.arg(k), ins.arg_type(k), at)) return false;
        return true;
    }

    // The result, and the cost where it is kept.
    void finish(u32 at, bool sets_cost) {
        Ins ins = s_.ins_at(at);
        if (ins.cost_place() && !sets_cost) {
            s_.refuse(at, "keeps no cost");
            return;
        }
        if (write(at, ins.dst(), s_.types.shape(ins.type())) && ins.cost_place()) write(at, ins.cost_place(), COST);
    }

    void charge(u32 at) {
        Ins ins = s_.ins_at(at);
        for (u32 k = 0; k < ins.w[3]; ++k) {
            Slot& slot = s_.slots[ins.w[4 + 2 * k]];
            if (slot.holds != COST) {
                s_.refuse(at, "charges what is no cost");
                return;
            }
            need(slot);
        }
    }

    // --- loops ---

    static const Loop* loop_of(u32 op) {
        for (const Loop& one : LOOPS)
            if (one.op == op) return &one;
        return nullptr;
    }

    u32 begin_loop(u32 at) {
        Ins ins = s_.ins_at(at);
        const Loop* loop = loop_of(ins.op());
        u32 given = ins.extra()[0], walks = loop ? loop->walks : 0;
        if (given & FUNCTIONS_VALUE) walks = 2;
        bool over_items = loop && loop->params == Params::ITEMS;
        if (!loop) {
            s_.refuse(at, "has no signature");
        } else if ((given & ~(over_items ? OVER_FUNCTIONS | FUNCTIONS_VALUE | COLUMNAR : 0)) ||
                   (given & ~COLUMNAR) == FUNCTIONS_VALUE) {
            s_.refuse(at, "flags " + std::to_string(given));
        } else if (ins.count() < walks || ins.strict() < walks || ins.strict() > ins.count()) {
            s_.refuse(at, "must fail with what it walks");
        } else if (ins.extra()[1] < loop->least_bodies || ins.extra()[1] > loop->most_bodies) {
            s_.refuse(at, "does not have " + std::to_string(ins.extra()[1]) + " bodies");
        } else if (open_.size() == MAX_FRAMES) {
            s_.refuse(at, "loops nested too deep");
        }
        if (!s_.reason.empty() || !read_args(at)) return at;
        open_.push_back(Open{at, ++loops_, 0, BodyRef{ins.extra() + 2}, journal_.size()});
        for (u32 k = 0; k < ins.count(); ++k)
            if (s_.slots[ins.arg(k)].written) need(s_.slots[ins.arg(k)]);
        return enter(*loop);
    }

    // Into the next body: what its parameters hold, and whether what it gives is what the loop takes.
    u32 enter(const Loop& loop) {
        Open& now = open_.back();
        Ins ins = s_.ins_at(now.place);
        BodyRef body = now.at;
        // The second body of valmax and valmin stands for the default: there is no item then.
        bool iterates = loop.op == LOOP_ITERATE;
        Params params = now.body > 0 && !iterates ? Params::NONE : loop.params;
        u32 wanted = params == Params::NONE ? 0 : params == Params::ITEMS ? loop.walks : 1;
        if (!loop_fits(ins, iterates && now.body == 0 ? "b;I:b" : loop.text, body)) {
            s_.refuse(now.place, "does not take a body that gives " + s_.types.text(s_.shape(body.type())) +
                                     " and give " + s_.types.text(s_.shape(ins.type())));
        } else if ((looks_for_best(loop.op) || loop.op == LOOP_ORDER) && !s_.types.narrow(s_.shape(body.type()))) {
            s_.refuse(now.place, "keys of too many parts");
        } else if (now.body > 0 && !iterates && s_.shape(body.type()) != s_.shape(BodyRef{ins.extra() + 2}.type())) {
            s_.refuse(now.place, "its bodies give different types");
        } else if (body.params() != wanted) {
            s_.refuse(now.place, "a body takes " + std::to_string(body.params()) + " parameters");
        }
        for (u32 k = 0; k < wanted && s_.reason.empty(); ++k) {
            u32 given = s_.shape(body.param_type(k));
            if (!is_parameter(ins, params, k, given))
                s_.refuse(now.place, "a parameter is no item of what it walks");
            else
                write(now.place, body.param(k), given);
        }
        return body.code();
    }

    bool is_parameter(Ins ins, Params params, u32 k, u32 shape) const {
        u32 arg = s_.shape(ins.arg_type(k));
        if (params == Params::ITSELF) return shape == arg;
        u32 item = s_.types[arg].item;
        if (params == Params::ITEMS) return shape == item;
        Form both = s_.types[s_.shape(ins.arg_type(1))].slot;
        both.insert(both.end(), s_.types[item].slot.begin(), s_.types[item].slot.end());
        return s_.types[shape].slot == both;
    }

    void check_columns(u32 at, BodyRef body) {
        Ins ins = s_.ins_at(at);
        ColumnCheck check(s_.types, ins, body, ColumnsRef{behind_bodies(ins)}, s_.program.image.size());
        std::string wrong = check.problem(u32(open_.size()) - 1, Around{*this, at});
        if (!wrong.empty()) s_.refuse(at, wrong);
    }
    // What columnar code sees of the code around it.
    struct Around {
        Checker& of;
        u32 loop;
        u32 depth_of(u32 place) const { return of.s_.slots[place].written ? of.s_.slots[place].depth : 0; }
        bool holds(u32 place, u32 type) const {
            if (!of.s_.types.known(type) || place >= of.s_.slots.size()) return false;
            if (of.s_.slots[place].length != 1 + of.s_.program.types[type].slot_words) return false;
            return of.read(place, type, loop);
        }
        bool holds_cost(u32 place) const { return place < of.s_.slots.size() && of.s_.slots[place].holds == COST; }
        bool takes(Ins ins) const {
            u32 at = u32(ins.w - of.s_.program.code.data());
            if (name_of(ins.op()).empty() || ins.op() >= FIRST_LOOP || !of.known_types(ins)) return false;
            return of.calls_.signature(at);
        }
    };
    bool known_types(Ins ins) const {
        bool known = s_.types.known(ins.type());
        for (u32 k = 0; k < ins.count(); ++k) known = known && s_.types.known(ins.arg_type(k));
        return known;
    }

    bool loop_fits(Ins ins, const char* text, BodyRef body) const {
        for (const char* at = text;; ++at) {
            Match match(s_.types, false);
            bool good = true;
            for (u32 k = 0; good && *at != ';'; ++k) good = match.takes(at, s_.shape(ins.arg_type(k)), false);
            good = good && match.takes(++at, s_.shape(body.type()), false);
            good = good && match.takes(++at, s_.shape(ins.type()), false);
            if (good) return true;
            while (*at && *at != '|') ++at;
            if (!*at) return false;
        }
    }

    u32 end_body() {
        Open& now = open_.back();
        Ins ins = s_.ins_at(now.place);
        u32 loop = now.place;
        if (!read(now.at.result(), now.at.type(), loop)) return loop;
        if (now.body == 0 && (ins.extra()[0] & COLUMNAR)) check_columns(loop, now.at);
        for (size_t k = now.journal; k < journal_.size(); ++k) s_.slots[journal_[k]].holds = NO_TYPE;
        journal_.resize(now.journal);
        if (++now.body < ins.extra()[1]) {
            now.at = now.at.next();
            return enter(*loop_of(ins.op()));
        }
        open_.pop_back();
        finish(loop, true);
        return loop + ins.length();
    }

    State s_;
    CallCheck calls_{s_};
    Constants constants_{s_.program};
    std::vector<Open> open_;
    std::vector<u32> journal_;  // what the open bodies wrote
    u32 loops_ = 0;
};

}  // namespace check

// Why a program cannot be run, or nothing.
inline std::string problem_with(const Program& program) { return check::Checker(program).problem(); }

}  // namespace arcbatt
