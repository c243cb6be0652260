// Expressions over the cells of a grid, as custom operations have them (syntax/cells.py): code for a stack of
// numbers, run for every cell.
//
// There are no jumps: both sides of a choice are computed. So that this means what evaluating only the chosen side
// means, a value that is none (a division by zero, a number beyond 32 bits) is a value too, which spreads through
// what uses it and is gone where it is not chosen. What comes out decides: numbers beyond 32 bits on the way, and
// colours beyond a byte at the end, are left to the reference.
//
// Behind an instruction's flags and cost stand the value outside the grid, how many words of code there are, and these.
#pragma once

#include "core/values.h"

namespace arcbatt {

// Values that are none: beyond 32 bits, and divided by zero.
constexpr i64 CELL_BEYOND = i64(1) << 40, CELL_DIVIDED = i64(1) << 41;

struct CellCodeRef {
    const u32* w;
    AB_FN i32 outside() const { return i32(w[0]); }
    AB_FN u32 length() const { return w[1]; }
    AB_FN const u32* code() const { return w + 2; }
};

// How many values a code takes and how many words stand behind it; false where there is no such code.
AB_FN bool cell_code(u32 code, u32& takes, u32& words) {
    switch (code) {
#define AB_CELL(name, values, behind) \
    case CELL_##name:                 \
        takes = values;               \
        words = behind;               \
        return true;
        AB_CELL_CODES(AB_CELL)
#undef AB_CELL
    }
    return false;
}

// Whether code of so many arguments leaves one value and stays within its stack.
AB_FN bool cell_code_is_sound(CellCodeRef p, u32 args) {
    if (p.length() > MAX_CELL_WORDS) return false;
    u32 depth = 0, takes = 0, words = 0;
    for (u32 at = 0; at < p.length(); at += 1 + words) {
        u32 code = p.code()[at];
        if (!cell_code(code, takes, words) || takes > depth || at + words >= p.length()) return false;
        if (code == CELL_ARG && p.code()[at + 1] >= args) return false;
        depth += 1 - takes;
        if (depth > MAX_CELL_STACK) return false;
    }
    return depth == 1;
}

// The expression on one cell.
struct CellMachine {
    const i8* cells;
    i32 h, w;
    const i32* args;
    CellCodeRef p;

    AB_FN i64 binary(u32 code, i64 a, i64 b) const {
        if (!in_range(a)) return a;
        if (code == CELL_AND) return a ? b : 0;
        if (code == CELL_OR) return a ? 1 : b;
        if (!in_range(b)) return b;
        switch (code) {
            case CELL_ADD:
                return bounded(a + b);
            case CELL_SUBTRACT:
                return bounded(a - b);
            case CELL_MULTIPLY:
                return bounded(a * b);
            case CELL_DIVIDE:
                return b == 0 ? CELL_DIVIDED : bounded((a - floor_rest(a, b)) / b);
            case CELL_MODULO:
                return b == 0 ? CELL_DIVIDED : floor_rest(a, b);
            case CELL_LEAST:
                return least(a, b);
            case CELL_MOST:
                return most(a, b);
            case CELL_EQUAL:
                return a == b;
            case CELL_UNEQUAL:
                return a != b;
            case CELL_LESS:
                return a < b;
            default:
                return a <= b;
        }
    }
    static AB_FN i64 bounded(i64 x) { return in_range(x) ? x : CELL_BEYOND; }
    // What is left of a division that rounds down: of the sign of b.
    static AB_FN i64 floor_rest(i64 a, i64 b) {
        i64 rest = a % b;
        return rest && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    AB_FN i64 unary(u32 code, i64 a) const {
        if (!in_range(a)) return a;
        if (code == CELL_NOT) return a == 0;
        return code == CELL_NEGATE || a < 0 ? bounded(-a) : a;
    }
    AB_FN i64 neighbour(i64 i, i64 j, i64 down, i64 right) const {
        if (!in_range(down)) return down;
        if (!in_range(right)) return right;
        i += down;
        j += right;
        return i < 0 || j < 0 || i >= h || j >= w ? p.outside() : cells[i * w + j];
    }

    AB_FN i64 of(u32 i, u32 j) const {
        i64 stack[MAX_CELL_STACK];
        u32 top = 0;
        const u32* code = p.code();
        AB_ROLLED
        for (u32 at = 0; at < p.length(); ++at) {
            switch (code[at]) {
                case CELL_NUMBER:
                    stack[top++] = i32(code[++at]);
                    break;
                case CELL_ARG:
                    stack[top++] = args[code[++at]];
                    break;
                case CELL_X:
                    stack[top++] = cells[i * u32(w) + j];
                    break;
                case CELL_I:
                    stack[top++] = i;
                    break;
                case CELL_J:
                    stack[top++] = j;
                    break;
                case CELL_H:
                    stack[top++] = h;
                    break;
                case CELL_W:
                    stack[top++] = w;
                    break;
                case CELL_AT:
                    --top;
                    stack[top - 1] = neighbour(i, j, stack[top - 1], stack[top]);
                    break;
                case CELL_NEGATE:
                case CELL_MAGNITUDE:
                case CELL_NOT:
                    stack[top - 1] = unary(code[at], stack[top - 1]);
                    break;
                case CELL_WHERE:
                    top -= 2;
                    if (in_range(stack[top - 1])) stack[top - 1] = stack[stack[top - 1] ? top : top + 1];
                    break;
                default:
                    --top;
                    stack[top - 1] = binary(code[at], stack[top - 1], stack[top]);
            }
        }
        return stack[0];
    }
};

// The grid of what the expression gives for every cell.
AB_CALL Status map_cells(Ctx& c, CellCodeRef p, Grid a, const i32* args, Grid& out) {
    Status s = make_grid(c, a.h, a.w, out);
    if (s != OK || a.h == 0) return s;
    CellMachine machine{cells(c, a), a.h, a.w, args, p};
    i8* to = cells(c, out);
    Columns columns{u32(a.w)};
    // The least decides: left to the reference, divided by zero, good.
    i32 worst = c.g.min_of(u32(a.h * a.w), 2, [&](u32 k) {
        u32 i = columns.row(k);
        i64 x = machine.of(i, k - i * u32(a.w));
        if (x == CELL_DIVIDED) return 1;
        if (x < -128 || x > 127) return 0;
        to[k] = i8(x);
        return 2;
    });
    return worst == 2 ? OK : worst == 1 ? ZERO_DIVISION : ESCAPE;
}

}  // namespace arcbatt
