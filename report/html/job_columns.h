#pragma once

#include <cstddef>

#include "report/tables/json.h"
#include "sim/ranks/rank_waits.h"

namespace xsp {

// A job of many ranks for the page, beside the document of `xsp ranks`: what every step of every
// rank went to, and for some steps who came when to each joint operation. The typical step (by what
// was waited in it) comes first, then the one with most waiting, then others as far as `budget`
// bytes go. Columns are packed; job.js draws them.
Json JobColumns(const JobOperations& job, std::size_t budget);

}  // namespace xsp
