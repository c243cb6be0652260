// What the readings of the load check share: the program, its types, what is known of each slot, and what was found
// to be wrong.
#pragma once

#include "check/signatures.h"
#include "exec/code.h"

namespace arcbatt {
namespace check {

// What holds at a place that a slot starts at.
struct Slot {
    u32 length = 0;  // 0: no slot starts here
    bool within = false;
    bool written = false;      // by some instruction, or before the code runs
    u32 holds = NO_TYPE;       // the type of its value at this point of the walk
    u32 depth = 0;             // in how many bodies it was written
    u32 read_by = 0;           // the loop whose bodies read it from outside,
    u32 read_depth = NO_TYPE;  // and how deep that is
    u32 constant = NO_TYPE;    // the type it was found to hold as a constant
};

struct State {
    explicit State(const Program& of) : program(of), slots(of.image.size()) {}

    const Program& program;
    std::vector<Slot> slots;  // by place
    TypeBook types;
    std::string reason;  // the first thing that is wrong, or nothing

    bool refuse(const std::string& why) {
        if (reason.empty()) reason = why;
        return false;
    }
    bool refuse(u32 at, const std::string& why) {
        return refuse(name_of(program.code[at]) + " at word " + std::to_string(at) + ": " + why);
    }
    Ins ins_at(u32 at) const { return Ins{program.code.data() + at}; }
    u32 shape(u32 type) const { return types.shape(type); }
};

}  // namespace check
}  // namespace arcbatt
