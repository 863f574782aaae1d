#include "hierarchy/level.h"

namespace xsp {
namespace {

constexpr std::array<std::string_view, kLevelCount> kLevelNames = {
    "trace", "rank", "step", "phase", "layer", "op", "library", "api", "device"};
constexpr std::array<std::string_view, kSourceCount> kSourceNames = {
    "unattributed", "range", "sequence number", "capture", "temporal", "repetition", "class"};
constexpr std::array<std::string_view, kPhaseCount> kPhaseNames = {
    "",          "data loading", "forward", "backward",    "communication",
    "optimizer", "pre-process",  "predict", "post-process"};

}  // namespace

std::string_view NameOf(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }
std::string_view NameOf(Source source) { return kSourceNames[static_cast<std::size_t>(source)]; }
std::string_view NameOf(Phase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }

std::optional<Level> LevelFromName(std::string_view name) {
  for (std::size_t i = 0; i < kLevelCount; ++i) {
    if (kLevelNames[i] == name) return static_cast<Level>(i);
  }
  return std::nullopt;
}

}  // namespace xsp
