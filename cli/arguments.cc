#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "cli/suggest.h"
#include "model/error.h"

namespace xsp {
namespace {

std::string SeeHelp(std::string_view command) {
  return "see 'xsp help " + std::string(command) + "'";
}

bool LooksLikeOption(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return false;
  return std::isdigit(static_cast<unsigned char>(argument[1])) == 0 && argument[1] != '.';
}

// The option's name in "--name=value", "--name" or "-o...".
std::string OptionName(const std::string& argument) {
  if (argument.starts_with("--")) return argument.substr(0, argument.find('='));
  return argument.substr(0, 2);
}

std::vector<std::string> LongNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// An unknown option is the first thing to tell: what else seems wrong may follow from it.
void CheckOptionNames(const CLI::App& app, const std::vector<std::string>& arguments,
                      std::string_view command) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (!LooksLikeOption(argument)) continue;
    const std::string name = OptionName(argument);
    if (app.get_option_no_throw(name) != nullptr) continue;
    const std::string meant = DidYouMean(name, LongNames(app));
    throw Error("unknown option " + name, meant.empty() ? SeeHelp(command) : meant);
  }
}

// The first argument for which there is no place.
std::string FirstExtra(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  return extras.empty() ? "" : extras.front();
}

}  // namespace

PreparedCommand::PreparedCommand(const Command& of)
    : command(&of),
      action(of.make()),
      app(std::make_unique<CLI::App>(std::string(of.one_line), "xsp " + std::string(of.name))) {
  app->set_help_flag("-h,--help", "This help");
  action->AddOptions(*app);
}

PreparedCommand::PreparedCommand(PreparedCommand&&) noexcept = default;
PreparedCommand::~PreparedCommand() = default;

bool PreparedCommand::Parse(const std::vector<std::string>& arguments) {
  CheckOptionNames(*app, arguments, command->name);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app->parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ExtrasError&) {
    throw Error("unexpected argument '" + FirstExtra(*app) + "'", SeeHelp(command->name));
  } catch (const CLI::ValidationError& error) {
    throw Error(error.what());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    throw Error(message.substr(0, message.find(':')) + " needs a value", SeeHelp(command->name));
  } catch (const CLI::ConversionError& error) {
    const std::string message = error.what();  // "Could not convert: --top = many"
    throw Error(
        "cannot understand" + message.substr(std::min(message.find(':') + 1, message.size())),
        SeeHelp(command->name));
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(command->name) + ": " + error.what(), SeeHelp(command->name));
  }
  return true;
}

}  // namespace xsp
