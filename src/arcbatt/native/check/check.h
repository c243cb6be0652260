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

#include "check/columns.h"
#include "check/constants.h"
#include "check/signatures.h"

namespace arcbatt {
namespace check {

class Checker {
   public:
    explicit Checker(const Program& program) : p_(program), slots_(program.image.size()) {}

    std::string problem() {
        if (p_.image.size() >= NOWHERE || p_.code.size() >= NOWHERE) return "more words than there are places";
        std::string wrong = types_.read(p_);
        if (wrong.empty()) lay_out();
        if (wrong.empty() && reason_.empty()) walk();
        return wrong.empty() ? reason_ : wrong;
    }

   private:
    // What holds at a place that a slot starts at.
    struct Slot {
        u32 length = 0;  // 0: no slot starts here
        bool within = false;
        bool window = false;       // lanes have this place for themselves
        bool written = false;      // by some instruction, or before the code runs
        u32 holds = NO_TYPE;       // the type of its value at this point of the walk
        u32 depth = 0;             // in how many bodies it was written
        u32 read_by = 0;           // the loop whose bodies read it from outside,
        u32 read_depth = NO_TYPE;  // and how deep that is
        u32 constant = NO_TYPE;    // the type it was found to hold as a constant
    };
    // A loop whose bodies are being walked.
    struct Open {
        u32 place, number;
        u32 body;
        BodyRef at;
        size_t journal;
        u32 first = 0, rows = 0;  // its window, where lanes can run it
    };
    static constexpr u32 COST = NO_TYPE - 1;  // holds a number of steps, as a word without status
    static constexpr u32 HEAD = WORDS_OF<InstructionHead>;

    bool refuse(const std::string& why) {
        if (reason_.empty()) reason_ = why;
        return false;
    }
    bool refuse(u32 at, const std::string& why) {
        return refuse(name_of(p_.code[at]) + " at word " + std::to_string(at) + ": " + why);
    }
    Ins ins_at(u32 at) const { return Ins{p_.code.data() + at}; }

    // --- first reading: instructions, bodies and slots are well formed ---

    void lay_out() {
        seen_.assign(p_.code.size(), false);
        for (u32 place : {p_.input_slot, p_.samples_slot, p_.expected_slot})
            if (place && (!lay_slot(place, 3) || slots_[place].written)) {
                refuse("an input outside the slots: " + std::to_string(place));
                return;
            } else if (place) {
                slots_[place].written = true;
            }
        for (const TypedSlot& argument : p_.arguments) {
            if (!lay_value(argument.slot, argument.type) || slots_[argument.slot].written) {
                refuse("an argument outside the slots: " + std::to_string(argument.slot));
                return;
            }
            slots_[argument.slot].written = true;
        }
        std::vector<u32> starts{0};
        for (size_t k = 0; k < starts.size() && reason_.empty(); ++k)
            lay_run(starts[k], k == 0 ? HALT : END_BODY, starts);
        for (const TypedSlot& output : p_.outputs)
            if (reason_.empty() && !lay_value(output.slot, output.type))
                refuse("an output outside the slots: " + std::to_string(output.slot));
    }

    // Read instructions up to the one that ends them.
    void lay_run(u32 at, u32 end, std::vector<u32>& starts) {
        for (;;) {
            if (size_t(at) + 2 > p_.code.size()) {
                refuse("code that does not end, at word " + std::to_string(at));
                return;
            }
            u32 op = p_.code[at], length = p_.code[at + 1];
            if (name_of(op).empty()) {
                refuse("an unknown operation, " + std::to_string(op) + ", at word " + std::to_string(at));
                return;
            }
            if (length < 2 || length > p_.code.size() - at) {
                refuse(at, "does not end");
                return;
            }
            for (u32 k = at; k < at + length; ++k) {
                if (seen_[k]) {
                    refuse(at, "is read twice");
                    return;
                }
                seen_[k] = true;
            }
            if (op == HALT || op == END_BODY) {
                if (op != end) refuse(at, op == HALT ? "stands in a body" : "stands outside of bodies");
                return;
            }
            if (!(op == CHARGE ? lay_debt(at) : lay_call(at, starts))) return;
            at += length;
        }
    }

    bool lay_slot(u32 place, u32 length) {
        if (place == 0 || u64(place) + length > slots_.size()) return false;
        if (slots_[place].length == length) return true;
        for (u32 k = place; k < place + length; ++k)
            if (slots_[k].within) return false;
        for (u32 k = place; k < place + length; ++k) slots_[k].within = true;
        slots_[place].length = length;
        return true;
    }
    bool lay_value(u32 place, u32 type) { return types_.known(type) && lay_slot(place, 1 + p_.types[type].slot_words); }

    bool lay_debt(u32 at) {
        Ins ins = ins_at(at);
        if (ins.length() < 4 || u64(ins.w[3]) * 2 + 4 != ins.length()) return refuse(at, "is not well formed");
        for (u32 k = 0; k < ins.w[3]; ++k)
            if (!lay_slot(ins.w[4 + 2 * k], 1)) return refuse(at, "charges what is no cost");
        return true;
    }

    bool lay_call(u32 at, std::vector<u32>& starts) {
        Ins ins = ins_at(at);
        if (ins.length() <= HEAD || u64(ins.count()) * 2 + HEAD >= ins.length()) return refuse(at, "is too short");
        if (!lay_value(ins.dst(), ins.type())) return refuse(at, "its result is outside the slots");
        slots_[ins.dst()].written = true;
        if (ins.cost_place()) {
            if (!lay_slot(ins.cost_place(), 1)) return refuse(at, "its cost is outside the slots");
            slots_[ins.cost_place()].written = true;
        }
        for (u32 k = 0; k < ins.count(); ++k) {
            if (!lay_value(ins.arg(k), ins.arg_type(k))) return refuse(at, "an argument is outside the slots");
            if (ins.arg(k) == ins.dst()) return refuse(at, "its result is one of its arguments");
        }
        return ins.op() < FIRST_LOOP || lay_bodies(at, starts);
    }

    bool lay_bodies(u32 at, std::vector<u32>& starts) {
        Ins ins = ins_at(at);
        const u32 *end = ins.w + ins.length(), *word = ins.extra() + 2;
        if (word > end) return refuse(at, "has no bodies");
        for (u32 k = 0; k < ins.extra()[1]; ++k) {
            BodyRef body{word};
            if (end - word < BodyRef::HEAD || body.params() > 2 || end - word < i64(BodyRef::HEAD + 2 * body.params()))
                return refuse(at, "a body is not well formed");
            if (!lay_value(body.result(), body.type())) return refuse(at, "a body's result is outside the slots");
            for (u32 q = 0; q < body.params(); ++q) {
                if (!lay_value(body.param(q), body.param_type(q)))
                    return refuse(at, "a parameter is outside the slots");
                slots_[body.param(q)].written = true;
            }
            starts.push_back(body.code());
            word = body.next().w;
        }
        if (ins.has(PER_LANE)) {
            LanesRef window{word};
            if (end - word < LanesRef::HEAD || window.first() == 0 ||
                u64(window.first()) + window.rows() > slots_.size())
                return refuse(at, "its window is not well formed");
            for (u32 k = window.first(); k < window.first() + window.rows(); ++k) slots_[k].window = true;
            word += LanesRef::HEAD;
        }
        if (ins.has(COLUMNAR)) {
            ColumnsRef columns{word};
            bool whole = end - word >= i64(ColumnsRef::HEAD) && columns.rows() <= MAX_COLUMN_ROWS;
            if (!whole || end - word != i64(ColumnsRef::HEAD) + columns.bit_words() + columns.code_words())
                return refuse(at, "its columns are not well formed");
            return true;
        }
        return word == end || refuse(at, "has words behind its bodies");
    }

    // --- second reading: the type each slot holds ---

    void walk() {
        u32 grid = types_.find(K_GRID, 0, {});
        u32 pair = grid == NO_TYPE ? NO_TYPE : types_.find(K_TUP, 0, {grid, grid});
        set(p_.input_slot, grid);
        set(p_.expected_slot, grid);
        set(p_.samples_slot, pair == NO_TYPE ? NO_TYPE : types_.find(K_SEQ, pair, {}));
        for (const TypedSlot& argument : p_.arguments) set(argument.slot, types_.shape(argument.type));
        for (u32 at = 0; reason_.empty();) {
            u32 op = p_.code[at];
            if (op == HALT) break;
            if (op == END_BODY) {
                at = end_body();
            } else if (op == CHARGE) {
                charge(at);
                at += p_.code[at + 1];
            } else if (op >= FIRST_LOOP) {
                at = begin_loop(at);
            } else {
                if (call(at)) finish(at, op != GUARD && op != CHOOSE && op != CAST && signature_sets_cost(op));
                at += p_.code[at + 1];
            }
        }
        for (const TypedSlot& output : p_.outputs)
            if (reason_.empty()) read(output.slot, output.type, NOWHERE);
    }

    void set(u32 place, u32 holds) {
        if (!place) return;
        Slot& slot = slots_[place];
        slot.holds = holds;
        slot.depth = u32(open_.size());
        if (!open_.empty()) journal_.push_back(place);
    }

    // A slot gets another value.
    bool write(u32 at, u32 place, u32 holds) {
        const Slot& slot = slots_[place];
        bool used = slot.read_depth < open_.size() && open_[slot.read_depth].number == slot.read_by;
        if (used) return refuse(at, "writes slot " + std::to_string(place) + ", which its body needs again");
        for (const Open& one : open_) {
            bool inside = place >= one.first && place + slot.length <= one.first + one.rows;
            if (one.first && one.body == 0 && !inside)
                return refuse(at, "writes slot " + std::to_string(place) + ", outside a window");
        }
        set(place, holds);
        return true;
    }

    // A slot is read by the instruction at `at` (NOWHERE: when all is done), now and on every later trip through the
    // bodies around it that did not write it themselves.
    bool read(u32 place, u32 type, u32 at) {
        u32 wanted = types_.shape(type);
        Slot& slot = slots_[place];
        if (!slot.written) {
            if (slot.constant == NO_TYPE) {
                auto in_slot = [this](u32 word) { return slots_[word].within || slots_[word].window; };
                std::string wrong = constants_.problem(place, type, in_slot);
                if (!wrong.empty()) return refuse("the constant at " + std::to_string(place) + ": " + wrong);
                slot.constant = wanted;
            }
            if (slot.constant != wanted) return refuse(other(at, place, wanted, slot.constant));
            return true;
        }
        if (slot.holds != wanted) return refuse(other(at, place, wanted, slot.holds));
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
        std::string who = at == NOWHERE ? "an output" : name_of(p_.code[at]) + " at word " + std::to_string(at);
        std::string held = holds == NO_TYPE ? "nothing" : holds == COST ? "a cost" : types_.text(holds);
        return who + " reads " + types_.text(wanted) + " from slot " + std::to_string(place) + ", which holds " + held;
    }
    bool read_args(u32 at) {
        Ins ins = ins_at(at);
        for (u32 k = 0; k < ins.count(); ++k)
            if (!read(ins.arg(k), ins.arg_type(k), at)) return false;
        return true;
    }

    // The result, and the cost where it is kept.
    void finish(u32 at, bool sets_cost) {
        Ins ins = ins_at(at);
        if (ins.cost_place() && !sets_cost) {
            refuse(at, "keeps no cost");
            return;
        }
        if (write(at, ins.dst(), types_.shape(ins.type())) && ins.cost_place()) write(at, ins.cost_place(), COST);
    }

    void charge(u32 at) {
        Ins ins = ins_at(at);
        for (u32 k = 0; k < ins.w[3]; ++k) {
            Slot& slot = slots_[ins.w[4 + 2 * k]];
            if (slot.holds != COST) {
                refuse(at, "charges what is no cost");
                return;
            }
            need(slot);
        }
    }

    // --- calls ---

    static const Signature* generic(u32 op) {
        for (const Signature& one : GENERIC)
            if (one.op == op) return &one;
        return nullptr;
    }
    static bool signature_sets_cost(u32 op) {
        const Signature* one = op < HALT ? nullptr : generic(op);
        return !one || (one->may & SETS_COST);
    }

    u32 shape(u32 type) const { return types_.shape(type); }

    bool call(u32 at) { return read_args(at) && signature(at); }

    // Whether an operation takes and gives what an instruction says.
    bool signature(u32 at) {
        Ins ins = ins_at(at);
        u32 op = ins.op(), strict = op == GUARD ? 0 : op == CHOOSE ? 1 : ins.count();
        if (ins.strict() != strict) return refuse(at, "must fail with its arguments");
        if (op == GUARD) return (ins.count() >= 1 && same(ins, 0)) || mistyped(at);
        if (op == CHOOSE) {
            bool fits =
                ins.count() == 3 && types_[shape(ins.arg_type(0))].kind == K_INT && same(ins, 1) && same(ins, 2);
            return fits || mistyped(at);
        }
        if (op < HALT) {
            const Native& native = natives()[op];
            return flags(at, native.must, native.must | ORIGINALS | FIXED_COST) &&
                   (fits(ins, native.text.c_str()) || mistyped(at));
        }
        switch (op) {
            case NEVER:
                return flags(at, 0, 0) && (ins.count() <= MAX_ARGS || mistyped(at));
            case CAST:
                return flags(at, 0, 0) && ((ins.count() == 1 && castable(ins)) || mistyped(at));
            case CUSTOM:
                return custom(at);
            case PART:
                return flags(at, 0, FIXED_COST | ORIGINALS) &&
                       ((ins.count() == (ins.extra()[0] & ORIGINALS ? 2u : 1u) && part(ins)) || mistyped(at));
        }
        const Signature* signature = generic(op);
        if (!signature) return refuse(at, "has no signature");
        if (op == CELLS && !cell_code_fits(ins)) return refuse(at, "has no sound expression");
        if (op == BRANCH && ins.count() == 3 && constant_branch(ins)) return flags(at, 0, FIXED_COST);
        return flags(at, signature->must, signature->may & ~SETS_COST) && (fits(ins, signature->text) || mistyped(at));
    }

    // A custom operation: it must be there, and take and give what it was declared with.
    bool custom(u32 at) {
        Ins ins = ins_at(at);
        if (ins.extra() + 3 > ins.w + ins.length()) return refuse(at, "names no operation");
        const CustomList::Entry* entry = customs().find(ins.extra()[2]);
        if (!entry) return refuse(at, "no custom operation has the number " + std::to_string(ins.extra()[2]));
        return flags(at, 0, ORIGINALS | FIXED_COST) && (fits(ins, entry->text) || mistyped(at));
    }
    static bool cell_code_fits(Ins ins) {
        const u32 *words = ins.extra() + 2, *end = ins.w + ins.length();
        if (end - words < 2 || end - words != i64(words[1]) + 2) return false;
        return ins.count() >= 1 && cell_code_is_sound(CellCodeRef{words}, ins.count() - 1);
    }

    // A branch by a constant: the side it does not take may be of any type.
    bool constant_branch(Ins ins) const {
        u32 condition = ins.arg(0);
        if (slots_[condition].written || types_[shape(ins.arg_type(0))].kind != K_INT) return false;
        return same(ins, p_.image[condition + 1] ? 1 : 2);
    }
    bool same(Ins ins, u32 arg) const { return shape(ins.arg_type(arg)) == shape(ins.type()); }

    bool flags(u32 at, u32 must, u32 may) {
        Ins ins = ins_at(at);
        u32 given = ins.extra()[0];
        if ((given & must) != must || (given & ~may)) return refuse(at, "flags " + std::to_string(given));
        if (given & FIXED_COST) {
            if (ins.extra() + 2 > ins.w + ins.length()) return refuse(at, "has no cost");
            if (types_[shape(ins.type())].leaves == 0) return refuse(at, "has no fixed cost");
        }
        return true;
    }

    bool mistyped(u32 at) {
        Ins ins = ins_at(at);
        std::string given;
        for (u32 k = 0; k < ins.count(); ++k) given += (k ? ", " : "") + types_.text(shape(ins.arg_type(k)));
        return refuse(at, "does not take " + given + " and give " + types_.text(shape(ins.type())));
    }

    // Whether some alternative of a signature takes the arguments (or the first half, where their originals follow).
    bool fits(Ins ins, const char* text) const {
        bool originals = ins.extra()[0] & ORIGINALS;
        if (originals && ins.count() % 2) return false;
        u32 count = originals ? ins.count() / 2 : ins.count();
        for (const char* at = text;; ++at) {
            Match match(types_, ins.extra()[0] & NEVER_EQUAL);
            const char* start = at;
            bool good = true;
            for (bool last : {false, true}) {
                at = start;
                u32 k = 0;
                for (; good && *at != ':' && k < count; ++k) good = match.takes(at, shape(ins.arg_type(k)), last);
                good = good && *at == ':' && k == count && match.takes(++at, shape(ins.type()), last);
            }
            if (good) return true;
            while (*at && *at != '|') ++at;
            if (!*at) return false;
        }
    }

    static bool numbers(const Form& form) {
        for (u32 word : form)
            if (word > W_OPT) return false;
        return true;
    }

    // The ways Casts::cast knows.
    bool castable(Ins ins) const {
        u32 from = shape(ins.arg_type(0)), to = shape(ins.type());
        const Shape &f = types_[from], &t = types_[to];
        auto rows = [&](u32 of) {
            if (types_[of].kind != K_SEQ || types_[types_[of].item].kind != K_SEQ) return u32(NO_TYPE);
            return types_[types_[types_[of].item].item].kind;
        };
        if (f.kind == K_GRID && t.kind == K_SEQ) return rows(to) == K_INT;
        if (t.kind == K_GRID) return rows(from) <= K_OPT;
        if (types_.container(from) && f.kind == t.kind) {
            const Form &a = types_[f.item].slot, &b = types_[t.item].slot;
            return numbers(a) && numbers(b) && a.size() == b.size();
        }
        if (f.kind == K_SEQ && t.kind == K_SET) return f.item == t.item;
        if (f.kind == K_SEQ && t.kind == K_IJ) return types_[f.item].kind <= K_OPT;
        if (f.kind == K_IJ && t.kind == K_SEQ) return types_[t.item].kind == K_INT;
        if (f.kind == K_TUP && t.kind == K_SEQ) {
            for (u32 one : f.parts)
                if (one != t.item) return false;
            return true;
        }
        return numbers(f.slot) && numbers(t.slot) && f.slot.size() == t.slot.size();
    }

    // Whether the words from the place the instruction names are the parts it says.
    bool part(Ins ins) const {
        if (ins.extra() + 3 > ins.w + ins.length()) return false;
        const Form &whole = types_[shape(ins.arg_type(0))].slot, &wanted = types_[shape(ins.type())].slot;
        size_t from = ins.extra()[2];
        if (from > whole.size() || wanted.size() > whole.size() - from) return false;
        for (size_t k = 0; k < wanted.size(); ++k)
            if (whole[from + k] != wanted[k]) return false;
        return true;
    }

    // --- loops ---

    static const Loop* loop_of(u32 op) {
        for (const Loop& one : LOOPS)
            if (one.op == op) return &one;
        return nullptr;
    }

    u32 begin_loop(u32 at) {
        Ins ins = ins_at(at);
        const Loop* loop = loop_of(ins.op());
        u32 given = ins.extra()[0], walks = loop ? loop->walks : 0;
        if (given & FUNCTIONS_VALUE) walks = 2;
        bool over_items = loop && loop->params == Params::ITEMS;
        if (!loop) {
            refuse(at, "has no signature");
        } else if ((given & ~(over_items ? OVER_FUNCTIONS | FUNCTIONS_VALUE | COLUMNAR | PER_LANE : 0)) ||
                   (given & ~(COLUMNAR | PER_LANE)) == FUNCTIONS_VALUE) {
            refuse(at, "flags " + std::to_string(given));
        } else if (ins.count() < walks || ins.strict() < walks || ins.strict() > ins.count()) {
            refuse(at, "must fail with what it walks");
        } else if (ins.extra()[1] < loop->least_bodies || ins.extra()[1] > loop->most_bodies) {
            refuse(at, "does not have " + std::to_string(ins.extra()[1]) + " bodies");
        } else if (open_.size() == MAX_FRAMES) {
            refuse(at, "loops nested too deep");
        }
        if (!reason_.empty() || !read_args(at)) return at;
        open_.push_back(Open{at, ++loops_, 0, BodyRef{ins.extra() + 2}, journal_.size()});
        if (given & PER_LANE) {
            LanesRef window{behind_bodies(ins)};
            open_.back().first = window.first();
            open_.back().rows = window.rows();
        }
        for (u32 k = 0; k < ins.count(); ++k)
            if (slots_[ins.arg(k)].written) need(slots_[ins.arg(k)]);
        return enter(*loop);
    }

    // Into the next body: what its parameters hold, and whether what it gives is what the loop takes.
    u32 enter(const Loop& loop) {
        Open& now = open_.back();
        Ins ins = ins_at(now.place);
        BodyRef body = now.at;
        // The second body of valmax and valmin stands for the default: there is no item then.
        Params params = now.body > 0 ? Params::NONE : loop.params;
        u32 wanted = params == Params::NONE ? 0 : params == Params::ITSELF ? 1 : loop.walks;
        if (!loop_fits(ins, loop.text, body)) {
            refuse(now.place, "does not take a body that gives " + types_.text(shape(body.type())) + " and give " +
                                  types_.text(shape(ins.type())));
        } else if (now.body > 0 && shape(body.type()) != shape(BodyRef{ins.extra() + 2}.type())) {
            refuse(now.place, "its bodies give different types");
        } else if (body.params() != wanted) {
            refuse(now.place, "a body takes " + std::to_string(body.params()) + " parameters");
        }
        for (u32 k = 0; k < wanted && reason_.empty(); ++k) {
            u32 arg = shape(ins.arg_type(k)), item = params == Params::ITSELF ? arg : types_[arg].item;
            if (shape(body.param_type(k)) != item)
                refuse(now.place, "a parameter is no item of what it walks");
            else
                write(now.place, body.param(k), item);
        }
        return body.code();
    }

    void check_columns(u32 at, BodyRef body) {
        Ins ins = ins_at(at);
        ColumnCheck check(types_, ins, body, columns_behind(ins, behind_bodies(ins)), p_.image.size());
        std::string wrong = check.problem(u32(open_.size()) - 1, Around{*this, at});
        if (!wrong.empty()) refuse(at, wrong);
    }
    // What columnar code sees of the code around it.
    struct Around {
        Checker& of;
        u32 loop;
        u32 depth_of(u32 place) const { return of.slots_[place].written ? of.slots_[place].depth : 0; }
        bool holds(u32 place, u32 type) const {
            if (!of.types_.known(type) || place >= of.slots_.size()) return false;
            if (of.slots_[place].length != 1 + of.p_.types[type].slot_words) return false;
            return of.read(place, type, loop);
        }
        bool holds_cost(u32 place) const { return place < of.slots_.size() && of.slots_[place].holds == COST; }
        bool takes(Ins ins) const {
            u32 at = u32(ins.w - of.p_.code.data());
            if (name_of(ins.op()).empty() || ins.op() >= FIRST_LOOP || !of.known_types(ins)) return false;
            return of.signature(at);
        }
    };
    bool known_types(Ins ins) const {
        bool known = types_.known(ins.type());
        for (u32 k = 0; k < ins.count(); ++k) known = known && types_.known(ins.arg_type(k));
        return known;
    }

    bool loop_fits(Ins ins, const char* text, BodyRef body) const {
        for (const char* at = text;; ++at) {
            Match match(types_, false);
            bool good = true;
            for (u32 k = 0; good && *at != ';'; ++k) good = match.takes(at, shape(ins.arg_type(k)), false);
            good = good && match.takes(++at, shape(body.type()), false);
            good = good && match.takes(++at, shape(ins.type()), false);
            if (good) return true;
            while (*at && *at != '|') ++at;
            if (!*at) return false;
        }
    }

    u32 end_body() {
        Open& now = open_.back();
        Ins ins = ins_at(now.place);
        u32 loop = now.place;
        if (!read(now.at.result(), now.at.type(), loop)) return loop;
        if (now.body == 0 && (ins.extra()[0] & COLUMNAR)) check_columns(loop, now.at);
        for (size_t k = now.journal; k < journal_.size(); ++k) slots_[journal_[k]].holds = NO_TYPE;
        journal_.resize(now.journal);
        if (++now.body < ins.extra()[1]) {
            now.at = now.at.next();
            return enter(*loop_of(ins.op()));
        }
        open_.pop_back();
        finish(loop, ins.op() != LOOP_POWER || ins.times() >= 0);
        return loop + ins.length();
    }

    const Program& p_;
    std::vector<Slot> slots_;  // by place
    TypeBook types_;
    Constants constants_{p_};
    std::vector<bool> seen_;
    std::vector<Open> open_;
    std::vector<u32> journal_;  // what the open bodies wrote
    u32 loops_ = 0;
    std::string reason_;
};

}  // namespace check

// Why a program cannot be run, or nothing.
inline std::string problem_with(const Program& program) { return check::Checker(program).problem(); }

}  // namespace arcbatt
