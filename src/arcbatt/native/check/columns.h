// The load check's part for columnar loops (loops/columns.h): that their columnar code is well formed, takes only
// values that are there, with their types, puts its own inside the loop's window, and keeps over several runs of the
// loop only what stays the same for them.
#pragma once

#include <map>

#include "check/types.h"
#include "exec/code.h"

namespace arcbatt {
namespace check {

// Where the words behind a loop's bodies are.
inline const u32* behind_bodies(Ins loop) {
    BodyRef body{loop.extra() + 2};
    for (u32 k = 0; k < loop.extra()[1]; ++k) body = body.next();
    return body.w;
}

class ColumnCheck {
   public:
    ColumnCheck(const TypeBook& types, Ins loop, BodyRef body, ColumnsRef columns, size_t slots)
        : types_(types), loop_(loop), body_(body), columns_(columns), slots_(slots) {}

    // What is wrong, or nothing. `depth` is in how many bodies the loop stands; `around` tells of what is outside the
    // window: in how many bodies it was written, whether it holds a value of a type or a cost; and whether an operation
    // takes and gives what an instruction says.
    template <class A>
    std::string problem(u32 depth, const A& around) {
        u32 op = loop_.op(), walks = op == LOOP_PAPPLY || op == LOOP_PRAPPLY ? 2 : 1, scope = columns_.scope();
        bool more = op == LOOP_APPLY || walks == 2;
        u32 kind = kind_of(body_.type());
        if (!can_be_columnar(op)) return "cannot be columnar";
        if (kind != K_INT && !(more && (kind == K_IJ || kind == K_CELL))) return "gives no number to be columnar";
        if (columns_.first() == 0 || u64(columns_.first()) + columns_.rows() > slots_)
            return "its columns are outside the slots";
        if (scope && scope >= depth) return "keeps columns of what does not stand still";
        depth_ = depth;
        bool still = depth > 0;
        for (u32 k = 0; k < walks; ++k) still = still && around.depth_of(loop_.arg(k)) <= scope && scope < depth;
        return code(still, scope, around);
    }

   private:
    enum : u32 { NOTHING = 0xFFu };

    // A word of the window: what it is of which type, and whether it is kept.
    struct Held {
        u32 form = NOTHING;
        bool kept = false;
    };

    u32 kind_of(u32 type) const { return types_[types_.shape(type)].kind; }
    const Form& form_of(u32 type) const { return types_[types_.shape(type)].slot; }
    bool inside(u32 place, size_t words) const {
        return place >= columns_.first() && u64(place) + 1 + words <= u64(columns_.first()) + columns_.rows();
    }

    template <class A>
    std::string code(bool still, u32 scope, const A& around) {
        words_.assign(columns_.rows(), Held{});
        for (u32 k = 0; k < body_.params(); ++k)
            if (!put(body_.param(k), body_.param_type(k), still)) return "a parameter is outside its columns";
        std::string wrong = run(columns_, nullptr, scope, around);
        if (!wrong.empty()) return wrong;
        return has(columns_.result(), body_.type()) ? "" : "its result is outside its columns";
    }

    // A value in the window; whether it may be kept.
    bool put(u32 place, u32 type, bool may_keep) { return put(columns_, place, type, may_keep); }
    bool put(ColumnsRef columns, u32 place, u32 type, bool may_keep) {
        const Form& form = form_of(type);
        if (form.size() > MAX_COLUMN_WORDS || !inside(place, form.size())) return false;
        if (place < columns.first() || u64(place) + 1 + form.size() > u64(columns.first()) + columns.rows())
            return false;
        for (size_t k = 0; k <= form.size(); ++k) {
            bool keeps = columns.keeps(place + u32(k));
            if (keeps != columns.keeps(place) || (keeps && !may_keep)) return false;
            if (columns.w != columns_.w && columns_.keeps(place + u32(k))) return false;
        }
        for (size_t k = 0; k < form.size(); ++k)
            words_[place - columns_.first() + 1 + k] = Held{form[k], columns.keeps(place)};
        return true;
    }
    // Whether a value of a type lies at a place of the window.
    bool has(u32 place, u32 type) const {
        const Form& form = form_of(type);
        if (!inside(place, form.size())) return false;
        for (size_t k = 0; k < form.size(); ++k)
            if (words_[place - columns_.first() + 1 + k].form != form[k]) return false;
        return true;
    }
    bool kept(u32 place, u32 type) const {
        for (size_t k = 0; k < form_of(type).size(); ++k)
            if (!words_[place - columns_.first() + 1 + k].kept) return false;
        return true;
    }

    // The code of the loop or, given the ones around it, of a loop in it.
    template <class A>
    std::string run(ColumnsRef columns, const ColumnsRef* outer, u32 scope, const A& around) {
        const u32 *at = columns.code(), *end = at + columns.code_words();
        for (;; at += at[1]) {
            if (end - at < 2 || at[1] < 2 || at[1] > end - at) return "columnar code that does not end";
            Ins ins{at};
            if (ins.op() == END_BODY) return end - at == 2 ? "" : "columnar code that goes on";
            std::string wrong = ins.op() == CHARGE ? charge(ins, around) : call(columns, outer, ins, scope, around);
            if (!wrong.empty()) return "columnar code that " + wrong;
        }
    }

    template <class A>
    std::string charge(Ins ins, const A& around) const {
        if (ins.length() < 4 || u64(ins.w[3]) * 2 + 4 != ins.length()) return "has a charge that is not well formed";
        for (u32 k = 0; k < ins.w[3]; ++k)
            if (columns_.varies(ins.w[4 + 2 * k]) || !around.holds_cost(ins.w[4 + 2 * k]))
                return "charges what is no cost";
        return "";
    }

    // Whether what a value consists of stands still for the loop whose code this is: an argument that is there.
    template <class A>
    bool stands_still(ColumnsRef columns, u32 place, u32 type, u32 scope, const A& around) const {
        if (columns.varies(place)) return kept(place, type);
        return !columns_.varies(place) && around.depth_of(place) <= scope;
    }

    template <class A>
    std::string call(ColumnsRef columns, const ColumnsRef* outer, Ins ins, u32 scope, const A& around) {
        if (ins.length() < 9 || u64(ins.count()) * 2 + 9 > ins.length()) return "is too short";
        u32 op = ins.op();
        if (op != GUARD && ins.count() > MAX_ARGS) return "takes too many arguments";
        bool still = op != INITSET;
        for (u32 k = 0; k < ins.count(); ++k) {
            u32 place = ins.arg(k), type = ins.arg_type(k);
            if (!types_.known(type)) return "takes a value of no type";
            bool own = columns_.varies(place) && op != GUARD;
            if (own ? !has(place, type) : columns_.varies(place) || !around.holds(place, type))
                return "takes what is not there";
            if (op != GUARD && form_of(type).size() > MAX_COLUMN_WORDS && op < FIRST_LOOP)
                return "takes a value of too many words";
            still = still && stands_still(columns, place, type, scope, around);
        }
        if (op == GUARD) return "";
        if (op == COUNT)
            return ins.count() == 1 || (ins.count() == 2 && products(ins)) ? "" : "counts what has no size";
        if (!types_.known(ins.type())) return "gives a value of no type";
        std::string wrong = op < FIRST_LOOP ? plain(ins, around)
                            : outer         ? "has loops too deep"
                                            : loop(ins, still, around);
        if (!wrong.empty()) return wrong;
        return put(columns, ins.dst(), ins.type(), still) ? "" : "gives what is outside its columns, or changes";
    }
    bool products(Ins ins) const {
        auto measured = [&](u32 type) {
            u32 kind = kind_of(type);
            return types_[types_.shape(type)].leaves || kind == K_SET || kind == K_SEQ;
        };
        return measured(ins.arg_type(0)) && measured(ins.arg_type(1));
    }

    static bool scalar(const Shape& shape) {
        for (u32 word : shape.slot)
            if (word > W_OPT) return false;
        return true;
    }
    // Whether a value is numbers, or a set or tuple of numbers.
    bool flat(u32 type) const {
        u32 shape = types_.shape(type);
        return scalar(types_[shape]) || (types_.container(shape) && scalar(types_[types_[shape].item]));
    }

    template <class A>
    std::string plain(Ins ins, const A& around) const {
        u32 count = ins.count();
        bool known = ins.op() < HALT && scalar(types_[types_.shape(ins.type())]);
        switch (ins.op()) {
            case ABSOLUTE:
                return count == 1 && kind_of(ins.arg_type(0)) == K_INT && kind_of(ins.type()) == K_INT
                           ? ""
                           : "is of no number";
            case COPY:
            case COPY_COUNTED:
            case PART:
            case ASTUPLE:
            case CHOOSE:
                known = true;
                break;
            case BRANCH:  // which side it takes is known where the condition is a constant
                known = !columns_.varies(ins.arg(0)) ||
                        (count == 3 && types_.shape(ins.arg_type(1)) == types_.shape(ins.arg_type(2)));
                break;
            case EQUAL:
                known = count == 2 && flat(ins.arg_type(0)) && flat(ins.arg_type(1));
                break;
            case MAXIMUM:
            case MINIMUM:
                known = count == 1 && kind_of(ins.arg_type(0)) == K_IJ;
                break;
            case INITSET:
                known = count == 1 && kind_of(ins.arg_type(0)) <= K_CELL;
                break;
        }
        if (!known || ins.has(ORIGINALS)) return "has an operation that columns do not know";
        return around.takes(ins) ? "" : "does not fit";
    }

    // A loop that looks for the best of a container's items, the same container for all items of this one.
    template <class A>
    std::string loop(Ins ins, bool& still, const A& around) {
        const u32 *end = ins.w + ins.length(), *extra = ins.extra();
        if (!looks_for_best(ins.op()) || extra[0] != COLUMNAR || ins.count() != 1 || ins.times() < 1 ||
            loop_.op() == LOOP_EXTRACT)
            return "has a loop that columns do not know";
        if (columns_.varies(ins.arg(0))) return "walks what is in its columns";
        if (end - extra < 8 || extra[1] != 1 || BodyRef{extra + 2}.params() != 1) return "has a loop without a body";
        BodyRef body{extra + 2};
        ColumnsRef inner{body.next().w};
        if (end - inner.w < i64(ColumnsRef::HEAD) || inner.rows() > MAX_COLUMN_ROWS ||
            end - inner.w != i64(ColumnsRef::HEAD) + inner.bit_words() + inner.code_words())
            return "has a loop that is not well formed";
        const Shape& walked = types_[types_.shape(ins.arg_type(0))];
        if (!types_.container(types_.shape(ins.arg_type(0))) || !types_.known(body.type()) ||
            !types_.known(body.param_type(0)) || types_.shape(body.param_type(0)) != walked.item ||
            kind_of(body.type()) != K_INT)
            return "has a loop over what is no container";
        if (gives_best_value(ins.op()) ? kind_of(ins.type()) != K_INT : types_.shape(ins.type()) != walked.item)
            return "gives another type";
        u32 scope = inner.scope();
        if (inner.rows() < 2 || scope > depth_ || around.depth_of(ins.arg(0)) > scope ||
            inner.first() < columns_.first() ||
            u64(inner.first()) + inner.rows() > u64(columns_.first()) + columns_.rows())
            return "has a loop whose columns are outside its columns";
        clear(inner);
        if (!put(inner, body.param(0), body.param_type(0), true))
            return "has a loop whose items are outside its columns";
        std::string wrong = run(inner, &columns_, scope, around);
        if (!wrong.empty()) return wrong;
        still = still && needs_still(inner, around);
        bool result = inner.varies(inner.result()) && has(inner.result(), body.type());
        clear(inner);
        return result ? "" : "has a loop without a result";
    }
    void clear(ColumnsRef inner) {
        for (u32 k = 0; k < inner.rows(); ++k) words_[inner.first() - columns_.first() + k] = Held{};
    }
    // Whether all that the code of a loop in it takes from outside that loop stands still for this one.
    template <class A>
    bool needs_still(ColumnsRef inner, const A& around) const {
        for (const u32* at = inner.code(); *at != END_BODY; at += at[1]) {
            Ins ins{at};
            bool charge = ins.op() == CHARGE;
            for (u32 k = 0; k < (charge ? ins.w[3] : ins.count()); ++k) {
                u32 place = charge ? ins.w[4 + 2 * k] : ins.arg(k);
                if (inner.varies(place)) continue;
                bool good =
                    columns_.varies(place) ? kept(place, ins.arg_type(k)) : around.depth_of(place) <= columns_.scope();
                if (!good) return false;
            }
        }
        return true;
    }

    const TypeBook& types_;
    Ins loop_;
    BodyRef body_;
    ColumnsRef columns_;
    size_t slots_;
    u32 depth_ = 0;
    std::vector<Held> words_;
};

}  // namespace check
}  // namespace arcbatt
