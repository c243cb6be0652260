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
    // Where instructions start, those of code for columns too.
    void add_starts(size_t at, size_t end) {
        for (; at + 2 <= end && b_.code[at + 1] >= 2 && b_.code[at + 1] <= end - at; at += b_.code[at + 1]) {
            starts_.push_back(at);
            const uint32_t* w = b_.code.data() + at;
            if (w[0] < arcbatt::LOOP_APPLY) continue;
            arcbatt::Ins loop{w};
            if (!loop.has(arcbatt::COLUMNAR)) continue;
            const uint32_t* code = arcbatt::columns_behind(loop, arcbatt::check::behind_bodies(loop)).code();
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
    uint32_t* ins() {
        for (int k = 0; k < 20 && !starts_.empty(); ++k) {
            uint32_t at = starts_[draw_.below(starts_.size())];
            if (at + 9 <= b_.code.size() && b_.code[at + 1] >= 9 &&
                8 + 2 * uint64_t(b_.code[at + 6]) < b_.code[at + 1] && b_.code[at + 1] <= b_.code.size() - at)
                return b_.code.data() + at;
        }
        return nullptr;
    }
    // One field of an instruction becomes another plausible one.
    void operand() {
        uint32_t *w = ins(), *v = ins();
        if (!w || !v) return;
        uint32_t count = w[6], place = count ? draw_.below(count) : 0;
        uint32_t other = v[6] ? draw_.below(v[6]) : 0;
        switch (draw_.below(12)) {
            case 0:
                w[0] = draw_.chance(50) ? v[0] : draw_.chance(50) ? draw_.below(210) : draw_.between(1000, 1076);
                return;
            case 1:
                w[2] = v[2];
                return;
            case 2:
                w[7] = v[7];
                return;
            case 3:
                w[2] = v[2];
                w[7] = v[7];
                return;
            case 4:
                w[3] = draw_.below(3);
                return;
            case 5:
                w[5] = draw_.below(count + 2);
                return;
            case 6:
                if (count && v[6]) w[8 + place] = v[8 + other];
                return;
            case 7:  // a whole argument from elsewhere
                if (count && v[6]) {
                    w[8 + place] = v[8 + other];
                    w[8 + count + place] = v[8 + v[6] + other];
                }
                return;
            case 8:  // an earlier or later result as an argument
                if (count) {
                    w[8 + place] = v[2];
                    w[8 + count + place] = v[7];
                }
                return;
            case 9:
                w[8 + 2 * count] ^= 1u << draw_.below(8);
                return;
            case 10:  // a word behind the arguments: flags, costs, bodies
                w[8 + 2 * count + draw_.below(w[1] - 8 - 2 * count)] = word();
                return;
            default:  // two arguments change places
                if (count > 1) {
                    uint32_t second = draw_.below(count);
                    std::swap(w[8 + place], w[8 + second]);
                    std::swap(w[8 + count + place], w[8 + count + second]);
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
