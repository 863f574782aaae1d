#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "report/text.h"

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

std::string FlagsOf(const CLI::Option& option) {
  std::string flags;
  for (const std::string& name : option.get_snames()) flags += (flags.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) {
    flags += (flags.empty() ? "--" : ", --") + name;
  }
  return flags;
}

std::vector<std::string> WordsOf(const std::string& value) {
  // "PID|NAME" stands for anything; lists of words are in lower case.
  const bool is_list = value.find('|') != std::string::npos &&
                       std::none_of(value.begin(), value.end(),
                                    [](unsigned char c) { return std::isupper(c) != 0; });
  std::vector<std::string> words;
  for (std::size_t at = 0; is_list && at <= value.size();) {
    const std::size_t bar = std::min(value.find('|', at), value.size());
    words.push_back(value.substr(at, bar - at));
    at = bar + 1;
  }
  return words;
}

}  // namespace

std::vector<OptionHelp> OptionsOf(const PreparedCommand& prepared) {
  std::vector<OptionHelp> options;
  for (const CLI::Option* option : prepared.app->get_options()) {
    if (option->get_positional()) continue;
    OptionHelp help;
    help.flags = FlagsOf(*option);
    const bool takes_value = option->get_items_expected_max() > 0;
    if (takes_value) help.value = option->get_type_name();
    help.description = option->get_description();
    help.group = option->get_group();
    help.words = WordsOf(help.value);
    options.push_back(std::move(help));
  }
  return options;
}

std::string UsageOf(const PreparedCommand& prepared) {
  std::string usage = "xsp " + std::string(prepared.command->name);
  for (const CLI::Option* option : prepared.app->get_options()) {
    if (!option->get_positional()) continue;
    usage += " " + option->get_name(true) + (option->get_items_expected_max() > 1 ? "..." : "");
  }
  return usage + " [options]";
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
      "\nA TRACE is a .sqlite export of nsys, a .nsys-rep, or a stored .xsp folder.\n"
      "'xsp help COMMAND' explains a command and shows examples. 'xsp --version' tells the "
      "version.\n"
      "Exit codes: 0 fine, 1 a gate failed, 2 trouble, 130 interrupted.\n";
  return text;
}

std::string CommandHelp(const PreparedCommand& prepared) {
  const Command& command = *prepared.command;
  std::string text = std::string(command.name) + ": " + std::string(command.one_line) +
                     "\n\nusage: " + UsageOf(prepared) + "\n\n" + std::string(command.details) +
                     "\n";
  std::vector<std::pair<std::string, std::string>> arguments;
  for (const CLI::Option* option : prepared.app->get_options()) {
    if (option->get_positional()) {
      arguments.emplace_back(option->get_name(true), option->get_description());
    }
  }
  if (!arguments.empty()) text += "\nArguments\n" + Definitions(arguments, kHelpWidth);

  const std::vector<OptionHelp> options = OptionsOf(prepared);
  std::vector<std::string> groups;
  for (const OptionHelp& option : options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  for (const std::string& group : groups) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const OptionHelp& option : options) {
      if (option.group != group) continue;
      rows.emplace_back(option.flags + (option.value.empty() ? "" : " " + option.value),
                        option.description);
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
