// Columnar execution: a body whose values are numbers runs for many items at once, one instruction after the other for
// all of them. That spares the interpreter's work for each item, and lets compilers use vector instructions. A body may
// have loops that look for the best of a container's items, the same container for all items of the loop around: these
// go through it once, for all items of a chunk at a time.
//
// A column holds one word of one slot for every item of a chunk. Only chunks where nothing fails are run so: whatever
// is out of the ordinary makes a run give up, and the loop goes through these items one by one, which finds out what
// fails first and when the steps are used up. Columns that depend on nothing but the items are kept while the outermost
// loop runs, since an inner loop often walks the same container again and again.
//
// This header runs a body's code for a chunk of items; loops/columnar.h runs a loop in chunks.
#pragma once

#include "exec/dispatch.h"
#include "exec/machine.h"

namespace arcbatt {

constexpr u32 CHUNK = 128;
constexpr u32 SPREAD_WORDS = 4 * MAX_ARGS * CHUNK;  // what is the same for all items, as columns

struct Column {
    u32* at;
    u32 stride;  // from one word of a value to the next
    AB_FN u32& word(u32 w, u32 k) const { return (at + u64(w) * stride)[k]; }
};

// A number of one item, out of columns and into them.
template <class T>
struct Lane;
template <>
struct Lane<i32> {
    static AB_FN i32 load(Column x, u32 k) { return i32(x.word(0, k)); }
    static AB_FN void store(Column x, u32 k, i32 v) { x.at[k] = u32(v); }
};
template <>
struct Lane<IJ> {
    static AB_FN IJ load(Column x, u32 k) { return IJ{i32(x.word(0, k)), i32(x.word(1, k))}; }
    static AB_FN void store(Column x, u32 k, IJ v) {
        x.at[k] = u32(v.i);
        (x.at + x.stride)[k] = u32(v.j);
    }
};

// A function on numbers for every item; whether it failed for one.
template <class R, class... P>
struct OnColumns;
template <class R, class A>
struct OnColumns<R, A> {
    template <class F>
    static AB_FN bool fails(const Ctx& c, u32 m, const Column* args, Column out, F f) {
        Column a = args[0];
        return c.g.mapped<R>(
            m, [&](u32 k, R& r) { return f(Lane<A>::load(a, k), r) != OK; },
            [&](u32 k, R r) { Lane<R>::store(out, k, r); });
    }
};
template <class R, class A, class B>
struct OnColumns<R, A, B> {
    template <class F>
    static AB_FN bool fails(const Ctx& c, u32 m, const Column* args, Column out, F f) {
        Column a = args[0], b = args[1];
        return c.g.mapped<R>(
            m, [&](u32 k, R& r) { return f(Lane<A>::load(a, k), Lane<B>::load(b, k), r) != OK; },
            [&](u32 k, R r) { Lane<R>::store(out, k, r); });
    }
};

// Whether `opcode` is a function on numbers alone; then it is run, and `failed` says how that went.
AB_FN bool on_numbers(Ctx& c, u32 opcode, u32 m, const Column* args, Column out, bool& failed) {
    switch (opcode) {
#define AB_SCALAR(number, name, R, ...)                                                                             \
    case number:                                                                                                    \
        failed = OnColumns<R, __VA_ARGS__>::fails(c, m, args, out, [&](auto&&... a) { return op::name(c, a...); }); \
        return true;
        AB_SCALARS(AB_SCALAR)
#undef AB_SCALAR
    }
    return false;
}

// A loop inside a columnar body, at one of its items: its kept columns, of which that item's are the same
// for all items of the chunk.
struct InnerItem {
    ColumnsRef shape;
    u32* kept;
    u32 width;
    u32 item;
};

enum Pass : u32 { ALL_COLUMNS, PASSING_ONLY, KEPT_ONLY };

// One chunk of a loop's items.
struct ColumnRun {
    Ctx& c;
    const Types& types;
    ColumnsRef shape;
    u32* kept;  // rows of `width` words, for all items
    u32 width;
    u32* passing;   // rows of CHUNK words
    u32* spread;    // where arguments that are the same for all items are spread out
    u32 start, m;   // the chunk's first item, and how many there are
    Pass pass;      // kept columns that were computed before are not computed again
    u64 cost;       // steps of all items
    u64 kept_cost;  // those of them that belong to kept columns and depend on sizes
    const InnerItem* inner = nullptr;

    AB_FN Column column(u32 place) const {
        u32 row = place - shape.first() + 1;
        return shape.keeps(place) ? Column{kept + row * width + start, width} : Column{passing + row * CHUNK, CHUNK};
    }
    // Whether a value is kept by the loop whose body runs.
    AB_FN bool keeps(u32 place) const { return inner ? inner->shape.keeps(place) : shape.keeps(place); }

    AB_FN Column argument(Ins ins, u32 k) const {
        u32 place = ins.arg(k);
        Column same{c.a.at(place) + 1, 1};
        if (inner && inner->shape.varies(place) && inner->shape.keeps(place)) {
            u32 row = place - inner->shape.first() + 1;
            same = Column{inner->kept + row * inner->width + inner->item, inner->width};
        } else if (shape.varies(place)) {
            return column(place);
        }
        Column out{spread + 4 * k * CHUNK, CHUNK};
        for (u32 w = 0; w < types[ins.arg_type(k)].slot_words; ++w) {
            u32 word = same.at[w * same.stride];
            c.g.each(m, [&](u32 i) { out.word(w, i) = word; });
        }
        return out;
    }

    // The sizes of a value, summed over the items; `as_part` where it is one of a tuple.
    AB_FN u64 sizes(u32 type, Column x, bool as_part) const {
        const TypeDesc& t = types[type];
        if (t.kind != K_TUP || t.leaves) return sizes_of_part(t, x, as_part);
        u64 total = 0;
        for (u32 k = 0; k < t.flat_count; ++k) {
            u32 inner = types.parts[t.flat_first + k];
            total += sizes_of_part(types[inner], x, true);
            x.at += types[inner].slot_words * x.stride;
        }
        return total;
    }
    // The sizes of two containers of fixed items, multiplied, summed over the items.
    AB_FN u64 products(Ins ins, const Column* args) const {
        auto one = [&](u32 a, u32 k) {
            const TypeDesc& t = types[ins.arg_type(a)];
            return t.leaves ? i64(t.leaves) : i64(types[t.item].leaves) * args[a].word(1, k);
        };
        return u64(c.g.sum_of(m, [&](u32 k) { return one(0, k) * one(1, k); }));
    }
    AB_FN u64 sizes_of_part(const TypeDesc& t, Column x, bool as_part) const {
        if (t.leaves) return u64(t.leaves) * m;
        u64 least_size = as_part ? 1 : 0;
        u32 leaves = t.kind == K_GRID ? 0 : types[t.item].leaves;
        return u64(c.g.sum_of(m, [&](u32 k) {
            u32 word = x.word(1, k);
            return i64(most(leaves ? u64(word) * leaves : grid_size(word), least_size));
        }));
    }

    // A parameter's columns from a container's items, `which` of them for each item of the chunk.
    template <class F>
    AB_FN void load(BodyRef body, u32 k, const u32* items, F which) const {
        if (pass == PASSING_ONLY && shape.keeps(body.param(k))) return;
        Column to = column(body.param(k));
        u32 type = body.param_type(k), words = types[type].slot_words, stride = types[type].item_words;
        c.g.each(m, [&](u32 i) {
            u32 slot[3 * MAX_ITEM_WORDS];
            unbox(types, type, items + u64(which(start + i)) * stride, slot);
            for (u32 w = 0; w < words; ++w) to.word(w, i) = slot[w];
        });
    }

    // Columnar code for all items of the chunk, `loop` running the loops in it; false where something is out of the
    // ordinary.
    template <class L>
    AB_FN bool run(const u32* code, L loop) {
        for (Ins ins{code}; ins.op() != END_BODY; ins.w += ins.length()) {
            if (ins.op() >= FIRST_LOOP ? !loop(ins) : !instruction(ins)) return false;
        }
        return true;
    }
    AB_FN bool run(const u32* code) {
        return run(code, [](Ins) { return false; });
    }

    // Whether what is kept or not is for another pass.
    AB_FN bool passes_over(bool stays) const { return pass != ALL_COLUMNS && stays == (pass == PASSING_ONLY); }

    AB_CALL bool instruction(Ins ins) {
        u32 op = ins.op();
        Column args[MAX_ARGS];
        if (op == GUARD) {
            for (u32 k = 0; k < ins.count(); ++k)
                if (*c.a.at(ins.arg(k)) != OK) return false;
            return true;
        }
        if (op == CHARGE) {
            if (pass != KEPT_ONLY) cost += charged_steps(c.a, ins) * m;
            return true;
        }
        bool stays = op == COUNT ? all_kept(ins) : keeps(ins.dst());
        if (passes_over(stays)) return true;
        for (u32 k = 0; k < ins.count(); ++k) args[k] = argument(ins, k);
        if (op == COUNT) {
            u64 steps = ins.count() == 2 ? products(ins, args) : sizes(ins.arg_type(0), args[0], ins.has(AS_PART));
            (stays ? kept_cost : cost) += steps * u32(ins.times());
            return true;
        }
        Column out = column(ins.dst());
        bool failed = false;
        if (op >= HALT) return general(ins, args, out);
        if (!on_numbers(c, op, m, args, out, failed)) failed = !one_by_one(ins, args, out);
        return !failed;
    }
    AB_FN bool all_kept(Ins ins) const {
        const ColumnsRef& own = inner ? inner->shape : shape;
        for (u32 k = 0; k < ins.count(); ++k)
            if (!own.varies(ins.arg(k)) || !own.keeps(ins.arg(k))) return false;
        return true;
    }

    AB_FN void copy(Column to, Column from, u32 words) const {
        for (u32 w = 0; w < words; ++w) c.g.each(m, [&](u32 k) { to.word(w, k) = from.word(w, k); });
    }

    // Instructions for values of any type, of which a columnar body has only these.
    AB_FN bool general(Ins ins, const Column* args, Column out) const {
        u32 words = types[ins.type()].slot_words;
        switch (ins.op()) {
            case INITSET: {
                u32 place = c.a.take(m), kind = types[ins.arg_type(0)].kind, n = types[ins.arg_type(0)].slot_words;
                if (place == NOWHERE) return false;
                return !c.g.flagged(m, [&](u32 k) {
                    u32 slot[3];
                    for (u32 w = 0; w < n; ++w) slot[w] = args[0].word(w, k);
                    out.word(0, k) = place + k;
                    out.word(1, k) = 1;
                    return box_part(kind, slot, c.a.at(place + k)) != OK;
                });
            }
            case COPY:
            case COPY_COUNTED:
                copy(out, args[0], words);
                return true;
            case PART:
                copy(out, Column{args[0].at + ins.extra()[2] * args[0].stride, args[0].stride}, words);
                return true;
            case ASTUPLE: {
                u32 n = types[ins.arg_type(0)].slot_words;
                copy(out, args[0], n);
                copy(Column{out.at + n * out.stride, out.stride}, args[1], types[ins.arg_type(1)].slot_words);
                return true;
            }
            case BRANCH:
            case CHOOSE:
                for (u32 w = 0; w < words; ++w)
                    c.g.each(m, [&](u32 k) { out.word(w, k) = args[args[0].word(0, k) ? 1 : 2].word(w, k); });
                return true;
            case ABSOLUTE:
                return !c.g.mapped<u32>(
                    m,
                    [&](u32 k, u32& r) {
                        i32 x = i32(args[0].word(0, k));
                        r = x < 0 ? 0u - u32(x) : u32(x);
                        return x == INT_LEAST;
                    },
                    [&](u32 k, u32 r) { out.at[k] = r; });
            case MAXIMUM:  // of the two numbers of an IJ
            case MINIMUM: {
                bool greatest = ins.op() == MAXIMUM;
                return !c.g.mapped<i32>(
                    m,
                    [&](u32 k, i32& r) {
                        i32 a = i32(args[0].word(0, k)), b = i32(args[0].word(1, k));
                        r = greatest ? most(a, b) : least(a, b);
                        return false;
                    },
                    [&](u32 k, i32 r) { out.at[k] = u32(r); });
            }
            case EQUAL: {
                const TypeDesc& t = types[ins.arg_type(0)];
                u32 item = t.scalar ? 0 : types[t.item].item_words;
                c.g.each(m, [&](u32 k) {
                    out.at[k] = item ? equal_items(args[0], args[1], k, item) : equal_numbers(args, k, t.slot_words);
                });
                return true;
            }
            default:
                return false;
        }
    }

    AB_FN u32 equal_numbers(const Column* args, u32 k, u32 words) const {
        u32 same = 1;
        for (u32 w = 0; w < words; ++w) same &= args[0].word(w, k) == args[1].word(w, k);
        return same;
    }
    // Whether two containers of numbers are equal, which is so where their words are.
    AB_FN u32 equal_items(Column x, Column y, u32 k, u32 item_words) const {
        u32 n = x.word(1, k);
        if (n != y.word(1, k)) return 0;
        const u32 *a = c.a.at(x.word(0, k)), *b = c.a.at(y.word(0, k));
        if (a == b) return 1;
        for (u32 w = 0; w < n * item_words; ++w)
            if (a[w] != b[w]) return 0;
        return 1;
    }

    // A function on containers that gives a number, called for one item after the other.
    AB_FN bool one_by_one(Ins ins, const Column* args, Column out) const {
        u32 mark = c.a.top, words = types[ins.type()].slot_words;
        for (u32 k = 0; k < m; ++k) {
            c.g.sync();  // what one call wrote may be written over by the next
            u32 given[MAX_ARGS][4], result[4];
            const u32* pointers[MAX_ARGS];
            for (u32 a = 0; a < ins.count(); ++a) {
                for (u32 w = 0; w < types[ins.arg_type(a)].slot_words; ++w) given[a][w] = args[a].word(w, k);
                pointers[a] = given[a];
            }
            Status s = call_variant(c, ins.op(), pointers, result);
            c.a.top = mark;
            if (s != OK) return false;
            for (u32 w = 0; w < words; ++w) out.word(w, k) = result[w];
        }
        return true;
    }
};

}  // namespace arcbatt
