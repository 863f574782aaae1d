#include "hierarchy/level.h"

#include "base/enum_names.h"

namespace xsp {
namespace {

constexpr EnumNames<Level::kDevice> kLevelNames({"trace", "rank", "step", "phase", "layer", "op",
                                                 "library", "api", "device"});
constexpr EnumNames<Source::kClass> kSourceNames({"unattributed", "range", "sequence number",
                                                  "capture", "temporal", "repetition", "class"});
constexpr EnumNames<Phase::kPostProcess> kPhaseNames({"", "data loading", "forward", "backward",
                                                      "communication", "optimizer", "pre-process",
                                                      "predict", "post-process"});

}  // namespace

std::string_view NameOf(Level level) { return kLevelNames[level]; }
std::string_view NameOf(Source source) { return kSourceNames[source]; }
std::string_view NameOf(Phase phase) { return kPhaseNames[phase]; }

std::optional<Level> LevelFromName(std::string_view name) { return kLevelNames.Find(name); }
std::optional<Phase> PhaseFromName(std::string_view name) { return kPhaseNames.Find(name); }

}  // namespace xsp
