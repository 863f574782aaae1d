#pragma once

#include <string>

#include "cli/options/arguments.h"

namespace xsp {

// `xsp --help`: what the program is, and its commands, one line each.
std::string ProgramHelp();

// `xsp help COMMAND`: usage, what it does, options by group, examples.
std::string CommandHelp(const PreparedCommand& prepared);

// "xsp import FILE... [options]".
std::string UsageOf(const PreparedCommand& prepared);

}  // namespace xsp
