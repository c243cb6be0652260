// Constants in a program's image: whether what a slot holds is a value of its type.
#pragma once

#include <string>

#include "exec/program.h"

namespace arcbatt {
namespace check {

class Constants {
   public:
    explicit Constants(const Program& program)
        : p_(program), types_{program.types.data(), program.parts.data()}, left_(4 * u64(program.image.size())) {}

    // What is wrong with the constant in a slot, or nothing; `in_slot` tells which words of the image slots take.
    template <class F>
    std::string problem(u32 place, u32 type, F in_slot) {
        if (p_.image[place] != OK) return "it has a status";
        const TypeDesc& t = types_[type];
        const u32* words = p_.image.data() + place + 1;
        if (t.kind != K_TUP) return value(type, words, in_slot);
        for (u32 k = 0; k < t.flat_count; ++k) {
            u32 part = p_.parts[t.flat_first + k];
            std::string wrong = value(part, words, in_slot);
            if (!wrong.empty()) return wrong;
            words += types_[part].slot_words;
        }
        return "";
    }

   private:
    // A value with offsets; any word will do as a number or a key.
    template <class F>
    std::string value(u32 type, const u32* words, F in_slot) {
        const TypeDesc& t = types_[type];
        if (t.kind <= K_CELL) return "";
        u64 items = words[1], length;
        if (t.kind == K_GRID) {
            u32 h = words[1] >> 16, w = words[1] & 0xFFFFu;
            if (h > u32(MAX_SIDE) || w > u32(MAX_SIDE) || h * w > u32(MAX_CELLS) || (h == 0 && w != 0))
                return "a grid of " + std::to_string(h) + " by " + std::to_string(w);
            length = (u64(h) * w + 3) / 4;
        } else {
            if (items > MAX_ITEMS) return "too many items";
            length = items * types_[t.item].item_words;
        }
        if (words[0] > p_.image.size() || length > p_.image.size() - words[0]) return "it lies outside the image";
        if (length > left_) return "constants share their words too often";
        left_ -= length;
        for (u32 k = 0; k < length; ++k)
            if (in_slot(words[0] + k)) return "it lies in a slot";
        return t.kind == K_GRID ? "" : contents(type, p_.image.data() + words[0], u32(items), in_slot);
    }

    template <class F>
    std::string contents(u32 type, const u32* words, u32 n, F in_slot) {
        u32 item = types_[type].item, stride = types_[item].item_words;
        if (!types_[item].scalar)
            for (u32 k = 0; k < n; ++k) {
                std::string wrong = one(item, words + k * stride, in_slot);
                if (!wrong.empty()) return wrong;
            }
        if (types_[type].kind != K_SET) return "";
        u32* base = const_cast<u32*>(p_.image.data());
        Ctx c{Group{}, Arena{base, u32(p_.image.size()), u32(p_.image.size())}};
        for (u32 k = 1; k < n; ++k)
            if (compare_items(c, types_, item, words + (k - 1) * stride, words + k * stride) >= 0)
                return "a set that is not sorted";
        return "";
    }

    template <class F>
    std::string one(u32 type, const u32* words, F in_slot) {
        const TypeDesc& t = types_[type];
        if (t.kind != K_TUP) return value(type, words, in_slot);
        for (u32 k = 0; k < t.flat_count; ++k) {
            u32 part = p_.parts[t.flat_first + k];
            std::string wrong = value(part, words, in_slot);
            if (!wrong.empty()) return wrong;
            words += types_[part].item_words;
        }
        return "";
    }

    const Program& p_;
    Types types_;
    u64 left_;  // words that may still be read: so reading is linear in the image, however constants overlap
};

}  // namespace check
}  // namespace arcbatt
