// Arrays that Python gives by name: each must be there and of its type, and there must be no others.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <type_traits>

namespace arcbatt {

class Named {
   public:
    Named(const char* what, nanobind::dict given) : what_(what), given_(given) {}

    template <class T>
    void take(const char* name, T& to) {
        ++taken_;
        if (!given_.contains(name)) refuse(std::string("there is no ") + name);
        constexpr bool only_read = std::is_const_v<typename T::Scalar>;  // then a copy of another layout will do
        if (!nanobind::try_cast<T>(given_[name], to, only_read))
            refuse(std::string(name) + " is no array of the right type and shape");
    }
    // What was not taken was not asked for.
    void end() const {
        if (given_.size() != taken_)
            refuse("there are " + std::to_string(given_.size()) + " arrays, not " + std::to_string(taken_));
    }

   private:
    void refuse(const std::string& why) const { throw nanobind::type_error((std::string(what_) + ": " + why).c_str()); }

    const char* what_;
    nanobind::dict given_;
    size_t taken_ = 0;
};

}  // namespace arcbatt
