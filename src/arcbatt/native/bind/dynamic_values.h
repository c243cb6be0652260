// Values of the dynamic tier from Python values and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <unordered_map>

#include "dynamic/language.h"

namespace arcbatt {
namespace dynamic {

class Exchange {
   public:
    // `function` makes a function value for Python: name, parts, arity, depth, calls, levels.
    Exchange(const Language& language, nanobind::object function) : language_(language), function_(function) {
        for (u32 k = 0; k < language.names.size(); ++k) numbers_[language.names[k]] = k;
    }

    // Raises ValueError where it is no value of the language.
    Value value(nanobind::handle from, u32 levels = 0) const {
        PyObject* p = from.ptr();
        if (p == Py_None) return Value();
        if (PyBool_Check(p)) return Value::boolean(p == Py_True);
        if (PyLong_Check(p)) {
            int over = 0;
            long long x = PyLong_AsLongLongAndOverflow(p, &over);
            if (over || x < INT_LEAST || x > INT_MOST) refuse(from);
            return Value::integer(i32(x));
        }
        if (levels > MAX_LEVELS) refuse(nanobind::str("a value of too many levels"));
        if (!PyTuple_Check(p) && !PyFrozenSet_Check(p)) return function(from, levels);
        Items items;
        for (nanobind::handle item : nanobind::iter(from)) items.push_back(value(item, levels + 1));
        return PyTuple_Check(p) ? make_tuple(std::move(items)) : make_set(std::move(items));
    }

    nanobind::object python(const Value& value) const {
        if (value.is_none()) return nanobind::none();
        if (value.tag() == Tag::BOOL) return nanobind::bool_(value.number() != 0);
        if (value.is_number()) return nanobind::int_(value.number());
        if (value.is_function()) return python_function(value.object());
        u32 n = value.length();
        nanobind::object made = steal(value.is_set() ? PyFrozenSet_New(nullptr) : PyTuple_New(Py_ssize_t(n)));
        for (u32 k = 0; k < n; ++k) {
            nanobind::object item = python(value.item(k));
            if (!value.is_set())
                PyTuple_SET_ITEM(made.ptr(), Py_ssize_t(k), item.release().ptr());
            else if (PySet_Add(made.ptr(), item.ptr()))
                throw nanobind::python_error();
        }
        return made;
    }

   private:
    [[noreturn]] static void refuse(nanobind::handle from) {
        std::string shown = nanobind::repr(from).c_str();
        throw nanobind::value_error(("not a value of the language: " + shown.substr(0, 60)).c_str());
    }
    static nanobind::object steal(PyObject* made) {
        if (!made) throw nanobind::python_error();
        return nanobind::steal(made);
    }

    Value function(nanobind::handle from, u32 levels) const {
        if (!nanobind::isinstance(from, function_)) refuse(from);
        auto known = numbers_.find(nanobind::cast<std::string>(from.attr("name")));
        if (known == numbers_.end()) refuse(from);
        Items parts;
        for (nanobind::handle part : nanobind::iter(from.attr("parts"))) parts.push_back(value(part, levels + 1));
        u32 arity = u32(nanobind::cast<i32>(from.attr("arity")));
        if (parts.empty()) return primitive(known->second, arity);
        Value function = function_of_parts(known->second, arity, std::move(parts));
        function.made().depth = nanobind::cast<u32>(from.attr("depth"));
        function.made().calls = nanobind::cast<u32>(from.attr("calls"));
        return function;
    }
    nanobind::object python_function(const Object& f) const {
        nanobind::object parts = steal(PyTuple_New(Py_ssize_t(f.count)));
        for (u32 k = 0; k < f.count; ++k)
            PyTuple_SET_ITEM(parts.ptr(), Py_ssize_t(k), python(f.values()[k]).release().ptr());
        return function_(language_.names[f.op], parts, i32(int16_t(f.arity)), u32(f.depth), u32(f.calls), u32(f.levels),
                         1 + f.beyond);
    }

    const Language& language_;
    nanobind::object function_;
    std::unordered_map<std::string, u32> numbers_;
};

}  // namespace dynamic
}  // namespace arcbatt
