// Words read from a file as what the engine runs.
#pragma once

#include "blob.h"
#include "exec/engine.h"

namespace arcbatt {

inline Program program_of(const fuzz::Blob& blob) {
    Program p;
    p.code = blob.code;
    p.parts = blob.parts;
    p.image = blob.image;
    for (size_t k = 0; k + 8 <= blob.types.size(); k += 8) {
        const u32* t = blob.types.data() + k;
        p.types.push_back(TypeDesc{t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]});
    }
    for (size_t k = 0; k + 2 <= blob.outputs.size(); k += 2)
        p.outputs.push_back(Program::Output{blob.outputs[k], blob.outputs[k + 1]});
    p.input_slot = blob.inputs[0];
    p.samples_slot = blob.inputs[1];
    p.expected_slot = blob.inputs[2];
    return p;
}

inline Packed packed_of(const fuzz::Samples& s) {
    return Packed{s.cells.data(),    s.offset.data(), s.height.data(), s.width.data(), s.input.data(),
                  s.expected.data(), s.task.data(),   s.first.data(),  s.count.data(), s.demo.data()};
}

}  // namespace arcbatt
