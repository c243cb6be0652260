// The fuzzers: run with ASan and UBSan by `make fuzz`.
//
//   fuzz bytecode   valid bytecode with changed words: what the load check lets through must run without harm
//   fuzz values     one call on random values near the limits: one lane and 32 emulated lanes, roomy and tight arenas
//   fuzz valid      lowered programs as they are, in arenas from too small to ample: the same values in all
//
// Options: --seconds N, --seed N (of the first case), --cases N, --corpus FILE (by corpus.py), --op NAME (for values).
#include <sanitizer/common_interface_defs.h>

#include <chrono>
#include <cstring>
#include <map>

#include "lanes.h"
#include "mutate.h"
#include "values.h"

using namespace fuzz;

struct Options {
    std::string mode, corpus = "build/fuzz/corpus.bin", op, program;
    double seconds = 60;
    uint64_t seed = 1, cases = ~0ull;
};

static std::string text_of(const Result& r) {
    std::string text = r.wrong;
    for (const Words& words : r.outputs) {
        text += "\n ";
        for (size_t k = 0; k < words.size() && k < 40; ++k) text += " " + std::to_string(int32_t(words[k]));
    }
    return text;
}

// Whether two builds agree on an output. They take different room for the same work, so one may run out of it first.
static bool same_output(const std::vector<uint32_t>& one, const std::vector<uint32_t>& many) {
    return one == many || one[0] == OVERFLOW_ || many[0] == OVERFLOW_;
}

// The same on both builds; the results.
static std::vector<Result> run_both(const Blob& blob, const Samples& samples, const std::vector<int32_t>& which,
                                    Limits limits) {
    std::vector<Result> one = run_blob(blob, samples, which, limits);
    std::vector<Result> many = run_lanes(blob, samples, which, limits);
    for (size_t k = 0; k < one.size(); ++k) {
        if (!one[k].wrong.empty()) wrong(blob.name + ": " + one[k].wrong);
        bool same = one[k].outputs.size() == many[k].outputs.size();
        for (size_t n = 0; same && n < one[k].outputs.size(); ++n)
            same = same_output(one[k].outputs[n], many[k].outputs[n]);
        if (!same) wrong(blob.name + ": lanes differ\none lane" + text_of(one[k]) + "\nmany" + text_of(many[k]));
    }
    return one;
}

// Whether two runs agree wherever neither ran out of room.
static void agree(const Blob& blob, const Result& a, const Result& b, const char* what) {
    for (size_t k = 0; k < a.outputs.size(); ++k)
        if (a.outputs[k][0] != OVERFLOW_ && b.outputs[k][0] != OVERFLOW_ && a.outputs[k] != b.outputs[k])
            wrong(blob.name + ": " + what + text_of(a) + "\nand" + text_of(b));
}

struct Tally {
    std::map<std::string, uint64_t> counts;
    void add(const std::string& what, uint64_t n = 1) { counts[what] += n; }
    void print(const std::string& mode, uint64_t cases, uint64_t first) const {
        std::printf("fuzz %s: %llu cases from seed %llu", mode.c_str(), (unsigned long long)cases,
                    (unsigned long long)first);
        for (auto& [what, n] : counts) std::printf(", %s %llu", what.c_str(), (unsigned long long)n);
        std::printf("\n");
    }
};

static uint64_t some_words(Draw& draw, const Blob& blob) {
    uint64_t least = blob.image.size();
    return least + draw.one_of<uint64_t>({0, 1, draw.below(64), draw.below(4000), draw.below(60000), 1 << 20});
}

static void bytecode_case(Draw& draw, const Corpus& corpus, Tally& tally) {
    Blob blob;
    do blob = draw.one_of(corpus.programs);
    while (blob.code.size() > 4000);
    uint32_t changes = 1 + draw.below(draw.chance(70) ? 2 : 8);
    Mutator mutator(draw, blob);
    while (changes-- > 0) mutator.change();
    std::string problem = problem_with(program_of(blob));
    if (!problem.empty()) return tally.add("refused");
    tally.add("run");
    int32_t last = int32_t(corpus.samples.input.size());
    int32_t first = draw.between(0, last - 1), second = draw.between(0, last - 1);
    Limits limits{some_words(draw, blob), draw.one_of<uint64_t>({100, 3000, 100000}), 2000};
    std::vector<Result> all = run_both(blob, corpus.samples, {first, second, first}, limits);
    if (all[0].outputs != all[2].outputs)
        wrong(blob.name + ": a sample after another differs" + text_of(all[0]) + "\nand" + text_of(all[2]));
}

static void values_case(Draw& draw, const std::string& op, Tally& tally) {
    Blob blob;
    uint32_t which = draw.below(operations());
    if (!one_call(draw, which, blob)) return tally.add("no type");
    if (!op.empty() && blob.name.compare(0, op.size(), op) != 0) return;
    std::string problem = problem_with(program_of(blob));
    if (!problem.empty()) wrong(blob.name + ": refused: " + problem);
    uint64_t steps = draw.one_of<uint64_t>({1000, 1000000, 20000000});
    Samples none;
    none.input = none.expected = none.task = {-1};
    Result ample =
        run_both(blob, none, {0}, Limits{blob.image.size() + (draw.chance(10) ? 2 << 20 : 1 << 18), steps, 100})[0];
#define AB_ROW(name) #name,
    static const char* const NAMES[] = {AB_STATUSES(AB_ROW)};
#undef AB_ROW
    tally.add(NAMES[ample.outputs[0][0]]);
    for (int k = 0; k < 2; ++k) {
        Result tight = run_both(blob, none, {0}, Limits{some_words(draw, blob), steps, 100})[0];
        agree(blob, ample, tight, "another value in another arena");
    }
}

static void valid_case(Draw& draw, const Corpus& corpus, uint64_t number, Tally& tally) {
    const Blob& blob = corpus.programs[number % corpus.programs.size()];
    std::string problem = problem_with(program_of(blob));
    if (!problem.empty()) wrong(blob.name + ": refused: " + problem);
    int32_t sample = draw.between(0, int64_t(corpus.samples.input.size()) - 1);
    Limits limits{blob.image.size() + (4 << 20), 2000000, 4000000};
    Result ample = run_both(blob, corpus.samples, {sample}, limits)[0];
    tally.add("outputs", ample.outputs.size());
    for (int k = 0; k < 3; ++k) {
        limits.words = some_words(draw, blob);
        Result tight = run_both(blob, corpus.samples, {sample}, limits)[0];
        agree(blob, ample, tight, "another value in another arena");
        for (const Words& words : tight.outputs) tally.add("overflows", words[0] == OVERFLOW_);
    }
}

static Options read_options(int argc, char** argv) {
    Options o;
    if (argc > 1) o.mode = argv[1];
    for (int k = 2; k + 1 < argc; k += 2) {
        std::string name = argv[k], value = argv[k + 1];
        if (name == "--seconds") o.seconds = std::atof(value.c_str());
        if (name == "--seed") o.seed = std::strtoull(value.c_str(), nullptr, 10);
        if (name == "--cases") o.cases = std::strtoull(value.c_str(), nullptr, 10);
        if (name == "--corpus") o.corpus = value;
        if (name == "--op") o.op = value;
    }
    return o;
}

int main(int argc, char** argv) {
    Options o = read_options(argc, argv);
    Corpus corpus = o.mode == "values" ? Corpus{} : read_corpus(o.corpus);
    bool known = o.mode == "bytecode" || o.mode == "values" || o.mode == "valid";
    if (!known || (o.mode != "values" && corpus.programs.empty())) {
        std::fprintf(stderr,
                     "usage: %s bytecode|values|valid [--seconds N] [--seed N] [--cases N] [--corpus FILE]\n"
                     "       (a corpus is written by fuzz/corpus.py)\n",
                     argv[0]);
        return 2;
    }
    __sanitizer_set_death_callback(say_again);
    std::signal(SIGALRM, too_long);
    auto start = std::chrono::steady_clock::now();
    auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    Tally tally;
    uint64_t done = 0;
    for (; done < o.cases && spent() < o.seconds; ++done) {
        uint64_t seed = o.seed + done;
        current().name(std::string(argv[0]) + " " + o.mode + " --cases 1 --seed " + std::to_string(seed) +
                       (o.mode == "values" ? "" : " --corpus " + o.corpus));
        alarm(60);
        Draw draw(seed);
        if (o.mode == "bytecode") bytecode_case(draw, corpus, tally);
        if (o.mode == "values") values_case(draw, o.op, tally);
        if (o.mode == "valid") valid_case(draw, corpus, seed, tally);
    }
    tally.print(o.mode, done, o.seed);
    return 0;
}
