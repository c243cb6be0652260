// The load check's part for loops by columns (columns.h): that the body's values lie in the window it names, that it
// has only instructions a run by columns knows, and that what is kept over several runs of the loop stays the same for
// them.
#pragma once

#include <map>

#include "check_types.h"

namespace arcbatt {
namespace check {

class ColumnCheck {
   public:
    ColumnCheck(const Program& program, Ins loop, BodyRef body, ColumnsRef columns)
        : p_(program), loop_(loop), body_(body), columns_(columns) {}

    // What is wrong, or nothing. `depth` is in how many bodies the loop stands, `depth_of` tells that of what wrote a
    // place outside the window.
    template <class F>
    std::string problem(u32 depth, F depth_of) {
        u32 op = loop_.op(), walks = op == LOOP_PAPPLY || op == LOOP_PRAPPLY ? 2 : 1, scope = columns_.scope();
        bool more = op == LOOP_APPLY || walks == 2;
        u32 kind = p_.types[body_.type()].kind;
        if (op == LOOP_MAPPLY || op == LOOP_MPAPPLY || op >= LOOP_RAPPLY) return "cannot run by columns";
        if (kind != K_INT && !(more && (kind == K_IJ || kind == K_CELL))) return "gives no number to run by columns";
        if (columns_.first() == 0 || columns_.rows() > MOST_ROWS ||
            u64(columns_.first()) + columns_.rows() > p_.image.size())
            return "its columns are outside the slots";
        if (scope && scope >= depth) return "keeps columns of what does not stand still";
        bool still = depth > 0;
        for (u32 k = 0; k < walks; ++k) still = still && depth_of(loop_.arg(k)) <= scope && scope < depth;
        for (u32 k = 0; k < body_.params(); ++k)
            if (!add(body_.param(k), body_.param_type(k), still)) return "a parameter is outside its columns";
        for (u32 at = body_.code(); p_.code[at] != END_BODY; at += p_.code[at + 1]) {
            Ins ins{p_.code.data() + at};
            std::string wrong = ins.op() == OWE ? debt(ins) : call(ins, scope, depth_of);
            if (!wrong.empty()) return "by columns: word " + std::to_string(at) + " " + wrong;
        }
        return kept_.count(body_.result()) ? "" : "its result is outside its columns";
    }

   private:
    static constexpr u32 MOST_ROWS = 512, MOST_WORDS = 4;

    // A value in the window; whether it may be kept.
    bool add(u32 place, u32 type, bool may_keep) {
        u64 end = u64(place) + 1 + p_.types[type].slot_words;
        if (place < columns_.first() || end > u64(columns_.first()) + columns_.rows()) return false;
        if (columns_.keeps(place) && !may_keep) return false;
        return kept_.emplace(place, columns_.keeps(place)).second;
    }

    std::string debt(Ins ins) const {
        for (u32 k = 0; k < ins.w[3]; ++k)
            if (columns_.varies(ins.w[4 + 2 * k])) return "owes what is in its columns";
        return "";
    }

    bool known_op(Ins ins) const {
        auto scalar = [&](u32 type) { return p_.types[type].scalar != 0; };
        if (ins.op() < HALT) return scalar(ins.type());
        switch (ins.op()) {
            case COPY:
            case COPY_COUNTED:
            case GUARD:
            case PART:
            case ASTUPLE:
            case BRANCH:
            case CHOOSE:
                return true;
            case EQUAL:
                return scalar(ins.arg_type(0)) && scalar(ins.arg_type(1));
            case INITSET:
                return p_.types[ins.arg_type(0)].kind <= K_CELL;
        }
        return false;
    }

    template <class F>
    std::string call(Ins ins, u32 scope, F depth_of) {
        if (ins.op() >= LOOP_APPLY || ins.count() > MAX_ARGS || ins.cost_place()) return "is no plain call";
        if (!known_op(ins) || (ins.extra()[0] & ORIGINALS)) return "is an operation that columns do not know";
        bool still = ins.op() != INITSET;
        for (u32 k = 0; k < ins.count(); ++k) {
            if (p_.types[ins.arg_type(k)].slot_words > MOST_WORDS) return "takes a value of too many words";
            if (columns_.varies(ins.arg(k)) && !kept_.count(ins.arg(k))) return "takes what is not in its columns";
        }
        for (u32 k = 0; k < ins.count(); ++k) still = still && stands_still(source(ins, k), scope, depth_of);
        if (ins.op() == ASTUPLE) pairs_[ins.dst()] = ins;
        return add(ins.dst(), ins.type(), still) ? "" : "gives what is outside its columns, or is kept and changes";
    }

    template <class F>
    bool stands_still(u32 place, u32 scope, F depth_of) const {
        auto inside = kept_.find(place);
        return inside != kept_.end() ? inside->second : depth_of(place) <= scope;
    }

    // Where an argument's value comes from: the part of a pair made here comes from that part alone.
    u32 source(Ins ins, u32 k) const {
        auto pair = pairs_.find(ins.arg(k));
        if (ins.op() != PART || pair == pairs_.end()) return ins.arg(k);
        Ins made = pair->second;
        u32 words = p_.types[made.arg_type(0)].slot_words, from = ins.extra()[2];
        if (from + p_.types[ins.type()].slot_words <= words) return made.arg(0);
        return from >= words ? made.arg(1) : ins.arg(k);
    }

    const Program& p_;
    Ins loop_;
    BodyRef body_;
    ColumnsRef columns_;
    std::map<u32, bool> kept_;  // of each value of the body, whether it is kept
    std::map<u32, Ins> pairs_;
};

}  // namespace check
}  // namespace arcbatt
