#pragma once

#include <string_view>

namespace xsp {

// Another one for every change of the sources that results come from (cmake/RulesVersion.cmake):
// what was kept under another version is worked out anew.
std::string_view RulesVersion();

}  // namespace xsp
