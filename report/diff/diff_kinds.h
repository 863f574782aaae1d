#pragma once

#include <string>
#include <vector>

#include "diff/comparison.h"
#include "model/time.h"
#include "report/tables/table.h"

namespace xsp {

// What the unit's time went to on each side, all places together: the first thing to read of a
// comparison.
struct KindRow {
  std::string name;  // "launching"; of the last row, the unit.
  DurationNs base = 0;
  DurationNs now = 0;
  DurationNs delta = 0;
  bool is_large = false;  // At least a tenth of the largest change, or the unit's own.
  std::string more;       // What there is of it: "1,221 → 18 kernels, summed 74.3 → 73.9 ms".
};

// The largest change first, then the residual, then the unit, to which the others add up. Kinds
// that take no time on either side are left out.
std::vector<KindRow> KindRows(const Comparison& comparison);

Table KindTable(const Comparison& comparison);

}  // namespace xsp
