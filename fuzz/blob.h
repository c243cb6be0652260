// Programs, samples and results as plain words, so that builds of the engine with different lanes can share them.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "abi.h"

namespace fuzz {

using Words = std::vector<uint32_t>;

struct Blob {
    std::string name;
    Words code, types, parts, image, outputs, inputs;
};

struct Samples {
#define AB_ROW(type, name) std::vector<arcbatt::type> name;
    AB_PACKED(AB_ROW)
#undef AB_ROW
};

// What a program gave on one sample: of each output its status, and the words of its value without offsets.
struct Result {
    std::vector<Words> outputs;
    std::string wrong;  // where a value is not well formed
};

struct Limits {
    uint64_t words, steps, trips;
};

class Reader {
   public:
    explicit Reader(const std::string& path) : file_(path, std::ios::binary) {}
    bool good() const { return bool(file_); }
    template <class T>
    std::vector<T> array() {
        uint32_t n = 0;
        file_.read(reinterpret_cast<char*>(&n), 4);
        std::vector<T> all(file_ ? n : 0);
        file_.read(reinterpret_cast<char*>(all.data()), std::streamsize(all.size() * sizeof(T)));
        return all;
    }

   private:
    std::ifstream file_;
};

struct Corpus {
    Samples samples;
    std::vector<Blob> programs;
};

// What corpus.py wrote; without programs where there is no such file.
inline Corpus read_corpus(const std::string& path) {
    Reader in(path);
    Corpus corpus;
    if (!in.good()) return corpus;
    Samples& s = corpus.samples;
#define AB_ROW(type, name) s.name = in.array<arcbatt::type>();
    AB_PACKED(AB_ROW)
#undef AB_ROW
    Words count = in.array<uint32_t>();
    for (uint32_t k = 0; !count.empty() && k < count[0]; ++k) {
        Blob blob;
        std::vector<char> name = in.array<char>();
        blob.name.assign(name.begin(), name.end());
        for (Words* one : {&blob.code, &blob.types, &blob.parts, &blob.image, &blob.outputs, &blob.inputs})
            *one = in.array<uint32_t>();
        corpus.programs.push_back(blob);
    }
    return corpus;
}

}  // namespace fuzz
