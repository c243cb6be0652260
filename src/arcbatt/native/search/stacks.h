// Stacks: images laid over one another, each right wherever nothing lies above it.
#pragma once

#include <set>

#include "search/candidates.h"
#include "search/conflicts.h"

namespace arcbatt::search {

// How an image is laid: what of it covers. Negative cells never do.
enum Laid : u32 { INK, ZEROS, ALL, LAID };
// A mask (0 and 1) may be laid in a colour instead: LAID + colour.

class Stacks {
   public:
    Stacks(const Store& store, Candidates& candidates, float layer_cost)
        : store_(store), candidates_(candidates), layer_cost_(layer_cost), words_((store.cells + 63) / 64) {
        known_.resize(words_);
        for (u32 k = 0; k < store.known; ++k) known_[k / 64] |= u64(1) << (k % 64);
        bytes_.resize(size_t(words_) * 64);
        for (u32 colour = 0; colour < COLOURS; ++colour)
            if (in_every_output(int8_t(colour))) {
                of_colour_[colour].resize(words_);
                mark(store_.target.data(), store_.known, of_colour_[colour].data(),
                     [=](int8_t cell) { return cell == int8_t(colour); });
            }
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

    static constexpr u32 COLOURS = 10;

    struct Piece {
        u32 column, mode;
        size_t bits;  // where what it covers stands in `bits_`, and after it what of that is wrong
    };
    const u64* covers(const Piece& piece) const { return bits_.data() + piece.bits; }
    const u64* wrong(const Piece& piece) const { return bits_.data() + piece.bits + words_; }

    int8_t cell(const Piece& piece, u32 k) const {
        return piece.mode >= LAID ? int8_t(piece.mode - LAID) : store_.raw(piece.column)[k];
    }

    // A bit for every cell of which something is true.
    template <class True>
    void mark(const int8_t* cells, u32 count, u64* bits, True is_true) {
        for (u32 k = 0; k < count; ++k) bytes_[k] = is_true(cells[k]);
        std::fill(bytes_.begin() + count, bytes_.end(), uint8_t(0));
        for (u32 w = 0; w < words_; ++w) bits[w] = packed_bits(bytes_.data() + 64 * size_t(w));
    }

    void add_pieces(u32 column) {
        const int8_t* raw = store_.raw(column);
        int8_t least = 127, most = -128;
        for (u32 k = 0; k < store_.cells; ++k) {
            least = std::min(least, raw[k]);
            most = std::max(most, raw[k]);
        }
        if (least < -1 || most > 9) return;
        Bits ink(words_), zeros(words_), right(words_), all(words_);
        mark(raw, store_.cells, ink.data(), [](int8_t cell) { return cell > 0; });
        mark(raw, store_.cells, zeros.data(), [](int8_t cell) { return cell == 0; });
        for (u32 k = 0; k < store_.known; ++k) bytes_[k] = raw[k] == store_.target[k];
        std::fill(bytes_.begin() + store_.known, bytes_.end(), uint8_t(0));
        for (u32 w = 0; w < words_; ++w) {
            right[w] = packed_bits(bytes_.data() + 64 * size_t(w));
            all[w] = ink[w] | zeros[w];
        }
        add_piece(column, INK, ink, right);
        add_piece(column, ZEROS, zeros, right);
        add_piece(column, ALL, all, right);
        if (least < 0 || most > 1) return;
        for (u32 colour = 0; colour < COLOURS; ++colour)
            if (!of_colour_[colour].empty()) add_piece(column, LAID + colour, ink, of_colour_[colour]);
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

    // `right` are the cells where it is as the output.
    void add_piece(u32 column, u32 mode, const Bits& covers, const Bits& right) {
        u64 any = 0;
        for (u32 w = 0; w < words_; ++w) any |= covers[w] & right[w];
        if (!any) return;
        pieces_.push_back({column, mode, bits_.size()});
        bits_.insert(bits_.end(), covers.begin(), covers.end());
        for (u32 w = 0; w < words_; ++w) bits_.push_back(covers[w] & known_[w] & ~right[w]);
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
            for (u32 w = 0; w < words_; ++w) covered[w] |= covers(*best)[w];
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
            const u64 *covers = this->covers(piece), *wrong = this->wrong(piece);
            for (u32 w = 0; right && w < words_; ++w) right = !(wrong[w] & ~covered[w]);
            for (u32 w = 0; right && w < words_; ++w) gain += bits_in(covers[w] & ~covered[w] & wanted[w]);
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
                if (!top && covers(*piece)[k / 64] >> (k % 64) & 1) top = piece;
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
    Bits known_, bits_, of_colour_[COLOURS];  // the last by colour, where every output has it
    std::vector<uint8_t> bytes_;
    std::vector<Piece> pieces_;
};

}  // namespace arcbatt::search
