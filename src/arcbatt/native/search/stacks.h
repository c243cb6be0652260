// Stacks: images laid over one another, each right wherever nothing lies above it.
#pragma once

#include <set>

#include "search/candidates.h"

namespace arcbatt::search {

// How an image is laid: what of it covers. Negative cells never do.
enum Laid : u32 { INK, ZEROS, ALL, LAID };
// A mask (0 and 1) may be laid in a colour instead: LAID + colour.

class Stacks {
   public:
    Stacks(const Store& store, Candidates& candidates, float layer_cost)
        : store_(store), candidates_(candidates), layer_cost_(layer_cost), words_((store.cells + 63) / 64) {
        for (u32 k = 0; k < store.known; ++k) set(known_, k);
        known_.resize(words_);
        for (u32 column = 0; column < store.columns.size(); ++column) add_pieces(column);
    }

    // Greedy: each layer is the one that covers most of what is open, first in one demonstration, then in all.
    void search(const Deadline& deadline) {
        std::set<std::vector<std::pair<u32, u32>>> done;
        for (float dearest : {1.6f, 2.6f, 99.f})
            for (int demo = -1; demo < int(store_.demonstrations); ++demo) {
                if (deadline.past()) return;
                std::vector<const Piece*> layers = greedy(dearest, demo);
                std::vector<std::pair<u32, u32>> key;
                for (const Piece* piece : layers) key.push_back({piece->column, piece->mode});
                std::sort(key.begin(), key.end());
                if (layers.empty() || !done.insert(key).second) continue;
                emit(layers);
            }
    }

   private:
    static constexpr u32 MOST_LAYERS = 6;
    using Bits = std::vector<u64>;

    struct Piece {
        u32 column, mode;
        Bits covers, wrong;
    };

    static void set(Bits& bits, u32 k) {
        if (bits.size() <= k / 64) bits.resize(k / 64 + 1);
        bits[k / 64] |= u64(1) << (k % 64);
    }
    static u32 count(u64 word) { return u32(__builtin_popcountll(word)); }

    int8_t cell(const Piece& piece, u32 k) const {
        return piece.mode >= LAID ? int8_t(piece.mode - LAID) : store_.raw(piece.column)[k];
    }

    void add_pieces(u32 column) {
        const int8_t* raw = store_.raw(column);
        bool colours = true, mask = true;
        for (u32 k = 0; k < store_.cells; ++k) {
            colours = colours && raw[k] >= -1 && raw[k] <= 9;
            mask = mask && (raw[k] == 0 || raw[k] == 1);
        }
        if (!colours) return;
        for (u32 mode = 0; mode < LAID; ++mode) add_piece(column, mode);
        if (!mask) return;
        for (u32 colour = 0; colour < 10; ++colour)
            if (in_every_output(int8_t(colour))) add_piece(column, LAID + colour);
    }

    bool in_every_output(int8_t colour) const {
        for (u32 demo = 0; demo < store_.demonstrations; ++demo) {
            const int8_t* from = store_.target.data();
            if (std::find(from + store_.starts[demo], from + store_.starts[demo + 1], colour) ==
                from + store_.starts[demo + 1])
                return false;
        }
        return true;
    }

    void add_piece(u32 column, u32 mode) {
        const int8_t* raw = store_.raw(column);
        Piece piece{column, mode, Bits(words_), Bits(words_)};
        bool any = false, right = false;
        for (u32 k = 0; k < store_.cells; ++k) {
            bool covers = mode == ZEROS ? raw[k] == 0 : mode == ALL ? raw[k] >= 0 : raw[k] > 0;
            if (!covers) continue;
            any = true;
            piece.covers[k / 64] |= u64(1) << (k % 64);
            if (k >= store_.known) continue;
            if (cell(piece, k) != store_.target[k])
                piece.wrong[k / 64] |= u64(1) << (k % 64);
            else
                right = true;
        }
        if (any && right) pieces_.push_back(std::move(piece));
    }

    // Layers from the top that cover all demonstrations, or nothing.
    std::vector<const Piece*> greedy(float dearest, int demo) const {
        Bits covered(words_), wanted(words_);
        for (u32 k = 0; k < store_.known; ++k)
            if (demo < 0 || store_.demo_of[k] == demo) wanted[k / 64] |= u64(1) << (k % 64);
        std::vector<const Piece*> layers;
        for (u32 layer = 0; layer < MOST_LAYERS; ++layer) {
            const Piece* best = next(covered, wanted, dearest);
            if (!best) return {};
            layers.push_back(best);
            for (u32 w = 0; w < words_; ++w) covered[w] |= best->covers[w];
            if (!left(covered, wanted)) {
                wanted = known_;
                if (!left(covered, wanted)) return layers;
            }
        }
        return {};
    }

    bool left(const Bits& covered, const Bits& wanted) const {
        for (u32 w = 0; w < words_; ++w)
            if (wanted[w] & ~covered[w]) return true;
        return false;
    }

    const Piece* next(const Bits& covered, const Bits& wanted, float dearest) const {
        const Piece* best = nullptr;
        double most = 0;
        for (const Piece& piece : pieces_) {
            float cost = store_.columns[piece.column].cost;
            if (cost > dearest) break;  // cheapest first
            u32 gain = 0;
            bool right = true;
            for (u32 w = 0; right && w < words_; ++w) {
                u64 open = piece.covers[w] & ~covered[w];
                right = !(open & piece.wrong[w]);
                gain += count(open & wanted[w]);
            }
            double worth = right ? gain * (1 - 1e-3 * double(cost)) : 0;
            if (worth > most) most = worth, best = &piece;
        }
        return best;
    }

    void emit(const std::vector<const Piece*>& layers) {
        std::vector<int8_t> output(store_.cells - store_.known, 0);
        Found found{STACK, 0, {}, {}, layer_cost_ * float(layers.size() - 1)};
        for (const Piece* piece : layers) {
            found.columns.push_back(piece->column);
            found.modes.push_back(piece->mode);
            found.score += store_.columns[piece->column].cost + 0.5f;
        }
        bool bare = false;
        for (u32 k = store_.known; k < store_.cells; ++k) {
            const Piece* top = nullptr;
            for (const Piece* piece : layers)
                if (!top && piece->covers[k / 64] >> (k % 64) & 1) top = piece;
            if (top) output[k - store_.known] = cell(*top, k);
            bare = bare || !top;
        }
        if (bare) found.score += 2;
        candidates_.add(store_, output.data(), found);
    }

    const Store& store_;
    Candidates& candidates_;
    float layer_cost_;
    u32 words_;
    Bits known_;
    std::vector<Piece> pieces_;
};

}  // namespace arcbatt::search
