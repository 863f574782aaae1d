#include "cli/options/option_set.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"

namespace xsp {
namespace {

// Read into an unsigned number, -1 would become the largest one.
std::string RefuseNegative(const std::string& text) {
  return text.starts_with('-') ? "cannot be less than 0" : "";
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

std::string FlagsOf(const CLI::Option& option) {
  std::string flags;
  for (const std::string& name : option.get_snames()) flags += (flags.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) {
    flags += (flags.empty() ? "--" : ", --") + name;
  }
  return flags;
}

// "PID|NAME" stands for anything; lists of words are in lower case.
std::vector<std::string> WordsOf(const std::string& value) {
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

OptionRef& OptionRef::Value(const std::string& name) {
  option_->type_name(name);
  return *this;
}

OptionRef& OptionRef::Group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

OptionRef& OptionRef::Required() {
  option_->required();
  return *this;
}

OptionRef& OptionRef::Commas() {
  option_->allow_extra_args(false)->delimiter(',');
  return *this;
}

OptionRef& OptionRef::Repeatable() {
  option_->allow_extra_args(false);
  return *this;
}

OptionRef& OptionRef::Words(std::vector<std::string> words) {
  (*words_)[option_] = std::move(words);
  return *this;
}

OptionSet::OptionSet(std::string_view command)
    : command_(command), app_(std::make_unique<CLI::App>("", "xsp " + command_)) {
  app_->set_help_flag("-h,--help", "This help");
}

OptionSet::OptionSet(OptionSet&&) noexcept = default;
OptionSet::~OptionSet() = default;

OptionRef OptionSet::Add(const std::string& flags, std::string& value,
                         const std::string& description) {
  return Ref(app_->add_option(flags, value, description)->type_name(""));
}

OptionRef OptionSet::Add(const std::string& flags, double& value, const std::string& description) {
  return Ref(app_->add_option(flags, value, description));
}

OptionRef OptionSet::Add(const std::string& flags, std::vector<std::string>& values,
                         const std::string& description) {
  return Ref(app_->add_option(flags, values, description)->type_name(""));
}

template <class T>
OptionRef OptionSet::AddNumber(const std::string& flags, T& value, const std::string& description) {
  return Ref(app_->add_option(flags, value, description)->type_name("N")->check(RefuseNegative));
}

OptionRef OptionSet::Add(const std::string& flags, std::size_t& value,
                         const std::string& description) {
  return AddNumber(flags, value, description);
}

OptionRef OptionSet::Add(const std::string& flags, std::optional<std::size_t>& value,
                         const std::string& description) {
  return AddNumber(flags, value, description);
}

OptionRef OptionSet::Add(const std::string& flags, std::optional<std::uint32_t>& value,
                         const std::string& description) {
  return AddNumber(flags, value, description);
}

OptionRef OptionSet::Add(const std::string& flags, std::vector<std::uint32_t>& values,
                         const std::string& description) {
  return AddNumber(flags, values, description);
}

OptionRef OptionSet::Add(const std::string& flags, std::vector<std::uint64_t>& values,
                         const std::string& description) {
  return AddNumber(flags, values, description);
}

OptionRef OptionSet::Flag(const std::string& flags, bool& value, const std::string& description) {
  return Ref(app_->add_flag(flags, value, description));
}

OptionRef OptionSet::Each(const std::string& flags, std::function<void(const std::string&)> apply,
                          const std::string& description) {
  CLI::Option* option = app_->add_option(
      flags,
      [apply = std::move(apply)](const CLI::results_t& results) {
        for (const std::string& result : results) apply(result);
        return true;
      },
      description);
  return Ref(option->trigger_on_parse()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

OptionRef OptionSet::FlagWithValue(const std::string& flags,
                                   std::function<void(const std::string&)> apply,
                                   const std::string& description) {
  CLI::Option* option = app_->add_option(
      flags,
      [apply = std::move(apply)](const CLI::results_t& results) {
        for (const std::string& result : results) apply(result == "true" ? "" : result);
        return true;
      },
      description);
  // CLI11 takes an option without room for a value for a flag, and gives it "true".
  return Ref(option->type_size(0)->expected(0)->trigger_on_parse()->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll));
}

OptionRef OptionSet::Choice(const std::string& flags, const std::vector<std::string>& words,
                            std::function<void(std::size_t)> apply,
                            const std::string& description) {
  return Each(
             flags,
             [flags, words, apply = std::move(apply)](const std::string& word) {
               apply(IndexOfWord(flags, word, words));
             },
             description)
      .Value(Joined(words, "|"));
}

void OptionSet::AddProgram(const std::string& name, std::vector<std::string>& words,
                           const std::string& description) {
  program_.name = name;
  program_.description = description;
  program_.takes_several = true;
  program_.after_dashes = true;
  words_ = &words;
}

std::vector<DeclaredOption> OptionSet::Declared() const {
  std::vector<DeclaredOption> all;
  for (const CLI::Option* option : app_->get_options()) {
    DeclaredOption declared;
    if (option->get_positional()) {
      declared.name = option->get_name(true);
      declared.takes_several = option->get_items_expected_max() > 1;
    } else {
      declared.flags = FlagsOf(*option);
    }
    const std::string& type = option->get_type_name();
    // A flag that may carry a value shows it as "[=fp16]".
    if (option->get_items_expected_max() > 0 || type.starts_with('[')) declared.value = type;
    const auto words = word_lists_.find(option);
    declared.words = words != word_lists_.end() ? words->second : WordsOf(declared.value);
    declared.description = option->get_description();
    declared.group = option->get_group();
    all.push_back(std::move(declared));
  }
  if (words_ != nullptr) all.push_back(program_);
  return all;
}

std::vector<std::string> OptionSet::Arguments() const {
  std::vector<std::string> all;
  for (const CLI::Option* option : app_->get_options()) {
    if (!option->get_positional()) continue;
    all.insert(all.end(), option->results().begin(), option->results().end());
  }
  return all;
}

std::string OptionSet::SeeHelp() const { return "see 'xsp help " + command_ + "'"; }

// An unknown option is the first thing to tell: what else seems wrong may follow from it.
void OptionSet::CheckNames(const std::vector<std::string>& arguments) const {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (!LooksLikeOption(argument)) continue;
    const std::string name = OptionName(argument);
    if (app_->get_option_no_throw(name) != nullptr) continue;
    const std::string meant = DidYouMean(name, LongNames(*app_));
    throw Error("unknown option " + name, meant.empty() ? SeeHelp() : meant);
  }
}

void OptionSet::CheckNoneIsEmpty() const {
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_positional() || option->get_items_expected_max() == 0) continue;
    for (const std::string& value : option->results()) {
      if (value.empty()) {
        throw Error(option->get_name() + " is empty", "give it a value, or leave it out");
      }
    }
  }
}

bool OptionSet::Parse(const std::vector<std::string>& arguments) {
  CheckNames(arguments);
  auto end = arguments.end();
  if (words_ != nullptr) {
    end = std::find(arguments.begin(), arguments.end(), "--");
    if (end != arguments.end()) words_->assign(end + 1, arguments.end());
  }
  std::vector<std::string> reversed(std::make_reverse_iterator(end), arguments.rend());
  try {
    app_->parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app_->remaining();
    throw Error("unexpected argument '" + (extras.empty() ? "" : extras.front()) + "'",
                words_ == nullptr ? SeeHelp() : "put -- in front of the program");
  } catch (const CLI::ValidationError& error) {
    throw Error(error.what());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    throw Error(message.substr(0, message.find(':')) + " needs a value", SeeHelp());
  } catch (const CLI::ConversionError& error) {
    const std::string message = error.what();  // "Could not convert: --top = many"
    throw Error(
        "cannot understand" + message.substr(std::min(message.find(':') + 1, message.size())),
        SeeHelp());
  } catch (const CLI::ParseError& error) {
    throw Error(command_ + ": " + error.what(), SeeHelp());
  }
  for (const std::function<void()>& apply : after_parse_) apply();
  return true;
}

std::size_t IndexOfWord(const std::string& option, const std::string& word,
                        const std::vector<std::string>& words) {
  const auto it = std::find(words.begin(), words.end(), word);
  if (it != words.end()) return static_cast<std::size_t>(it - words.begin());
  const std::string meant = DidYouMean(word, words);
  throw Error(option + ": '" + word + "' is none of " + Joined(words, "|") +
              (meant.empty() ? "" : "; " + meant));
}

}  // namespace xsp
