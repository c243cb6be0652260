// The arrays of a run's outcomes, a row for each sample and a column for each program, as Python gives them.
#pragma once

#include "abi.h"
#include "bind/named.h"

namespace arcbatt {

struct OutputArrays {
    template <class T>
    using Out = nanobind::ndarray<T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
    Out<u8> statuses, matches;
    Out<u16> agreement;
    Out<u64> hashes;
    Out<i64> offset;
    Out<i32> height, width;

    void take(Named& fields) {
        fields.take("statuses", statuses);
        fields.take("matches", matches);
        fields.take("agreement", agreement);
        fields.take("hashes", hashes);
        fields.take("offset", offset);
        fields.take("height", height);
        fields.take("width", width);
    }
};

}  // namespace arcbatt
