// The second build of the engine, with emulated lanes.
#pragma once

#include "blob.h"

namespace fuzz {

std::vector<Result> run_lanes(const Blob& blob, const Samples& samples, const std::vector<int32_t>& which,
                              Limits limits);

}  // namespace fuzz
