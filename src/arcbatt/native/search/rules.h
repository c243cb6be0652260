// Rules: which joint values of one to three images give which output colour, the same in every demonstration.
//
// Two cells with different outputs are a conflict; images decide the output where together they tell the cells of every
// conflict apart. Some hundred conflicts are a bit each, so that most sets of images are refused by an OR of a few
// words. What passes is checked cell by cell, and the conflict that refutes it becomes a bit, so the bits are the ones
// that matter. Three images that hit every conflict are found by branching on the conflict that the fewest images tell
// apart.
#pragma once

#include "search/candidates.h"

namespace arcbatt::search {

struct RuleCosts {
    float entry = 0.4f;      // of a table
    float seen_once = 1.5f;  // more for an entry that only one demonstration shows
    float image = 1;         // each beyond the first
    float guess = 1;         // where a test has a value that no demonstration has
};

// For joint values of the columns the colour, or -1, -2, -3 for that of the first, second, third column.
using RuleTable = std::vector<std::pair<std::vector<int>, int>>;

class Rules {
   public:
    Rules(const Store& store, Candidates& candidates, const RuleCosts& costs)
        : store_(store), candidates_(candidates), costs_(costs), count_(u32(store.columns.size())) {
        words_.assign(MOST_WORDS, std::vector<u64>(count_, ~u64(0)));
        seen_.assign(size_t(1) << (3 * KIND_BITS), 0);
        entry_ = std::vector<Seen>(seen_.size());
        group_seen_.assign(size_t(1) << (2 * KIND_BITS), 0);
        group_ = std::vector<Group>(group_seen_.size());
        output_.resize(store.cells - store.known);
        alone_.assign(count_, 0);
        first_conflicts();
    }

    void singles(const Deadline& deadline) {
        for (u32 a = 0; a < count_ && !deadline.past(); ++a) {
            u32 columns[] = {a};
            if (consistent(columns, 1)) {
                alone_[a] = 1;
                emit(columns, 1);
            }
        }
    }

    // Pairs among the first `most` columns, until `limit` are found; how many there are.
    u64 pairs(u32 most, u64 limit, const Deadline& deadline) {
        u64 found = 0;
        u32 end = std::min(most, count_);
        for (u32 a = 1; a < end && found < limit && !deadline.past(); ++a) {
            if (alone_[a]) continue;
            u64 lacks[MOST_WORDS];
            for (u32 w = 0; w < MOST_WORDS; ++w) lacks[w] = ~words_[w][a];
            const u64 *first = words_[0].data(), *second = words_[1].data();
            for (u32 b = 0; b < a; ++b) {
                if ((lacks[0] & ~first[b]) || (lacks[1] & ~second[b]) || alone_[b] || !covers(lacks, b)) continue;
                u32 columns[] = {b, a};
                if (consistent(columns, 2)) {
                    emit(columns, 2);
                    if (++found >= limit) break;
                }
                for (u32 w = 0; w < MOST_WORDS; ++w) lacks[w] = ~words_[w][a];
            }
            checked_pairs += a;
        }
        return found;
    }

    // Triples of which no two are a rule already, by rising cost of their images, until `limit` are found; how many.
    u64 triples(u32 most, u64 limit, const Deadline& deadline) {
        most_ = std::min(most, count_);
        everything_.resize(most_);
        std::iota(everything_.begin(), everything_.end(), 0u);
        std::unordered_set<u64> done;
        u64 found = 0;
        for (float dearest : {4.f, 5.f, 6.f, 7.f, 8.f}) {
            u64 none[MOST_WORDS];
            std::fill(none, none + MOST_WORDS, ~u64(0));
            list_coverers();
            for (u32 a : coverers_of(none)) {
                if (deadline.past() || found >= limit) return found;
                if (alone_[a] || store_.columns[a].cost > dearest) continue;
                found += triples_with(a, dearest, done, limit - found, deadline);
            }
        }
        return found;
    }

    // What a rule says of every joint value that demonstrations or tests have.
    RuleTable table(const u32* columns, u32 n, u32 role) {
        learn(columns, n, role);
        RuleTable all;
        std::unordered_set<u32> done;
        for (u32 k = 0; k < store_.cells; ++k) {
            u32 key = group_key(columns, n, role, k), full = key << KIND_BITS | store_.kinds(columns[role])[k];
            const Group& group = group_[key];
            bool known = group_seen_[key] == now_ && (group.copies || group.constant || seen_[full] == now_);
            if (!known || !done.insert(full).second) continue;
            std::vector<int> values;
            for (u32 c = 0; c < n; ++c) values.push_back(store_.raw(columns[c])[k]);
            int outcome = group.copies ? -1 - int(role) : group.constant ? group.colour : entry_[full].colour;
            all.push_back({values, outcome});
        }
        return all;
    }

    u64 checked_pairs = 0, checked_triples = 0;

   private:
    static constexpr u32 MOST_WORDS = 8, FIRST_CONFLICTS = 128;

    struct Group {
        bool copies, constant;
        int8_t colour;
        u64 demos;
    };
    struct Seen {
        int8_t colour;
        u64 demos;
        u32 cell;
    };

    // --- conflicts

    // Pairs of cells with different outputs where the cheapest image has the same value; rare outputs come as often.
    void first_conflicts() {
        if (!count_) return;
        std::map<std::pair<int, int>, std::vector<u32>> classes;
        for (u32 k = 0; k < store_.known; ++k) classes[{store_.kinds(0)[k], store_.target[k]}].push_back(k);
        std::vector<std::pair<const std::vector<u32>*, const std::vector<u32>*>> clashes;
        for (const auto& a : classes)
            for (const auto& b : classes)
                if (a.first.first == b.first.first && a.first.second < b.first.second)
                    clashes.push_back({&a.second, &b.second});
        u64 random = 1;
        for (u32 k = 0; k < FIRST_CONFLICTS && !clashes.empty(); ++k) {
            const auto& [a, b] = clashes[k % clashes.size()];
            random = mixed(random + 0x9e3779b97f4a7c15ull);
            add_conflict((*a)[random % a->size()], (*b)[(random >> 32) % b->size()]);
        }
    }

    void add_conflict(u32 a, u32 b) {
        if (conflicts_ == 64 * MOST_WORDS) return;
        std::vector<u64>& word = words_[conflicts_ / 64];
        u64 bit = u64(1) << (conflicts_ % 64);
        for (u32 column = 0; column < count_; ++column) {
            const uint8_t* kinds = store_.kinds(column);
            if (kinds[a] == kinds[b]) word[column] &= ~bit;
        }
        ++conflicts_;
    }

    bool covers(const u64* lacks, u32 column) const {
        for (u32 w = 0; w * 64 < conflicts_; ++w)
            if (lacks[w] & ~words_[w][column]) return false;
        return true;
    }

    // Whether the images decide the output; where they do not, the conflict is kept.
    bool consistent(const u32* columns, u32 n) {
        ++now_;
        const uint8_t* kinds[3];
        for (u32 c = 0; c < n; ++c) kinds[c] = store_.kinds(columns[c]);
        for (u32 k = 0; k < store_.known; ++k) {
            u32 key = 0;
            for (u32 c = 0; c < n; ++c) key = key << KIND_BITS | kinds[c][k];
            if (seen_[key] != now_) {
                seen_[key] = now_;
                entry_[key].colour = store_.target[k];
                entry_[key].cell = k;
            } else if (entry_[key].colour != store_.target[k]) {
                if (n > 1) add_conflict(entry_[key].cell, k);
                return false;
            }
        }
        return true;
    }

    // --- triples

    void list_coverers() {
        coverers_.assign(conflicts_, {});
        for (u32 bit = 0; bit < conflicts_; ++bit)
            for (u32 column = 0; column < most_; ++column)
                if (words_[bit / 64][column] >> (bit % 64) & 1) coverers_[bit].push_back(column);
    }

    // The images that tell the conflict apart which the fewest do, of those in `lacks`; all, if only new ones are
    // there.
    const std::vector<u32>& coverers_of(const u64* lacks) const {
        const std::vector<u32>* least = nullptr;
        for (u32 bit = 0; bit < coverers_.size(); ++bit)
            if (lacks[bit / 64] >> (bit % 64) & 1)
                if (!least || coverers_[bit].size() < least->size()) least = &coverers_[bit];
        if (least) return *least;
        for (u32 w = 0; w * 64 < conflicts_; ++w)
            if (lacks[w] & (conflicts_ >= 64 * (w + 1) ? ~u64(0) : (u64(1) << (conflicts_ % 64)) - 1))
                return everything_;
        return nothing_;
    }

    bool decide(u32 a, u32 b) {
        for (u32 w = 0; w * 64 < conflicts_; ++w)
            if (~(words_[w][a] | words_[w][b])) return false;
        u32 columns[] = {a, b};
        return consistent(columns, 2);
    }

    u64 triples_with(u32 a, float dearest, std::unordered_set<u64>& done, u64 limit, const Deadline& deadline) {
        u64 found = 0;
        u64 after_a[MOST_WORDS], after_b[MOST_WORDS];
        for (u32 w = 0; w < MOST_WORDS; ++w) after_a[w] = ~words_[w][a];
        float left_a = dearest - store_.columns[a].cost;
        for (u32 b : coverers_of(after_a)) {
            float left_b = left_a - store_.columns[b].cost;
            if (left_b < 0) break;  // cheapest first
            if (alone_[b] || b == a) continue;
            if (deadline.past()) return found;
            for (u32 w = 0; w < MOST_WORDS; ++w) after_b[w] = after_a[w] & ~words_[w][b];
            for (u32 c : coverers_of(after_b)) {
                if (store_.columns[c].cost > left_b) break;
                ++checked_triples;
                if (alone_[c] || c == a || !covers(after_b, c)) continue;
                u32 columns[] = {a, b, c};
                std::sort(columns, columns + 3);
                u64 mark = (u64(columns[0]) << 42) | (u64(columns[1]) << 21) | columns[2];
                if (!done.insert(mark).second || decide(a, c) || decide(b, c) || !consistent(columns, 3)) continue;
                emit(columns, 3);
                if (++found >= limit) return found;
            }
        }
        return found;
    }

    // --- what a rule says

    u32 group_key(const u32* columns, u32 n, u32 role, u32 k) const {
        u32 key = 0;
        for (u32 c = 0; c < n; ++c)
            if (c != role) key = key << KIND_BITS | store_.kinds(columns[c])[k];
        return key;
    }

    // The table of a rule from the demonstrations, and its score without guesses.
    float learn(const u32* columns, u32 n, u32 role) {
        ++now_;
        groups_.clear();
        entries_.clear();
        const int8_t* raw = store_.raw(columns[role]);
        const uint8_t* kinds = store_.kinds(columns[role]);
        for (u32 k = 0; k < store_.known; ++k) {
            u32 key = group_key(columns, n, role, k), full = key << KIND_BITS | kinds[k];
            int8_t wanted = store_.target[k];
            u64 demo = u64(1) << (store_.demo_of[k] & 63);
            Group& group = group_[key];
            if (group_seen_[key] != now_) {
                group_seen_[key] = now_;
                groups_.push_back(key);
                group = {true, true, wanted, 0};
            }
            group.copies = group.copies && raw[k] == wanted;
            group.constant = group.constant && group.colour == wanted;
            group.demos |= demo;
            if (seen_[full] != now_) {
                seen_[full] = now_;
                entries_.push_back(full);
                entry_[full] = {wanted, 0, k};
            }
            entry_[full].demos |= demo;
        }
        float score = costs_.image * float(n - 1);
        for (u32 c = 0; c < n; ++c) score += store_.columns[columns[c]].cost;
        for (u32 key : groups_)
            if (group_[key].copies || group_[key].constant) score += entry_cost(group_[key].demos);
        for (u32 full : entries_) {
            const Group& group = group_[full >> KIND_BITS];
            if (!group.copies && !group.constant) score += entry_cost(entry_[full].demos);
        }
        return score;
    }

    float entry_cost(u64 demos) const {
        bool once = store_.demonstrations > 1 && (demos & (demos - 1)) == 0;
        return costs_.entry + (once ? costs_.seen_once : 0);
    }

    // What a rule predicts, once for each image that may be the last one looked at.
    void emit(const u32* columns, u32 n) {
        for (u32 role = 0; role < n; ++role) {
            float score = learn(columns, n, role);
            if (!predict(columns, n, role, score)) continue;
            Found found{n - 1, role, std::vector<u32>(columns, columns + n), {}, score};
            candidates_.add(store_, output_.data(), found);
        }
    }

    bool predict(const u32* columns, u32 n, u32 role, float& score) {
        const int8_t* raw = store_.raw(columns[role]);
        const uint8_t* kinds = store_.kinds(columns[role]);
        bool guessed = false;
        for (u32 k = store_.known; k < store_.cells; ++k) {
            u32 key = group_key(columns, n, role, k), full = key << KIND_BITS | kinds[k];
            if (group_seen_[key] != now_) return false;
            const Group& group = group_[key];
            int8_t& cell = output_[k - store_.known];
            if (group.copies)
                cell = raw[k];
            else if (group.constant) {
                cell = group.colour;
                guessed = guessed || seen_[full] != now_;
            } else if (seen_[full] == now_)
                cell = entry_[full].colour;
            else
                return false;
            if (cell < 0 || cell > 9) return false;
        }
        if (guessed) score += costs_.guess;
        return true;
    }

    const Store& store_;
    Candidates& candidates_;
    RuleCosts costs_;
    u32 count_, most_ = 0, conflicts_ = 0, now_ = 0;
    std::vector<std::vector<u64>> words_;     // by word and column: the conflicts that the image tells apart
    std::vector<std::vector<u32>> coverers_;  // by conflict
    const std::vector<u32> nothing_;
    std::vector<u32> seen_, group_seen_, groups_, entries_, everything_;
    std::vector<Seen> entry_;
    std::vector<Group> group_;
    std::vector<uint8_t> alone_;
    std::vector<int8_t> output_;
};

}  // namespace arcbatt::search
