#pragma once

#include <string>

#include "report/tables/table.h"

namespace xsp {

// A text, or unknown where there is none.
inline Cell TextOrNothing(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

}  // namespace xsp
