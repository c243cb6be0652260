// Values between Python and words, by their *shape* (digest.h), in which bits above the kind say which numbers of a
// scalar are booleans: BOOL_BITS the first, the bits above it the second and the third.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exec/engine.h"

namespace arcbatt {

AB_FN bool is_bool(u32 shape, u32 number) { return (shape >> (BOOL_BITS + number) & 1) != 0; }

// Whether a shape is that of a type: then values written or read by it stay within what the type takes.
class ShapeCheck {
   public:
    explicit ShapeCheck(const Program& program) : p_(program) {}

    bool fits(const std::vector<u32>& shape, u32 type) {
        const u32 *at = shape.data(), *end = at + shape.size();
        return whole(at, end, type) && at == end;
    }

   private:
    bool whole(const u32*& at, const u32* end, u32 type) {
        const TypeDesc& t = p_.types[type];
        const u32* leaf = t.kind == K_TUP ? p_.parts.data() + t.flat_first : &type;
        const u32* leaves = leaf + (t.kind == K_TUP ? t.flat_count : 1);
        return part(at, end, leaf, leaves, 0) && leaf == leaves;
    }
    bool part(const u32*& at, const u32* end, const u32*& leaf, const u32* leaves, u32 depth) {
        if (at == end || depth > 64) return false;
        u32 kind = *at & KIND_BITS;
        if (kind == K_TUP) {
            if (end - at < 2) return false;
            u32 count = at[1];
            at += 2;
            for (u32 k = 0; k < count; ++k)
                if (!part(at, end, leaf, leaves, depth + 1)) return false;
            return true;
        }
        if (leaf == leaves || p_.types[*leaf].kind != kind) return false;
        const TypeDesc& t = p_.types[*leaf++];
        if (kind != K_SET && kind != K_SEQ) return ++at, true;
        if (end - at < 3 || at[1] != p_.types[t.item].item_words || at[2] > u32(end - at - 3)) return false;
        const u32* inner = at + 3;
        const u32* inner_end = inner + at[2];
        at = inner_end;
        return whole(inner, inner_end, t.item) && inner == inner_end;
    }
    const Program& p_;
};

// Writes values as the words of a program's arguments; what they point to lies from `begin` on.
class Encoder {
   public:
    Encoder(const Program& program, const std::vector<std::vector<u32>>& shapes, u64 begin)
        : p_(program), shapes_(shapes), begin_(begin) {}

    // The words of one call's arguments behind `row`; false where one of them is not of its type.
    bool call(PyObject* args, std::vector<u32>& row) {
        if (!PyTuple_Check(args) || size_t(PyTuple_GET_SIZE(args)) != p_.arguments.size()) return false;
        memory_.clear();
        for (size_t k = 0; k < p_.arguments.size(); ++k)
            if (!argument(k, PyTuple_GET_ITEM(args, Py_ssize_t(k)), row)) return false;
        row.insert(row.end(), memory_.begin(), memory_.end());
        return true;
    }

    // The words of one argument behind `slots`; what they point to stays in `memory`.
    bool argument(size_t k, PyObject* from, std::vector<u32>& slots) {
        slots.push_back(OK);
        return value(from, shapes_[k].data(), p_.arguments[k].type, true, slots);
    }
    std::vector<u32>& memory() { return memory_; }

   private:
    bool value(PyObject* from, const u32* shape, u32 type, bool in_slot, std::vector<u32>& out) {
        const TypeDesc& t = p_.types[type];
        const u32* leaf = t.kind == K_TUP ? p_.parts.data() + t.flat_first : &type;
        return part(from, shape, leaf, in_slot, out);
    }

    bool part(PyObject* from, const u32*& shape, const u32*& leaf, bool in_slot, std::vector<u32>& out) {
        u32 head = *shape;
        if (head == K_TUP) {
            u32 n = shape[1];
            shape += 2;
            if (!tuple(from, n)) return false;
            for (u32 k = 0; k < n; ++k)
                if (!part(PyTuple_GET_ITEM(from, Py_ssize_t(k)), shape, leaf, in_slot, out)) return false;
            return true;
        }
        u32 type = *leaf++;
        switch (head & KIND_BITS) {
            case K_SET:
            case K_SEQ: {
                const u32* inner = shape + 3;
                shape = inner + shape[2];
                return container(from, head == K_SET, inner, p_.types[type].item, out);
            }
            case K_GRID:
                ++shape;
                return grid(from, out);
            default:
                ++shape;
                return scalar(from, head, in_slot, out);
        }
    }

    static bool tuple(PyObject* from, u32 n) { return PyTuple_Check(from) && PyTuple_GET_SIZE(from) == Py_ssize_t(n); }

    static bool number(PyObject* from, bool boolean, u32& out) {
        if (boolean ? !PyBool_Check(from) : !PyLong_CheckExact(from)) return false;
        int overflow = 0;
        long x = PyLong_AsLongAndOverflow(from, &overflow);
        if (overflow || x < INT32_MIN || x > INT32_MAX) return false;
        out = u32(i32(x));
        return true;
    }

    static bool scalar(PyObject* from, u32 head, bool in_slot, std::vector<u32>& out) {
        u32 slot[3] = {0, 0, 0}, kind = head & KIND_BITS;
        if (kind == K_OPT && from == Py_None) {
            slot[0] = u32(NONE);
        } else if (kind <= K_OPT) {
            if (!number(from, is_bool(head, 0), slot[0]) || (kind == K_OPT && i32(slot[0]) == NONE)) return false;
        } else {
            if (!tuple(from, 2)) return false;
            PyObject* place = from;
            u32 at = 0;
            if (kind == K_CELL) {
                if (!number(PyTuple_GET_ITEM(from, 0), is_bool(head, 0), slot[at++])) return false;
                place = PyTuple_GET_ITEM(from, 1);
                if (!tuple(place, 2)) return false;
            }
            for (u32 k = 0; k < 2; ++k, ++at)
                if (!number(PyTuple_GET_ITEM(place, Py_ssize_t(k)), is_bool(head, at), slot[at])) return false;
        }
        u32 words = kind == K_CELL ? 3 : kind == K_IJ ? 2 : 1;
        if (!in_slot) {
            u32 item[2];  // a scalar takes one word
            if (box_part(kind, slot, item) != OK) return false;
            slot[0] = item[0];
            words = 1;
        }
        out.insert(out.end(), slot, slot + words);
        return true;
    }

    bool grid(PyObject* from, std::vector<u32>& out) {
        if (!PyTuple_Check(from)) return false;
        Py_ssize_t h = PyTuple_GET_SIZE(from), w = 0;
        if (h > MAX_SIDE) return false;
        bytes_.clear();
        for (Py_ssize_t i = 0; i < h; ++i) {
            PyObject* row = PyTuple_GET_ITEM(from, i);
            if (!PyTuple_Check(row)) return false;
            if (i == 0) w = PyTuple_GET_SIZE(row);
            if (PyTuple_GET_SIZE(row) != w || w > MAX_SIDE || h * w > MAX_CELLS) return false;
            for (Py_ssize_t j = 0; j < w; ++j) {
                u32 x;
                if (!number(PyTuple_GET_ITEM(row, j), false, x) || !colour_fits(i32(x))) return false;
                bytes_.push_back(u8(x));
            }
        }
        size_t place = memory_.size(), words = (bytes_.size() + 3) / 4;
        memory_.resize(place + words);
        if (!bytes_.empty()) std::memcpy(memory_.data() + place, bytes_.data(), bytes_.size());
        out.push_back(h ? u32(begin_ + place) : 0);
        out.push_back(u32(h) << 16 | u32(w));
        return true;
    }

    bool container(PyObject* from, bool is_set, const u32* shape, u32 item, std::vector<u32>& out) {
        if (is_set ? !PyFrozenSet_Check(from) : !PyTuple_Check(from)) return false;
        Py_ssize_t n = is_set ? PySet_GET_SIZE(from) : PyTuple_GET_SIZE(from);
        if (n > Py_ssize_t(MAX_ITEMS)) return false;
        std::vector<u32> items;
        items.reserve(size_t(n) * p_.types[item].item_words);
        if (is_set) {
            nanobind::object walk = nanobind::steal(PyObject_GetIter(from));
            while (PyObject* one = PyIter_Next(walk.ptr())) {
                bool good = value(one, shape, item, false, items);
                Py_DECREF(one);
                if (!good) return false;
            }
            if (!sorted(items, item, u32(n))) return false;
        } else {
            for (Py_ssize_t k = 0; k < n; ++k)
                if (!value(PyTuple_GET_ITEM(from, k), shape, item, false, items)) return false;
        }
        out.push_back(u32(begin_ + memory_.size()));
        out.push_back(u32(n));
        memory_.insert(memory_.end(), items.begin(), items.end());
        return begin_ + memory_.size() < NOWHERE;
    }

    // The items of a set ascending; false where two are equal after all.
    bool sorted(std::vector<u32>& items, u32 type, u32 n) {
        u32 stride = p_.types[type].item_words;
        if (is_key(p_.types[type])) {
            std::sort(items.begin(), items.end());
            return std::adjacent_find(items.begin(), items.end()) == items.end();
        }
        Types types{p_.types.data(), p_.parts.data()};
        u32 end = u32(begin_ + memory_.size());
        Ctx c{Group{}, Arena{memory_.data() - std::ptrdiff_t(begin_), end, end}};
        auto order = [&](u32 a, u32 b) {
            return compare_items(c, types, type, items.data() + a * stride, items.data() + b * stride);
        };
        std::vector<u32> places(n);
        for (u32 k = 0; k < n; ++k) places[k] = k;
        std::sort(places.begin(), places.end(), [&](u32 a, u32 b) { return order(a, b) < 0; });
        for (u32 k = 1; k < n; ++k)
            if (order(places[k - 1], places[k]) == 0) return false;
        std::vector<u32> result;
        result.reserve(items.size());
        for (u32 place : places)
            result.insert(result.end(), items.begin() + place * stride, items.begin() + (place + 1) * stride);
        items.swap(result);
        return true;
    }

    const Program& p_;
    const std::vector<std::vector<u32>>& shapes_;
    u64 begin_;
    std::vector<u32> memory_;
    std::vector<u8> bytes_;
};

// Keeps the tokens of a value as words: a number as it is, a container as how many.
struct Stream {
    std::vector<u32>& out;
    void number(i32 x) { out.push_back(u32(x)); }
    void none() { out.push_back(u32(NONE)); }
    void tuple(u32 n) { out.push_back(n); }
    void set(u32 n) { out.push_back(n); }
};

// Reads a value back from a stream; both cursors move on.
inline nanobind::object decoded(const u32*& shape, const u32*& from) {
    auto number = [&](u32 head, u32 k) {
        i32 x = i32(*from++);
        return is_bool(head, k) ? nanobind::steal(PyBool_FromLong(x)) : nanobind::steal(PyLong_FromLong(x));
    };
    auto pair = [](nanobind::object a, nanobind::object b) {
        return nanobind::steal(PyTuple_Pack(2, a.ptr(), b.ptr()));
    };
    u32 head = *shape++;
    switch (head & KIND_BITS) {
        case K_OPT:
            if (i32(*from) == NONE) {
                ++from;
                return nanobind::none();
            }
            return number(head, 0);
        case K_INT:
            return number(head, 0);
        case K_IJ: {
            ++from;
            nanobind::object i = number(head, 0);
            return pair(i, number(head, 1));
        }
        case K_CELL: {
            ++from;
            nanobind::object colour = number(head, 0);
            ++from;
            nanobind::object i = number(head, 1);
            return pair(colour, pair(i, number(head, 2)));
        }
        case K_GRID: {
            u32 h = *from++;
            nanobind::object rows = nanobind::steal(PyTuple_New(Py_ssize_t(h)));
            for (u32 i = 0; i < h; ++i) {
                u32 w = *from++;
                PyObject* row = PyTuple_New(Py_ssize_t(w));
                for (u32 j = 0; j < w; ++j) PyTuple_SET_ITEM(row, Py_ssize_t(j), PyLong_FromLong(i32(*from++)));
                PyTuple_SET_ITEM(rows.ptr(), Py_ssize_t(i), row);
            }
            return rows;
        }
        case K_TUP: {
            u32 n = *shape++;
            ++from;
            nanobind::object parts = nanobind::steal(PyTuple_New(Py_ssize_t(n)));
            for (u32 k = 0; k < n; ++k)
                PyTuple_SET_ITEM(parts.ptr(), Py_ssize_t(k), decoded(shape, from).release().ptr());
            return parts;
        }
        default: {
            const u32* inner = shape + 2;
            shape = inner + shape[1];
            u32 n = *from++;
            bool is_set = head == K_SET;
            nanobind::object items = nanobind::steal(is_set ? PyFrozenSet_New(nullptr) : PyTuple_New(Py_ssize_t(n)));
            for (u32 k = 0; k < n; ++k) {
                const u32* again = inner;
                nanobind::object item = decoded(again, from);
                if (is_set)
                    PySet_Add(items.ptr(), item.ptr());
                else
                    PyTuple_SET_ITEM(items.ptr(), Py_ssize_t(k), item.release().ptr());
            }
            return items;
        }
    }
}

// An output that is OK as a Python value.
inline nanobind::object python_value(Worker& worker, u32 output, const std::vector<u32>& shape) {
    if (worker.is_empty_tuple(output)) return nanobind::make_tuple();
    std::vector<u32> words;
    Stream stream{words};
    read_value(worker.machine().c, shape.data(), u32(shape.size()), worker.value(output), stream);
    const u32 *head = shape.data(), *from = words.data();
    return decoded(head, from);
}

// Refuses shapes that are not those of a program's slots.
inline void check_shapes(const Program& program, const std::vector<std::vector<u32>>& shapes,
                         const std::vector<TypedSlot>& slots, const char* what) {
    ShapeCheck check(program);
    bool good = shapes.size() == slots.size();
    for (size_t k = 0; good && k < shapes.size(); ++k) good = check.fits(shapes[k], slots[k].type);
    if (!good) throw nanobind::value_error((std::string("shapes that are not those of the program's ") + what).c_str());
}

}  // namespace arcbatt
