#pragma once

#include "diff/comparison.h"
#include "report/report.h"

namespace xsp {

// The fields of `xsp diff --format json`, as docs/diff.schema.json describes them; long lists are
// added to the report as rows.
void AddDiffFields(const Comparison& comparison, Report& report);

}  // namespace xsp
