#pragma once

#include <cstddef>

// What the program of the self-test does, and so what its recording must hold.
namespace xsp::live {

inline constexpr int kSelfTestSteps = 3;     // NVTX ranges, each with one inside.
inline constexpr int kSelfTestKernels = 10;  // In each step.
inline constexpr int kSelfTestTimed = 1000;  // Launches that are timed, behind the steps,
inline constexpr int kSelfTestRounds = 5;    // so many times.
inline constexpr std::size_t kSelfTestBytes = std::size_t{1} << 20;  // Of each copy and memset.
inline constexpr unsigned kSelfTestGrid = 4;
inline constexpr unsigned kSelfTestBlock = 64;
inline constexpr const char* kSelfTestKernel = "xsp_self_test";
inline constexpr int kSelfTestExit = 7;

}  // namespace xsp::live
