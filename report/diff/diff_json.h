#pragma once

#include "diff/comparison.h"
#include "report/tables/json.h"

namespace xsp {

// The fields of `xsp diff --format json`, as docs/diff.schema.json describes them, for a report
// with the tables "contributions" and "changes".
Json DiffJson(const Comparison& comparison);

}  // namespace xsp
