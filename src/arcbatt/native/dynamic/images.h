// The primitives on images: completing, rays, lattices, measures and rules of language/primitives. They take values of
// known forms only, so here values are brought into the typed tier's form and its very functions called.
#pragma once

#include <tuple>

#include "dynamic/machine.h"
#include "ops/completing.h"
#include "ops/lattices.h"
#include "ops/measures.h"
#include "ops/rays.h"
#include "ops/rules.h"

#if AB_LANES != 1
#error "the dynamic tier is for one lane"
#endif

namespace arcbatt {
namespace dynamic {
namespace typed {

// The memory of a call, used again by the next one of this thread.
class Room {
   public:
    Ctx& begin(size_t words) {
        if (words_.size() < words) words_.resize(words);
        context_.a = Arena{words_.data(), 0, u32(words_.size())};
        return context_;
    }

   private:
    std::vector<u32> words_;
    Ctx context_{};
};
inline Room& room() {
    static thread_local Room own;
    return own;
}

// How a value is read: `need` fails for *type* unless it is of the kind; then `load` fails for *limit* unless it fits.
template <class T>
struct Form;
template <>
struct Form<i32> {
    static void need(const Value& value) { int_of(value); }
    static i32 load(Ctx&, const Value& value) { return value.number(); }
    static Value store(const Ctx&, i32 x) { return Value::integer(x); }
};
template <>
struct Form<bool> {
    static void need(const Value&) {}
    static bool load(Ctx&, const Value& value) { return value.truth(); }
};
template <>
struct Form<arcbatt::IJ> {
    static void need(const Value& value) { ij_of(value); }
    static arcbatt::IJ load(Ctx&, const Value& value) { return {value.i(), value.j()}; }
    static Value store(const Ctx&, arcbatt::IJ p) { return Value::ij(p.i, p.j); }
};

// What an arena that is too small for a value is left with.
struct NoRoom {};
inline void need_ok(Status s) {
    if (s == OVERFLOW_) throw NoRoom{};
    if (s != OK) fail(s);
}

template <>
struct Form<arcbatt::Grid> {
    static void need(const Value& value) {
        u32 n = tuple_of(value).length(), wide = n ? tuple_of(value.item(0)).length() : 0;
        bool ragged = false;
        for (u32 i = 0; i < n; ++i) {
            Value row = value.item(i);
            ragged = tuple_of(row).length() != wide || ragged;
            for (u32 j = 0; j < row.length() && !row.has_integers(); ++j) int_of(row.item(j));
        }
        if (ragged) fail(TYPE);
    }
    static arcbatt::Grid load(Ctx& c, const Value& value) {
        u32 h = value.length(), w = h ? value.item(0).length() : 0;
        if (h > u32(MAX_SIDE) || w > u32(MAX_SIDE)) fail(LIMIT);
        arcbatt::Grid grid;
        need_ok(make_grid(c, h, w, grid));
        i8* to = arcbatt::cells(c, grid);
        for (u32 i = 0; i < h; ++i) {
            Value row = value.item(i);
            for (u32 j = 0; j < w; ++j) {
                i32 cell = row.item(j).number();
                if (!colour_fits(cell)) fail(LIMIT);
                to[i * w + j] = i8(cell);
            }
        }
        return grid;
    }
    static Value store(const Ctx& c, arcbatt::Grid grid) {
        const i8* from = arcbatt::cells(c, grid);
        Items rows;
        rows.reserve(size_t(grid.h));
        std::vector<i32> row(size_t(grid.w));
        for (i32 i = 0; i < grid.h; ++i) {
            for (i32 j = 0; j < grid.w; ++j) row[size_t(j)] = *from++;
            rows.push_back(tuple_of_numbers(row.data(), u32(grid.w)));
        }
        return make_tuple(std::move(rows));
    }
};
template <>
struct Form<GridSeq> {
    static void need(const Value& value) {
        for (u32 k = 0, n = tuple_of(value).length(); k < n; ++k) Form<arcbatt::Grid>::need(value.item(k));
    }
    static GridSeq load(Ctx& c, const Value& value) {
        GridSeq made;
        need_ok(make_pairs(c, value.length(), made));
        for (u32 k = 0; k < made.n; ++k) gridwork::set_item(c, made, k, Form<arcbatt::Grid>::load(c, value.item(k)));
        return made;
    }
    static Value store(const Ctx& c, GridSeq grids) {
        Items items;
        for (u32 k = 0; k < grids.n; ++k) items.push_back(Form<arcbatt::Grid>::store(c, images::item(c, grids, k)));
        return make_tuple(std::move(items));
    }
};
// Containers of numbers.
template <int TAG>
struct Numbers {
    static void need_numbers(const Value& container) {
        for (u32 k = 0; k < container.length(); ++k) int_of(container.item(k));
    }
    static Array<TAG> load(Ctx& c, const Value& value) {
        Array<TAG> made;
        need_ok(make_array(c, value.length(), made));
        for (u32 k = 0; k < made.n; ++k) words(c, made)[k] = int_key(value.item(k).number());
        return made;
    }
};
template <>
struct Form<IntSeq> : Numbers<3> {
    static void need(const Value& value) { need_numbers(tuple_of(value)); }
    static Value store(const Ctx& c, IntSeq numbers) {
        Items items;
        for (u32 k = 0; k < numbers.n; ++k) items.push_back(Value::integer(key_int(words(c, numbers)[k])));
        return make_tuple(std::move(items));
    }
};
template <>
struct Form<Ints> : Numbers<2> {
    static void need(const Value& value) { need_numbers(set_of(value)); }
};
template <>
struct Form<Indices> {
    static Value store(const Ctx& c, Indices places) {
        Items items;
        for (u32 k = 0; k < places.n; ++k) {
            arcbatt::IJ p = key_ij(words(c, places)[k]);
            items.push_back(Value::ij(p.i, p.j));
        }
        return set_of_ascending(std::move(items));
    }
};

// A native function of values, of which the last parameter is the result.
template <class... P, size_t... K>
Value call(Status (*function)(Ctx&, P...), const Value* args, std::index_sequence<K...>) {
    using Types = std::tuple<std::remove_reference_t<P>...>;
    using Result = std::tuple_element_t<sizeof...(K), Types>;
    (Form<std::tuple_element_t<K, Types>>::need(args[K]), ...);
    for (size_t words = 1 << 14;; words *= 2) {
        Ctx& c = room().begin(words);
        try {
            std::tuple<std::tuple_element_t<K, Types>...> loaded{
                Form<std::tuple_element_t<K, Types>>::load(c, args[K])...};
            Result result{};
            need_ok(function(c, std::get<K>(loaded)..., result));
            return Form<Result>::store(c, result);
        } catch (const NoRoom&) {
        }
    }
}
template <class... P, class... A>
Value call(Status (*function)(Ctx&, P...), const A&... args) {
    static_assert(sizeof...(P) == sizeof...(A) + 1, "arguments and a result");
    const Value given[] = {args...};
    return call(function, given, std::index_sequence_for<A...>{});
}

}  // namespace typed

namespace ops {

#define AB_TYPED_1(name) \
    inline Value name(Machine&, const Value& a) { return typed::call(&op::name, a); }
#define AB_TYPED_2(name) \
    inline Value name(Machine&, const Value& a, const Value& b) { return typed::call(&op::name, a, b); }
#define AB_TYPED_3(name)                                                          \
    inline Value name(Machine&, const Value& a, const Value& b, const Value& c) { \
        return typed::call(&op::name, a, b, c);                                   \
    }
#define AB_TYPED_4(name)                                                                          \
    inline Value name(Machine&, const Value& a, const Value& b, const Value& c, const Value& d) { \
        return typed::call(&op::name, a, b, c, d);                                                \
    }
AB_TYPED_3(mirrorfill)
AB_TYPED_2(gridperiod)
AB_TYPED_3(periodfill)
AB_TYPED_2(drift)
AB_TYPED_3(driftfill)
AB_TYPED_3(look)
AB_TYPED_3(smear)
AB_TYPED_4(beam)
AB_TYPED_3(bridge)
AB_TYPED_3(cellfall)
AB_TYPED_4(regionfall)
AB_TYPED_2(seam)
AB_TYPED_2(panes)
AB_TYPED_2(panecount)
AB_TYPED_3(panefill)
AB_TYPED_3(panepaint)
AB_TYPED_2(torows)
AB_TYPED_2(hvconcat)
AB_TYPED_2(overlay)
AB_TYPED_3(paste)
AB_TYPED_4(window)
AB_TYPED_2(tilegrid)
AB_TYPED_2(mirrortile)
AB_TYPED_2(rescale)
AB_TYPED_2(colormask)
AB_TYPED_2(ramp)
AB_TYPED_2(wrap)
AB_TYPED_2(cellmin)
AB_TYPED_2(cellmax)
AB_TYPED_3(enclosed)
AB_TYPED_2(regionsize)
AB_TYPED_3(inset)
AB_TYPED_2(ranks)
AB_TYPED_3(distance)
AB_TYPED_4(nearfill)
AB_TYPED_3(neighborcount)
AB_TYPED_3(linecount)
AB_TYPED_1(colororder)
AB_TYPED_2(encode)
AB_TYPED_2(decode)
AB_TYPED_4(decide)
#undef AB_TYPED_1
#undef AB_TYPED_2
#undef AB_TYPED_3
#undef AB_TYPED_4

inline Value rankof(Machine&, const Value& value, const Value& container) {
    using OfSet = Status (*)(Ctx&, i32, Ints, i32&);
    using OfTuple = Status (*)(Ctx&, i32, IntSeq, i32&);
    if (container_of(container).is_set()) return typed::call(OfSet(&op::rankof), value, container);
    return typed::call(OfTuple(&op::rankof), value, container);
}

}  // namespace ops
}  // namespace dynamic
}  // namespace arcbatt
