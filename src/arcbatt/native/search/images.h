// Images of features on the samples of one task, as an engine gives them, and ways to bring one to another size.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/portability.h"

namespace arcbatt::search {

struct Size {
    int height = 0, width = 0;
    u32 cells() const { return u32(height) * u32(width); }
    bool operator==(const Size& other) const { return height == other.height && width == other.width; }
};

// The images that all features make of one input of each sample, by sample and feature; a negative offset is an image
// that is not there. Images of a sample that are equal lie in one place.
struct Block {
    const int8_t* cells = nullptr;
    const int64_t* offset = nullptr;
    const int32_t* height = nullptr;
    const int32_t* width = nullptr;
    u32 each = 0, first = 0;  // how many features, and the number of the first

    int64_t offset_of(u32 sample, u32 feature) const { return offset[at(sample, feature)]; }
    Size size(u32 sample, u32 feature) const { return {height[at(sample, feature)], width[at(sample, feature)]}; }
    const int8_t* image(u32 sample, u32 feature) const { return cells + offset_of(sample, feature); }

   private:
    size_t at(u32 sample, u32 feature) const { return size_t(sample) * each + (feature - first); }
};

// Blocks, whose features are numbered through.
struct Images {
    std::vector<Block> blocks;
    u32 samples = 0;

    void add(Block block) {
        block.first = features();
        blocks.push_back(block);
    }
    u32 features() const { return blocks.empty() ? 0 : blocks.back().first + blocks.back().each; }
};

// How an image comes to the size that is wanted; Python writes the same as a program (search/write.py).
enum Way : u32 { AS_IT_IS, TILED, MIRROR_TILED, ENLARGED, MOST_COMMON, MOST_COMMON_INK, AT_CORNER, CENTRED, WAYS };

// What a way adds to the cost of a feature.
constexpr float WAY_COST[WAYS] = {0, 1, 1.5f, 1, 1.5f, 1.5f, 2, 2};

// The cell that is most common in a block, the least of several; with `ink`, of those that are not 0 if there are any.
inline int8_t most_common(const int8_t* from, u32 stride, int height, int width, bool ink) {
    static thread_local u32 count[256];  // all 0 between calls
    int least = 127, most = -128;
    for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) {
            int value = from[i * int(stride) + j];
            least = std::min(least, value);
            most = std::max(most, value);
            ++count[value + 128];
        }
    int best = 0;
    u32 many = 0;
    for (int value = least; value <= most; ++value) {
        if (count[value + 128] > many && !(ink && value == 0)) {
            many = count[value + 128];
            best = value;
        }
        count[value + 128] = 0;
    }
    return int8_t(best);
}

// Where each row or column of an image of the wanted size comes from, -1 for nowhere.
inline void lines_from(int own, int wanted, Way way, int16_t* from) {
    for (int i = 0; i < wanted; ++i) {
        int a = i;
        if (way == TILED) a = i % own;
        if (way == MIRROR_TILED) {
            a = i % (2 * own);
            if (a >= own) a = 2 * own - 1 - a;
        }
        if (way == ENLARGED) a = i / (wanted / own);
        if (way == CENTRED) a = i - ((wanted - own) >> 1);  // half the difference, rounded down as the language divides
        from[i] = int16_t(a >= 0 && a < own ? a : -1);
    }
}

// An image brought to a size, at most 255 by 255; false where the way does not lead there.
inline bool resize(const int8_t* from, Size own, Size wanted, Way way, int8_t* to) {
    const int h = own.height, w = own.width, height = wanted.height, width = wanted.width;
    if (h <= 0 || w <= 0) return false;
    if (way == AS_IT_IS) {
        if (!(own == wanted)) return false;
        std::memcpy(to, from, wanted.cells());
        return true;
    }
    if (way == ENLARGED && (height % h || width % w)) return false;
    if (way == MOST_COMMON || way == MOST_COMMON_INK) {
        if (h % height || w % width) return false;
        const int tall = h / height, wide = w / width;
        for (int i = 0; i < height; ++i)
            for (int j = 0; j < width; ++j)
                *to++ = most_common(from + i * tall * w + j * wide, u32(w), tall, wide, way == MOST_COMMON_INK);
        return true;
    }
    int16_t rows[256], columns[256];
    lines_from(h, height, way, rows);
    lines_from(w, width, way, columns);
    for (int i = 0; i < height; ++i, to += width) {
        if (rows[i] < 0) {
            std::memset(to, 0, size_t(width));
            continue;
        }
        const int8_t* row = from + rows[i] * w;
        for (int j = 0; j < width; ++j) to[j] = columns[j] < 0 ? int8_t(0) : row[columns[j]];
    }
    return true;
}

}  // namespace arcbatt::search
