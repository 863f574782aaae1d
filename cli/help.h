#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"

namespace CLI {
class Option;
}

namespace xsp {

// `xsp --help`: what the program is, and its commands, one line each.
std::string ProgramHelp();

// `xsp help COMMAND`: usage, what it does, options by group, examples.
std::string CommandHelp(const PreparedCommand& prepared);

// An option as help, completions and man page show it.
struct OptionHelp {
  std::string flags;  // "-o", "--format".
  std::string value;  // "DIR"; empty for a flag.
  std::string description;
  std::string group;
  std::vector<std::string> words;  // What the value may be, where that is a short list.
};
// Options in the order in which they were declared; positional arguments are not among them.
std::vector<OptionHelp> OptionsOf(const PreparedCommand& prepared);

// "xsp import FILE... [options]".
std::string UsageOf(const PreparedCommand& prepared);

}  // namespace xsp
