#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/exit_code.h"

namespace xsp {

class OptionSet;

// One run of a command: takes options, then does the work.
class Action {
 public:
  virtual ~Action() = default;

  // Declares options and arguments; their values live in this object.
  virtual void AddOptions(OptionSet& options) = 0;

  // Does the work with what was given. Throws Error.
  virtual ExitCode Run() = 0;

  // Instead of Run, where what was given makes no sense: for results that somebody waits for.
  virtual void Refuse(const std::string& /*message*/) {}
};

struct Example {
  std::string_view command;
  std::string_view what;
};

// A command as its users see it. Each is one file cmd_<name>.cc, and one row in commands.cc; help,
// completions and the man page come from here.
struct Command {
  std::string_view name;
  std::string_view group;     // The heading under which `xsp --help` lists it.
  std::string_view one_line;  // Not longer than a line, no full stop.
  std::string_view details;   // Paragraphs for its own help.
  std::array<Example, 2> examples;
  std::unique_ptr<Action> (*make)();
};

// All commands, in the order in which help lists them.
std::span<const Command* const> AllCommands();

// Nothing if there is no command of that name.
const Command* FindCommand(std::string_view name);

}  // namespace xsp
