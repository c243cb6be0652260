// Images of features on the samples of one task, as an engine gives them, and ways to bring one to another size.
#pragma once

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
};

// Blocks of as many features each, which are numbered through.
struct Images {
    std::vector<Block> blocks;
    u32 samples = 0, each = 0;

    u32 features() const { return each * u32(blocks.size()); }
    int64_t offset(u32 sample, u32 feature) const { return block(feature).offset[at(sample, feature)]; }
    bool has(u32 sample, u32 feature) const { return offset(sample, feature) >= 0; }
    Size size(u32 sample, u32 feature) const {
        return {block(feature).height[at(sample, feature)], block(feature).width[at(sample, feature)]};
    }
    const int8_t* image(u32 sample, u32 feature) const { return block(feature).cells + offset(sample, feature); }

   private:
    const Block& block(u32 feature) const { return blocks[feature / each]; }
    size_t at(u32 sample, u32 feature) const { return size_t(sample) * each + feature % each; }
};

// How an image comes to the size that is wanted; Python writes the same as a program (search/write.py).
enum Way : u32 { AS_IT_IS, TILED, MIRROR_TILED, ENLARGED, MOST_COMMON, MOST_COMMON_INK, AT_CORNER, CENTRED, WAYS };

// What a way adds to the cost of a feature.
constexpr float WAY_COST[WAYS] = {0, 1, 1.5f, 1, 1.5f, 1.5f, 2, 2};

// The cell that is most common in a block, the least of several; with `ink`, of those that are not 0 if there are any.
inline int8_t most_common(const int8_t* from, u32 stride, int height, int width, bool ink) {
    u32 count[256] = {};
    for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) ++count[uint8_t(from[i * int(stride) + j] + 128)];
    u32 zeros = count[128];
    if (ink) count[128] = 0;
    u32 best = 128;
    for (u32 value = 0; value < 256; ++value)
        if (count[value] > count[best]) best = value;
    if (ink && count[best] == 0 && zeros) best = 128;
    if (!ink)
        for (u32 value = 0; value < best; ++value)
            if (count[value] == count[best]) return int8_t(int(value) - 128);
    return int8_t(int(best) - 128);
}

// An image brought to a size; false where the way does not lead there.
inline bool resize(const int8_t* from, Size own, Size wanted, Way way, int8_t* to) {
    const int h = own.height, w = own.width, height = wanted.height, width = wanted.width;
    if (h <= 0 || w <= 0) return false;
    if (way == AS_IT_IS) {
        if (!(own == wanted)) return false;
        std::memcpy(to, from, wanted.cells());
        return true;
    }
    if (way == ENLARGED && (height % h || width % w)) return false;
    bool shrunk = way == MOST_COMMON || way == MOST_COMMON_INK;
    if (shrunk && (h % height || w % width)) return false;
    for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) {
            int a = i, b = j;
            int8_t& cell = to[i * width + j];
            switch (way) {
                case TILED:
                    a = i % h, b = j % w;
                    break;
                case MIRROR_TILED:
                    a = i % (2 * h), b = j % (2 * w);
                    if (a >= h) a = 2 * h - 1 - a;
                    if (b >= w) b = 2 * w - 1 - b;
                    break;
                case ENLARGED:
                    a = i / (height / h), b = j / (width / w);
                    break;
                case CENTRED:  // half the difference, rounded down as the language divides
                    a = i - ((height - h) >> 1), b = j - ((width - w) >> 1);
                    break;
                default:
                    break;
            }
            if (shrunk) {
                int tall = h / height, wide = w / width;
                cell = most_common(from + i * tall * w + j * wide, u32(w), tall, wide, way == MOST_COMMON_INK);
            } else {
                cell = a >= 0 && a < h && b >= 0 && b < w ? from[a * w + b] : int8_t(0);
            }
        }
    return true;
}

}  // namespace arcbatt::search
