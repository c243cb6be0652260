// What every operation takes and gives, for the load check: one line an operation. Patterns are those of check/types.h.
#pragma once

#include "check/types.h"

namespace arcbatt {
namespace check {

// An operation without bodies: "arguments:result", other ways it may be used behind a bar. What keeps the order of its
// items may only give a set where it took one.
struct Signature {
    u32 op;
    const char* name;
    const char* text;
    u32 must;  // flags it has always
    u32 may;   // flags it can have
};

constexpr u32 SETS_COST = 1u << 31;  // of `may`: not uncounted, so that its cost can be fixed or kept

#define AB_PLAIN(op, text, must, may) {op, #op, text, must, (may) | (must) | SETS_COST | FIXED_COST}
#define AB_UNCOUNTED(op, text) {op, #op, text, 0, 0}
const Signature GENERIC[] = {
    AB_UNCOUNTED(COPY, "a:a"),
    AB_UNCOUNTED(POWER_COUNT, "I:I"),
    AB_UNCOUNTED(AS_EMPTY, "<*>:<*>"),
    AB_UNCOUNTED(PAIRED, "ab:(ab)"),
    AB_PLAIN(BRANCH, "Iaa:a", 0, ORIGINALS),
    AB_PLAIN(COPY_COUNTED, "a:a|{a}:[a]", 0, 0),
    AB_PLAIN(EQUAL, "aa:I|NN:I", 0, ORIGINALS),
    AB_PLAIN(UNEQUAL, "**:I", 0, 0),
    AB_PLAIN(EQUAL_EMPTY, "<*><*>:I", 0, 0),
    AB_PLAIN(SIZE, "<*>:I|G:I|K:I", 0, 0),
    AB_PLAIN(CONTAINED, "~a<a>:I", 0, NEVER_EQUAL),
    AB_PLAIN(COMBINE, "{a}{a}:{a}|<a><a>:[a]", 0, 0),
    AB_PLAIN(INTERSECTION, "{a}{a}:{a}", 0, 0),
    AB_PLAIN(DIFFERENCE, "{a}<~a>:{a}|<a><~a>:[a]", 0, NEVER_EQUAL),
    AB_PLAIN(INSERT, "a{a}:{a}", 0, 0),
    AB_PLAIN(REMOVE, "~a{a}:{a}|~a<a>:[a]", 0, NEVER_EQUAL),
    AB_PLAIN(INITSET, "a:{a}", 0, 0),
    AB_PLAIN(REPEAT, "aI:[a]", 0, 0),
    AB_PLAIN(DEDUPE, "{a}:{a}|<a>:[a]", 0, 0),
    AB_PLAIN(MERGE, "<<a>>:<a>", 0, 0),
    AB_PLAIN(MERGE_GRIDS, "<G>:[[I]]", 0, 0),
    AB_PLAIN(NTH, "<a>I:a", 0, HIDDEN_ARG),
    AB_PLAIN(OTHER, "<a>~a:a", 0, NEVER_EQUAL),
    AB_PLAIN(ITEMCOUNT, "<a>~a:I", 0, NEVER_EQUAL),
    AB_PLAIN(MAXIMUM, "<N>:I|P:I", 0, 0),
    AB_PLAIN(MINIMUM, "<N>:I|P:I", 0, 0),
    AB_PLAIN(MOSTCOMMON, "<a>:a", 0, 0),
    AB_PLAIN(LEASTCOMMON, "<a>:a", 0, 0),
    AB_PLAIN(SIZEFILTER, "<{a}>I:{{a}}|<[a]>I:{[a]}", 0, 0),
    AB_PLAIN(PRODUCT, "<a><b>:<(ab)>", MULTIPLIES, 0),
    AB_PLAIN(PAIR, "<a><b>:[(ab)]", 0, 0),
    AB_PLAIN(ASTUPLE, "ab:(ab)", 0, 0),
    AB_PLAIN(CELLS, "G:G|GI:G|GII:G|GIII:G", 0, 0),
};
#undef AB_PLAIN
#undef AB_UNCOUNTED

// What the parameters of a loop's bodies are: items of the containers it walks, its first argument, the pair of its
// second argument and an item, or nothing.
enum class Params { ITEMS, ITSELF, PAIR, NONE };

// An operation with bodies: "what it walks;what its bodies give:result". It may have more arguments, for its bodies.
// The first body of `iterate` is its condition.
struct Loop {
    u32 op;
    const char* name;
    const char* text;
    Params params;
    u32 walks;
    u32 least_bodies, most_bodies;
};

#define AB_LOOP(op, text, params, walks, least, most) {op, #op, text, Params::params, walks, least, most}
const Loop LOOPS[] = {
    AB_LOOP(LOOP_APPLY, "<*>;b:<b>", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_MAPPLY, "<*>;<b>:<b>|<*>;I:<*>", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_SFILTER, "{a};I:{a}|<a>;I:[a]", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_MFILTER, "<<b>>;I:<b>", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_ORDER, "<a>;*:[a]", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_ARGMAX, "<a>;*:a", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_ARGMIN, "<a>;*:a", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_VALMAX, "<*>;b:b|<*>;I:O", ITEMS, 1, 1, 2),
    AB_LOOP(LOOP_VALMIN, "<*>;b:b|<*>;I:O", ITEMS, 1, 1, 2),
    AB_LOOP(LOOP_EXTRACT, "<a>;I:a", ITEMS, 1, 1, 1),
    AB_LOOP(LOOP_PAPPLY, "<*><*>;b:<b>", ITEMS, 2, 1, 1),
    AB_LOOP(LOOP_MPAPPLY, "<*><*>;<b>:<b>|<*><*>;I:<*>", ITEMS, 2, 1, 1),
    AB_LOOP(LOOP_PRAPPLY, "<*><*>;b:{b}", ITEMS, 2, 1, 1),
    AB_LOOP(LOOP_RAPPLY, "*;b:<b>", NONE, 1, 1, NO_TYPE),
    AB_LOOP(LOOP_CHOOSE, "I;b:b", NONE, 1, 2, 2),
    AB_LOOP(LOOP_POWER, "bI;b:b", ITSELF, 2, 1, 1),
    AB_LOOP(LOOP_FOLD, "<*>b;b:b", PAIR, 2, 1, 1),
    AB_LOOP(LOOP_ITERATE, "b;b:b", ITSELF, 1, 2, 2),
};
#undef AB_LOOP

// The pattern of each type a native function takes or gives.
template <class T>
struct Pattern;
#define AB_PATTERN(type, pattern)                     \
    template <>                                       \
    struct Pattern<type> {                            \
        static const char* text() { return pattern; } \
    };
AB_PATTERNS(AB_PATTERN)
#undef AB_PATTERN

struct Native {
    const char* name;
    std::string text;
    u32 must;
};

template <class R, class... A>
std::string native_text() {
    std::string text;
    for (const char* one : {Pattern<A>::text()...}) text += one;
    return text + ":" + Pattern<R>::text();
}

// Every native function by opcode.
inline const std::vector<Native>& natives() {
    static const std::vector<Native> table = [] {
        std::vector<Native> all;
#define AB_VARIANT(number, name, R, ...) all.push_back(Native{#name, native_text<R, __VA_ARGS__>(), 0});
        AB_VARIANTS(AB_VARIANT)
#undef AB_VARIANT
#define AB_ROW(number) all[number].must = MULTIPLIES;
        AB_MULTIPLIES(AB_ROW)
#undef AB_ROW
        return all;
    }();
    return table;
}

// The name of an operation, or nothing where there is none.
inline std::string name_of(u32 op) {
    if (op < natives().size()) return natives()[op].name;
    switch (op) {
#define AB_CODE(name) \
    case name:        \
        return #name;
        AB_CODES(AB_CODE)
#undef AB_CODE
    }
    return "";
}

}  // namespace check
}  // namespace arcbatt
