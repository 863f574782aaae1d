#pragma once

#include <string>

namespace xsp {

// `xsp --generate bash|zsh|man`: files for an installed xsp, from the command table. Throws Error
// for anything else.
std::string Generate(const std::string& what);

}  // namespace xsp
