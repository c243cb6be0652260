// The interpreter: linear bytecode over slots, loops by an explicit stack of frames.
//
// A slot is a status word and the words of a value; code.h says how instructions lie.
#pragma once

#include "code.h"
#include "columns.h"
#include "containers.h"

namespace arcbatt {

// More than a single call can cost that only walks its arguments and result.
constexpr u64 MOST_LINEAR_STEPS = 8 * u64(MAX_SIZE);

// How many trips through bodies an outermost loop may take before it escapes. Each trip of lowered code costs a step or
// is one of a thousand at most; this stops code that charges nothing.
AB_FN u64 trips_for(u64 max_steps) { return 2 * max_steps + (1u << 20); }

constexpr u32 MAX_FRAMES = 12;

struct Frame {
    u32 loop;  // place of the loop's instruction
    u32 body;  // which of its bodies runs
    u32 mark;  // top of the arena when the body started
    u32 acc, acc_n, acc_room;
    u64 index, n;
    u64 outer_steps;
    u64 turn;  // a number no other run of a body has
    u64 slow;  // items before this one are taken one by one
    u32 best[MAX_ITEM_WORDS];
    u32 best_index;
#if AB_LANES > 1
    u64 widest;      // items of the loops inside it that could run by lanes, at most
    u64 item_steps;  // steps when its item began
    u64 start;       // the first item of this run of it
#endif
};

constexpr u32 MAX_ROOMS = 8;
constexpr u32 LEAST_COLUMN = 4;     // fewer items are not worth columns
constexpr u32 MOST_KEPT = 1 << 13;  // more are not kept

struct Interpreter {
    Ctx c;
    Types types;
    const u32* code;
    u64 steps;
    u64 max_steps;
    u64 trips;      // through bodies, since the outermost loop began
    u64 max_trips;  // beyond this it escapes
    u32 depth;
    Frame frames[MAX_FRAMES];
    u32 capacity;  // of the arena, before columns took some
    u64 turns;
    u32 rooms;
    ColumnRoom room[MAX_ROOMS];
#if AB_OWN_SLOTS
    u32 floor;  // the depth at which the end of a body is the end of the run
#endif
#if AB_LANES > 1
    i64 patience;  // after how many ticks loops are left; 0 for any number
    i64 started;
    bool late;      // whether they were
    u32 edge;       // the depth of a loop of which only a part is run, whose end is the end of the run; 0 for none
    Status ended;   // how that came out
    Status failed;  // why a loop ended that was shared out
#endif

    AB_FN u32* slot(u32 place) { return c.a.at(place); }
    AB_FN Status status(u32 place) { return Status(*c.a.at(place)); }
    AB_FN u32* value(u32 place) { return c.a.at(place) + 1; }

    AB_FN Status first_failure(Ins ins, u32 from, u32 to) {
        u32 worst = OK;
        for (u32 k = from; k < to; ++k) {
            u32 s = status(ins.arg(k));
            if (s == LIMIT) return LIMIT;  // whatever a value is that has no form here, this comes before it
            if (s != OK && (worst == OK || s < worst)) worst = s;
        }
        return Status(worst);
    }

    // What a call makes of () in place of an IJ: what looks at the IJ before all else fails, the rest is left alone.
    AB_FN Status void_argument(u32 op) const {
        switch (op) {
#define AB_VOID_FAILS(number) case number:
#include "void.inc"
#undef AB_VOID_FAILS
            return TYPE;
            case PART:
                return EMPTY;
        }
        return ESCAPE;
    }

    AB_FN u64 size_of(u32 type, u32 place) { return size_in_slot(c, types, type, value(place)); }

    // Fails where a result is beyond a limit; its size goes to `size`.
    AB_FN Status measure(u32 type, const u32* words, u64& size) {
        const TypeDesc& t = types[type];
        size = size_in_slot(c, types, type, words);
        if (t.kind != K_SET && t.kind != K_SEQ) return OK;
        return words[1] > MAX_ITEMS || size > MAX_SIZE ? LIMIT : OK;
    }

    // Settle what a call cost: charged as often as it is written, and kept where bodies owe it.
    AB_FN void settle(Ins ins, u64 cost) {
        if (ins.times() > 0) {
            steps += u64(ins.times()) * cost;
            if (steps > max_steps) *slot(ins.dst()) = LIMIT;
        }
        if (ins.cost_place()) *slot(ins.cost_place()) = u32(least(cost, u64(0xFFFFFFFFu)));
    }

    AB_FN void run(u32 pc) {
        while (code[pc] != HALT) {
            pc = instruction(pc);
#if AB_OWN_SLOTS || AB_LANES > 1
            if (pc == NOWHERE) break;
#endif
        }
        c.g.sync();
    }

    // Run one instruction; where the next one is.
    AB_FN u32 instruction(u32 pc) {
        c.g.sync();  // what one instruction wrote may be written over by the next
        Ins ins{code + pc};
        u32 op = ins.op();
        if (op == END_BODY) {
#if AB_OWN_SLOTS
            if (depth == floor) return NOWHERE;
#endif
            return end_body();
        }
        if (op >= LOOP_APPLY) return begin_loop(pc, ins);
        if (op == OWE)
            owe(ins);
        else
            plain(ins);
        return pc + ins.length();
    }

#if AB_LANES > 1
    // Whether loops are to be left as they are, for others to take their items (shares.h).
    AB_FN bool too_late() {
        late = patience && c.g.from_one([&] { return clock_ticks() - started > patience; });
        if (late && level_to_share() == NOWHERE) {
            late = false;
            started = clock_ticks();
        }
        return late;
    }
    AB_FN u32 leave_loops() {
        c.a.capacity = capacity;
        return NOWHERE;
    }
    // The outermost loop that others can take items of; NOWHERE if there is none.
    AB_FN u32 level_to_share() const {
        for (u32 level = edge ? edge - 1 : 0; level < depth; ++level) {
            const Frame& f = frames[level];
            Ins ins{code + f.loop};
            if (f.body == 0 && f.n - f.index >= 2 * grain(level) && f.n < NOWHERE && can_share(ins)) return level;
        }
        return NOWHERE;
    }
    // How many items of a loop are run at once: parts of it are no smaller.
    AB_FN u32 grain(u32 level) const {
        const Frame& f = frames[level];
        Ins ins{code + f.loop};
        if (ins.extra()[0] & BY_COLUMNS) return 2 * AB_LANES;
        return lanes_suit(f, ins) ? 2 * AB_LANES : 1;
    }
    AB_FN bool can_share(Ins ins) const {
        u32 type = body_of(ins, 0).type();
        switch (ins.op()) {
            case LOOP_SFILTER:
            case LOOP_MFILTER:
                return true;
            case LOOP_ARGMAX:
            case LOOP_ARGMIN:
            case LOOP_VALMAX:
            case LOOP_VALMIN:
                return types[type].scalar;
            case LOOP_APPLY:
            case LOOP_PAPPLY:
            case LOOP_PRAPPLY:
            case LOOP_MAPPLY:
            case LOOP_MPAPPLY:
                return one_level(types, type);
        }
        return false;
    }
#endif

    // End a loop that has failed, or whose result stands already.
    AB_FN u32 end_loop(Frame& f, Ins ins, Status s) {
#if AB_LANES > 1
        if (depth == edge) return end_part(s);
#endif
        --depth;
        *slot(ins.dst()) = s;
        if (s == OK) *slot(ins.dst()) = charge_result(ins);
        return close(f, ins);
    }
#if AB_LANES > 1
    AB_FN u32 end_part(Status s) {
        ended = s;
        c.a.capacity = capacity;
        return NOWHERE;
    }
#endif

    AB_FN void owe(Ins ins) {
        u64 owed = ins.w[2];
        for (u32 k = 0; k < ins.w[3]; ++k) owed += u64(*slot(ins.w[4 + 2 * k])) * ins.w[5 + 2 * k];
        steps += owed;
    }

    // --- calls without bodies ---
    AB_FN void plain(Ins ins) {
        u32 op = ins.op();
        u32* dst = slot(ins.dst());
        if (op == GUARD) {
            Status guard = first_failure(ins, 1, ins.count());
            if (guard == OK || guard == VOID_) guard = status(ins.arg(0));
            *dst = guard;
            if (guard == OK) copy_words(dst + 1, value(ins.arg(0)), types[ins.type()].slot_words);
            return;
        }
        Status s = first_failure(ins, 0, ins.strict());
        if (s != OK) {
            *dst = s != VOID_ ? s : void_argument(op);
            if (ins.cost_place()) *slot(ins.cost_place()) = 0;
            return;
        }
        if (op == CHOOSE) {
            u32 from = ins.arg(*value(ins.arg(0)) ? 1 : 2);
            *dst = status(from);
            if (*dst == OK) copy_words(dst + 1, value(from), types[ins.type()].slot_words);
            return;
        }
        u32 flags = ins.extra()[0];
        if (flags & FIXED_COST) {  // every size is known from the types
            s = call(ins, dst + 1);
            *dst = s;
            // A call that fails owes for its arguments alone.
            u64 cost = ins.extra()[1] - (s == OK ? 0 : types[ins.type()].leaves);
            if (ins.times() >= 0 || ins.cost_place()) settle(ins, cost);
            if (cost > max_steps) *dst = LIMIT;
            return;
        }
        bool free = op == CAST || op == COPY || op == POWER_COUNT || op == AS_EMPTY;
        bool counted = !free && (ins.times() >= 0 || ins.cost_place() || max_steps < MOST_LINEAR_STEPS);
        bool multiplies = flags & MULTIPLIES;
        u64 cost = 0;
        if (counted || multiplies) {
            cost = 1;
            u64 sizes[MAX_ARGS];
            u32 first = flags & ORIGINALS ? ins.count() / 2 : 0;
            u32 written = ins.count() - first - (flags & HIDDEN_ARG ? 1 : 0);
            for (u32 k = 0; k < written; ++k) cost += sizes[k] = size_of(ins.arg_type(first + k), ins.arg(first + k));
            if (multiplies) cost += sizes[0] * sizes[1];
        }
        s = multiplies && cost > max_steps ? LIMIT : call(ins, dst + 1);
        u64 size = 0;
        const TypeDesc& type = types[ins.type()];
        if (s == OK && !free && (counted || type.kind >= K_SET)) s = measure(ins.type(), dst + 1, size);
        if (s == OK) cost += size;
        *dst = counted && cost > max_steps ? LIMIT : s;
        if (counted) settle(ins, cost);
    }

    AB_FN Status call(Ins ins, u32* out) {
        const u32* args[MAX_ARGS];
        u32 count = least(ins.count(), MAX_ARGS);
        for (u32 k = 0; k < count; ++k) args[k] = value(ins.arg(k));
        u32 op = ins.op();
        if (op < HALT) return call_variant(c, op, args, out);
        return generic_call(ins, args, out);
    }

    AB_FN Status boxed(Ins ins, u32 k, u32* item) { return box(types, ins.arg_type(k), value(ins.arg(k)), item); }
    AB_FN bool is_set(u32 type) const { return types[type].kind == K_SET; }
    AB_FN u32 item_type(u32 type) const { return types[type].item; }

    AB_CALL Status generic_call(Ins ins, const u32* const* args, u32* out) {
        using generic::Items;
        using generic::items_at;
        u32 item[MAX_ITEM_WORDS], other[MAX_ITEM_WORDS];
        Items result{0, 0};
        Status s = OK;
        u32 type = ins.type();
        switch (ins.op()) {
            case COPY:
            case COPY_COUNTED:
                copy_words(out, args[0], types[type].slot_words);
                return OK;
            case CAST:
                return cast(ins.arg_type(0), type, args[0], out);
            case NEVER:
                return TYPE;
            case AS_EMPTY:  // an empty container, of whatever type
                if (args[0][1]) return ESCAPE;
                generic::put(out, result);
                return OK;
            case BRANCH:
                copy_words(out, args[args[0][0] ? 1 : 2], types[type].slot_words);
                return OK;
            case POWER_COUNT: {
                i32 n = i32(args[0][0]);
                if (n < 1) return BOUNDS;
                if (i64(n) * i32(args[1][0]) > MAX_FUNCTION_CALLS) return LIMIT;
                out[0] = u32(n);
                return OK;
            }
            case UNEQUAL:
                out[0] = 0;
                return OK;
            case EQUAL_EMPTY:
                out[0] = args[0][1] == 0 && args[1][1] == 0;
                return OK;
            case EQUAL: {
                const TypeDesc& t = types[ins.arg_type(0)];
                if (t.scalar) {  // numbers in slots compare as they are
                    out[0] = 1;
                    for (u32 k = 0; k < t.slot_words; ++k) out[0] &= args[0][k] == args[1][k];
                    return OK;
                }
                if ((s = boxed(ins, 0, item)) != OK || (s = boxed(ins, 1, other)) != OK) return s;
                out[0] = compare_items(c, types, ins.arg_type(0), item, other) == 0;
                return OK;
            }
            case SIZE: {
                u32 kind = types[ins.arg_type(0)].kind;
                out[0] = kind == K_GRID ? args[0][1] >> 16 : kind == K_CELL ? 2 : args[0][1];
                return OK;
            }
            case CONTAINED: {
                u32 inner = item_type(ins.arg_type(1));
                s = ins.extra()[0] & NEVER_EQUAL ? ESCAPE : boxed(ins, 0, item);
                if (s == ESCAPE) {  // a value no item of the container can have
                    out[0] = 0;
                    return OK;
                }
                const u32* x = c.a.at(args[1][0]);
                out[0] = is_set(ins.arg_type(1)) ? in_set(c, types, inner, x, args[1][1], item)
                                                 : in_tuple(c, types, inner, x, args[1][1], item);
                return OK;
            }
            case COMBINE:
                s = generic::combine(c, types, item_type(type), is_set(type), items_at(args[0]), items_at(args[1]),
                                     result);
                break;
            case INTERSECTION:
                s = generic::select(c, types, item_type(type), items_at(args[0]), items_at(args[1]), true, true,
                                    result);
                break;
            case DIFFERENCE:
                if (ins.extra()[0] & NEVER_EQUAL) {
                    copy_words(out, args[0], 2);
                    return OK;
                }
                s = generic::select(c, types, item_type(type), items_at(args[0]), items_at(args[1]),
                                    is_set(ins.arg_type(1)), false, result);
                break;
            case INSERT:
                if ((s = boxed(ins, 0, item)) != OK) return s;
                s = generic::insert(c, types, item_type(type), item, items_at(args[1]), result);
                break;
            case REMOVE:
                s = ins.extra()[0] & NEVER_EQUAL ? ESCAPE : boxed(ins, 0, item);
                if (s == ESCAPE) {
                    copy_words(out, args[1], 2);
                    return OK;
                }
                s = generic::remove(c, types, item_type(type), item, items_at(args[1]), result);
                break;
            case INITSET: {
                if ((s = boxed(ins, 0, item)) != OK) return s;
                s = generic::make(c, types, item_type(type), 1, result);
                if (s != OK) return s;
                copy_words(c.a.at(result.off), item, types[item_type(type)].item_words);
                break;
            }
            case REPEAT:
                if ((s = boxed(ins, 0, item)) != OK) return s;
                s = generic::repeat(c, types, item_type(type), item, i32(args[1][0]), result);
                break;
            case DEDUPE:
                s = generic::dedupe(c, types, item_type(type), items_at(args[0]), result);
                break;
            case MERGE:
                s = generic::merge(c, types, item_type(type), is_set(type), items_at(args[0]), result);
                break;
            case MERGE_GRIDS:
                return merge_grids(items_at(args[0]), type, out);
            case NTH: {
                i64 n = args[0][1], at = i32(args[1][0]);
                if (at < -n || at >= n) return n ? BOUNDS : EMPTY;
                u32 inner = item_type(ins.arg_type(0));
                u32 place = u32(at < 0 ? at + n : at);
                unbox(types, inner, c.a.at(args[0][0]) + place * types[inner].item_words, out);
                return OK;
            }
            case OTHER: {
                u32 inner = item_type(ins.arg_type(0)), stride = types[inner].item_words;
                s = ins.extra()[0] & NEVER_EQUAL ? ESCAPE : boxed(ins, 1, item);
                const u32* x = c.a.at(args[0][0]);
                for (u32 k = 0; k < args[0][1]; ++k)
                    if (s == ESCAPE || compare_items(c, types, inner, x + k * stride, item) != 0) {
                        unbox(types, inner, x + k * stride, out);
                        return OK;
                    }
                return EMPTY;
            }
            case PART: {  // the part's words, from the place the extra says
                copy_words(out, args[0] + ins.extra()[2], types[type].slot_words);
                return OK;
            }
            case MAXIMUM:
            case MINIMUM: {
                const u32* x = c.a.at(args[0][0]);
                u32 n = args[0][1];
                if (has_none(ins.arg_type(0), x, n)) return ESCAPE;
                if (n == 0) {
                    out[0] = 0;
                } else if (ins.op() == MAXIMUM) {
                    out[0] = u32(c.g.max_of(n, INT_LEAST, [&](u32 k) { return key_int(x[k]); }));
                } else {
                    out[0] = u32(c.g.min_of(n, INT_MOST, [&](u32 k) { return key_int(x[k]); }));
                }
                return OK;
            }
            case MOSTCOMMON:
            case LEASTCOMMON: {
                u32 inner = item_type(ins.arg_type(0));
                s = generic::common(c, types, inner, is_set(ins.arg_type(0)), ins.op() == MOSTCOMMON, items_at(args[0]),
                                    item);
                if (s == OK) unbox(types, inner, item, out);
                return s;
            }
            case SIZEFILTER:
                s = generic::sizefilter(c, types, item_type(type), is_set(ins.arg_type(0)), items_at(args[0]),
                                        i32(args[1][0]), result);
                break;
            case PRODUCT:
                s = generic::product(c, types, item_type(ins.arg_type(0)), item_type(ins.arg_type(1)),
                                     is_set(ins.arg_type(0)), is_set(ins.arg_type(1)), item_type(type),
                                     items_at(args[0]), items_at(args[1]), result);
                break;
            case PAIR:
                s = pair(ins, args, result);
                break;
            case ASTUPLE: {
                u32 n = types[ins.arg_type(0)].slot_words;
                copy_words(out, args[0], n);
                copy_words(out + n, args[1], types[ins.arg_type(1)].slot_words);
                return OK;
            }
            case CELLS:
                return mapped(ins, args, out);
            case CUSTOM:
                return call_custom(c, ins.extra()[2], args, out);
            default:
                return ESCAPE;
        }
        if (s == OK) generic::put(out, result);
        return s;
    }

    AB_FN Status mapped(Ins ins, const u32* const* args, u32* out) {
        i32 numbers[MAX_ARGS];
        for (u32 k = 1; k < ins.count(); ++k) numbers[k - 1] = i32(args[k][0]);
        Grid made;
        Status s = map_cells(c, CellCodeRef{ins.extra() + 2}, Form<Grid>::load(args[0]), numbers, made);
        if (s == OK) Form<Grid>::store(out, made);
        return s;
    }

    // Whether a container of integers or None holds None.
    AB_FN bool has_none(u32 container, const u32* keys, u32 n) const {
        return types[item_type(container)].kind == K_OPT && c.g.any(n, [&](u32 k) { return keys[k] == 0; });
    }

    AB_FN Status pair(Ins ins, const u32* const* args, generic::Items& result) {
        u32 n = least(args[0][1], args[1][1]);
        u32 left = item_type(ins.arg_type(0)), right = item_type(ins.arg_type(1)), inner = item_type(ins.type());
        Status s = generic::make(c, types, inner, n, result);
        if (s != OK) return s;
        u32 slots[3 * MAX_ITEM_WORDS];
        for (u32 k = 0; k < n; ++k) {
            unbox(types, left, c.a.at(args[0][0]) + k * types[left].item_words, slots);
            unbox(types, right, c.a.at(args[1][0]) + k * types[right].item_words, slots + types[left].slot_words);
            s = box(types, inner, slots, c.a.at(result.off) + k * types[inner].item_words);
            if (s != OK) return s;
        }
        return OK;
    }

    AB_FN Status merge_grids(generic::Items grids, u32 type, u32* out) {
        u64 rows = 0;
        for (u32 k = 0; k < grids.n; ++k) rows += c.a.at(grids.off)[2 * k + 1] >> 16;
        generic::Items result;
        Status s = generic::make(c, types, item_type(type), rows, result);
        if (s != OK) return s;
        u32 at = 0;
        for (u32 k = 0; k < grids.n; ++k) {
            Grid g = Form<Grid>::load(c.a.at(grids.off) + 2 * k);
            s = grid_rows(g, c.a.at(result.off) + 2 * at);
            if (s != OK) return s;
            at += u32(g.h);
        }
        generic::put(out, result);
        return OK;
    }

    // --- other forms of a value ---
    AB_FN Status grid_rows(Grid g, u32* pairs) {
        u32 off = c.a.take(u64(g.h) * u64(g.w));
        if (off == NOWHERE) return OVERFLOW_;
        const i8* from = cells(c, g);
        u32* keys = c.a.at(off);
        c.g.each(u32(g.h * g.w), [&](u32 k) { keys[k] = int_key(from[k]); });
        c.g.each(u32(g.h), [&](u32 i) {
            pairs[2 * i] = off + i * u32(g.w);
            pairs[2 * i + 1] = u32(g.w);
        });
        return OK;
    }

    AB_CALL Status cast(u32 from, u32 to, const u32* arg, u32* out) {
        const TypeDesc &f = types[from], &t = types[to];
        if (f.kind == K_GRID && t.kind == K_SEQ) {
            Grid g = Form<Grid>::load(arg);
            generic::Items rows;
            Status s = generic::make(c, types, t.item, u64(g.h), rows);
            if (s != OK || (s = grid_rows(g, c.a.at(rows.off))) != OK) return s;
            generic::put(out, rows);
            return OK;
        }
        if (t.kind == K_GRID) return rows_to_grid(generic::items_at(arg), out);
        if (f.kind == t.kind && (f.kind == K_SET || f.kind == K_SEQ)) return cast_items(f.item, t, arg, out);
        if (f.kind == K_SEQ && t.kind == K_SET) {
            generic::Items set;
            Status s = generic::make(c, types, t.item, arg[1], set);
            if (s != OK) return s;
            u32* to_words = c.a.at(set.off);
            const u32* x = c.a.at(arg[0]);
            c.g.each(set.n * types[t.item].item_words, [&](u32 k) { to_words[k] = x[k]; });
            set.n = settle_items(c, types, t.item, to_words, set.n);
            generic::put(out, set);
            return OK;
        }
        if (f.kind == K_SEQ && t.kind == K_IJ) {
            if (arg[1] != 2 || has_none(from, c.a.at(arg[0]), 2)) return ESCAPE;
            out[0] = u32(key_int(c.a.at(arg[0])[0]));
            out[1] = u32(key_int(c.a.at(arg[0])[1]));
            return OK;
        }
        if (f.kind == K_OPT && t.kind == K_INT) {
            if (i32(arg[0]) == NONE) return ESCAPE;
            out[0] = arg[0];
            return OK;
        }
        if (f.kind == K_INT && t.kind == K_OPT) {
            if (i32(arg[0]) == NONE) return ESCAPE;
            out[0] = arg[0];
            return OK;
        }
        if (t.kind == K_IJ || t.kind == K_CELL || t.kind == K_TUP) {
            if (holds_none(from, to, arg)) return ESCAPE;
            copy_words(out, arg, t.slot_words);
            return OK;
        }
        if (t.kind == K_SEQ) {  // a tuple of known parts, all of the item's type
            u32 n = f.kind == K_IJ ? 2 : f.flat_count;
            u32 words = types[t.item].slot_words;
            generic::Items items;
            Status s = generic::make(c, types, t.item, n, items);
            if (s != OK) return s;
            for (u32 k = 0; k < n; ++k) {
                s = box(types, t.item, arg + k * words, c.a.at(items.off) + k * types[t.item].item_words);
                if (s != OK) return s;
            }
            generic::put(out, items);
            return OK;
        }
        copy_words(out, arg, t.slot_words);
        return OK;
    }

    // Items in another form of the same numbers, none of which may be None where that has no form.
    AB_FN Status cast_items(u32 from, const TypeDesc& t, const u32* arg, u32* out) {
        generic::Items items;
        Status s = generic::make(c, types, t.item, arg[1], items);
        u32 slot[3 * MAX_ITEM_WORDS];
        for (u32 k = 0; k < arg[1] && s == OK; ++k) {
            unbox(types, from, c.a.at(arg[0]) + k * types[from].item_words, slot);
            if (holds_none(from, t.item, slot)) return ESCAPE;
            s = box(types, t.item, slot, c.a.at(items.off) + k * types[t.item].item_words);
        }
        if (s != OK) return s;
        if (t.kind == K_SET) items.n = settle_items(c, types, t.item, c.a.at(items.off), items.n);
        generic::put(out, items);
        return OK;
    }
    AB_FN bool holds_none(u32 from, u32 to, const u32* slot) const {
        const TypeDesc& f = types[from];
        if (f.kind == K_OPT) return types[to].kind != K_OPT && i32(slot[0]) == NONE;
        if (f.kind != K_TUP) return false;
        for (u32 k = 0; k < f.flat_count; ++k) {
            const TypeDesc& part = types[types.parts[f.flat_first + k]];
            if (part.kind == K_OPT && i32(slot[0]) == NONE) return true;
            slot += part.slot_words;
        }
        return false;
    }

    AB_FN Status rows_to_grid(generic::Items rows, u32* out) {
        const u32* pairs = c.a.at(rows.off);
        u32 h = rows.n, w = h ? pairs[1] : 0;
        if (h > u32(MAX_SIDE) || w > u32(MAX_SIDE) || h * w > u32(MAX_CELLS)) return ESCAPE;
        if (c.g.any(h, [&](u32 i) { return pairs[2 * i + 1] != w; })) return ESCAPE;
        Grid g;
        Status s = make_grid(c, h, w, g);
        if (s != OK) return s;
        i8* to = cells(c, g);
        bool beyond = c.g.any(h, [&](u32 i) {
            const u32* keys = c.a.at(pairs[2 * i]);
            bool bad = false;
            for (u32 j = 0; j < w; ++j) bad = bad || !colour_fits(key_int(keys[j]));
            return bad;
        });
        if (beyond) return ESCAPE;
        c.g.each(h, [&](u32 i) {
            const u32* keys = c.a.at(pairs[2 * i]);
            for (u32 j = 0; j < w; ++j) to[i * w + j] = i8(key_int(keys[j]));
        });
        Form<Grid>::store(out, g);
        return OK;
    }

    // --- loops ---
    AB_FN BodyRef body_of(Ins ins, u32 which) const {
        BodyRef body{ins.extra() + 2};
        for (u32 k = 0; k < which; ++k) body = body.next();
        return body;
    }
    AB_FN u32 bodies(Ins ins) const { return ins.extra()[1]; }

    AB_FN u32 fail_loop(u32 pc, Ins ins, Status s) {
        *slot(ins.dst()) = s;
        return pc + ins.length();
    }

    // Whether a loop takes a second container (or a value beside it) and that has the status.
    AB_FN bool walks_two(u32 op, Ins ins, Status wanted) {
        bool second = op == LOOP_PAPPLY || op == LOOP_MPAPPLY || op == LOOP_PRAPPLY || op == LOOP_POWER ||
                      (ins.extra()[0] & FUNCTIONS_VALUE);
        return second && status(ins.arg(1)) == wanted;
    }

    AB_FN u32 begin_loop(u32 pc, Ins ins) {
        u32 op = ins.op();
        Status s = first_failure(ins, 0, ins.strict());
        // A bound () matters where the body uses it; as what is walked it has no form.
        if (s == VOID_) s = status(ins.arg(0)) == VOID_ || walks_two(op, ins, VOID_) ? ESCAPE : OK;
        if (s != OK) {
            if (ins.cost_place()) *slot(ins.cost_place()) = 0;
            return fail_loop(pc, ins, s);
        }
        if (depth == MAX_FRAMES) return fail_loop(pc, ins, ESCAPE);
        if (depth == 0) {
            capacity = c.a.capacity;
            turns = 0;
            rooms = 0;
        }
        Frame& f = frames[depth];
        f.loop = pc;
        f.body = 0;
        f.index = f.slow = 0;
        f.acc = f.acc_n = f.acc_room = 0;
        f.best_index = NOWHERE;
        f.outer_steps = steps;
        f.n = 0;
        if (depth == 0) trips = 0;
        if (op == LOOP_CHOOSE) {
            f.body = *value(ins.arg(0)) ? 0 : 1;
            f.n = 1;
            steps = 0;
        } else {
            if (op != LOOP_POWER || ins.times() >= 0) steps = 0;
            s = prepare(ins, f);
            if (s != OK) {
                *slot(ins.dst()) = s;
                return close(f, ins);
            }
        }
#if AB_LANES > 1
        f.widest = 0;
        f.start = 0;
        if (depth && (ins.extra()[0] & BY_LANES)) widen(frames[depth - 1], f.n);
#endif
        ++depth;
        return next_item(f, ins);
    }

    // The trip count, room for results, and what the call itself costs.
    AB_CALL Status prepare(Ins ins, Frame& f) {
        u32 op = ins.op(), inner = types[ins.type()].item;
        const u32* first = value(ins.arg(0));
        u32 flags = ins.extra()[0];
        if (op != LOOP_RAPPLY && op != LOOP_POWER) f.n = first[1];
        u64 room = 0, words = 0;
        switch (op) {
            case LOOP_RAPPLY:
                f.n = bodies(ins);
                steps += 1 + f.n + size_of(ins.arg_type(0), ins.arg(0));
                room = f.n;
                words = types[inner].item_words;
                break;
            case LOOP_POWER:
                f.n = *value(ins.arg(1));
                break;
            case LOOP_PAPPLY:
            case LOOP_MPAPPLY:
                f.n = least(first[1], value(ins.arg(1))[1]);
                room = f.n;
                words = op == LOOP_PAPPLY ? types[inner].item_words : 2;
                break;
            case LOOP_PRAPPLY:
                f.n = u64(first[1]) * value(ins.arg(1))[1];
                room = least(f.n, u64(2 * MAX_ITEMS));
                words = types[inner].item_words;
                break;
            case LOOP_APPLY:
                room = f.n;
                words = types[inner].item_words;
                break;
            case LOOP_MAPPLY:
                room = f.n;
                words = 2;
                break;
            case LOOP_SFILTER:
            case LOOP_MFILTER:
                room = f.n;
                words = types[item_type(ins.arg_type(0))].item_words;
                break;
            case LOOP_ORDER:
                room = f.n;
                words = types[body_of(ins, 0).type()].item_words + 1;
                break;
            default:
                break;
        }
        if (flags & OVER_FUNCTIONS) {
            steps += 1 + first[1] + (flags & FUNCTIONS_VALUE ? size_of(ins.arg_type(1), ins.arg(1)) : 1);
        } else if (op != LOOP_RAPPLY && op != LOOP_POWER) {
            bool two = op == LOOP_PAPPLY || op == LOOP_MPAPPLY || op == LOOP_PRAPPLY;
            steps += 2 + size_of(ins.arg_type(0), ins.arg(0)) + (two ? size_of(ins.arg_type(1), ins.arg(1)) : 0);
        }
        if (room) {
            f.acc = c.a.take(room * words);
            if (f.acc == NOWHERE) return OVERFLOW_;
            f.acc_room = u32(room);
        }
        if (op == LOOP_POWER) copy_words(value(body_of(ins, 0).param(0)), first, types[ins.type()].slot_words);
        if ((op == LOOP_VALMAX || op == LOOP_VALMIN) && f.n == 0) {
            if (bodies(ins) < 2) return ESCAPE;
            f.body = 1;
            f.n = 1;
        }
        if ((op == LOOP_ARGMAX || op == LOOP_ARGMIN || op == LOOP_EXTRACT) && f.n == 0) return EMPTY;
        return steps > max_steps ? LIMIT : OK;
    }

    AB_FN void load_param(BodyRef body, u32 k, u32 container_slot, u64 index) {
        u32 type = body.param_type(k);
        u32 place = body.param(k);
        *slot(place) = OK;
        unbox(types, type, c.a.at(value(container_slot)[0]) + index * types[type].item_words, value(place));
    }

    AB_FN u32 next_item(Frame& f, Ins ins) {
#if AB_LANES > 1
        if (too_late()) return leave_loops();
#endif
        if (ins.extra()[0] & BY_COLUMNS && f.n >= LEAST_COLUMN && f.body == 0) {
            bool done = false;
            while (f.index < f.n && f.index >= f.slow && !done) {
#if AB_LANES > 1
                if (too_late()) return leave_loops();
#endif
                u32 m = u32(least(f.n - f.index, u64(CHUNK)));
                if (take_chunk(f, ins, m, done))
                    f.index += m;
                else
                    f.slow = f.index + m;
            }
            if (done) return end_loop(f, ins, OK);
        }
#if AB_LANES > 1
        while (lanes_suit(f, ins)) {
            Taken taken = take_by_lanes(f, ins);
            if (taken.ended) return end_loop(f, ins, taken.status);
            if (too_late()) return leave_loops();
        }
        if (f.index >= f.n && depth == edge) return end_part(OK);
        f.item_steps = steps;
#endif
        if (f.index >= f.n) {
            --depth;
            *slot(ins.dst()) = finish(f, ins);
            return close(f, ins);
        }
        c.g.sync();  // the last item's result may be its parameter
        if (ins.op() == LOOP_RAPPLY) f.body = u32(f.index);
        BodyRef body = body_of(ins, f.body);
        load_params(ins, body, f.index);
        f.mark = c.a.top;
        f.turn = ++turns;
        return body.code();
    }

    // A body's parameters for one item.
    AB_FN void load_params(Ins ins, BodyRef body, u64 index) {
        u32 op = ins.op();
        if (op == LOOP_PAPPLY || op == LOOP_MPAPPLY) {
            load_param(body, 0, ins.arg(0), index);
            load_param(body, 1, ins.arg(1), index);
        } else if (op == LOOP_PRAPPLY) {
            u32 m = value(ins.arg(1))[1];
            load_param(body, 0, ins.arg(0), index / m);
            load_param(body, 1, ins.arg(1), index % m);
        } else if (op == LOOP_POWER) {
            *slot(body.param(0)) = OK;
        } else if (body.params()) {
            load_param(body, 0, ins.arg(0), index);
        }
    }

#if AB_LANES > 1
    // --- loops by lanes ---
    struct Taken {
        bool ended;  // the loop is done or has failed, as the status says
        Status status;
    };

    static AB_FN void widen(Frame& f, u64 n) { f.widest = most(f.widest, n); }

    AB_FN LanesRef lanes_of(Ins ins) const { return LanesRef{body_of(ins, bodies(ins)).w}; }

    // Whether the next items are for lanes. Where loops inside could run by lanes too, the first item shows how many
    // items they have.
    AB_FN bool lanes_suit(const Frame& f, Ins ins) const {
        if (!(ins.extra()[0] & BY_LANES) || f.body || f.index < f.slow || f.n - f.index < LEAST_LANES) return false;
        return !lanes_of(ins).inside() || (f.index && f.widest < WIDE_INSIDE);
    }

    // Take the next items, each lane some of them; where that does not work, they are to be taken one by one.
    AB_CALL Taken take_by_lanes(Frame& f, Ins ins) {
        BodyRef body = body_of(ins, 0);
        LanesRef shape = lanes_of(ins);
        u32 m = u32(least(f.n - f.index, u64(LANE_TURN))), mark = c.a.top;
        u32 place = c.a.take(LaneTurn::table_words(m, types[body.type()].slot_words));
        f.slow = f.index + m;  // unless all goes well
        if (place == NOWHERE) return Taken{false, OK};
        LaneTurn turn{c, types, code, ins, body, shape, f.index, m, max_steps, max_trips, c.a.at(place), LaneRoom(c.a)};
        Taken taken{false, OK};
        if (trips + m <= max_trips && turn.room.words >= shape.rows() + LEAST_HEAP) {
            c.g.each(AB_LANES, [&](u32 lane) { turn.run(lane, depth, turns, frames); });
            taken = accept_lanes(f, ins, turn, mark);
        }
        if (f.slow > f.index) c.a.top = mark;
        return taken;
    }

    AB_FN Taken accept_lanes(Frame& f, Ins ins, const LaneTurn& turn, u32 mark) {
        u32 m = turn.m;
        u32 good = u32(c.g.min_of(m, i32(m), [&](u32 k) { return turn.status(k) == OK ? i32(m) : i32(k); }));
        if (ins.op() == LOOP_EXTRACT) {
            u32 found = u32(c.g.min_of(good, i32(m), [&](u32 k) { return turn.words_at(0, k) ? i32(k) : i32(m); }));
            if (found < m) return found_by_lanes(f, ins, turn, found);
        }
        u64 cost = turn.steps_before(good);
        if (steps + cost > max_steps) return ended_by_lanes(f, LIMIT, cost);  // all went well, but for too long
        if (good < m) {
            Status s = turn.status(good);
            cost += turn.steps(good);
            if (s == OVERFLOW_ || s == VOID_ || s == ESCAPE || steps + cost > max_steps) return Taken{false, OK};
            return ended_by_lanes(f, s, cost);
        }
        if (!accept_all(f, ins, turn, mark)) return Taken{false, OK};
        f.index += m;
        f.slow = f.index;
        trips += m;
        steps += cost;
        return Taken{false, OK};
    }
    AB_FN Taken ended_by_lanes(Frame& f, Status s, u64 cost) {
        steps += cost;
        f.slow = f.index;
        return Taken{true, s};
    }
    AB_FN Taken found_by_lanes(Frame& f, Ins ins, const LaneTurn& turn, u32 found) {
        u64 cost = turn.steps_before(found + 1);
        if (steps + cost > max_steps) return ended_by_lanes(f, LIMIT, cost);
        u32 inner = item_type(ins.arg_type(0));
        const u32* items = c.a.at(value(ins.arg(0))[0]);
        unbox(types, inner, items + (f.index + found) * types[inner].item_words, value(ins.dst()));
        return ended_by_lanes(f, OK, cost);
    }

    // The results of all items, none of which failed.
    AB_FN bool accept_all(Frame& f, Ins ins, const LaneTurn& turn, u32 mark) {
        u32 op = ins.op(), type = turn.body.type(), m = turn.m;
        bool merged = op == LOOP_MAPPLY || op == LOOP_MPAPPLY;
        bool listed = merged || op == LOOP_APPLY || op == LOOP_PAPPLY || op == LOOP_PRAPPLY;
        if (!listed) {
            if (types[type].kind != K_INT || !accept_chunk(f, ins, turn.body, Column{turn.words(), m}, m)) return false;
            c.a.top = mark;
            return true;
        }
        if (merged && types[type].kind == K_INT) {  // no containers: counted, and refused at the end
            f.acc_n += m;
            c.a.top = mark;
            return true;
        }
        if (!one_level(types, type) || f.acc_n + m > f.acc_room || (merged && types[type].scalar)) return false;
        u32 stride = merged ? 2 : types[type].item_words, words = types[type].slot_words;
        u32* acc = c.a.at(f.acc) + f.acc_n * stride;
        u32 between = c.a.top, total = types[type].scalar ? 0 : turn.gather(c.a, mark);
        if (total == NOWHERE) return false;
        bool beyond = c.g.flagged(m, [&](u32 k) {
            u32 slot[3 * MAX_ITEM_WORDS];
            for (u32 w = 0; w < words; ++w) slot[w] = turn.words_at(w, k);
            return box(types, type, slot, acc + k * stride) != OK;
        });
        if (beyond) return false;
        c.g.move_down(c.a.at(mark), c.a.at(between), total);
        c.a.top = mark + total;
        f.acc_n += m;
        return true;
    }
#endif

    // --- loops by columns ---
    // Room for a loop's columns, what it knows brought up to date; null where there is none.
    AB_FN ColumnRoom* columns_of(Frame& f, ColumnsRef shape) {
        u64 turn = shape.scope() ? frames[shape.scope() - 1].turn : 0;
        u32 mine = 0;
        while (mine < rooms && room[mine].loop != f.loop) ++mine;
        if (mine < rooms && (!room[mine].width || room[mine].width >= f.n)) {
            if (room[mine].turn != turn) room[mine].known = 0;
            room[mine].turn = turn;
            return room + mine;
        }
        bool keeps = false;
        for (u32 k = 0; k < (shape.rows() + 31) / 32; ++k) keeps = keeps || shape.kept()[k];
        if (mine == MAX_ROOMS || (keeps && f.n > MOST_KEPT)) return nullptr;
        u32 width = keeps ? (u32(f.n) + CHUNK - 1) / CHUNK * CHUNK : 0;
        u64 words = SPREAD_WORDS + u64(shape.rows() + 1) * (CHUNK + width) + 2 * (width / CHUNK);
        if (2 * words > c.a.capacity - c.a.top) return nullptr;
        c.a.capacity -= u32(words);
        room[mine] = ColumnRoom{f.loop, c.a.capacity, width, 0, turn};
        if (mine == rooms) ++rooms;
        return room + mine;
    }

    // Take the next items all at once; false where they must be taken one by one.
    AB_FN bool take_chunk(Frame& f, Ins ins, u32 m, bool& done) {
        ColumnsRef shape{body_of(ins, bodies(ins)).w};
        ColumnRoom* r = columns_of(f, shape);
        if (!r || trips + m > max_trips) return false;
        trips += m;
        BodyRef body = body_of(ins, 0);
        u32 start = u32(f.index), op = ins.op();
        u32 *spread = c.a.at(r->place), *passing = spread + SPREAD_WORDS;
        u32* kept_steps = passing + (shape.rows() + 1) * CHUNK;
        u32* kept = kept_steps + 2 * (r->width / CHUNK);
        bool known = start + m <= r->known;
        ColumnRun run{c, types, shape, kept, r->width, passing, spread, start, m, known, 0, 0};
        const u32* items = c.a.at(value(ins.arg(0))[0]);
        if (op == LOOP_PRAPPLY) {
            u32 n = value(ins.arg(1))[1];
            run.load(body, 0, items, [&](u32 k) { return k / n; });
            run.load(body, 1, c.a.at(value(ins.arg(1))[0]), [&](u32 k) { return k % n; });
        } else {
            run.load(body, 0, items, [](u32 k) { return k; });
            if (op == LOOP_PAPPLY) run.load(body, 1, c.a.at(value(ins.arg(1))[0]), [](u32 k) { return k; });
        }
        u32 mark = c.a.top;
        bool ordinary = run.run(code, body.code());
        c.a.top = mark;
        if (!ordinary) return false;
        if (r->width) {
            u32* mine = kept_steps + 2 * (start / CHUNK);
            if (known) {
                run.kept_cost = mine[0] | u64(mine[1]) << 32;
            } else {
                mine[0] = u32(run.kept_cost);
                mine[1] = u32(run.kept_cost >> 32);
                r->known = start + m;
            }
        }
        u64 cost = run.cost + run.kept_cost;
        if (steps + cost > max_steps) return false;
        Column result = shape.varies(body.result()) ? run.column(body.result()) : Column{nullptr, 0};
        if (!result.at) return false;
        if (op == LOOP_EXTRACT) {
            i32 first = c.g.min_of(m, i32(m), [&](u32 k) { return result.at[k] ? i32(k) : i32(m); });
            done = first < i32(m);
            if (!done) {
                steps += cost;
                return true;
            }
            u32 inner = item_type(ins.arg_type(0));
            unbox(types, inner, items + (start + u32(first)) * types[inner].item_words, value(ins.dst()));
            steps += cost / m * u32(first + 1);
            return true;
        }
        if (!accept_chunk(f, ins, body, result, m)) return false;
        steps += cost;
        return true;
    }

    AB_FN bool accept_chunk(Frame& f, Ins ins, BodyRef body, Column result, u32 m) {
        u32 op = ins.op(), start = u32(f.index);
        u32* acc = c.a.at(f.acc);
        switch (op) {
            case LOOP_SFILTER:
            case LOOP_MFILTER: {
                u32 stride = types[item_type(ins.arg_type(0))].item_words;
                const u32* items = c.a.at(value(ins.arg(0))[0]) + start * stride;
                f.acc_n += c.g.compact(
                    m, [&](u32 k) { return result.at[k] != 0; },
                    [&](u32 k, u32 at) { copy_words(acc + (f.acc_n + at) * stride, items + k * stride, stride); });
                return true;
            }
            case LOOP_ARGMAX:
            case LOOP_VALMAX:
            case LOOP_ARGMIN:
            case LOOP_VALMIN: {
                bool greatest = op == LOOP_ARGMAX || op == LOOP_VALMAX;
                auto number = [&](u32 k) { return i32(result.at[k]); };
                i32 best = greatest ? c.g.max_of(m, INT_LEAST, number) : c.g.min_of(m, INT_MOST, number);
                i32 at = c.g.min_of(m, i32(m), [&](u32 k) { return number(k) == best ? i32(k) : i32(m); });
                i32 before = key_int(f.best[0]);
                if (f.best_index == NOWHERE || (greatest ? best > before : best < before)) {
                    f.best[0] = int_key(best);
                    f.best_index = start + u32(at);
                }
                return true;
            }
            case LOOP_ORDER:
                c.g.each(m, [&](u32 k) {
                    acc[2 * (f.acc_n + k)] = int_key(i32(result.at[k]));
                    acc[2 * (f.acc_n + k) + 1] = f.acc_n + k;
                });
                f.acc_n += m;
                return true;
            default: {
                if (f.acc_n + m > f.acc_room) return false;
                u32 kind = types[body.type()].kind, words = types[body.type()].slot_words;
                bool beyond = c.g.flagged(m, [&](u32 k) {
                    u32 slot[3];
                    for (u32 w = 0; w < words; ++w) slot[w] = result.word(w, k);
                    return box_part(kind, slot, acc + f.acc_n + k) != OK;
                });
                if (beyond) return false;
                f.acc_n += m;
                return true;
            }
        }
    }

    AB_FN u32 end_body() {
        Frame& f = frames[depth - 1];
        Ins ins{code + f.loop};
        BodyRef body = body_of(ins, f.body);
        Status s = status(body.result());
        if (ins.op() == LOOP_CHOOSE) {
            --depth;
            *slot(ins.dst()) = s;
            if (s == OK) copy_words(value(ins.dst()), value(body.result()), types[ins.type()].slot_words);
            return close(f, ins);
        }
        bool outermost_power = ins.op() == LOOP_POWER && ins.times() < 0;
        if (steps > max_steps && !outermost_power) s = least(s == OK ? LIMIT : s, LIMIT);
        bool done = false;
        if (s == VOID_ || ++trips > max_trips) s = ESCAPE;
        if (s == OK) s = accept(f, ins, body, done);
        if (s != OK || done) return end_loop(f, ins, s);
        ++f.index;
        return next_item(f, ins);
    }

    // Take the body's result for one item; `done` where the loop's result stands already.
    AB_CALL Status accept(Frame& f, Ins ins, BodyRef body, bool& done) {
        u32 op = ins.op(), inner = types[ins.type()].item;
        u32* result = value(body.result());
        u32 container_item = item_type(ins.arg_type(0));
        switch (op) {
            case LOOP_POWER: {
                u32 words = types[ins.type()].slot_words;
                copy_words(value(body.param(0)), result, words);
                return OK;
            }
            case LOOP_VALMAX:
            case LOOP_VALMIN:
            case LOOP_ARGMAX:
            case LOOP_ARGMIN: {
                u32 key[MAX_ITEM_WORDS];
                Status s = box(types, body.type(), result, key);
                if (s != OK) return s;
                i32 order = f.best_index == NOWHERE ? 0 : compare_items(c, types, body.type(), key, f.best);
                bool better = op == LOOP_VALMAX || op == LOOP_ARGMAX ? order > 0 : order < 0;
                if (f.best_index == NOWHERE || better) {
                    copy_words(f.best, key, types[body.type()].item_words);
                    f.best_index = u32(f.index);
                }
                if (types[body.type()].scalar) c.a.top = f.mark;
                return OK;
            }
            case LOOP_EXTRACT:
            case LOOP_SFILTER:
            case LOOP_MFILTER: {
                bool holds = result[0] != 0;
                c.a.top = f.mark;
                if (!holds) return OK;
                u32 stride = types[container_item].item_words;
                const u32* item = c.a.at(value(ins.arg(0))[0]) + f.index * stride;
                if (op == LOOP_EXTRACT) {
                    unbox(types, container_item, item, value(ins.dst()));
                    f.best_index = u32(f.index);
                    done = true;
                    return OK;
                }
                copy_words(c.a.at(f.acc) + f.acc_n * stride, item, stride);
                ++f.acc_n;
                return OK;
            }
            case LOOP_ORDER: {
                u32 stride = types[body.type()].item_words + 1;
                u32* entry = c.a.at(f.acc) + f.acc_n * stride;
                Status s = box(types, body.type(), result, entry);
                if (s != OK) return s;
                entry[stride - 1] = f.acc_n++;
                if (types[body.type()].scalar) c.a.top = f.mark;
                return OK;
            }
            case LOOP_MAPPLY:
            case LOOP_MPAPPLY:
                if (types[body.type()].kind == K_INT) {  // no containers: counted, and refused at the end
                    ++f.acc_n;
                    return OK;
                }
                copy_words(c.a.at(f.acc) + 2 * f.acc_n, result, 2);
                keep_low(f.mark, body.type(), c.a.at(f.acc) + 2 * f.acc_n);
                ++f.acc_n;
                return OK;
            default: {
                u32 stride = types[inner].item_words;
                if (f.acc_n == f.acc_room) {  // only a product can have more trips than room
                    f.acc_n = settle_items(c, types, inner, c.a.at(f.acc), f.acc_n);
                    if (f.acc_n > MAX_ITEMS) return ESCAPE;
                }
                u32* item = c.a.at(f.acc) + f.acc_n * stride;
                Status s = box(types, inner, result, item);
                if (s != OK) return s;
                if (types[inner].scalar)
                    c.a.top = f.mark;
                else
                    keep_low(f.mark, inner, item);
                ++f.acc_n;
                return OK;
            }
        }
    }

    // Drop what the body left in the arena but for its result, which moves down to where the body started.
    AB_FN void keep_low(u32 mark, u32 type, u32* item) {
        const TypeDesc& t = types[type];
        u64 words;
        if (t.kind == K_GRID)
            words = (u64(item[1] >> 16) * (item[1] & 0xFFFFu) + 3) / 4;
        else if ((t.kind == K_SET || t.kind == K_SEQ) && types[t.item].scalar)
            words = u64(item[1]) * types[t.item].item_words;
        else if (t.scalar)
            words = 0;
        else
            return;
        u32 place = item[0];
        if (place >= mark && words) {
            c.g.move_down(c.a.at(mark), c.a.at(place), u32(words));
            item[0] = mark;
            c.a.top = mark + u32(words);
        } else {
            c.a.top = mark;
        }
    }

    AB_FN Status charge_result(Ins ins) {
        u64 size;
        Status s = measure(ins.type(), value(ins.dst()), size);
        if (s != OK) return s;
        if (ins.op() == LOOP_POWER) return OK;
        steps += size;
        return steps > max_steps ? LIMIT : OK;
    }

    // The loop's result once every item was seen.
    AB_CALL Status finish(Frame& f, Ins ins) {
        u32 op = ins.op(), type = ins.type();
        u32* out = value(ins.dst());
        generic::Items result{f.acc, f.acc_n};
        switch (op) {
            case LOOP_POWER:
                copy_words(out, value(body_of(ins, 0).param(0)), types[type].slot_words);
                return OK;
            case LOOP_VALMAX:
            case LOOP_VALMIN:
                unbox(types, body_of(ins, 0).type(), f.best, out);
                return charge_result(ins);
            case LOOP_ARGMAX:
            case LOOP_ARGMIN: {
                u32 inner = item_type(ins.arg_type(0));
                unbox(types, inner, c.a.at(value(ins.arg(0))[0]) + f.best_index * types[inner].item_words, out);
                return charge_result(ins);
            }
            case LOOP_EXTRACT:
                return EMPTY;
            case LOOP_ORDER: {
                Status s = in_key_order(f, ins, result);
                if (s != OK) return s;
                break;
            }
            case LOOP_MFILTER:
            case LOOP_MAPPLY:
            case LOOP_MPAPPLY: {
                generic::Items merged;
                bool numbers = op != LOOP_MFILTER && types[body_of(ins, 0).type()].kind == K_INT;
                if (numbers && f.acc_n) return TYPE;
                Status s = generic::merge(c, types, item_type(type), is_set(type), result, merged);
                if (s != OK) return s;
                result = merged;
                break;
            }
            default:
                if (is_set(type) && op != LOOP_SFILTER)
                    result.n = settle_items(c, types, item_type(type), c.a.at(f.acc), f.acc_n);
        }
        generic::put(out, result);
        return charge_result(ins);
    }

    // Items by ascending key, those of one key as they stood: keys carry their place, and heaps sort both.
    AB_FN Status in_key_order(Frame& f, Ins ins, generic::Items& result) {
        u32 key_type = body_of(ins, 0).type(), stride = types[key_type].item_words + 1, n = f.acc_n;
        u32* entries = c.a.at(f.acc);
        auto before = [&](const u32* a, const u32* b) {
            i32 order = compare_items(c, types, key_type, a, b);
            return order < 0 || (order == 0 && a[stride - 1] < b[stride - 1]);
        };
        order_items<MAX_ITEM_WORDS + 1>(c, entries, n, stride, before);
        u32 inner = item_type(ins.arg_type(0)), words = types[inner].item_words;
        Status s = generic::make(c, types, inner, n, result);
        if (s != OK) return s;
        const u32* from = c.a.at(value(ins.arg(0))[0]);
        u32* to = c.a.at(result.off);
        c.g.each(n, [&](u32 k) { copy_words(to + k * words, from + entries[k * stride + stride - 1] * words, words); });
        return OK;
    }

    // Leave a loop: its steps are charged to the loop around it as often as it is written.
    AB_FN u32 close(Frame& f, Ins ins) {
#if AB_LANES > 1
        if (depth) widen(frames[depth - 1], f.widest);
#endif
        if (depth == 0) c.a.capacity = capacity;
        u64 cost = steps;
        steps = f.outer_steps;
        if (ins.op() == LOOP_POWER && ins.times() < 0) return f.loop + ins.length();
        settle(ins, cost);
        return f.loop + ins.length();
    }
};

}  // namespace arcbatt
