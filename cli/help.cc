#include "cli/help.h"

#include <algorithm>

#include "report/tables/text.h"

namespace xsp {
namespace {

constexpr std::size_t kHelpWidth = 100;

// Two columns: terms, and what they mean.
std::string Definitions(const std::vector<std::pair<std::string, std::string>>& rows,
                        std::size_t widest_allowed) {
  std::size_t widest = 0;
  for (const auto& [term, meaning] : rows) {
    if (term.size() <= widest_allowed) widest = std::max(widest, term.size());
  }
  const std::size_t indent = widest + 4;
  std::string text;
  for (const auto& [term, meaning] : rows) {
    text += "  " + PadRight(term, widest);
    text += term.size() > widest ? "\n" + std::string(indent, ' ') : "  ";
    text += Wrapped(meaning, kHelpWidth, indent) + "\n";
  }
  return text;
}

// " FILE"; "[=fp16]" for a flag that may carry a value.
std::string ValueAfter(const DeclaredOption& option) {
  return option.value.empty() || option.value.starts_with('[') ? option.value : " " + option.value;
}

}  // namespace

std::string UsageOf(const PreparedCommand& prepared) {
  std::string usage = "xsp " + std::string(prepared.command->name);
  std::string program;
  for (const DeclaredOption& argument : prepared.options.Declared()) {
    if (argument.name.empty()) continue;
    if (argument.after_dashes) {
      program = " -- " + argument.name + " [ARGUMENT...]";
    } else {
      usage += " " + argument.name + (argument.takes_several ? "..." : "");
    }
  }
  return usage + " [options]" + program;
}

std::string ProgramHelp() {
  std::string text =
      "xsp: where the time of a GPU program went, and what would change if\n"
      "\n"
      "usage: xsp TRACE [options]\n"
      "       xsp COMMAND TRACE [options]\n";
  std::vector<std::string_view> groups;
  for (const Command* command : AllCommands()) {
    if (std::find(groups.begin(), groups.end(), command->group) == groups.end()) {
      groups.push_back(command->group);
    }
  }
  for (std::string_view group : groups) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Command* command : AllCommands()) {
      if (command->group == group) rows.emplace_back(command->name, command->one_line);
    }
    text += "\n" + std::string(group) + "\n" + Definitions(rows, kHelpWidth);
  }
  text +=
      "\nA TRACE is a .sqlite export of nsys, a .nsys-rep, a Kineto .json[.gz] of the PyTorch "
      "profiler,\n"
      "or a stored .xsp folder.\n"
      "'xsp help COMMAND' explains a command and shows examples. 'xsp --version' tells the "
      "version.\n"
      "docs/glossary.md explains the words of all tables.\n"
      "Exit codes: 0 fine, 1 a gate failed, 2 trouble, 130 interrupted.\n";
  return text;
}

std::string CommandHelp(const PreparedCommand& prepared) {
  const Command& command = *prepared.command;
  std::string text = std::string(command.name) + ": " + std::string(command.one_line) +
                     "\n\nusage: " + UsageOf(prepared) + "\n\n" + std::string(command.details) +
                     "\n";
  std::vector<std::pair<std::string, std::string>> arguments;
  std::vector<DeclaredOption> options = prepared.options.Declared();
  for (const DeclaredOption& argument : options) {
    if (!argument.name.empty()) arguments.emplace_back(argument.name, argument.description);
  }
  std::erase_if(options, [](const DeclaredOption& option) { return option.flags.empty(); });
  if (!arguments.empty()) text += "\nArguments\n" + Definitions(arguments, kHelpWidth);

  std::vector<std::string> groups;
  for (const DeclaredOption& option : options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  for (const std::string& group : groups) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const DeclaredOption& option : options) {
      if (option.group != group) continue;
      rows.emplace_back(option.flags + ValueAfter(option), option.description);
    }
    text += "\n" + group + "\n" + Definitions(rows, 38);
  }
  text += "\nExamples\n";
  for (const Example& example : command.examples) {
    text += "  " + std::string(example.command) + "\n      " + std::string(example.what) + "\n";
  }
  return text;
}

}  // namespace xsp
