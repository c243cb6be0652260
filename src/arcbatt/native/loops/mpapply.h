// mpapply: papply, and the containers the body gave merged into one.
#pragma once

#include "loops/mapply.h"
#include "loops/papply.h"

namespace arcbatt {
namespace loops {

struct Mpapply : Mapply {
    static AB_CALL Status prepare(Machine& m, Ins ins, Frame& f) { return Papply::prepare_pairs(m, ins, f, WORDS); }
    static AB_FN void load(Machine& m, Ins ins, BodyRef body, u64 index) { Papply::load(m, ins, body, index); }
};

}  // namespace loops
}  // namespace arcbatt
