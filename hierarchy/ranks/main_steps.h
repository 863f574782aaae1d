#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/rank_tables.h"

namespace xsp {

// The kind of counted steps that ranks spend most time in: steps of several kinds, such as prefill
// and decode, are never averaged. Empty: there are no kinds; nothing: no step counts.
std::optional<std::string> MainKind(std::span<const RankTables> ranks);

// The counted steps of a kind, in order.
std::vector<RankStep> CountedOfKind(const RankTables& rank, std::string_view kind);

}  // namespace xsp
