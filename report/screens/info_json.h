#pragma once

#include <optional>

#include "model/trace.h"
#include "report/screens/info_facts.h"
#include "report/screens/info_report.h"
#include "report/tables/json.h"

namespace xsp {

// The fields of `info --format json`.
Json InfoToJson(const Trace& trace, const InfoFacts& facts, const std::optional<StepsInfo>& steps);

// {kind: n}.
Json CountsToJson(const std::vector<std::pair<std::string, std::uint64_t>>& counts);

}  // namespace xsp
