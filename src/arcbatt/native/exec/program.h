// A lowered program as the engine holds it.
#pragma once

#include <vector>

#include "exec/interpreter.h"

namespace arcbatt {

struct Program {
    std::vector<u32> code, parts, image;
    std::vector<TypeDesc> types;
    struct Output {
        u32 slot, type;
    };
    std::vector<Output> outputs;
    std::vector<Output> arguments;                            // inputs of declared types, for calls
    u32 input_slot = 0, samples_slot = 0, expected_slot = 0;  // 0: not used
};

constexpr u32 CODE_VERSION = 1;

}  // namespace arcbatt
