// A merged graph of programs on one sample: the nodes that are asked for and what they take, each evaluated once, as
// `MergedReference` of engine/reference.py does it.
#pragma once

#include <functional>

#include "dynamic/functions.h"

namespace arcbatt {
namespace dynamic {

enum class NodeKind : u8 { INPUT, CONST, PRIMITIVE, INVOKE, CALL };

// Nodes in an order in which each stands after what it takes.
struct Graph {
    std::vector<NodeKind> kinds;
    std::vector<u32> numbers;  // which input, constant or operation
    std::vector<u32> first;    // of each node, where its arguments begin in `args`; one more for the end
    std::vector<u32> args;
    u32 size() const { return u32(kinds.size()); }
};

struct Outcome {
    Status status = OK;
    Value value;
};

class Evaluator {
   public:
    // The constants are values of this thread's own.
    Evaluator(const Graph& graph, Items constants, const Language& language, u64 max_steps, u64 max_total,
              const std::atomic<bool>& stop, Custom& custom)
        : machine(language, max_steps, max_total, stop, custom),
          graph_(graph),
          constants_(std::move(constants)),
          known_(graph.size()),
          uses_(graph.size()),
          steps_(graph.size()),
          made_(graph.size()),
          outcomes_(graph.size()) {}

    Machine machine;

    // Begin with other inputs, which are asked for by number as they are needed; each of the roots will be taken.
    void begin(std::function<Outcome(u32)> input, const std::vector<u32>& roots) {
        end();
        input_ = std::move(input);
        machine.total_steps = steps_again_ = 0;
        cone_ = roots;
        for (u32 root : roots) ++uses_[root];
        for (size_t k = 0; k < cone_.size(); ++k) {
            u32 node = cone_[k];
            if (known_[node] != UNSEEN) continue;
            known_[node] = WAITING;
            for (u32 at = graph_.first[node]; at < graph_.first[node + 1]; ++at) {
                ++uses_[graph_.args[at]];
                cone_.push_back(graph_.args[at]);
            }
        }
    }
    // Forget all values.
    void end() {
        for (u32 node : cone_) {
            known_[node] = UNSEEN;
            uses_[node] = 0;
            steps_[node] = 0;
            made_[node] = 0;
            outcomes_[node] = Outcome();
        }
        cone_.clear();
        input_ = nullptr;
    }

    // The outcome of one of the roots, for the last time: a limit, where all that it takes has too many steps together,
    // or where it is too large with all that functions in it are made of.
    Outcome take(u32 root) {
        u64 before = machine.total_steps;
        evaluate(root);
        u64 now = machine.total_steps;
        bool beyond =
            now - before > machine.max_total || (now > machine.max_total && total_of(root) > machine.max_total);
        beyond = beyond || outcomes_[root].value.full_size() > MAX_SIZE;
        Outcome result = beyond ? Outcome{LIMIT, Value()} : outcomes_[root];
        used(root);
        return result;
    }

   private:
    enum State : u8 { UNSEEN, WAITING, KNOWN };
    static constexpr u64 MOST_AGAIN = 4;  // times the steps of an evaluation

    // The node, unless it and what it takes turn out to have too many steps together.
    void evaluate(u32 root) {
        u64 before = machine.total_steps;
        std::vector<u32> stack{root};
        while (!stack.empty() && machine.total_steps - before <= machine.max_total) {
            u32 node = stack.back();
            if (known_[node] == KNOWN || evaluated(node, stack)) {
                known_[node] = KNOWN;
                stack.pop_back();
            }
        }
    }

    // Whether a node has its outcome now; else an argument it waits for is on the stack. A limit comes before every
    // other reason, so a call that has met one needs no more of its arguments.
    bool evaluated(u32 node, std::vector<u32>& stack) {
        Outcome& outcome = outcomes_[node];
        u32 number = graph_.numbers[node];
        switch (graph_.kinds[node]) {
            case NodeKind::INPUT:
                outcome = input_(number);
                return true;
            case NodeKind::CONST:
                outcome.value = constants_[number];
                return true;
            case NodeKind::PRIMITIVE:
                outcome.value = primitive(number, machine.language.ops[number].arity);
                return true;
            default:
                break;
        }
        Status failed = OK;
        u32 begin = graph_.first[node], end = graph_.first[node + 1];
        for (u32 at = begin; failed != LIMIT && at < end; ++at) {
            u32 arg = graph_.args[at];
            if (known_[arg] != KNOWN) {
                stack.push_back(arg);
                return false;
            }
            Status status = outcomes_[arg].status;
            if (status != OK) failed = failed == OK ? status : least(failed, status);
        }
        outcome.status = failed;
        if (failed == OK) call(node, number, begin, end, outcome);
        for (u32 at = begin; at < end; ++at) used(graph_.args[at]);
        return true;
    }

    // The steps of a node and of all it takes, each of them once.
    u64 total_of(u32 root) const {
        std::vector<u8> met(graph_.size());
        std::vector<u32> nodes{root};
        met[root] = 1;
        u64 total = 0;
        for (size_t k = 0; k < nodes.size(); ++k) {
            total += steps_[nodes[k]];
            for (u32 at = graph_.first[nodes[k]]; at < graph_.first[nodes[k] + 1]; ++at)
                if (!met[graph_.args[at]]++) nodes.push_back(graph_.args[at]);
        }
        return total;
    }

    // A call counts once, also where it is made again because its value was given up.
    void call(u32 node, u32 number, u32 begin, u32 end, Outcome& outcome) {
        u64 before = machine.total_steps;
        machine.end_total = made_[node] || machine.max_total > ~before ? ~u64(0) : before + machine.max_total;
        Items args;
        for (u32 at = begin; at < end; ++at) args.push_back(outcomes_[graph_.args[at]].value);
        for (bool known = false; !known;) {
            known = true;
            try {
                if (graph_.kinds[node] == NodeKind::INVOKE)
                    outcome.value = machine.call(args[0], args.data() + 1, u32(args.size()) - 1);
                else
                    outcome.value = machine.call(number, args.data(), u32(args.size()));
            } catch (const Failure& failure) {
                outcome.status = failure.reason;
            } catch (const std::bad_alloc&) {
                steps_again_ += machine.total_steps - before;
                machine.total_steps = before;
                if (steps_again_ / MOST_AGAIN > machine.max_total || !give_up_values(begin, end)) throw;
                known = false;
            }
        }
        if (made_[node]) {
            steps_again_ += steps_[node];
            machine.total_steps = before;
        } else {
            steps_[node] = machine.total_steps - before;
            made_[node] = 1;
        }
    }

    // Where memory is short: forget every value that is kept for later, but for arguments of the call at hand. What is
    // needed to make one again is to be made again too. False where there is none.
    bool give_up_values(u32 begin, u32 end) {
        std::vector<u32> lost;
        auto at_hand = [&](u32 node) {
            return std::find(graph_.args.begin() + begin, graph_.args.begin() + end, node) != graph_.args.begin() + end;
        };
        auto lose = [&](u32 node) {
            known_[node] = WAITING;
            outcomes_[node] = Outcome();
            lost.push_back(node);
        };
        for (u32 node : cone_)
            if (known_[node] == KNOWN && uses_[node] && outcomes_[node].value.has_object() && !at_hand(node))
                lose(node);
        bool any = !lost.empty();
        for (size_t k = 0; k < lost.size(); ++k)
            for (u32 at = graph_.first[lost[k]]; at < graph_.first[lost[k] + 1]; ++at) {
                u32 arg = graph_.args[at];
                if (uses_[arg]++ == 0 && known_[arg] == KNOWN) lose(arg);
            }
        return any;
    }

    void used(u32 node) {
        if (--uses_[node] == 0) outcomes_[node].value = Value();
    }

    const Graph& graph_;
    Items constants_;
    std::function<Outcome(u32)> input_;
    std::vector<u32> cone_;  // the nodes that are asked for and all they take
    std::vector<u8> known_;
    std::vector<u32> uses_;  // how often each is still to be read
    std::vector<u64> steps_;
    std::vector<u8> made_;  // whether its steps are counted
    u64 steps_again_ = 0;   // what was done in vain or again for want of memory
    std::vector<Outcome> outcomes_;
};

}  // namespace dynamic
}  // namespace arcbatt
