#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

// How deep in the stack a node of the hierarchy stands. A node's level is never above that of its
// parent; levels may be left out and may repeat (a layer in a layer).
enum class Level : std::uint8_t {
  kTrace = 0,  // The root.
  kRank,       // A process and device, where there are several.
  kStep,       // An iteration of the program, or [outside steps].
  kPhase,      // Forward, backward, optimizer, ...; any outermost range of the user.
  kLayer,
  kOp,       // An operation of the framework.
  kLibrary,  // A call into cuBLAS, cuDNN, NCCL, MPI, ...
  kApi,      // A CUDA call.
  kDevice,   // Kernels, copies, memsets.
};
inline constexpr std::size_t kLevelCount = static_cast<std::size_t>(Level::kDevice) + 1;

// By which fact a node or a piece of device work has its place.
enum class Source : std::uint8_t {
  kNone = 0,    // Nothing tells: [unattributed].
  kRange,       // A host range holds its launch.
  kSequence,    // The framework's sequence number links it with a forward operation.
  kCapture,     // It was recorded into a CUDA graph while a range was open.
  kTemporal,    // Another thread had a range open at that time; or it lies before or after others.
  kRepetition,  // The same sequence of work comes again and again.
  kClass,       // What its name says it does.
};
inline constexpr std::size_t kSourceCount = static_cast<std::size_t>(Source::kClass) + 1;

// Which part of a step a piece of work belongs to.
enum class Phase : std::uint8_t {
  kNone = 0,
  kDataLoading,
  kForward,
  kBackward,
  kCommunication,
  kOptimizer,
  kPreProcess,
  kPredict,
  kPostProcess,
};
inline constexpr std::size_t kPhaseCount = static_cast<std::size_t>(Phase::kPostProcess) + 1;

// Names as in JSON and on the command line; they never change once released.
std::string_view NameOf(Level level);
std::string_view NameOf(Source source);
std::string_view NameOf(Phase phase);
std::optional<Level> LevelFromName(std::string_view name);
std::optional<Phase> PhaseFromName(std::string_view name);

}  // namespace xsp
