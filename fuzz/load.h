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
    p.types = structs_of<TypeDesc>(blob.types.data(), blob.types.size());
    p.outputs = structs_of<TypedSlot>(blob.outputs.data(), blob.outputs.size());
    p.input_slot = blob.inputs[0];
    p.samples_slot = blob.inputs[1];
    p.expected_slot = blob.inputs[2];
    return p;
}

inline Packed packed_of(const fuzz::Samples& s) {
#define AB_ROW(type, name) s.name.data(),
    return Packed{AB_PACKED(AB_ROW)};
#undef AB_ROW
}

}  // namespace arcbatt
