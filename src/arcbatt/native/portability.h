// Everything that differs between the places this code is compiled for:
//   - the CPU extension (any C++17 compiler), one lane a group;
//   - the same on the CPU with 32 lanes emulated, for tests and fuzzers (AB_LANES=32);
//   - NVIDIA GPUs through NVRTC or nvcc, a warp a group, no standard headers.
#pragma once

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <cstdint>
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define AB_FN __device__ inline
#else
#define AB_FN inline
#endif

#ifndef AB_LANES
#define AB_LANES 1
#endif

namespace arcbatt {

using i8 = int8_t;
using u8 = uint8_t;
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

AB_FN i32 magnitude(i32 x) { return x < 0 ? -x : x; }

}  // namespace arcbatt
