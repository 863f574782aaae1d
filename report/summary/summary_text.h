#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/summary/summary.h"

// A summary as text that can be kept, and back.
namespace xsp {

// Nothing where it would not come back as it is: names that are no UTF-8, figures that no reader
// takes.
std::optional<std::string> TextOf(const Summary& summary);

// The reader takes nothing on trust. Nothing for a text that is no summary, or one with figures
// that no trace gives: whoever shows a summary adds them up and relies on what they mean.
std::optional<Summary> SummaryFromText(std::string_view text);

}  // namespace xsp
