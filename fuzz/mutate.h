// Changes to valid bytecode: some keep its structure (operands, types, opcodes, bodies), some are any word.
#pragma once

#include "draw.h"
#include "target.h"

namespace fuzz {

class Mutator {
   public:
    Mutator(Draw& draw, Blob& blob) : draw_(draw), b_(blob) { add_starts(0, b_.code.size()); }

    void change() {
        switch (draw_.below(20)) {
            case 0:
                return any(b_.image);
            case 1:
                return any(b_.types);
            case 2:
                return any(b_.parts);
            case 3:
                return any(b_.outputs);
            case 4:
                return any(b_.inputs);
            case 5:
                return any(b_.code);
            case 6:
                return cut();
            case 7:
                return doubled();
            case 8:
                return constant();
            default:
                return operand();
        }
    }

   private:
    static constexpr uint32_t HEAD = arcbatt::WORDS_OF<arcbatt::InstructionHead>;

    // Where instructions start, those of columnar code too.
    void add_starts(size_t at, size_t end) {
        for (; at + 2 <= end && b_.code[at + 1] >= 2 && b_.code[at + 1] <= end - at; at += b_.code[at + 1]) {
            starts_.push_back(at);
            const uint32_t* w = b_.code.data() + at;
            if (w[0] < arcbatt::LOOP_APPLY) continue;
            arcbatt::Ins loop{w};
            if (!loop.has(arcbatt::COLUMNAR)) continue;
            const uint32_t* code = arcbatt::ColumnsRef{arcbatt::check::behind_bodies(loop)}.code();
            add_starts(size_t(code - b_.code.data()), at + w[1]);
        }
    }
    uint32_t word() {
        switch (draw_.below(6)) {
            case 0:
                return draw_.below(16);
            case 1:
                return uint32_t(draw_.bits());
            case 2:
                return 0u - draw_.below(4);
            case 3:
                return draw_.below(b_.image.size() + 4);
            case 4:
                return b_.code.empty() ? 0 : b_.code[draw_.below(b_.code.size())];
            default:
                return 1u << draw_.below(32);
        }
    }
    void any(Words& words) {
        if (words.empty()) return;
        uint32_t& one = words[draw_.below(words.size())];
        if (draw_.chance(30))
            one ^= 1u << draw_.below(32);
        else if (draw_.chance(30))
            one += draw_.between(-4, 4);
        else
            one = word();
    }
    // An instruction that has arguments, or none; its words.
    uint32_t* ins() {
        for (int k = 0; k < 20 && !starts_.empty(); ++k) {
            uint32_t at = starts_[draw_.below(starts_.size())];
            if (at + HEAD + 1 <= b_.code.size() && b_.code[at + 1] > HEAD &&
                HEAD + 2 * uint64_t(head(b_.code.data() + at)->count) < b_.code[at + 1] &&
                b_.code[at + 1] <= b_.code.size() - at)
                return b_.code.data() + at;
        }
        return nullptr;
    }
    static arcbatt::InstructionHead* head(uint32_t* w) { return reinterpret_cast<arcbatt::InstructionHead*>(w); }
    // One field of an instruction becomes another plausible one.
    void operand() {
        uint32_t *w = ins(), *v = ins();
        if (!w || !v) return;
        arcbatt::InstructionHead *to = head(w), *from = head(v);
        uint32_t count = to->count, place = count ? draw_.below(count) : 0;
        uint32_t other = from->count ? draw_.below(from->count) : 0;
        uint32_t *slots = w + HEAD, *types = slots + count, *extra = types + count;
        uint32_t *other_slots = v + HEAD, *other_types = other_slots + from->count;
        switch (draw_.below(12)) {
            case 0:
                to->op = draw_.chance(50)   ? from->op
                         : draw_.chance(50) ? draw_.below(arcbatt::check::natives().size() + 3)
                                            : uint32_t(draw_.between(arcbatt::HALT, arcbatt::LOOP_POWER + 1));
                return;
            case 1:
                to->dst = from->dst;
                return;
            case 2:
                to->type = from->type;
                return;
            case 3:
                to->dst = from->dst;
                to->type = from->type;
                return;
            case 4:
                to->times = int32_t(draw_.below(3));
                return;
            case 5:
                to->strict = draw_.below(count + 2);
                return;
            case 6:
                if (count && from->count) slots[place] = other_slots[other];
                return;
            case 7:  // a whole argument from elsewhere
                if (count && from->count) {
                    slots[place] = other_slots[other];
                    types[place] = other_types[other];
                }
                return;
            case 8:  // an earlier or later result as an argument
                if (count) {
                    slots[place] = from->dst;
                    types[place] = from->type;
                }
                return;
            case 9:
                extra[0] ^= 1u << draw_.below(8);
                return;
            case 10:  // a word behind the arguments: flags, costs, bodies
                extra[draw_.below(to->length - HEAD - 2 * count)] = word();
                return;
            default:  // two arguments change places
                if (count > 1) {
                    uint32_t second = draw_.below(count);
                    std::swap(slots[place], slots[second]);
                    std::swap(types[place], types[second]);
                }
        }
    }
    void cut() {
        Words& words = draw_.one_of({&b_.code, &b_.image, &b_.types, &b_.parts})[0];
        if (!words.empty()) words.resize(draw_.below(words.size() + 1));
    }
    // Some instruction once more in place of another of its length, or before it.
    void doubled() {
        uint32_t *w = ins(), *v = ins();
        if (!w || !v) return;
        Words copy(v, v + v[1]);
        if (w[1] == copy[1]) std::copy(copy.begin(), copy.end(), w);
    }
    // A word of what constants point to.
    void constant() {
        if (b_.image.empty()) return;
        uint32_t at = uint32_t(b_.image.size()) - 1 - draw_.below(std::min<size_t>(b_.image.size(), 40));
        b_.image[at] = draw_.chance(50) ? word() : b_.image[at] + draw_.between(-2, 2);
    }

    Draw& draw_;
    Blob& b_;
    Words starts_;
};

}  // namespace fuzz
