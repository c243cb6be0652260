// A lowered program as the engine holds it.
#pragma once

#include <cstring>
#include <vector>

#include "exec/interpreter.h"

namespace arcbatt {

struct Program {
    std::vector<u32> code, parts, image;
    std::vector<TypeDesc> types;
    std::vector<TypedSlot> outputs;
    std::vector<TypedSlot> arguments;                         // inputs of declared types, for calls
    u32 input_slot = 0, samples_slot = 0, expected_slot = 0;  // 0: not used
};

// Words of a thread's arena to begin with and at most, the steps of an outermost call, and what all of them may spend.
struct RunLimits {
    u64 words, most_words, max_steps, spent_end;
    RunLimits(u64 words_, u64 most_words_, u64 max_steps_, u64 spent_end_ = ~u64(0))
        : words(words_), most_words(most_words_), max_steps(max_steps_), spent_end(spent_end_) {}
};

// Structs from their words; what is left over is no whole one.
template <class T>
std::vector<T> structs_of(const u32* words, size_t count) {
    std::vector<T> all(count / WORDS_OF<T>);
    if (!all.empty()) std::memcpy(all.data(), words, all.size() * sizeof(T));
    return all;
}

}  // namespace arcbatt
