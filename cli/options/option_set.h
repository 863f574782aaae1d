#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace xsp {

// An option or argument as help, completions and the man page show it.
struct DeclaredOption {
  std::string name;   // Of an argument: "TRACE"; empty for an option.
  std::string flags;  // Of an option: "-r, --report"; empty for an argument.
  std::string value;  // What its value is called, "FILE"; empty where it takes none.
  std::string description;
  std::string group;               // The heading in the help.
  std::vector<std::string> words;  // What shells complete.
  bool takes_several = false;      // An argument that may be given again and again.
  bool after_dashes = false;       // What follows "--".
};

// What can be said of an option once it has been added. All return the same option.
class OptionRef {
 public:
  using WordLists = std::map<const CLI::Option*, std::vector<std::string>>;

  OptionRef(CLI::Option& option, WordLists& words) : option_(&option), words_(&words) {}

  OptionRef& Value(const std::string& name);     // What help calls its value.
  OptionRef& Group(const std::string& heading);  // Under which heading help lists it.
  OptionRef& Required();
  // Several values, separated by commas; the argument after them is never taken for one more.
  OptionRef& Commas();
  OptionRef& Repeatable();  // One value per use.
  // What shells complete, where Value is not a list of words itself.
  OptionRef& Words(std::vector<std::string> words);

 private:
  CLI::Option* option_;
  WordLists* words_;
};

// The options and arguments of a command. All of CLI11 that the rest of cli/ sees: its header is
// large, and only one file includes it.
//
// "--top" and "-r,--report" are options, "TRACE" is an argument. Values are written to the
// variables given, which must live until Parse; what is not given stays as it was.
class OptionSet {
 public:
  explicit OptionSet(std::string_view command);
  OptionSet(OptionSet&&) noexcept;
  ~OptionSet();

  OptionRef Add(const std::string& flags, std::string& value, const std::string& description);
  OptionRef Add(const std::string& flags, double& value, const std::string& description);
  OptionRef Add(const std::string& flags, std::vector<std::string>& values,
                const std::string& description);

  // Counts and numbers; less than 0 is refused.
  OptionRef Add(const std::string& flags, std::size_t& value, const std::string& description);
  OptionRef Add(const std::string& flags, std::optional<std::size_t>& value,
                const std::string& description);
  OptionRef Add(const std::string& flags, std::optional<std::uint32_t>& value,
                const std::string& description);
  OptionRef Add(const std::string& flags, std::vector<std::uint32_t>& values,
                const std::string& description);
  OptionRef Add(const std::string& flags, std::vector<std::uint64_t>& values,
                const std::string& description);

  OptionRef Flag(const std::string& flags, bool& value, const std::string& description);

  // A value that the command reads itself. `apply` is called in the order of the command line, and
  // may throw Error.
  OptionRef Each(const std::string& flags, std::function<void(const std::string&)> apply,
                 const std::string& description);

  // A flag that may carry a value, though only with '=': "--amp", "--amp=fp16". What follows it is
  // never taken for its value. `apply` gets "" where none was given; in the order of the command
  // line.
  OptionRef FlagWithValue(const std::string& flags, std::function<void(const std::string&)> apply,
                          const std::string& description);

  // One of a few words, which shells complete. `apply` gets the index of the word; others are an
  // error with a suggestion.
  OptionRef Choice(const std::string& flags, const std::vector<std::string>& words,
                   std::function<void(std::size_t)> apply, const std::string& description);

  // Everything that follows the first "--", as it is: a program and its own arguments.
  void AddProgram(const std::string& name, std::vector<std::string>& words,
                  const std::string& description);

  // Called when the arguments were given to the options, in the order of the calls: for what is
  // told by several of them. May throw Error.
  void AfterParse(std::function<void()> apply) { after_parse_.push_back(std::move(apply)); }

  // What was given as arguments, not as values of options; without a program and its own.
  std::vector<std::string> Arguments() const;

  // In the order in which they were added; what follows "--" is the last.
  std::vector<DeclaredOption> Declared() const;

  // Gives the arguments to the options. False if they ask for help instead. Throws Error, with a
  // suggestion where something was mistyped.
  bool Parse(const std::vector<std::string>& arguments);

  // Throws Error where an option was given "", by an unset variable of a script: that is not as if
  // it had not been given. A policy "" would be none, and nothing would fail.
  void CheckNoneIsEmpty() const;

 private:
  OptionRef Ref(CLI::Option* option) { return OptionRef(*option, word_lists_); }
  template <class T>
  OptionRef AddNumber(const std::string& flags, T& value, const std::string& description);
  void CheckNames(const std::vector<std::string>& arguments) const;
  std::string SeeHelp() const;

  std::string command_;
  std::unique_ptr<CLI::App> app_;
  OptionRef::WordLists word_lists_;            // What OptionRef::Words was told.
  DeclaredOption program_;                     // What AddProgram was told.
  std::vector<std::string>* words_ = nullptr;  // Where its words go.
  std::vector<std::function<void()>> after_parse_;
};

// The place of a word in a list. Throws Error, with a suggestion, where it is not there.
std::size_t IndexOfWord(const std::string& option, const std::string& word,
                        const std::vector<std::string>& words);

}  // namespace xsp
