#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/analyses/catalog.h"
#include "hierarchy/analyses/runs.h"
#include "model/names/kernel_names.h"
#include "report/tables/table.h"

namespace xsp {

// What the tables of the analyses are made from.
struct AnalysisData {
  const std::vector<BatchProfile>& batches;  // Ascending by batch size.
  std::optional<OptimalBatch> optimal;
  const BatchProfile& shown;  // The one whose layers and kernels are shown.
  NameForm names = NameForm::kShort;
};

// How the rows of a table come.
enum class AnalysisRowOrder : std::uint8_t {
  kAsDefined,  // What XSP plots over the layers in order of execution, the rest largest first.
  kLargest,    // Always the largest first.
};

// The table of one analysis with all its rows; every column is there, unknown where it must be.
Table AnalysisTable(AnalysisId id, const AnalysisData& data, AnalysisRowOrder order);

}  // namespace xsp
