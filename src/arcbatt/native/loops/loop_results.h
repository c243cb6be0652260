// What loops make of their bodies' results: taking the one of each item, and the loop's own in the end.
#pragma once

#include "loops/loops.h"

namespace arcbatt {

struct LoopResults : Loops {
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
        if (!one_level(types, type)) return;
        u32 words = data_words(types, type, item);
        u32 place = item[0];
        if (place >= mark && words) {
            c.g.move_down(c.a.at(mark), c.a.at(place), words);
            item[0] = mark;
            c.a.top = mark + words;
        } else {
            c.a.top = mark;
        }
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
};

}  // namespace arcbatt
