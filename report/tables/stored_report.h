#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/tables/report.h"

// A report as text that can be kept, and back.
namespace xsp {

// Nothing where it would not come back as it is: names that are no UTF-8, figures that no reader
// takes, whole documents.
std::optional<std::string> TextOf(const Report& report);

// The reader takes nothing on trust: nothing for a text that is no report, or one that would do
// harm when it is shown. Of what it says, only who wrote it knows whether it is true.
std::optional<Report> ReportFromText(std::string_view text);

}  // namespace xsp
