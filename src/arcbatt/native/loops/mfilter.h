// mfilter: sfilter, and the containers that are left merged into one.
#pragma once

#include "loops/mapply.h"
#include "loops/sfilter.h"

namespace arcbatt {
namespace loops {

struct Mfilter : Sfilter {
    static AB_CALL Status finish(Machine& m, Ins ins, Frame& f) { return Mapply::put_merged(m, ins, f); }
};

}  // namespace loops
}  // namespace arcbatt
