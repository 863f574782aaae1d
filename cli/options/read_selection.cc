#include "cli/options/read_selection.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/error.h"
#include "model/duration.h"

namespace xsp {
namespace {

// Where the '-' between two times stands: not a sign, and not inside an exponent.
std::size_t FindDash(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '-' && text[i - 1] != 'e' && text[i - 1] != 'E') return i;
  }
  return std::string_view::npos;
}

// The unit at the end of a time, if it has one.
std::optional<TimeUnit> UnitAtEnd(std::string_view text) {
  const std::size_t digit = text.find_last_of("0123456789. ");
  return TimeUnitFromName(digit == std::string_view::npos ? text : text.substr(digit + 1));
}

std::optional<std::size_t> StepNumber(std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number == 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<StepRun> ParseStepRun(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = StepNumber(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : StepNumber(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return StepRun{*first, *last};
}

TimeRange ParseTimeWindow(std::string_view text) {
  const std::size_t dash = FindDash(text);
  if (dash != std::string_view::npos) {
    const std::string_view to_text = text.substr(dash + 1);
    const auto from = ParseDuration(text.substr(0, dash), UnitAtEnd(to_text));
    const auto to = ParseDuration(to_text);
    if (from && to && *from < *to) return {*from, *to};
    if (from && to) throw Error("--time '" + std::string(text) + "': it ends before it begins");
  }
  throw Error("--time '" + std::string(text) + "' is not a stretch of time",
              "write it as 1.2s-3.4s; units: ns, us, ms, s");
}

StepChoice ReadSteps(const StepOptions& options) {
  StepChoice choice;
  choice.skip = options.skip;
  choice.kind = options.kind;
  choice.says_all = options.steps == "all";
  if (options.steps.empty() || choice.says_all) return choice;
  const std::string_view text = options.steps;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::optional<StepRun> run = ParseStepRun(text.substr(at, comma - at));
    if (!run) {
      throw Error("--steps '" + options.steps + "' names no steps",
                  "write it as 7, 5-15 or 1,3-5, or as all");
    }
    choice.runs.push_back(*run);
    at = comma + 1;
  }
  return choice;
}

Selection ReadSelection(const WindowOptions& window, const StepOptions& steps) {
  Selection selection;
  if (!window.time.empty()) {
    selection.time = ParseTimeWindow(window.time);
    selection.time_text = window.time;
  }
  selection.nvtx = window.nvtx;
  selection.devices = window.devices;
  selection.processes = window.processes;
  selection.threads = window.threads;
  selection.streams = window.streams;
  selection.steps = ReadSteps(steps);
  return selection;
}

}  // namespace xsp
