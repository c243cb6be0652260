// What calls of loops give, from what their bodies gave for the items; waves/loops.h says where this comes in.
//
// What the CPU's loops do item by item (loops/control.h) is done here once all items are there: of those that failed
// the first counts, steps are added up to it, and items behind it are as if they had not been.
#pragma once

#include "waves/giants.h"

namespace arcbatt {
namespace wave_loops {

// What a call of a loop has: how it stands, the steps so far, and of each body the first item and how many.
constexpr u32 SEGMENT_STEPS = 1, SEGMENT_BODIES = 3;
struct Segment {
    u32* w;
    AB_FN Status status() const { return Status(w[0]); }
    AB_FN u64 steps() const { return w[SEGMENT_STEPS] | u64(w[SEGMENT_STEPS + 1]) << 32; }
    AB_FN u32 start(u32 body) const { return w[SEGMENT_BODIES + 2 * body]; }
    AB_FN u32 count(u32 body) const { return w[SEGMENT_BODIES + 2 * body + 1]; }
    AB_FN void set(Status s, u64 steps) const {
        w[0] = s;
        w[SEGMENT_STEPS] = u32(steps);
        w[SEGMENT_STEPS + 1] = u32(steps >> 32);
    }
    AB_FN void set_body(u32 body, u32 first, u32 n) const {
        w[SEGMENT_BODIES + 2 * body] = first;
        w[SEGMENT_BODIES + 2 * body + 1] = n;
    }
};

template <class I>
AB_FN u32 body_count(I ins) {
    return ins.extra()[1];
}

// How an item stands for its loop, given all steps up to its end.
AB_FN Status counted_status(Status s, u64 steps, u64 max_steps) {
    if (steps > max_steps) s = least(s == OK ? LIMIT : s, LIMIT);
    return s == EMPTY_TUPLE ? ESCAPE : s;
}

// What the results of loops are made of: what the bodies gave, or the items they walked.
enum GatherKind : u32 { MAPPED, MERGED, FILTERED, ORDERED, EXTRACTED, BEST, CHOSEN, RAISED };
AB_FN constexpr u32 gather_kind(u32 op) {
    switch (op) {
        case LOOP_MAPPLY:
        case LOOP_MPAPPLY:
            return MERGED;
        case LOOP_SFILTER:
        case LOOP_MFILTER:
            return FILTERED;
        case LOOP_ORDER:
            return ORDERED;
        case LOOP_EXTRACT:
            return EXTRACTED;
#define AB_CASE(op) case op:
            AB_BEST_LOOPS(AB_CASE)
#undef AB_CASE
            return BEST;
        case LOOP_CHOOSE:
            return CHOSEN;
        case LOOP_POWER:
            return RAISED;
        default:
            return MAPPED;
    }
}

// What a call's items came to: the first `n` of them count, `status` is how the last of these ended the loop.
struct Walked {
    Status status;
    u32 n;
    u64 steps;
};

// The arguments are those the loop walks; behind them the segment, then of each body the result and the steps.
template <class M, class I>
struct Gather {
    M& m;
    I ins;
    const WavePlace* behind;
    Segment segment;
    u32 body, n;
    bool no_room;  // what there is is not enough for the result

    AB_FN u32 item(u32 k) const { return ins.op() == LOOP_RAPPLY ? segment.start(k) : segment.start(body) + k; }
    AB_FN const WavePlace* rows(u32 k) const { return behind + 1 + 2 * (ins.op() == LOOP_RAPPLY ? k : body); }
    AB_FN const u32* result(u32 k) const { return m.slot(place_at(rows(k)[0], item(k))); }
    AB_FN u64 steps(u32 k) const { return *reinterpret_cast<const u64*>(m.slot(place_at(rows(k)[1], item(k)))); }
    AB_FN u64 steps_of(u32 first, u32 count) const {
        return u64(m.c.g.sum_of(count, [&](u32 k) { return i64(steps(first + k)); }));
    }

    // The first item after which there are more steps than allowed; n where there is none.
    AB_FN u32 beyond_steps(u64 sum) const {
        constexpr u32 STRETCH = 256;
        for (u32 first = 0; first < n; first += STRETCH) {
            u64 more = steps_of(first, least(STRETCH, n - first));
            if (sum + more <= m.max_steps) {
                sum += more;
                continue;
            }
            for (u32 k = first;; ++k)
                if ((sum += steps(k)) > m.max_steps) return k;
        }
        return n;
    }
    // Items in order, up to the first that ends the loop.
    AB_FN Walked walked() const {
        u64 before = segment.steps(), all = before;
        u32 failed = failure_and_steps(all);
        u32 over = all > m.max_steps ? beyond_steps(before) : n;
        u32 holds = ins.op() == LOOP_EXTRACT ? first_where([&](u32 k) { return *result(k) == OK && result(k)[1]; }) : n;
        u32 end = least(least(failed, over), holds);
        if (end == n) return Walked{OK, n, all};
        u64 sum = before + steps_of(0, end + 1);
        return Walked{counted_status(Status(*result(end)), sum, m.max_steps), end + 1, sum};
    }
    // The first item that failed, n where there is none; the steps of all are added to `sum`. Both in one walk.
    AB_FN u32 failure_and_steps(u64& sum) const {
        u32 failed = n;
        sum += u64(m.c.g.sum_of(n, [&](u32 k) {
            if (*result(k) != OK) failed = least(failed, k);
            return i64(steps(k));
        }));
        return u32(m.c.g.least_held(i32(failed)));
    }
    template <class F>
    AB_FN u32 first_where(F holds) const {
        return u32(m.c.g.min_of(n, i32(n), [&](u32 k) { return holds(k) ? i32(k) : i32(n); }));
    }

    AB_FN auto key_type() const { return ins.type_behind(Known<0>{}); }
    AB_FN auto walked_type() const { return m.item_type(ins.arg_type(Known<0>{})); }
    AB_FN const u32* walked_item(u32 k) const {
        return m.c.a.at(m.value(ins.arg(0))[0]) + k * m.types[walked_type()].item_words;
    }
    AB_FN u32 take(u64 words) {
        u32 place = m.c.a.take(words);
        no_room = no_room || place == NOWHERE;
        return place;
    }
    // Room for so many words, and as many behind it to sort them with.
    AB_FN u32 take_to_sort(u64 words) {
        u32 place = take(2 * words);
        if (place != NOWHERE) m.c.a.top = place + u32(words);
        return place;
    }
    AB_FN Status fits(Status s) {
        no_room = no_room || s == OVERFLOW_;
        return s;
    }

    // Items in the form containers have them, each at `words` from the one before. What has no such form ends the loop.
    template <class Type>
    AB_FN Status boxed(Type type, u32* to, u32 words, u64& sum) const {
        struct Few {
            u32 w[2];
        };
        bool beyond =
            m.types[type].item_words <= 2
                ? m.c.g.template mapped<Few>(
                      n, [&](u32 k, Few& item) { return box(m.types, type, result(k) + 1, item.w) != OK; },
                      [&](u32 k, const Few& item) { copy_words(to + k * words, item.w, m.types[type].item_words); })
                : m.c.g.flagged(n, [&](u32 k) { return box(m.types, type, result(k) + 1, to + k * words) != OK; });
        if (!beyond) return OK;
        u32 at = first_where([&](u32 k) {
            u32 item[MAX_ITEM_WORDS];
            return box(m.types, type, result(k) + 1, item) != OK;
        });
        sum = segment.steps() + steps_of(0, at + 1);
        return ESCAPE;
    }

    AB_FN Status put(generic::Items items, u64& sum) {
        u32* out = m.value(ins.dst());
        generic::put(out, items);
        return charged(sum);
    }
    AB_FN Status charged(u64& sum) {
        u64 size;
        Status s = m.measure(ins.type(), m.value(ins.dst()), size);
        if (s != OK) return s;
        sum += size;
        return sum > m.max_steps ? LIMIT : OK;
    }
    AB_FN Status merged(generic::Items containers, u64& sum) {
        generic::Items all;
        auto inner = m.item_type(ins.type());
        Status s = fits(generic::merge(m.c, m.types, inner, m.is_set(ins.type()), containers, all));
        return s != OK ? s : put(all, sum);
    }

    AB_FN Status mapped(u64& sum) {
        auto type = m.item_type(ins.type());
        u32 words = m.types[type].item_words;
        bool set = m.is_set(ins.type());
        u32 place = !n ? 0 : set ? take_to_sort(u64(n) * words) : take(u64(n) * words);
        if (place == NOWHERE) return OVERFLOW_;
        Status s = boxed(type, m.c.a.at(place), words, sum);
        if (s != OK) return s;
        u32 left = set ? sort_unique_items(m.c, m.types, type, m.c.a.at(place), n) : n;
        if (n) m.c.a.top = place + left * words;
        return put(generic::Items{place, left}, sum);
    }
    AB_FN Status mapped_and_merged(u64& sum) {
        if (m.types[key_type()].kind == K_INT && n) return TYPE;  // numbers cannot be merged
        u32 place = n ? take(2 * u64(n)) : 0;
        if (place == NOWHERE) return OVERFLOW_;
        struct Pair {
            u32 w[2];
        };
        u32* to = m.c.a.at(place);
        m.c.g.template mapped<Pair>(
            n, [&](u32 k, Pair& pair) { return copy_words(pair.w, result(k) + 1, 2), false; },
            [&](u32 k, const Pair& pair) { copy_words(to + 2 * k, pair.w, 2); });
        return merged(generic::Items{place, n}, sum);
    }
    AB_FN Status filtered(u64& sum) {
        u32 words = m.types[walked_type()].item_words, place = n ? take(u64(n) * words) : 0;
        if (place == NOWHERE) return OVERFLOW_;
        u32* to = m.c.a.at(place);
        u32 left = m.c.g.compact(
            n, [&](u32 k) { return result(k)[1] != 0; },
            [&](u32 k, u32 at) { copy_words(to + at * words, walked_item(k), words); });
        m.c.a.top = place ? place + left * words : m.c.a.top;
        generic::Items items{place, left};
        return ins.op() == LOOP_MFILTER ? merged(items, sum) : put(items, sum);
    }
    // Items by ascending key, those of one key as they stood: keys, each with its item's number, are put in order.
    AB_FN Status ordered(u64& sum) {
        u32 stride = m.types[key_type()].item_words + 1, words = m.types[walked_type()].item_words;
        u32 place = n ? take(u64(n) * words) : 0, keys = n ? take_to_sort(u64(n) * stride) : 0;
        if (place == NOWHERE || keys == NOWHERE) return OVERFLOW_;
        u32* entries = m.c.a.at(keys);
        Status s = boxed(key_type(), entries, stride, sum);
        if (s != OK) return s;
        m.c.g.each(n, [&](u32 k) { entries[k * stride + stride - 1] = k; });
        auto before = [&](const u32* a, const u32* b) {
            i32 order = compare_items(m.c, m.types, key_type(), a, b);
            return order < 0 || (order == 0 && a[stride - 1] < b[stride - 1]);
        };
        order_items<MAX_ITEM_WORDS + 1>(m.c, entries, n, stride, before);
        u32* to = m.c.a.at(place);
        m.c.g.each(n, [&](u32 k) { copy_words(to + k * words, walked_item(entries[k * stride + stride - 1]), words); });
        m.c.a.top = n ? keys : m.c.a.top;
        return put(generic::Items{place, n}, sum);
    }
    AB_FN Status best(u64& sum) {
        u32 mark = m.c.a.top, stride = m.types[key_type()].item_words, place = take(u64(n) * stride);
        if (place == NOWHERE) return OVERFLOW_;
        u32* keys = m.c.a.at(place);
        Status s = boxed(key_type(), keys, stride, sum);
        if (s != OK) return s;
        bool greatest = ins.op() == LOOP_ARGMAX || ins.op() == LOOP_VALMAX;
        u32 at = best_key(keys, stride, greatest), *out = m.value(ins.dst());
        if (gives_best_value(ins.op()))
            unbox(m.types, key_type(), keys + at * stride, out);
        else
            unbox(m.types, walked_type(), walked_item(at), out);
        m.c.g.sync();
        m.c.a.top = mark;
        return charged(sum);
    }
    AB_FN u32 best_key(const u32* keys, u32 stride, bool greatest) const {
        if (m.types[key_type()].kind == K_INT) {
            auto number = [&](u32 k) { return key_int(keys[k]); };
            i32 found = greatest ? m.c.g.max_of(n, INT_LEAST, number) : m.c.g.min_of(n, INT_MOST, number);
            return first_where([&](u32 k) { return number(k) == found; });
        }
        return m.c.g.from_one([&] {
            u32 found = 0;
            for (u32 k = 1; k < n; ++k) {
                i32 order = compare_items(m.c, m.types, key_type(), keys + k * stride, keys + found * stride);
                if (greatest ? order > 0 : order < 0) found = k;
            }
            return found;
        });
    }
    AB_FN Status extracted(const Walked& walk, u64& sum) {
        u32 at = walk.n - 1;
        if (!n || !result(at)[1]) return EMPTY;
        unbox(m.types, walked_type(), walked_item(at), m.value(ins.dst()));
        return charged(sum);
    }
    // Of one of two bodies, as it is.
    AB_FN Status chosen(u64& sum) const {
        Status s = Status(*result(0));
        sum += steps(0);
        if (sum > m.max_steps && s != OVERFLOW_ && s != ESCAPE) return LIMIT;
        if (s == OK) copy_words(m.value(ins.dst()), result(0) + 1, m.types[ins.type()].slot_words);
        return s;
    }
    // Of a power: its parameter, if the outcome is good; that is in place of the segment's second body. Behind it is
    // how often the body was still to be called when the others were done: such a call is another engine's.
    AB_FN Status raised(u64& sum) const {
        Status s = *m.slot(place_at(behind[4], item(0))) ? OVERFLOW_ : m.status(place_at(behind[3], item(0)));
        sum += steps(0);
        if (s == OK) copy_words(m.value(ins.dst()), result(0) + 1, m.types[ins.type()].slot_words);
        return s;
    }

    template <u32 KIND>
    AB_FN Status made(u64& sum) {
        if constexpr (KIND == CHOSEN) return chosen(sum);
        if constexpr (KIND == RAISED) return raised(sum);
        Walked walk = walked();
        sum = walk.steps;
        if (walk.status != OK) return walk.status;
        if constexpr (KIND == MAPPED) return mapped(sum);
        if constexpr (KIND == MERGED) return mapped_and_merged(sum);
        if constexpr (KIND == FILTERED) return filtered(sum);
        if constexpr (KIND == ORDERED) return ordered(sum);
        if constexpr (KIND == EXTRACTED) return extracted(walk, sum);
        if constexpr (KIND == BEST) return best(sum);
        return ESCAPE;
    }
    AB_FN Status of_kind(u64& sum) {
        if constexpr (I::KNOWN) {
            return made<gather_kind(I::op())>(sum);
        } else {
            switch (gather_kind(ins.op())) {
                case MERGED:
                    return made<MERGED>(sum);
                case FILTERED:
                    return made<FILTERED>(sum);
                case ORDERED:
                    return made<ORDERED>(sum);
                case EXTRACTED:
                    return made<EXTRACTED>(sum);
                case BEST:
                    return made<BEST>(sum);
                case CHOSEN:
                    return made<CHOSEN>(sum);
                case RAISED:
                    return made<RAISED>(sum);
                default:
                    return made<MAPPED>(sum);
            }
        }
    }
    AB_FN Status outcome(const WaveFrame* frames, u64& sum) {
        sum = segment.steps();
        if (segment.status() != OK) return segment.status();
        count_items();
        return framed(frames) ? of_kind(sum) : OVERFLOW_;
    }
    // Whether there was room for all items.
    AB_FN bool framed(const WaveFrame* frames) const {
        if (ins.op() != LOOP_RAPPLY) return !n || frames[body].count;
        bool all = true;
        for (u32 k = 0; k < n; ++k) all = all && frames[k].count;
        return all;
    }
    AB_FN void count_items() {
        u32 bodies = body_count(ins);
        n = ins.op() == LOOP_RAPPLY ? bodies : segment.count(0);
        body = 0;
        if (ins.op() != LOOP_RAPPLY && bodies > 1 && segment.count(1)) n = segment.count(body = 1);
    }
    // How much there is to gather; any number beyond `enough` where it is more than that.
    AB_FN u64 content(const WaveFrame* frames, u64 enough) {
        if (segment.status() != OK) return 0;
        count_items();
        if (!framed(frames)) return 0;
        u32 kind = gather_kind(ins.op());
        auto item = m.item_type(ins.type());
        auto given = [&](u32 k) { return *result(k) == OK ? result(k) + 1 : nullptr; };
        if (kind == MERGED && m.types[key_type()].kind != K_INT) return content_of_all(m, item, n, enough, given);
        if (ins.op() == LOOP_MFILTER) return content_of_all(m, item, n, enough, [&](u32 k) { return walked_item(k); });
        if (kind == MAPPED && m.is_set(ins.type()) && is_array(m.types, item))
            return content_of_all(m, m.types[item].item, n, enough, given);
        return n;
    }
};

template <class M, class I>
AB_FN void gather_call(M& m, WaveRoom& room, I ins, const WaveNode& node, const WavePlace* places, u32 index) {
    const WavePlace* behind = places + FIRST_ARG_PLACE + ins.count();
    Segment segment{m.slot(place_at(behind[0], index))};
    u64 sum = 0;
    bool fits = room.fit(m.c, [&] {
        Gather<M, I> gather{m, ins, behind, segment, 0, 0, false};
        Status s = gather.outcome(device_pointer<const WaveFrame>(node.frames), sum);
        m.c.g.sync();
        *m.slot(ins.dst()) = s;
        m.steps = 0;
        m.charge_call(ins, sum);
        m.c.g.sync();
        return !was_cramped(m.c) && !gather.no_room;
    });
    if (!fits) leave_unfit(m, ins);
    if (ins.times() > 0) add_steps(m, places[STEPS_PLACE], index, m.steps * node.times);
    if (ins.times() < 0) add_steps(m, places[STEPS_PLACE], index, sum);
}

// How much a call has to gather; any number beyond `enough` where it is more than that.
template <class M, class I>
AB_FN u64 gathered_content(M& m, I ins, const WaveNode& node, const WavePlace* places, u32 index, u64 enough) {
    const WavePlace* behind = places + FIRST_ARG_PLACE + ins.count();
    Gather<M, I> gather{m, ins, behind, Segment{m.slot(place_at(behind[0], index))}, 0, 0, false};
    return gather.content(device_pointer<const WaveFrame>(node.frames), enough);
}

}  // namespace wave_loops
}  // namespace arcbatt
