#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/options/option_set.h"

namespace xsp {

// A command with its options declared, ready to take arguments. Help, completions and the man page
// read `options`, too.
struct PreparedCommand {
  const Command* command;
  std::unique_ptr<Action> action;
  OptionSet options;

  explicit PreparedCommand(const Command& of) : command(&of), action(of.make()), options(of.name) {
    action->AddOptions(options);
  }
};

}  // namespace xsp
