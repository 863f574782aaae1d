#include "cli/command.h"

#include <catch2/catch.hpp>
#include <set>

#include "base/error.h"
#include "cli/generate.h"
#include "cli/help.h"
#include "cli/options/arguments.h"

namespace xsp {
namespace {

// What Parse says of these arguments.
std::string Complaint(std::string_view command, const std::vector<std::string>& arguments) {
  try {
    PreparedCommand(*FindCommand(command)).options.Parse(arguments);
  } catch (const Error& error) {
    return std::string(error.what()) + "; " + error.hint();
  }
  return "none";
}

TEST_CASE("every command has a line, a help text and two examples that name it") {
  std::set<std::string_view> names;
  for (const Command* command : AllCommands()) {
    CAPTURE(command->name);
    CHECK(names.insert(command->name).second);
    CHECK(FindCommand(command->name) == command);
    CHECK_FALSE(command->one_line.empty());
    CHECK(command->one_line.size() <= 70);
    CHECK_FALSE(command->details.empty());
    for (const Example& example : command->examples) {
      CHECK(example.command.substr(0, 4) == "xsp ");
      CHECK_FALSE(example.what.empty());
    }
    const std::string help = CommandHelp(PreparedCommand(*command));
    CHECK(help.find("usage: xsp " + std::string(command->name)) != std::string::npos);
  }
  CHECK(FindCommand("nothing") == nullptr);
}

namespace {

// A man page writes a minus that can be copied as "\\-".
std::string EscapedForMan(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '-' ? "\\-" : std::string(1, c);
  return escaped;
}

}  // namespace

TEST_CASE("completions and man page name every command and option") {
  for (const char* what : {"bash", "zsh", "man"}) {
    const std::string text = Generate(what);
    for (const Command* command : AllCommands()) {
      CAPTURE(what, command->name);
      const std::string name(command->name);
      CHECK(text.find(what == std::string("man") ? EscapedForMan(name) : name) !=
            std::string::npos);
    }
  }
  CHECK(Generate("bash").find("--salvage") != std::string::npos);
  CHECK(Generate("zsh").find("table json csv markdown") != std::string::npos);
  CHECK_THROWS_AS(Generate("fish"), Error);
}

TEST_CASE("completions know what values can be") {
  const std::string bash = Generate("bash"), zsh = Generate("zsh");
  for (const char* line :
       {"stats:--report) words='cuda_api_gpu_sum cuda_api_sum", "stats:-r) words='cuda_api_gpu_sum",
        "idle:--table) words='causes devices gaps host_activities'", "tree:--steps) words='all'",
        "summary:--sort) words='total mean", "baseline:baseline) words='save list show rm'",
        "idle:--write) words='table= json= csv= markdown='", "whatif:--sweep) words='"}) {
    CAPTURE(line);
    CHECK(bash.find(line) != std::string::npos);
  }
  CHECK(zsh.find(":value:(causes devices gaps host_activities)") != std::string::npos);
}

TEST_CASE("a table that the command does not have is refused, with what it has") {
  CHECK(Complaint("idle", {"x", "--table", "gap"}) ==
        "--table: 'gap' is none of causes|devices|gaps|host_activities; did you mean 'gaps'?; ");
}

TEST_CASE("an unknown option is told before anything else, with what was meant") {
  CHECK(Complaint("info", {"--formt", "json"}) ==
        "unknown option --formt; did you mean '--format'?");
  CHECK(Complaint("info", {"x", "-q"}) == "unknown option -q; see 'xsp help info'");
  CHECK(Complaint("info", {"--", "--formt"}) == "none");
}

TEST_CASE("arguments too many or too few are refused") {
  CHECK(Complaint("info", {"a", "b"}) == "unexpected argument 'b'; see 'xsp help info'");
  CHECK(Complaint("info", {}) == "info: TRACE is required; see 'xsp help info'");
  CHECK(Complaint("import", {"a", "b", "c"}) == "none");
}

TEST_CASE("values that look like options or lists are taken as they are") {
  CHECK(Complaint("info", {"x", "--time", "-1s-2s"}) == "none");
  CHECK(Complaint("info", {"--device", "0,1", "x"}) == "none");
  CHECK(Complaint("info", {"--device", "0", "--device", "1", "x"}) == "none");
  CHECK(Complaint("info", {"--device", "zero", "x"}) ==
        "cannot understand --device = zero; see 'xsp help info'");
}

TEST_CASE("help can be asked for anywhere") {
  CHECK_FALSE(PreparedCommand(*FindCommand("info")).options.Parse({"--help"}));
  CHECK_FALSE(PreparedCommand(*FindCommand("info")).options.Parse({"x", "-h"}));
}

}  // namespace
}  // namespace xsp
