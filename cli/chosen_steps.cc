#include "cli/chosen_steps.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "model/error.h"

namespace xsp {
namespace {

std::optional<std::size_t> Number(std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

[[noreturn]] void NotSteps(const std::string& text) {
  throw Error("--steps '" + text + "' names no steps", "write it as 7, 5-15 or 1,3-5, or as all");
}

// "5-15": both ends, counted from 1.
std::pair<std::size_t, std::size_t> ParsePart(std::string_view part, const std::string& text) {
  const std::size_t dash = part.find('-');
  const auto first = Number(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : Number(part.substr(dash + 1));
  if (!first || !last || *first == 0 || *last < *first) NotSteps(text);
  return {*first, *last};
}

std::vector<std::uint8_t> Wanted(const Steps& steps, const std::string& text) {
  std::vector<std::uint8_t> wanted(steps.size(), text.empty() || text == "all");
  if (text.empty() || text == "all") return wanted;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto [first, last] = ParsePart(std::string_view(text).substr(at, comma - at), text);
    if (last > steps.size()) {
      throw Error("--steps " + text + ": the trace has " + std::to_string(steps.size()) + " steps",
                  steps.size() == 0 ? "nothing in it repeats" : "");
    }
    for (std::size_t i = first; i <= last; ++i) wanted[i - 1] = 1;
    at = comma + 1;
  }
  return wanted;
}

// "3", "5-15".
std::string RunWords(std::uint32_t first, std::uint32_t last) {
  const std::string begin = std::to_string(first + 1);
  return first == last ? begin : begin + "-" + std::to_string(last + 1);
}

// Steps that follow each other are one run.
std::vector<std::string> Runs(const std::vector<std::uint32_t>& chosen) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < chosen.size();) {
    std::size_t end = i + 1;
    while (end < chosen.size() && chosen[end] == chosen[end - 1] + 1) ++end;
    runs.push_back(RunWords(chosen[i], chosen[end - 1]));
    i = end;
  }
  return runs;
}

}  // namespace

std::vector<std::uint32_t> ChosenSteps(const Steps& steps, const StepOptions& options) {
  const std::vector<std::uint8_t> wanted = Wanted(steps, options.steps);
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = options.skip; i < wanted.size(); ++i) {
    if (wanted[i]) chosen.push_back(static_cast<std::uint32_t>(i));
  }
  if (chosen.empty() && !options.Empty()) {
    throw Error("no step is left: the trace has " + std::to_string(steps.size()) + " steps");
  }
  return chosen;
}

std::string StepWords(const Steps& steps, const std::vector<std::uint32_t>& chosen) {
  constexpr std::size_t kMostRuns = 3;
  const std::vector<std::string> runs = Runs(chosen);
  if (runs.size() <= kMostRuns) return AllStepWords(steps, chosen);
  return "steps " + RunWords(chosen.front(), chosen.back()) + " of " +
         std::to_string(steps.size()) + ", " + std::to_string(chosen.size()) + " of them";
}

std::string AllStepWords(const Steps& steps, const std::vector<std::uint32_t>& chosen) {
  std::string list;
  for (const std::string& run : Runs(chosen)) list += (list.empty() ? "" : ",") + run;
  return (chosen.size() == 1 ? "step " : "steps ") + list + " of " + std::to_string(steps.size());
}

void LimitToSteps(const Trace& trace, const Steps& steps, const std::vector<std::uint32_t>& chosen,
                  EventMask& keep) {
  std::vector<std::uint8_t> is_chosen(steps.size());
  for (std::uint32_t step : chosen) is_chosen[step] = 1;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const EventId e(i), call = trace.call_of(e);
    const ProcessId process = trace.process_of(e);
    const TimeNs launch = trace.begin(call.valid() ? call : e);
    const std::uint32_t step = process.valid() ? steps.StepAt(process, launch) : Steps::kOutside;
    if (step == Steps::kOutside || !is_chosen[step]) keep[i] = 0;
  }
}

}  // namespace xsp
