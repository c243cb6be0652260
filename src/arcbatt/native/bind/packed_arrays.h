// A packed set of samples, as arrays that Python gives.
#pragma once

#include <string>

#include "bind/named.h"
#include "core/packed.h"

namespace arcbatt {

// The arrays of a packed set of samples, kept alive by whoever calls.
struct PackedArrays {
    template <class T>
    using In = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
#define AB_ROW(type, name) In<type> name;
    AB_PACKED(AB_ROW)
#undef AB_ROW
    Packed view() const {
#define AB_ROW(type, name) name.data(),
        return Packed{AB_PACKED(AB_ROW)};
#undef AB_ROW
    }
    PackedSizes sizes() const {
#define AB_ROW(type, name) name.size(),
        return PackedSizes{AB_PACKED(AB_ROW)};
#undef AB_ROW
    }
};

}  // namespace arcbatt
