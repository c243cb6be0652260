// A fixed workload whose instructions are counted: instructions CORPUS NAME runs one program of the corpus on every
// sample, on one thread. tools/instructions.py says what is in the corpus and what the counts may be.
#include <cstdio>

#include "../../fuzz/load.h"

using namespace arcbatt;

// The counter is on inside this function alone.
extern "C" __attribute__((noinline)) unsigned measured(Worker& worker, const Program& program, const Packed& data,
                                                       i32 samples) {
    unsigned right = 0;
    for (i32 sample = 0; sample < samples; ++sample) {
        worker.run(data, sample);
        for (u32 k = 0; k < program.outputs.size(); ++k) right += worker.status(k) == OK;
    }
    return right;
}

int main(int count, char** args) {
    if (count != 3) return 2;
    fuzz::Corpus corpus = fuzz::read_corpus(args[1]);
    Packed data = packed_of(corpus.samples);
    for (const fuzz::Blob& blob : corpus.programs) {
        if (blob.name != args[2]) continue;
        Program program = program_of(blob);
        std::string problem = problem_with(program);
        if (!problem.empty()) {
            std::fprintf(stderr, "%s: %s\n", args[2], problem.c_str());
            return 2;
        }
        Worker worker(program, RunLimits{16u << 20, 16u << 20, MAX_STEPS});
        std::printf("%u outputs\n", measured(worker, program, data, i32(corpus.samples.input.size())));
        return 0;
    }
    std::fprintf(stderr, "no workload %s in %s\n", args[2], args[1]);
    return 2;
}
