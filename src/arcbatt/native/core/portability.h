// Everything that differs between the places this code is compiled for:
//   - the CPU extension (any C++17 compiler), one lane per group;
//   - the same on the CPU with 32 lanes per group, for tests: testing/emulated_warp.h schedules them (AB_LANES=32);
//   - NVIDIA GPUs from sm_60 on through NVRTC or nvcc, one warp per group (AB_LANES=32), one thread (AB_LANES=1) or one
//     block (more, waves/kernel.h), no standard headers.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define AB_DEVICE 1
#else
#define AB_DEVICE 0
#endif

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <cstdint>
#endif

// AB_CALL is for what is big and called from many places: on the GPU a call of its own, so that the kernel stays small
// enough for its compiler and its instruction cache.
// AB_INLINE is for a piece of one function that stands by itself for the reader: never a call.
// AB_APART stands before loops whose turns have nothing to do with one another, so that a CPU may do several at a time.
// AB_ROLLED stands before loops that are not to be unrolled there, for the same reason; AB_UNROLLED before those that
// wait for memory, so that several loads are on their way at a time.
// AB_WAVES is set where a kernel is for one operation, so that none of it is called from many places.
#ifndef AB_WAVES
#define AB_WAVES 0
#endif
#if AB_DEVICE
#define AB_FN __device__ inline
#define AB_INLINE __device__ __forceinline__
#if AB_WAVES
#define AB_CALL __device__ inline
#else
#define AB_CALL __device__ __noinline__
#endif
#define AB_APART
#define AB_ROLLED _Pragma("unroll 1")
#define AB_UNROLLED _Pragma("unroll 4")
#else
#define AB_FN inline
#if defined(__GNUC__)
#define AB_INLINE inline __attribute__((always_inline))
#else
#define AB_INLINE inline
#endif
#define AB_CALL inline
#if defined(__clang__)
#define AB_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define AB_APART _Pragma("GCC ivdep")
#else
#define AB_APART
#endif
#define AB_ROLLED
#define AB_UNROLLED
#endif

#ifndef AB_LANES
#define AB_LANES 1
#endif
static_assert(AB_LANES == 1 || (AB_LANES >= 32 && (AB_LANES & (AB_LANES - 1)) == 0), "a thread, a warp or a block");
// Set where a group is a warp, whose lanes can look at each other's registers.
#define AB_WARP (AB_LANES == 32)

namespace arcbatt {

using i8 = int8_t;
using u8 = uint8_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;

constexpr i32 INT_LEAST = -2147483647 - 1;
constexpr i32 INT_MOST = 2147483647;

template <class T>
AB_FN T least(T a, T b) {
    return b < a ? b : a;
}

template <class T>
AB_FN T most(T a, T b) {
    return a < b ? b : a;
}

// What lies at an address, which launches are given as numbers.
template <class T>
AB_FN T* device_pointer(u64 address) {
    return reinterpret_cast<T*>(address);
}

AB_FN i32 magnitude(i32 x) { return x < 0 ? -x : x; }

// Add to a word that others may change at the same time; what it was.
AB_FN u32 fetch_add(u32& word, u32 by) {
#if AB_DEVICE
    return atomicAdd(&word, by);
#else
    u32 before = word;
    word += by;
    return before;
#endif
}
AB_FN u64 fetch_add(u64& word, u64 by) {
#if AB_DEVICE
    return atomicAdd(reinterpret_cast<unsigned long long*>(&word), by);
#else
    u64 before = word;
    word += by;
    return before;
#endif
}
// The same where many threads add to one word: those of a warp that come at the same time add once for all of them.
// Each has what it would have if they came one after the other.
AB_FN u64 fetch_add_together(u64& word, u32 by) {
#if AB_DEVICE && AB_LANES == 1
    u64 mine = u64(&word);
    u32 lane = threadIdx.x % 32;
    for (;;) {
        u32 active = __activemask();
        int leader = __ffs(int(active)) - 1;
        u64 chosen = __shfl_sync(active, mine, leader);
        u32 same = __ballot_sync(active, chosen == mine);
        if (chosen != mine) continue;
        u64 before = 0, all = 0;
        for (u32 left = same; left; left &= left - 1) {
            int one = __ffs(int(left)) - 1;
            u32 x = __shfl_sync(same, by, one);
            before += u32(one) < lane ? x : 0;
            all += x;
        }
        u64 at = int(lane) == leader ? fetch_add(word, all) : 0;
        return __shfl_sync(same, at, leader) + before;
    }
#else
    return fetch_add(word, u64(by));
#endif
}
// Make a word the lesser, or the greater, of itself and a number, though others may change it at the same time; of the
// former, what it was.
AB_FN u32 fetch_least(u32& word, u32 x) {
#if AB_DEVICE
    return atomicMin(&word, x);
#else
    u32 before = word;
    word = least(before, x);
    return before;
#endif
}
AB_FN u64 fetch_least(u64& word, u64 x) {
#if AB_DEVICE
    return atomicMin(reinterpret_cast<unsigned long long*>(&word), x);
#else
    u64 before = word;
    word = least(before, x);
    return before;
#endif
}
AB_FN void fetch_most(u32& word, u32 x) {
#if AB_DEVICE
    atomicMax(&word, x);
#else
    word = most(word, x);
#endif
}
// Make a word another if it is what it was thought to be; whether it was.
AB_FN bool compare_exchange(u32& word, u32 was, u32 becomes) {
#if AB_DEVICE
    return atomicCAS(&word, was, becomes) == was;
#else
    if (word != was) return false;
    word = becomes;
    return true;
#endif
}
// The same, and what it was.
AB_FN u64 compare_swap(u64& word, u64 was, u64 becomes) {
#if AB_DEVICE
    return atomicCAS(reinterpret_cast<unsigned long long*>(&word), was, becomes);
#else
    u64 before = word;
    if (before == was) word = becomes;
    return before;
#endif
}
#if !AB_DEVICE
// A flag that another thread sets.
AB_FN bool load_flag(const u8* flag) {
#if defined(__GNUC__)
    return __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
#else
    return *const_cast<const volatile u8*>(flag) != 0;
#endif
}
#endif
// A word as it is now, whoever wrote it.
AB_FN u32 load_volatile(const u32& word) { return *const_cast<const volatile u32*>(&word); }
AB_FN void fetch_or(u32& word, u32 bits) {
#if AB_DEVICE
    atomicOr(&word, bits);
#else
    word |= bits;
#endif
}

AB_FN u32 lowest_bit(u64 x) {
#if AB_DEVICE
    return u32(__ffsll(i64(x))) - 1;
#elif defined(__GNUC__)
    return u32(__builtin_ctzll(x));
#else
    u32 n = 0;
    for (; (x & 1) == 0; x >>= 1) ++n;
    return n;
#endif
}

AB_FN u32 lowest_bit(u32 x) {
#if AB_DEVICE
    return u32(__ffs(i32(x))) - 1;
#else
    return lowest_bit(u64(x));
#endif
}

AB_FN u32 leading_zeros(u32 x) {
#if AB_DEVICE
    return u32(__clz(i32(x)));
#elif defined(__GNUC__)
    return u32(__builtin_clz(x));
#else
    u32 n = 0;
    for (; (x >> 31) == 0; x <<= 1) ++n;
    return n;
#endif
}

AB_FN u32 count_bits(u64 x) {
#if AB_DEVICE
    return u32(__popcll(x));
#else
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return u32((x * 0x0101010101010101u) >> 56);
#endif
}
// A GPU's registers have 32 bits.
AB_FN u32 count_bits(u32 x) {
#if AB_DEVICE
    return u32(__popc(x));
#else
    return count_bits(u64(x));
#endif
}

}  // namespace arcbatt
