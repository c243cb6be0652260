// What was found for the tests: different outputs, each with the votes for it and the best that gave it.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <unordered_map>

#include "search/store.h"

namespace arcbatt::search {

// Seconds that this thread has had a processor: a budget means the same on a busy machine.
inline double thread_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// When to end: at a moment of this thread's time, or when somebody asks.
//
// To ask for a thread's time takes long, so it is asked for only once the clock on the wall has gone on by what was
// left.
class Deadline {
   public:
    Deadline(double seconds, const std::atomic<bool>* stop) : moment_(thread_seconds() + seconds), stop_(stop) {}

    bool past() const {
        if (*stop_) return true;
        Clock::time_point now = Clock::now();
        if (now < next_) return false;
        double left = moment_ - thread_seconds();
        if (left <= 0) return true;
        next_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(left, 1.0)));
        return false;
    }

   private:
    using Clock = std::chrono::steady_clock;
    double moment_;
    const std::atomic<bool>* stop_;
    mutable Clock::time_point next_{};
};

enum Combiner : u32 { RULE_OF_ONE, RULE_OF_TWO, RULE_OF_THREE, STACK, CASES, COMBINERS };

// Columns of a store put together. For a rule, which of them is looked at last; for a stack, how each is laid; for
// cases, what each says.
struct Found {
    u32 combiner = 0, role = 0;
    std::vector<u32> columns, modes;
    float score = 0;  // description length; less is better
};

struct Prediction {
    std::vector<int8_t> cells;
    Size size;
    float weight = 0;  // of all that gave it, 2^-score each
    u32 votes = 0;
    std::map<u32, Found> best;  // by combiner
};

class Candidates {
   public:
    // `cells` are those of all tests, one after the other.
    void add(const Store& store, const int8_t* cells, const Found& found) {
        by_test.resize(store.sizes.size() - store.demonstrations);
        for (size_t test = 0; test < by_test.size(); ++test) {
            u32 sample = store.demonstrations + u32(test);
            const int8_t* own = cells + (store.starts[sample] - store.known);
            Size size = store.sizes[sample];
            u64 hash = mixed(hash_bytes(own, size.cells()) ^ u64(size.height));
            Prediction& one = by_test[test][hash];
            if (!one.votes) {
                one.cells.assign(own, own + size.cells());
                one.size = size;
            }
            ++one.votes;
            one.weight += std::exp2(-found.score);
            auto [place, fresh] = one.best.emplace(found.combiner, found);
            if (!fresh && found.score < place->second.score) place->second = found;
        }
        ++solutions;
    }

    // The hashes of the predictions of a test, the heaviest first.
    std::vector<u64> ranked(size_t test) const {
        std::vector<std::pair<float, u64>> order;
        for (const auto& [hash, one] : by_test[test]) order.push_back({-one.weight, hash});
        std::sort(order.begin(), order.end());
        std::vector<u64> hashes;
        for (const auto& [weight, hash] : order) hashes.push_back(hash);
        return hashes;
    }

    std::vector<std::unordered_map<u64, Prediction>> by_test;
    u64 solutions = 0;
};

}  // namespace arcbatt::search
