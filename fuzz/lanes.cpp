// The engine with 32 emulated lanes, under another name beside the one with one lane.
#define AB_LANES 32
#define arcbatt arcbatt_lanes
#include "lanes.h"

#include "target.h"

std::vector<fuzz::Result> fuzz::run_lanes(const Blob& blob, const Samples& samples, const std::vector<int32_t>& which,
                                          Limits limits) {
    return arcbatt::run_blob(blob, samples, which, limits);
}
