// Rules: which joint values of one to three images give which output colour, the same in every demonstration.
//
// Two cells with different outputs are a conflict; images decide the output where together they tell the cells of every
// conflict apart. Some hundred conflicts are a bit each, and so is every image for each conflict: the images that go
// with one or two others are those that are left of all by an AND of a few rows of bits. What is left is checked cell
// by cell, and the conflict that refutes it becomes a row, so the rows are the ones that matter. Three images are found
// by branching on the conflict that the fewest images tell apart: one of the three must.
#pragma once

#include <unordered_set>

#include "search/candidates.h"
#include "search/conflicts.h"

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
        output_.resize(store.cells - store.known);
        alone_.assign(count_, 0);
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
        look_at(most);
        u64 open[Conflicts::WORDS];
        for (u32 a = 1; a < most_ && found < limit && !deadline.past(); ++a) {
            checked_pairs += a;
            if (alone_[a]) continue;
            conflicts_.open(a, open);
            conflicts_.each(open, a, scratch_, [&](u32 b) {
                if (alone_[b]) return true;
                u32 columns[] = {b, a};
                if (!consistent(columns, 2)) {
                    conflicts_.open(a, open);
                    return true;
                }
                emit(columns, 2);
                return ++found < limit;
            });
        }
        return found;
    }

    // Triples of which no two are a rule already, by rising cost of their images, until `limit` are found; how many.
    u64 triples(u32 most, u64 limit, const Deadline& deadline) {
        look_at(most);
        Met done(1024);
        u64 found = 0;
        for (float dearest : {4.f, 5.f, 6.f, 7.f, 8.f}) {
            u64 all[Conflicts::WORDS];
            conflicts_.all(all);
            for (u32 a : members(conflicts_.rarest(all))) {
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
        const Joint joint(store_, columns, n, role);
        for (u32 k = 0; k < store_.cells; ++k) {
            u32 key = joint.others(k), full = joint.all(key, k);
            const Group& group = group_[key];
            bool known = group.seen == now_ && (group.copies || group.constant || entry_[full].seen == now_);
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
    static constexpr u32 FIRST_CONFLICTS = 128;

    struct Group {
        u32 seen;
        bool copies, constant;
        int8_t colour;
        u64 demos;
    };
    struct Entry {
        u32 seen;
        int8_t colour;
        u64 demos;
    };

    // Numbers for the joint values of a rule's images: of all but the one looked at last, and of all.
    class Joint {
       public:
        Joint(const Store& store, const u32* columns, u32 n, u32 role) {
            const uint8_t** kinds[] = {&first_, &second_};
            u32* sizes[] = {nullptr, &size_};
            u32 many = 0;
            for (u32 c = 0; c < n; ++c) {
                if (c == role) continue;
                *kinds[many] = store.kinds(columns[c]);
                if (many) *sizes[many] = store.columns[columns[c]].kinds;
                groups_ *= store.columns[columns[c]].kinds;
                ++many;
            }
            last_ = store.kinds(columns[role]);
            each_ = store.columns[columns[role]].kinds;
        }
        u32 others(u32 k) const { return !first_ ? 0 : !second_ ? first_[k] : first_[k] * size_ + second_[k]; }
        u32 all(u32 others, u32 k) const { return others * each_ + last_[k]; }
        u32 groups() const { return groups_; }
        u32 entries() const { return groups_ * each_; }

       private:
        const uint8_t *first_ = nullptr, *second_ = nullptr, *last_;
        u32 size_ = 1, groups_ = 1, each_;
    };

    // --- conflicts

    // Rules are to be found among the first columns: conflicts to begin with.
    void look_at(u32 most) {
        most = std::min(most, count_);
        if (most == most_) return;
        most_ = most;
        conflicts_.start(most_);
        std::vector<std::pair<u32, u32>> some = first_conflicts();
        conflicts_.first(u32(some.size()), [&](u32 column, u32 n) {
            const uint8_t* kinds = store_.kinds(column);
            return kinds[some[n].first] != kinds[some[n].second];
        });
    }

    // Pairs of cells with different outputs where the cheapest image has the same value; rare outputs come as often.
    std::vector<std::pair<u32, u32>> first_conflicts() const {
        std::map<std::pair<int, int>, std::vector<u32>> classes;
        for (u32 k = 0; k < store_.known; ++k) classes[{store_.kinds(0)[k], store_.target[k]}].push_back(k);
        std::vector<std::pair<const std::vector<u32>*, const std::vector<u32>*>> clashes;
        for (const auto& a : classes)
            for (const auto& b : classes)
                if (a.first.first == b.first.first && a.first.second < b.first.second)
                    clashes.push_back({&a.second, &b.second});
        std::vector<std::pair<u32, u32>> found;
        u64 random = 1;
        for (u32 k = 0; k < FIRST_CONFLICTS && !clashes.empty(); ++k) {
            const auto& [a, b] = clashes[k % clashes.size()];
            random = mixed(random + 0x9e3779b97f4a7c15ull);
            found.push_back({(*a)[random % a->size()], (*b)[(random >> 32) % b->size()]});
        }
        return found;
    }

    // Whether the images decide the output; where they do not, the conflict is kept.
    bool consistent(const u32* columns, u32 n) {
        const uint8_t* kinds[3];
        u32 sizes[3] = {1, 1, 1};
        for (u32 c = 0; c < 3; ++c) {
            kinds[c] = store_.kinds(columns[c < n ? c : 0]);
            if (c < n) sizes[c] = store_.columns[columns[c]].kinds;
        }
        switch (n) {
            case 1:
                return consistent(n, sizes[0], [=](u32 k) { return u32(kinds[0][k]); });
            case 2:
                return consistent(n, sizes[0] * sizes[1], [=](u32 k) { return kinds[0][k] * sizes[1] + kinds[1][k]; });
            default:
                return consistent(n, sizes[0] * sizes[1] * sizes[2], [=](u32 k) {
                    return (kinds[0][k] * sizes[1] + kinds[1][k]) * sizes[2] + kinds[2][k];
                });
        }
    }

    template <class Key>
    bool consistent(u32 n, u32 keys, Key key_of) {
        // of each key: in which call it was seen, at which cell, and the colour there
        if (marks_.size() < keys) marks_.resize(keys);
        const u64 now = u64(++now_) << 32;
        for (u32 k = 0; k < store_.known; ++k) {
            u64& mark = marks_[key_of(k)];
            if (mark < now) {
                mark = now | u64(k) << 8 | uint8_t(store_.target[k]);
            } else if (int8_t(uint8_t(mark)) != store_.target[k]) {
                if (n > 1) keep_conflict(u32(mark) >> 8, k);
                return false;
            }
        }
        return true;
    }

    void keep_conflict(u32 a, u32 b) {
        conflicts_.add([&](u32 column) {
            const uint8_t* kinds = store_.kinds(column);
            return kinds[a] != kinds[b];
        });
    }

    // --- triples

    static std::vector<u32> members(const Conflicts::Set* set) {
        std::vector<u32> found;
        if (set)
            for (size_t w = 0; w < set->size(); ++w)
                for (u64 left = (*set)[w]; left; left &= left - 1) found.push_back(u32(64 * w) + lowest_bit(left));
        return found;
    }

    bool decide(u32 a, u32 b) {
        u64 open[Conflicts::WORDS];
        conflicts_.open(a, open);
        u32 columns[] = {a, b};
        return conflicts_.gets_round(open, b) && consistent(columns, 2);
    }

    // The columns that cost at most so much are those below the one that is given back.
    u32 columns_up_to(float cost) const {
        auto dearer = [](float most, const Column& column) { return most < column.cost; };
        auto end = store_.columns.begin() + most_;
        return u32(std::upper_bound(store_.columns.begin(), end, cost, dearer) - store_.columns.begin());
    }

    u64 triples_with(u32 a, float dearest, Met& done, u64 limit, const Deadline& deadline) {
        u64 found = 0;
        u64 after_a[Conflicts::WORDS], after_b[Conflicts::WORDS];
        conflicts_.open(a, after_a);
        float left_a = dearest - store_.columns[a].cost;
        for (u32 b : members(conflicts_.rarest(after_a))) {
            float left_b = left_a - store_.columns[b].cost;
            if (left_b < 0) break;  // cheapest first
            if (alone_[b] || b == a) continue;
            if (deadline.past() || found >= limit) return found;
            conflicts_.open(a, after_a);
            if (!conflicts_.still_open(after_a, b, after_b)) {
                if (decide(a, b)) continue;
                conflicts_.open(a, after_a);
                conflicts_.still_open(after_a, b, after_b);
            }
            conflicts_.each(after_b, columns_up_to(left_b), scratch_, [&](u32 c) {
                ++checked_triples;
                if (alone_[c] || c == a || c == b) return true;
                u32 columns[] = {a, b, c};
                std::sort(columns, columns + 3);
                u64 mark = (u64(columns[0]) << 42) | (u64(columns[1]) << 21) | columns[2];
                if (!done.insert(mixed(mark)) || decide(a, c) || decide(b, c)) return true;
                if (!consistent(columns, 3)) {
                    conflicts_.open(a, after_a);
                    conflicts_.still_open(after_a, b, after_b);
                    return true;
                }
                emit(columns, 3);
                return ++found < limit;
            });
        }
        return found;
    }

    // --- what a rule says

    // The table of a rule from the demonstrations, and its score without guesses.
    float learn(const u32* columns, u32 n, u32 role) {
        ++now_;
        groups_.clear();
        entries_.clear();
        const Joint joint(store_, columns, n, role);
        if (group_.size() < joint.groups()) group_.resize(joint.groups());
        if (entry_.size() < joint.entries()) entry_.resize(joint.entries());
        const int8_t* raw = store_.raw(columns[role]);
        for (u32 k = 0; k < store_.known; ++k) {
            u32 key = joint.others(k), full = joint.all(key, k);
            int8_t wanted = store_.target[k];
            u64 demo = u64(1) << (store_.demo_of[k] & 63);
            Group& group = group_[key];
            if (group.seen != now_) {
                groups_.push_back(key);
                group = {now_, true, true, wanted, 0};
            }
            group.copies = group.copies && raw[k] == wanted;
            group.constant = group.constant && group.colour == wanted;
            group.demos |= demo;
            Entry& entry = entry_[full];
            if (entry.seen != now_) {
                entries_.push_back({key, full});
                entry = {now_, wanted, 0};
            }
            entry.demos |= demo;
        }
        float score = costs_.image * float(n - 1);
        for (u32 c = 0; c < n; ++c) score += store_.columns[columns[c]].cost;
        for (u32 key : groups_)
            if (group_[key].copies || group_[key].constant) score += entry_cost(group_[key].demos);
        for (auto [key, full] : entries_) {
            const Group& group = group_[key];
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
        const Joint joint(store_, columns, n, role);
        bool guessed = false;
        for (u32 k = store_.known; k < store_.cells; ++k) {
            u32 key = joint.others(k), full = joint.all(key, k);
            if (group_[key].seen != now_) return false;
            const Group& group = group_[key];
            int8_t& cell = output_[k - store_.known];
            if (group.copies)
                cell = raw[k];
            else if (group.constant) {
                cell = group.colour;
                guessed = guessed || entry_[full].seen != now_;
            } else if (entry_[full].seen == now_)
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
    u32 count_, most_ = 0, now_ = 0;
    Conflicts conflicts_;
    Conflicts::Set scratch_;
    std::vector<u64> marks_;
    std::vector<u32> groups_;
    std::vector<std::pair<u32, u32>> entries_;
    std::vector<Entry> entry_;
    std::vector<Group> group_;
    std::vector<uint8_t> alone_;
    std::vector<int8_t> output_;
};

}  // namespace arcbatt::search
