// Cases: the output is one image, but for some cells, of which each kind has a reason of its own.
//
// The cells that an image has wrong fall into classes by what they should be: a colour, or another image. A reason for
// a class says of one to three images which values they have there: all values that the class shows, and it must hold
// at no cell that should be anything else. Where there is none, several together may: each holds for a part of the
// class. Unlike a rule, each class may look at other images.
//
// Where some classes have reasons and others have none, what is explained is a step: an image that is right at more
// cells and wrong at no others, from which the rest may be seen.
#pragma once

#include <array>

#include "search/candidates.h"
#include "search/conflicts.h"
#include "search/rules.h"

namespace arcbatt::search {

class Cases {
   public:
    Cases(const Store& store, Candidates& candidates, const RuleCosts& costs)
        : store_(store), candidates_(candidates), costs_(costs) {}

    // The images that have most of the output right, one after the other.
    void search(const Deadline& deadline) {
        if (store_.columns.empty()) return;
        std::vector<u32> bases = nearest();
        for (u32 base : bases) {
            if (deadline.past()) return;
            with_base(base, bases, deadline);
        }
    }

    // An image with some of its wrong cells put right, in all samples, and the part of them that was.
    struct Step {
        Found found;
        std::vector<int8_t> cells;
        float right = 0;
    };

    // Steps from the images that have most of the output right, those that lead furthest first.
    std::vector<Step> steps(const Deadline& deadline) {
        std::vector<Step> all;
        if (store_.columns.empty()) return all;
        std::vector<u32> bases = nearest();
        for (u32 b = 0; b < bases.size() && b < STEP_BASES && !deadline.past(); ++b)
            steps_from(bases[b], deadline, all);
        std::stable_sort(all.begin(), all.end(), [](const Step& a, const Step& b) { return a.right > b.right; });
        return all;
    }

   private:
    static constexpr u32 STEP_BASES = 3, LEAST_OF_CLASS = 4;
    static constexpr u32 MOST_BASES = 8, MOST_CLASSES = 4, MOST_VALUES = 6, MOST_REASONS = 6, MOST_TOGETHER = 64;
    static constexpr u32 FIRST_BAD = 256, MOST_IMAGES = 1500, MOST_OF_THREE = 150, MOST_PARTS = 4;
    static constexpr int COPY = 10;  // an outcome: so much plus the column that is copied

    struct Class {
        int outcome = 0;
        std::vector<u32> cells;      // that the base has wrong
        std::vector<uint8_t> other;  // by known cell, whether it should be something else
        u64 demos = 0;
    };
    // What a column has in all cells of a class.
    struct Part {
        u32 column = 0, entries = 0, once = 0;  // values, and those of them that one demonstration alone shows
        std::array<uint8_t, 64> holds{};
    };
    struct Reason {
        std::vector<std::vector<Part>> any;  // one of them must hold, all parts of it
        float score = 0;
        u64 hash = 0;  // of where it holds in the tests
    };

    int8_t outcome_at(int outcome, u32 k) const {
        return outcome < COPY ? int8_t(outcome) : store_.raw(u32(outcome - COPY))[k];
    }

    std::vector<u32> nearest() const {
        std::vector<std::pair<float, u32>> order;
        for (u32 column = 0; column < store_.columns.size(); ++column) {
            const int8_t* raw = store_.raw(column);
            u32 right = 0;
            bool colours = true;
            for (u32 k = 0; k < store_.cells && colours; ++k) {
                colours = raw[k] >= 0 && raw[k] <= 9;
                right += k < store_.known && raw[k] == store_.target[k];
            }
            if (colours && right)
                order.push_back({store_.columns[column].cost * 0.02f - float(right) / float(store_.known), column});
        }
        std::sort(order.begin(), order.end());
        std::vector<u32> best;
        for (const auto& one : order)
            if (best.size() < MOST_BASES) best.push_back(one.second);
        return best;
    }

    void with_base(u32 base, const std::vector<u32>& bases, const Deadline& deadline) {
        const int8_t* raw = store_.raw(base);
        std::vector<u32> wrong;
        for (u32 k = 0; k < store_.known; ++k)
            if (raw[k] != store_.target[k]) wrong.push_back(k);
        if (wrong.empty() || wrong.size() * 10 > store_.known * 9) return;
        std::vector<Class> classes;
        for (int colour = 0; colour <= 9; ++colour) {
            Class one = class_of(colour, wrong);
            if (!one.cells.empty()) classes.push_back(std::move(one));
        }
        if (classes.size() <= MOST_CLASSES) explain(base, classes, deadline);
        for (u32 copied : bases) {
            if (deadline.past()) return;
            Class one = class_of(COPY + int(copied), wrong);
            if (copied == base || one.cells.size() != wrong.size() || classes.size() == 1) continue;
            explain(base, {one}, deadline);
        }
    }

    Class class_of(int outcome, const std::vector<u32>& wrong) const {
        Class made;
        made.outcome = outcome;
        for (u32 k : wrong)
            if (outcome_at(outcome, k) == store_.target[k]) {
                made.cells.push_back(k);
                made.demos |= u64(1) << (store_.demo_of[k] & 63);
            }
        if (made.cells.empty()) return made;
        made.other.resize(store_.known);
        for (u32 k = 0; k < store_.known; ++k) made.other[k] = outcome_at(outcome, k) != store_.target[k];
        return made;
    }

    // Reasons for every class put together, the shortest first.
    void explain(u32 base, const std::vector<Class>& classes, const Deadline& deadline) {
        std::vector<std::vector<Reason>> reasons;
        for (const Class& one : classes) {
            auto [place, fresh] = known_.try_emplace(key_of(one));
            if (fresh) place->second = reasons_for(one, deadline);
            if (place->second.empty()) return;
            reasons.push_back(place->second);
        }
        std::vector<std::pair<float, std::vector<u32>>> together{{0.f, {}}};
        for (const auto& some : reasons) {
            std::vector<std::pair<float, std::vector<u32>>> longer;
            for (const auto& [score, chosen] : together)
                for (u32 r = 0; r < some.size(); ++r) {
                    longer.push_back({score + some[r].score, chosen});
                    longer.back().second.push_back(r);
                }
            std::sort(longer.begin(), longer.end());
            if (longer.size() > MOST_TOGETHER) longer.resize(MOST_TOGETHER);
            together.swap(longer);
        }
        for (const auto& [score, chosen] : together) {
            std::vector<const Reason*> mine;
            for (u32 c = 0; c < chosen.size(); ++c) mine.push_back(&reasons[c][chosen[c]]);
            emit(base, classes, mine, score);
        }
    }

    // --- steps

    void steps_from(u32 base, const Deadline& deadline, std::vector<Step>& all) {
        const int8_t* raw = store_.raw(base);
        std::vector<u32> wrong;
        for (u32 k = 0; k < store_.known; ++k)
            if (raw[k] != store_.target[k]) wrong.push_back(k);
        if (wrong.size() * 10 > store_.known * 9) return;
        std::vector<Class> whole, some;
        std::vector<Reason> why_whole, why_some;
        u32 classes = 0;
        for (int colour = 0; colour <= 9 && !deadline.past(); ++colour) {
            Class one = class_of(colour, wrong);
            if (one.cells.empty()) continue;
            ++classes;
            auto [place, fresh] = known_.try_emplace(key_of(one));
            if (fresh) place->second = reasons_for(one, deadline);
            if (!place->second.empty()) {
                why_whole.push_back(place->second[0]);
                whole.push_back(std::move(one));
                continue;
            }
            Reason part = of_a_part(one, deadline);
            if (part.any.empty()) continue;
            why_some.push_back(part);
            some.push_back(std::move(one));
        }
        if (whole.size() == classes) return;  // nothing is left
        if (!whole.empty()) all.push_back(step(base, whole, why_whole, wrong));
        if (some.empty()) return;
        whole.insert(whole.end(), some.begin(), some.end());
        why_whole.insert(why_whole.end(), why_some.begin(), why_some.end());
        all.push_back(step(base, whole, why_whole, wrong));
    }

    // The reason that holds for most of a class, in every demonstration that has the class.
    Reason of_a_part(const Class& wanted, const Deadline& deadline) {
        std::vector<u32> others;
        for (u32 k = 0; k < store_.known; ++k)
            if (wanted.other[k]) others.push_back(k);
        choose_bad(others);
        list_values(wanted);
        list_conflicts();
        std::vector<uint8_t> open(wanted.cells.size(), 1);
        std::vector<u32> best = best_part(others, open, deadline);
        u64 demos = 0;
        u32 many = 0;
        for (u32 k : wanted.cells)
            if (!best.empty() && holds(best, k)) {
                ++many;
                demos |= u64(1) << (store_.demo_of[k] & 63);
            }
        Reason made;
        if (demos != wanted.demos || many * LEAST_OF_CLASS < wanted.cells.size()) return made;
        made.score = cost(best, demos);
        made.any.push_back(parts_of(best));
        return made;
    }

    Step step(u32 base, const std::vector<Class>& classes, const std::vector<Reason>& reasons,
              const std::vector<u32>& wrong) {
        Step made;
        std::vector<const Reason*> why;
        float score = 0;
        for (const Reason& reason : reasons) {
            why.push_back(&reason);
            score += reason.score;
        }
        made.cells.assign(store_.raw(base), store_.raw(base) + store_.cells);
        made.found = put_together(base, classes, why, score, 0, made.cells);
        u32 right = 0;
        for (u32 k : wrong) right += made.cells[k] == store_.target[k];
        made.right = float(right) / float(wrong.size());
        return made;
    }

    // --- reasons

    static u64 key_of(const Class& one) {
        return mixed(hash_bytes(one.cells.data(), one.cells.size() * sizeof(u32)) + u64(one.outcome));
    }

    std::vector<Reason> reasons_for(const Class& wanted, const Deadline& deadline) {
        std::vector<u32> others;
        for (u32 k = 0; k < store_.known; ++k)
            if (wanted.other[k]) others.push_back(k);
        choose_bad(others);
        parts_.clear();
        for (u32 column = 0; column < store_.columns.size() && parts_.size() < MOST_IMAGES; ++column)
            add_part(wanted, column);
        list_conflicts();
        std::vector<Reason> found;
        u64 open[Conflicts::WORDS];
        for (u32 a = 0; a < parts_.size(); ++a) {
            conflicts_.open(a, open);
            if (conflicts_.gets_round(open, a)) consider(wanted, others, {a}, found);
        }
        for (u32 a = 1; a < parts_.size() && !deadline.past(); ++a) {
            conflicts_.open(a, open);
            conflicts_.each(open, a, scratch_, [&](u32 b) {
                if (!consider(wanted, others, {b, a}, found)) conflicts_.open(a, open);
                return true;
            });
        }
        if (found.empty()) {
            u32 few = std::min<u32>(MOST_OF_THREE, u32(parts_.size()));
            u64 left[Conflicts::WORDS];
            for (u32 a = 2; a < few && !deadline.past(); ++a)
                for (u32 b = 1; b < a; ++b) {
                    conflicts_.open(a, open);
                    conflicts_.still_open(open, b, left);
                    conflicts_.each(left, b, scratch_, [&](u32 c) {
                        if (!consider(wanted, others, {c, b, a}, found)) {
                            conflicts_.open(a, open);
                            conflicts_.still_open(open, b, left);
                        }
                        return true;
                    });
                }
        }
        if (found.empty()) {
            Reason several = in_parts(wanted, others, deadline);
            if (!several.any.empty()) found.push_back(several);
        }
        return found;
    }

    void choose_bad(const std::vector<u32>& others) {
        bad_.clear();
        u64 random = 7;
        for (u32 n = 0; n < FIRST_BAD && !others.empty(); ++n) {
            random = mixed(random + 0x9e3779b97f4a7c15ull);
            bad_.push_back(others[random % others.size()]);
        }
    }

    // A part gets round a cell of another class where it does not hold there.
    void list_conflicts() {
        conflicts_.start(u32(parts_.size()));
        conflicts_.first(u32(bad_.size()), [&](u32 part, u32 n) { return !holds_at(parts_[part], bad_[n]); });
    }

    bool holds_at(const Part& part, u32 k) const { return part.holds[store_.kinds(part.column)[k]]; }

    // Reasons of single values of one or two images, each for as much of the class as is left; nothing if they are too
    // many.
    Reason in_parts(const Class& wanted, const std::vector<u32>& others, const Deadline& deadline) {
        list_values(wanted);
        list_conflicts();
        Reason made;
        std::vector<uint8_t> open(wanted.cells.size(), 1);
        u32 left = u32(open.size());
        while (left && made.any.size() < MOST_PARTS && !deadline.past()) {
            std::vector<u32> best = best_part(others, open, deadline);
            if (best.empty()) return {};
            u64 demos = 0;
            for (u32 n = 0; n < open.size(); ++n)
                if (holds(best, wanted.cells[n])) {
                    left -= open[n];
                    open[n] = 0;
                    demos |= u64(1) << (store_.demo_of[wanted.cells[n]] & 63);
                }
            made.score += cost(best, demos);
            made.any.push_back(parts_of(best));
        }
        if (left) return {};
        return made;
    }

    // Every value of a column that a good part of the class has.
    void list_values(const Class& wanted) {
        parts_.clear();
        covers_.clear();
        const size_t words = (wanted.cells.size() + 63) / 64;
        for (u32 column = 0; column < store_.columns.size() && parts_.size() < MOST_IMAGES; ++column) {
            const uint8_t* kinds = store_.kinds(column);
            u32 count[64] = {};
            for (u32 k : wanted.cells) ++count[kinds[k]];
            for (u32 kind = 0; kind < store_.columns[column].kinds; ++kind) {
                if (count[kind] * 8 < wanted.cells.size()) continue;
                Part part;
                part.column = column;
                part.entries = 1;
                part.holds[kind] = 1;
                u32 many = 0;
                for (u32 cell : bad_) many += kinds[cell] == kind;
                if (many * 10 > bad_.size() * 8) continue;
                std::vector<u64> mine(words);
                for (u32 n = 0; n < wanted.cells.size(); ++n)
                    if (kinds[wanted.cells[n]] == kind) mine[n / 64] |= u64(1) << (n % 64);
                parts_.push_back(part);
                covers_.push_back(mine);
            }
        }
    }

    // The one or two values that hold for most of what is open, dear ones for less.
    std::vector<u32> best_part(const std::vector<u32>& others, const std::vector<uint8_t>& open,
                               const Deadline& deadline) {
        std::vector<u64> wanted((open.size() + 63) / 64);
        for (u32 n = 0; n < open.size(); ++n) wanted[n / 64] |= u64(open[n]) << (n % 64);
        std::vector<u32> best;
        float most = 0;
        u64 open_for_a[Conflicts::WORDS];
        for (u32 a = 0; a < parts_.size() && !deadline.past(); ++a) {
            const float cost = store_.columns[parts_[a].column].cost;
            u32 at_most = 0;
            for (size_t w = 0; w < wanted.size(); ++w) at_most += bits_in(covers_[a][w] & wanted[w]);
            if (float(at_most) / (2 + cost) <= most) continue;
            conflicts_.open(a, open_for_a);
            conflicts_.each(open_for_a, a + 1, scratch_, [&](u32 b) {
                u32 many = 0;
                for (size_t w = 0; w < wanted.size(); ++w) many += bits_in(covers_[a][w] & covers_[b][w] & wanted[w]);
                float dear = cost + (a == b ? 0 : store_.columns[parts_[b].column].cost + 1);
                float worth = float(many) / (2 + dear);
                if (worth <= most) return true;
                std::vector<u32> chosen = a == b ? std::vector<u32>{a} : std::vector<u32>{b, a};
                if (pure(others, chosen)) {
                    best = chosen;
                    most = worth;
                } else {
                    conflicts_.open(a, open_for_a);
                }
                return true;
            });
        }
        return best;
    }

    void add_part(const Class& wanted, u32 column) {
        Part part;
        part.column = column;
        const uint8_t* kinds = store_.kinds(column);
        u64 demos[64] = {};
        for (u32 k : wanted.cells) {
            demos[kinds[k]] |= u64(1) << (store_.demo_of[k] & 63);
            if (!part.holds[kinds[k]]) {
                part.holds[kinds[k]] = 1;
                if (++part.entries > MOST_VALUES) return;
            }
        }
        for (u64 seen : demos) part.once += seen && !(seen & (seen - 1));
        u32 many = 0;
        for (u32 cell : bad_) many += part.holds[kinds[cell]];
        if (many * 10 <= bad_.size() * 8) parts_.push_back(part);
    }

    // Keep a reason where it holds at no cell that should be something else, and is among the shortest; whether no such
    // cell was found.
    bool consider(const Class& wanted, const std::vector<u32>& others, const std::vector<u32>& chosen,
                  std::vector<Reason>& found) {
        Reason made;
        made.score = cost(chosen, wanted.demos);
        if (found.size() == MOST_REASONS && made.score >= found.back().score) return true;
        if (!pure(others, chosen)) return false;
        made.hash = 1;
        for (u32 k = store_.known; k < store_.cells; ++k) made.hash = mixed(made.hash * 2 + holds(chosen, k));
        for (Reason& other : found)
            if (other.hash == made.hash && other.score <= made.score) return true;
        made.any.push_back(parts_of(chosen));
        found.push_back(std::move(made));
        std::sort(found.begin(), found.end(), [](const Reason& a, const Reason& b) { return a.score < b.score; });
        if (found.size() > MOST_REASONS) found.pop_back();
        return true;
    }

    std::vector<Part> parts_of(const std::vector<u32>& chosen) const {
        std::vector<Part> parts;
        for (u32 part : chosen) parts.push_back(parts_[part]);
        return parts;
    }

    float cost(const std::vector<u32>& chosen, u64 demos) const {
        bool once = store_.demonstrations > 1 && (demos & (demos - 1)) == 0;
        float sum = costs_.entry + (once ? costs_.seen_once : 0);
        for (u32 number : chosen) {
            const Part& part = parts_[number];
            sum += store_.columns[part.column].cost + costs_.image + costs_.entry * float(part.entries);
            if (!once && store_.demonstrations > 1) sum += costs_.seen_once * float(part.once);
        }
        return sum;
    }

    // Whether parts hold together at no cell that should be something else; where they do, the cell is kept.
    bool pure(const std::vector<u32>& others, const std::vector<u32>& chosen) {
        for (u32 k : others)
            if (holds(chosen, k)) {
                add_bad(k);
                return false;
            }
        return true;
    }

    bool holds_all(const std::vector<Part>& parts, u32 k) const {
        for (const Part& part : parts)
            if (!holds_at(part, k)) return false;
        return true;
    }

    bool holds(const std::vector<u32>& chosen, u32 k) const {
        for (u32 part : chosen)
            if (!holds_at(parts_[part], k)) return false;
        return true;
    }

    void add_bad(u32 cell) {
        if (conflicts_.full()) return;
        bad_.push_back(cell);
        conflicts_.add([&](u32 part) { return !holds_at(parts_[part], cell); });
    }

    // --- what comes of it

    void emit(u32 base, const std::vector<Class>& classes, const std::vector<const Reason*>& reasons, float score) {
        std::vector<int8_t> output(store_.raw(base) + store_.known, store_.raw(base) + store_.cells);
        Found found = put_together(base, classes, reasons, score, store_.known, output);
        candidates_.add(store_, output.data(), found);
    }

    // Write what reasons say into cells, which are those from the first on. `modes`: of each case the outcome, how many
    // images, and of each how many values and which.
    Found put_together(u32 base, const std::vector<Class>& classes, const std::vector<const Reason*>& reasons,
                       float score, u32 first, std::vector<int8_t>& cells) const {
        std::vector<uint8_t> done(cells.size());
        Found found{CASES, 0, {base}, {}, score + store_.columns[base].cost};
        bool twice = false;
        for (size_t c = 0; c < classes.size(); ++c) {
            int outcome = classes[c].outcome;
            for (const std::vector<Part>& parts : reasons[c]->any) {
                found.modes.push_back(u32(std::min(outcome, COPY)));
                if (outcome >= COPY) {
                    found.columns.push_back(u32(outcome - COPY));
                    found.score += store_.columns[found.columns.back()].cost + costs_.image;
                }
                found.modes.push_back(u32(parts.size()));
                for (const Part& part : parts) write(part, found);
                for (u32 k = first; k < store_.cells; ++k) {
                    if (!holds_all(parts, k)) continue;
                    cells[k - first] = outcome_at(outcome, k);
                    twice = twice || (done[k - first] && done[k - first] != c + 1);
                    done[k - first] = uint8_t(c + 1);
                }
            }
        }
        if (twice || guesses(reasons)) found.score += costs_.guess;
        return found;
    }

    // Whether a test has a value that no demonstration has.
    bool guesses(const std::vector<const Reason*>& reasons) const {
        for (const Reason* reason : reasons)
            for (const std::vector<Part>& parts : reason->any)
                for (const Part& part : parts) {
                    const uint8_t* kinds = store_.kinds(part.column);
                    uint8_t known[64] = {};
                    for (u32 k = 0; k < store_.known; ++k) known[kinds[k]] = 1;
                    for (u32 k = store_.known; k < store_.cells; ++k)
                        if (!known[kinds[k]]) return true;
                }
        return false;
    }

    void write(const Part& part, Found& found) const {
        found.columns.push_back(part.column);
        found.modes.push_back(part.entries);
        const uint8_t* kinds = store_.kinds(part.column);
        std::array<uint8_t, 64> written{};
        for (u32 k = 0; k < store_.known; ++k)
            if (part.holds[kinds[k]] && !written[kinds[k]]) {
                written[kinds[k]] = 1;
                found.modes.push_back(u32(uint8_t(store_.raw(part.column)[k])));
            }
    }

    const Store& store_;
    Candidates& candidates_;
    RuleCosts costs_;
    std::vector<Part> parts_;
    std::vector<std::vector<u64>> covers_;  // of single values, the cells of the class
    std::vector<u32> bad_;                  // cells of other classes
    Conflicts conflicts_;                   // the same, as bits of the parts that do not hold there
    Conflicts::Set scratch_;
    std::unordered_map<u64, std::vector<Reason>> known_;  // of classes that were met before
};

}  // namespace arcbatt::search
