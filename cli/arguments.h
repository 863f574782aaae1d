#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
}

namespace xsp {

// A command with its options declared, ready to take arguments. Help, completions and the man page
// read the options from `app`.
struct PreparedCommand {
  const Command* command;
  std::unique_ptr<Action> action;
  std::unique_ptr<CLI::App> app;

  explicit PreparedCommand(const Command& of);
  PreparedCommand(PreparedCommand&&) noexcept;
  ~PreparedCommand();

  // Gives the arguments to the command's options. False if they ask for help instead. Throws Error,
  // with a suggestion where something was mistyped.
  bool Parse(const std::vector<std::string>& arguments);
};

}  // namespace xsp
