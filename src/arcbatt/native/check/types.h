// The load check's view of types: a table that is what it claims, one number for types that lie alike, and patterns.
//
// A pattern is a letter a type, brackets as in the language's own notation:
//   I Int   O Int or None   N either   P IJ   K Cell   G Grid   * any   a b c a type, the same wherever it stands
//   {x} a set   [x] a tuple of any length   <x> either   (ab) the tuple of what a and b stand for
//   ~a a type whose values may be looked for among those of a: the same, or both numbers
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exec/program.h"

namespace arcbatt {
namespace check {

// What a word of a value in a slot (or of an item) is; a form is a list of these.
enum Word : u32 { W_INT = 0, W_OPT = 1, W_GRID = 2, W_SECOND = 3, W_KEY = 4, W_HOLDS = 16 };
using Form = std::vector<u32>;

// A type with everything that lies alike made one.
struct Shape {
    u32 kind, item;
    std::vector<u32> parts;
    u32 depth, leaves;
    Form slot, in_item;
};

constexpr u32 NO_TYPE = 0xFFFFFFFFu;

class TypeBook {
   public:
    // Read the table of a program; the reason it cannot be, or nothing.
    std::string read(const Program& p) {
        for (u32 number = 0; number < p.types.size(); ++number) {
            std::string problem = add(p, number);
            if (!problem.empty()) return "type " + std::to_string(number) + ": " + problem;
        }
        return "";
    }

    bool known(u32 number) const { return number < shape_of_.size(); }
    u32 shape(u32 number) const { return shape_of_[number]; }
    const Shape& operator[](u32 shape) const { return shapes_[shape]; }
    // Whether values of a type can be items, and be compared as such.
    bool narrow(u32 shape) const { return shapes_[shape].in_item.size() <= MAX_ITEM_WORDS; }
    bool container(u32 shape) const { return shapes_[shape].kind == K_SET || shapes_[shape].kind == K_SEQ; }

    // The shape of this kind, if the program has one.
    u32 find(u32 kind, u32 item, const std::vector<u32>& parts) const {
        auto found = numbers_.find(key(kind, item, parts));
        return found == numbers_.end() ? NO_TYPE : found->second;
    }

    // A type as text, as the language writes it.
    std::string text(u32 shape) const {
        static const char* const NAMES[] = {"Int", "Int?", "IJ", "Cell", "Grid"};
        const Shape& s = shapes_[shape];
        if (s.kind <= K_GRID) return NAMES[s.kind];
        if (s.kind == K_SET) return "{" + text(s.item) + "}";
        if (s.kind == K_SEQ) return "[" + text(s.item) + "]";
        std::string all;
        for (u32 part : s.parts) all += (all.empty() ? "" : ", ") + text(part);
        return "(" + all + ")";
    }

   private:
    static std::vector<u32> key(u32 kind, u32 item, const std::vector<u32>& parts) {
        std::vector<u32> k{kind, item};
        k.insert(k.end(), parts.begin(), parts.end());
        return k;
    }

    std::string add(const Program& p, u32 number) {
        const TypeDesc& t = p.types[number];
        if (t.kind > K_TUP) return "kind " + std::to_string(t.kind) + " is none";
        Shape s{t.kind, 0, {}, 0, 0, {}, {}};
        TypeDesc want{t.kind, 0, 1, 1, 0, 0, 0, t.kind <= K_CELL};
        if (t.kind <= K_CELL) {
            s.leaves = want.slot_words = want.leaves = t.kind == K_CELL ? 3 : t.kind == K_IJ ? 2 : 1;
            s.slot.assign(want.slot_words, t.kind == K_OPT ? W_OPT : W_INT);
            s.in_item = {W_KEY + t.kind};
        } else if (t.kind != K_TUP) {
            want.slot_words = want.item_words = 2;
            if (t.kind != K_GRID) {
                if (t.item >= number) return "its items are of no type before it";
                if (p.types[t.item].item_words > MAX_ITEM_WORDS) return "items of too many parts";
                want.item = t.item;
                s.item = shape_of_[t.item];
                s.depth = shapes_[s.item].depth + 1;
            }
        } else {
            std::string problem = add_parts(p, t, number, want, s);
            if (!problem.empty()) return problem;
        }
        if (s.depth > MAX_TYPE_DEPTH) return "nested too deep";
        if (want.item_words > MAX_TUPLE_WORDS) return "too many parts";
        if (t.item != want.item || t.slot_words != want.slot_words || t.item_words != want.item_words ||
            t.leaves != want.leaves || t.flat_count != want.flat_count || t.scalar != want.scalar)
            return "its words are not those of its kind and parts";
        auto made = numbers_.emplace(key(s.kind, s.item, s.parts), u32(shapes_.size()));
        if (made.second) {
            if (t.kind == K_GRID) s.slot = s.in_item = {W_GRID, W_SECOND};
            if (t.kind == K_SET || t.kind == K_SEQ) s.slot = s.in_item = {W_HOLDS + u32(shapes_.size()), W_SECOND};
            shapes_.push_back(s);
        }
        shape_of_.push_back(made.first->second);
        return "";
    }

    std::string add_parts(const Program& p, const TypeDesc& t, u32 number, TypeDesc& want, Shape& s) {
        if (t.flat_count == 0 || t.flat_count > MAX_TUPLE_WORDS) return "too few or too many parts";
        if (u64(t.flat_first) + t.flat_count > p.parts.size()) return "its parts are outside the table of parts";
        want.slot_words = want.item_words = 0;
        want.flat_count = t.flat_count;
        want.scalar = 1;
        bool fixed = true;
        for (u32 k = 0; k < t.flat_count; ++k) {
            u32 part = p.parts[t.flat_first + k];
            if (part >= number || p.types[part].kind == K_TUP) return "a part is of no plain type before it";
            const TypeDesc& of = p.types[part];
            const Shape& shape = shapes_[shape_of_[part]];
            want.slot_words += of.slot_words;
            want.item_words += of.item_words;
            want.scalar &= of.scalar;
            want.leaves += of.leaves;
            fixed = fixed && of.leaves;
            s.parts.push_back(shape_of_[part]);
            s.depth = most(s.depth, shape.depth);
            s.slot.insert(s.slot.end(), shape.slot.begin(), shape.slot.end());
            s.in_item.insert(s.in_item.end(), shape.in_item.begin(), shape.in_item.end());
        }
        s.leaves = want.leaves = fixed ? want.leaves : 0;
        return "";
    }

    std::vector<Shape> shapes_;
    std::vector<u32> shape_of_;
    std::map<std::vector<u32>, u32> numbers_;
};

// Types against a pattern, with what its letters stand for. Looked-for types are tried once all letters are known.
class Match {
   public:
    Match(const TypeBook& types, bool never_equal) : types_(types), never_equal_(never_equal) {}

    // Whether the pattern at `at` takes the type; `at` moves behind it.
    bool takes(const char*& at, u32 shape, bool last_round) {
        const Shape& s = types_[shape];
        switch (*at++) {
            case '*':
                return true;
            case 'I':
                return s.kind == K_INT;
            case 'O':
                return s.kind == K_OPT;
            case 'N':
                return number(shape);
            case 'P':
                return s.kind == K_IJ;
            case 'K':
                return s.kind == K_CELL;
            case 'G':
                return s.kind == K_GRID;
            case '{':
                return inside(at, shape, s.kind == K_SET, last_round);
            case '[':
                return inside(at, shape, s.kind == K_SEQ, last_round);
            case '<':
                return inside(at, shape, types_.container(shape), last_round);
            case '(': {
                bool fits = joins(at, shape);
                at += 3;
                return fits;
            }
            case '~': {
                u32 among = bound_[*at++ - 'a'];
                return !last_round || never_equal_ || among == shape || (number(among) && number(shape));
            }
            default: {
                u32& bound = bound_[at[-1] - 'a'];
                if (bound == NO_TYPE) bound = shape;
                return bound == shape;
            }
        }
    }

   private:
    bool number(u32 shape) const { return shape != NO_TYPE && types_[shape].kind <= K_OPT; }

    bool inside(const char*& at, u32 shape, bool fits, bool last_round) {
        if (fits) {
            fits = takes(at, types_[shape].item, last_round);
            ++at;
            return fits;
        }
        for (int open = 1; open > 0; ++at) open += *at == '{' || *at == '[' || *at == '<' ? 1 : closes(*at) ? -1 : 0;
        return false;
    }
    static bool closes(char c) { return c == '}' || c == ']' || c == '>'; }

    // Whether a type is the pair of two letters' types: their words one after the other, or the one key of both.
    bool joins(const char* at, u32 shape) const {
        u32 left = bound_[at[0] - 'a'], right = bound_[at[1] - 'a'];
        if (left == NO_TYPE || right == NO_TYPE) return false;
        const Shape &pair = types_[shape], &a = types_[left], &b = types_[right];
        if (pair.kind == K_IJ) return a.kind == K_INT && b.kind == K_INT;
        if (pair.kind == K_CELL) return a.kind == K_INT && b.kind == K_IJ;
        Form both = a.in_item;
        both.insert(both.end(), b.in_item.begin(), b.in_item.end());
        return pair.kind == K_TUP && pair.in_item == both;
    }

    const TypeBook& types_;
    bool never_equal_;
    u32 bound_[3] = {NO_TYPE, NO_TYPE, NO_TYPE};
};

}  // namespace check
}  // namespace arcbatt
