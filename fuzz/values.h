// Programs of one call on random constants: every native function and every generic operation, drawn from the load
// check's own signatures, on values near the limits of their types.
#pragma once

#include <iterator>
#include <map>

#include "draw.h"
#include "target.h"

namespace fuzz {

using namespace arcbatt;

// Types and the words of values, written as lower/layout.py writes them.
class Writer {
   public:
    explicit Writer(Draw& draw) : draw_(draw) {}
    Blob blob;
    bool too_big = false;

    u32 type(u32 kind, u32 item = 0, Words parts = {}) {
        Words key{kind, item};
        key.insert(key.end(), parts.begin(), parts.end());
        auto known = numbers_.find(key);
        if (known != numbers_.end()) return known->second;
        TypeDesc t{kind, item, 2, 2, 0, 0, 0, 0};
        u32 depth = 0;
        if (kind <= K_CELL) {
            t.slot_words = t.leaves = kind == K_CELL ? 3 : kind == K_IJ ? 2 : 1;
            t.item_words = t.scalar = 1;
        } else if (kind == K_TUP) {
            t = TypeDesc{kind, 0, 0, 0, 0, u32(blob.parts.size()), u32(parts.size()), 1};
            bool fixed = true;
            for (u32 part : parts) {
                t.slot_words += desc_[part].slot_words;
                t.item_words += desc_[part].item_words;
                t.leaves += desc_[part].leaves;
                t.scalar &= desc_[part].scalar;
                fixed = fixed && desc_[part].leaves;
                depth = most(depth, depth_[part]);
            }
            if (!fixed) t.leaves = 0;
            blob.parts.insert(blob.parts.end(), parts.begin(), parts.end());
        } else if (kind != K_GRID) {
            depth = depth_[item] + 1;
        }
        too_big = too_big || t.item_words > MAX_ITEM_WORDS || depth > MAX_TYPE_DEPTH;
        desc_.push_back(t);
        depth_.push_back(depth);
        const u32* row = reinterpret_cast<const u32*>(&t);
        blob.types.insert(blob.types.end(), row, row + WORDS_OF<TypeDesc>);
        return numbers_[key] = u32(desc_.size()) - 1;
    }
    const TypeDesc& desc(u32 type) const { return desc_[type]; }
    Words flat(u32 type) const {
        const TypeDesc& t = desc_[type];
        if (t.kind != K_TUP) return {type};
        return Words(blob.parts.begin() + t.flat_first, blob.parts.begin() + t.flat_first + t.flat_count);
    }
    // The tuple of two.
    u32 pair(u32 a, u32 b) {
        if (desc_[a].kind == K_INT && desc_[b].kind == K_INT) return type(K_IJ);
        if (desc_[a].kind == K_INT && desc_[b].kind == K_IJ) return type(K_CELL);
        Words parts = flat(a), more = flat(b);
        parts.insert(parts.end(), more.begin(), more.end());
        return type(K_TUP, 0, parts);
    }
    u32 random_type(u32 depth) {
        u32 roll = draw_.below(100);
        if (roll < 30) return type(K_INT);
        if (roll < 35) return type(K_OPT);
        if (roll < 50) return type(K_IJ);
        if (roll < 62) return type(K_CELL);
        if (roll < 72) return type(K_GRID);
        if (depth == 0 || roll < 80) return pair(type(K_INT), depth ? random_type(depth - 1) : type(K_INT));
        return type(draw_.chance(50) ? K_SET : K_SEQ, random_type(depth - 1));
    }

    // A new slot for a value of a type; its place.
    u32 slot(u32 type) {
        u32 place = u32(blob.image.size());
        blob.image.resize(place + 1 + desc_[type].slot_words);
        return place;
    }
    // Random words of a value in a slot; what it points to is written behind all slots later.
    void fill(u32 place, u32 type) {
        u32 at = place + 1;
        for (u32 part : flat(type)) {
            u32 kind = desc_[part].kind;
            if (kind <= K_CELL) {
                for (u32 k = 0; k < desc_[part].slot_words; ++k) blob.image[at + k] = u32(number());
                if (kind == K_OPT && draw_.chance(30)) blob.image[at] = u32(NONE);
            } else {
                Words words = item(part, 0);
                blob.image[at] = words[0];
                blob.image[at + 1] = words[1];
            }
            at += desc_[part].slot_words;
        }
    }
    i32 number() {
        if (draw_.chance(70)) return draw_.between(-4, 32);
        return draw_.one_of<i32>({INT_LEAST, INT_LEAST + 1, INT_MOST, -32769, -32768,  32767,  32768,
                                  -2049,     -2048,         2047,     2048,   -129,    -128,   127,
                                  128,       255,           256,      1000,   1024,    1025,   65535,
                                  65536,     65537,         -65536,   131072, -131073, 1 << 30});
    }

   private:
    u32 key(u32 kind, u32 mode) {
        auto side = [&](i32 low, i32 high) {
            switch (mode % 4) {
                case 0:
                    return draw_.between(0, 12);
                case 1:
                    return draw_.between(-3, 40);
                case 2:
                    return draw_.one_of<i32>({low, low + 1, -1, 0, 1, high - 1, high});
                default:
                    return draw_.between(low, high);
            }
        };
        switch (kind) {
            case K_INT:
                return int_key(mode % 4 < 2 ? draw_.between(-3, 40) : number());
            case K_OPT:
                return draw_.chance(20) ? 0 : int_key(number());
            case K_IJ:
                return ij_key(IJ{side(-32768, 32767), side(-32768, 32767)});
            default: {
                i32 colour = mode & 4 ? draw_.between(-128, 127) : mode & 8 ? 3 : draw_.between(0, 4);
                return cell_key(colour, IJ{side(-2048, 2047), side(-2048, 2047)});
            }
        }
    }
    u32 count(bool plain) {
        u32 roll = draw_.below(1000);
        if (roll < 120) return 0;
        if (roll < 700) return draw_.below(12);
        if (roll < 960) return draw_.below(120);
        if (!plain) return draw_.below(200);
        return roll < 995 ? draw_.below(3000) : draw_.one_of<u32>({65536, 65535, 20000});
    }
    Words item(u32 type, u32 level) {
        const TypeDesc& t = desc_[type];
        if (t.kind <= K_CELL) return {key(t.kind, draw_.below(16))};
        if (t.kind == K_GRID) return grid(level);
        if (t.kind == K_TUP) {
            Words all;
            for (u32 part : flat(type)) {
                Words one = item(part, level + 1);
                all.insert(all.end(), one.begin(), one.end());
            }
            return all;
        }
        u32 n = level ? draw_.below(draw_.chance(90) ? 5 : 40) : count(desc_[t.item].kind <= K_CELL);
        u32 mode = draw_.below(16), width = draw_.between(1, 60);
        u32 first = draw_.between(-2, 30);
        bool block = draw_.chance(40) && (desc_[t.item].kind == K_IJ || desc_[t.item].kind == K_CELL);
        u32 stride = desc_[t.item].item_words;
        Words words;
        for (u32 k = 0; k < n; ++k) {
            Words one;
            if (block && n < 2000) {  // a filled part of a rectangle
                IJ p{i32(first + k / width), i32(first + k % width)};
                one = {desc_[t.item].kind == K_IJ ? ij_key(p) : cell_key(mode & 4 ? i32(k % 3) : 2, p)};
            } else if (desc_[t.item].kind <= K_CELL) {
                one = {key(desc_[t.item].kind, mode)};
            } else {
                one = item(t.item, level + 1);
            }
            words.insert(words.end(), one.begin(), one.end());
        }
        u32 off = u32(pool_.size());
        if (t.kind == K_SET) n = sorted_unique(t.item, words, n);
        pool_.insert(pool_.end(), words.begin(), words.begin() + n * stride);
        return {off, n};
    }
    u32 sorted_unique(u32 type, Words& words, u32 n) {
        Words parts = blob.parts;
        Types types{desc_.data(), parts.data()};
        Ctx c{Group{}, Arena{pool_.data(), u32(pool_.size()), u32(pool_.size())}};
        return sort_unique_items(c, types, type, words.data(), n);
    }
    Words grid(u32 level) {
        u32 h = draw_.between(0, 12), w = draw_.between(0, 12), roll = draw_.below(100);
        if (roll < 10) {
            u32 which = draw_.below(level ? 4 : 9);
            const u32 sizes[][2] = {{1, 64},   {3, 65},    {30, 30},   {5, 0},   {1024, 1},
                                    {1, 1024}, {1024, 64}, {256, 256}, {63, 130}};
            h = sizes[which][0];
            w = sizes[which][1];
        }
        if (h == 0) w = 0;
        u32 off = u32(pool_.size()), mode = draw_.below(4);
        pool_.resize(off + (h * w + 3) / 4);
        u8* cell = reinterpret_cast<u8*>(pool_.data() + off);
        for (u32 k = 0; k < h * w; ++k)
            cell[k] = mode == 0   ? u8(draw_.below(2))
                      : mode == 1 ? u8(draw_.below(10))
                      : mode == 2 ? u8(draw_.bits())
                                  : u8(draw_.chance(10) ? 5 : 250);
        return {off, h << 16 | w};
    }

   public:
    // Put what values point to behind the slots, and move the offsets there.
    void relocate(const std::vector<std::pair<u32, u32>>& slots) {
        u32 base = u32(blob.image.size());
        for (auto& [place, type] : slots) {
            u32 at = place + 1;
            for (u32 part : flat(type)) {
                if (desc_[part].kind > K_CELL) move(blob.image.data() + at, part, base);
                at += desc_[part].slot_words;
            }
        }
        blob.image.insert(blob.image.end(), pool_.begin(), pool_.end());
    }

   private:
    void move(u32* pair, u32 type, u32 base) {
        const TypeDesc& t = desc_[type];
        u32 old = pair[0];
        pair[0] += base;
        if (t.kind == K_GRID || desc_[t.item].scalar) return;
        for (u32 k = 0; k < pair[1]; ++k) {
            u32* word = pool_.data() + old + k * desc_[t.item].item_words;
            for (u32 part : flat(t.item)) {
                if (desc_[part].kind > K_CELL) move(word, part, base);
                word += desc_[part].item_words;
            }
        }
    }

    Draw& draw_;
    std::map<Words, u32> numbers_;
    std::vector<TypeDesc> desc_;
    Words depth_, pool_;
};

// A type for a pattern; letters get random ones.
class Typing {
   public:
    Typing(Draw& draw, Writer& writer) : draw_(draw), w_(writer) {}

    u32 type(const char*& at) {
        switch (*at++) {
            case '*':
                return w_.random_type(2);
            case 'I':
                return w_.type(K_INT);
            case 'O':
                return w_.type(K_OPT);
            case 'N':
                return w_.type(draw_.chance(50) ? K_INT : K_OPT);
            case 'P':
                return w_.type(K_IJ);
            case 'K':
                return w_.type(K_CELL);
            case 'G':
                return w_.type(K_GRID);
            case '{':
                return inside(at, K_SET);
            case '[':
                return inside(at, K_SEQ);
            case '<':
                return inside(at, draw_.chance(50) ? K_SET : K_SEQ);
            case '(': {
                u32 both = w_.pair(letter(at[0]), letter(at[1]));
                at += 3;
                return both;
            }
            case '~': {
                u32 among = letter(*at++);
                if (w_.desc(among).kind <= K_OPT && draw_.chance(30)) return w_.type(draw_.chance(50) ? K_INT : K_OPT);
                return among;
            }
            default:
                return letter(at[-1]);
        }
    }

   private:
    u32 inside(const char*& at, u32 kind) {
        u32 item = type(at);
        ++at;
        return w_.type(kind, item);
    }
    u32 letter(char c) {
        u32& bound = bound_[c - 'a'];
        if (bound == NOWHERE) bound = w_.random_type(2);
        return bound;
    }

    Draw& draw_;
    Writer& w_;
    u32 bound_[3] = {NOWHERE, NOWHERE, NOWHERE};
};

// Operations for which the load check has more than a signature; of the ways they are used, some.
const check::Signature BESIDE[] = {
    {CAST, "CAST", "G:[[I]]|[[N]]:G|[a]:{a}|[N]:P|N:N|P:[I]|[N]:[N]|{N}:{N}", 0, 0},
    {CHOOSE, "CHOOSE", "Iaa:a", 0, 0},
    {GUARD, "GUARD", "a**:a", 0, 0},
    {NEVER, "NEVER", "**:*", 0, 0},
};

inline std::vector<check::Signature> signatures() {
    std::vector<check::Signature> all(std::begin(check::GENERIC), std::end(check::GENERIC));
    all.insert(all.end(), std::begin(BESIDE), std::end(BESIDE));
    return all;
}

// A sound expression over cells and so many numbers, as it stands behind an instruction's flags and cost.
inline Words cell_expression(Draw& draw, u32 numbers) {
    constexpr u32 CODES[] = {
#define AB_CELL(name, values, behind) CELL_##name,
        AB_CELL_CODES(AB_CELL)
#undef AB_CELL
    };
    Words code;
    u32 left = draw.below(24);  // codes to draw before what is on the stack becomes one value
    for (u32 depth = 0; depth != 1 || left;) {
        u32 one = CODES[draw.below(std::size(CODES))], takes = 0, words = 0;
        cell_code(one, takes, words);
        bool shrinks = takes > 1;
        if (takes > depth || (one == CELL_ARG && numbers == 0) || depth + 1 > MAX_CELL_STACK + takes) continue;
        if (left == 0 && depth > 1 && !shrinks) continue;
        code.push_back(one);
        if (words) code.push_back(one == CELL_ARG ? draw.below(numbers) : u32(draw.between(-9, 300)));
        depth += 1 - takes;
        if (left) --left;
    }
    Words all{u32(draw.between(-2, 12)), u32(code.size())};
    all.insert(all.end(), code.begin(), code.end());
    return all;
}

// The number of operations there are to draw from, and a program of one of them.
inline u32 operations() { return u32(check::natives().size() + signatures().size()); }

inline bool one_call(Draw& draw, u32 which, Blob& out) {
    u32 native = u32(check::natives().size());
    static const std::vector<check::Signature> all = signatures();
    const check::Signature* generic = which < native ? nullptr : &all[which - native];
    std::string text = generic ? generic->text : check::natives()[which].text;
    std::vector<std::string> ways{""};
    for (char c : text)
        if (c == '|')
            ways.emplace_back();
        else
            ways.back() += c;
    text = draw.one_of(ways);
    Writer writer(draw);
    Typing typing(draw, writer);
    const char* at = text.c_str();
    Words types;
    while (*at != ':') types.push_back(typing.type(at));
    u32 result = typing.type(++at);
    if (writer.too_big) return false;
    writer.blob.image.push_back(0);
    std::vector<std::pair<u32, u32>> slots;
    for (u32 type : types) slots.emplace_back(writer.slot(type), type);
    u32 place = writer.slot(result);
    bool alike = draw.chance(15);  // the same value twice, where there are two of a type
    for (size_t k = 0; k < slots.size(); ++k) {
        if (k && alike && types[k] == types[0]) {
            slots[k] = slots[0];
            continue;
        }
        writer.fill(slots[k].first, slots[k].second);
    }
    std::vector<std::pair<u32, u32>> distinct;
    for (auto& one : slots)
        if (std::find(distinct.begin(), distinct.end(), one) == distinct.end()) distinct.push_back(one);
    writer.relocate(distinct);
    u32 op = generic ? generic->op : which, flags = generic ? generic->must : check::natives()[which].must;
    u32 count = u32(types.size()), strict = op == GUARD ? 0 : op == CHOOSE ? 1 : count;
    Words code{op, 0, place, u32(-1), 0, strict, count, result};
    for (auto& one : slots) code.push_back(one.first);
    for (u32 type : types) code.push_back(type);
    code.push_back(flags);
    code.push_back(0);
    Words behind = op == CELLS ? cell_expression(draw, count - 1) : Words{0};
    code.insert(code.end(), behind.begin(), behind.end());
    code[1] = u32(code.size());
    code.push_back(HALT);
    code.push_back(2);
    writer.blob.code = code;
    writer.blob.outputs = {place, result};
    writer.blob.inputs = {0, 0, 0};
    writer.blob.name = check::name_of(op) + " " + text;
    out = writer.blob;
    return true;
}

}  // namespace fuzz
