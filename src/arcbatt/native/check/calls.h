// The load check's part for calls: whether an operation takes and gives what an instruction says.
#pragma once

#include "check/state.h"

namespace arcbatt {
namespace check {

class CallCheck {
   public:
    explicit CallCheck(State& state) : s_(state) {}

    static bool sets_cost(u32 op) {
        const Signature* one = op < HALT ? nullptr : generic(op);
        return !one || (one->may & SETS_COST);
    }

    // Whether an operation takes and gives what an instruction says.
    bool signature(u32 at) {
        Ins ins = s_.ins_at(at);
        u32 op = ins.op(), strict = op == GUARD ? 0 : op == CHOOSE ? 1 : ins.count();
        if (ins.strict() != strict) return s_.refuse(at, "must fail with its arguments");
        if (op == GUARD) return (ins.count() >= 1 && same(ins, 0)) || mistyped(at);
        if (op == CHOOSE) {
            bool fits =
                ins.count() == 3 && s_.types[s_.shape(ins.arg_type(0))].kind == K_INT && same(ins, 1) && same(ins, 2);
            return fits || mistyped(at);
        }
        if (op < HALT) {
            const Native& native = natives()[op];
            return flags(at, native.must, native.must | ORIGINALS | FIXED_COST) &&
                   (fits(ins, native.text.c_str()) || mistyped(at));
        }
        switch (op) {
            case NEVER:
                return flags(at, 0, MULTIPLIES) && (ins.count() <= MAX_ARGS || mistyped(at)) &&
                       (!(ins.extra()[0] & MULTIPLIES) || ins.count() >= 2 || mistyped(at));
            case CAST:
                return flags(at, 0, 0) && ((ins.count() == 1 && castable(ins)) || mistyped(at));
            case CUSTOM:
                return custom(at);
            case PART:
                return flags(at, 0, FIXED_COST | ORIGINALS) &&
                       ((ins.count() == (ins.extra()[0] & ORIGINALS ? 2u : 1u) && part(ins)) || mistyped(at));
        }
        const Signature* signature = generic(op);
        if (!signature) return s_.refuse(at, "has no signature");
        if (op == CELLS && !cell_code_fits(ins)) return s_.refuse(at, "has no sound expression");
        if (op == EQUAL && ins.count() && !s_.types.narrow(s_.shape(ins.arg_type(0)))) return mistyped(at);
        if (op == BRANCH && ins.count() == 3 && constant_branch(ins)) return flags(at, 0, FIXED_COST);
        return flags(at, signature->must, signature->may & ~SETS_COST) && (fits(ins, signature->text) || mistyped(at));
    }

   private:
    static const Signature* generic(u32 op) {
        for (const Signature& one : GENERIC)
            if (one.op == op) return &one;
        return nullptr;
    }

    // A custom operation: it must be there, and take and give what it was declared with.
    bool custom(u32 at) {
        Ins ins = s_.ins_at(at);
        if (ins.extra() + 3 > ins.w + ins.length()) return s_.refuse(at, "names no operation");
        const CustomList::Entry* entry = customs().find(ins.extra()[2]);
        if (!entry) return s_.refuse(at, "no custom operation has the number " + std::to_string(ins.extra()[2]));
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
        if (s_.slots[condition].written || s_.types[s_.shape(ins.arg_type(0))].kind != K_INT) return false;
        return same(ins, s_.program.image[condition + 1] ? 1 : 2);
    }
    bool same(Ins ins, u32 arg) const { return s_.shape(ins.arg_type(arg)) == s_.shape(ins.type()); }

    bool flags(u32 at, u32 must, u32 may) {
        Ins ins = s_.ins_at(at);
        u32 given = ins.extra()[0];
        if ((given & must) != must || (given & ~may)) return s_.refuse(at, "flags " + std::to_string(given));
        if (given & FIXED_COST) {
            if (ins.extra() + 2 > ins.w + ins.length()) return s_.refuse(at, "has no cost");
            if (s_.types[s_.shape(ins.type())].leaves == 0) return s_.refuse(at, "has no fixed cost");
        }
        return true;
    }

    bool mistyped(u32 at) {
        Ins ins = s_.ins_at(at);
        std::string given;
        for (u32 k = 0; k < ins.count(); ++k) given += (k ? ", " : "") + s_.types.text(s_.shape(ins.arg_type(k)));
        return s_.refuse(at, "does not take " + given + " and give " + s_.types.text(s_.shape(ins.type())));
    }

    // Whether some alternative of a signature takes the arguments (or the first half, where their originals follow).
    bool fits(Ins ins, const char* text) const {
        bool originals = ins.extra()[0] & ORIGINALS;
        if (originals && ins.count() % 2) return false;
        u32 count = originals ? ins.count() / 2 : ins.count();
        for (const char* at = text;; ++at) {
            Match match(s_.types, ins.extra()[0] & NEVER_EQUAL);
            const char* start = at;
            bool good = true;
            for (bool last : {false, true}) {
                at = start;
                u32 k = 0;
                for (; good && *at != ':' && k < count; ++k) good = match.takes(at, s_.shape(ins.arg_type(k)), last);
                good = good && *at == ':' && k == count && match.takes(++at, s_.shape(ins.type()), last);
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
        u32 from = s_.shape(ins.arg_type(0)), to = s_.shape(ins.type());
        const Shape &f = s_.types[from], &t = s_.types[to];
        auto rows = [&](u32 of) {
            if (s_.types[of].kind != K_SEQ || s_.types[s_.types[of].item].kind != K_SEQ) return u32(NO_TYPE);
            return s_.types[s_.types[s_.types[of].item].item].kind;
        };
        if (f.kind == K_GRID && t.kind == K_SEQ) return rows(to) == K_INT;
        if (t.kind == K_GRID) return rows(from) <= K_OPT;
        if (s_.types.container(from) && f.kind == t.kind) {
            const Form &a = s_.types[f.item].slot, &b = s_.types[t.item].slot;
            return numbers(a) && numbers(b) && a.size() == b.size();
        }
        if (f.kind == K_SEQ && t.kind == K_SET) return f.item == t.item;
        if (f.kind == K_SEQ && t.kind == K_IJ) return s_.types[f.item].kind <= K_OPT;
        if (f.kind == K_IJ && t.kind == K_SEQ) return s_.types[t.item].kind == K_INT;
        if (f.kind == K_TUP && t.kind == K_SEQ) {
            const Shape& item = s_.types[t.item];
            std::vector<u32> parts = item.kind == K_TUP ? item.parts : std::vector<u32>{t.item};
            for (size_t k = 0; k < f.parts.size(); ++k)
                if (f.parts[k] != parts[k % parts.size()]) return false;
            return f.parts.size() % parts.size() == 0;
        }
        return numbers(f.slot) && numbers(t.slot) && f.slot.size() == t.slot.size();
    }

    // Whether the words from the place the instruction names are the parts it says.
    bool part(Ins ins) const {
        if (ins.extra() + 3 > ins.w + ins.length()) return false;
        const Form &whole = s_.types[s_.shape(ins.arg_type(0))].slot, &wanted = s_.types[s_.shape(ins.type())].slot;
        size_t from = ins.extra()[2];
        if (from > whole.size() || wanted.size() > whole.size() - from) return false;
        for (size_t k = 0; k < wanted.size(); ++k)
            if (whole[from + k] != wanted[k]) return false;
        return true;
    }

    State& s_;
};

}  // namespace check
}  // namespace arcbatt
