#include "cli/inputs/baseline_folder.h"

#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/steps/steps.h"
#include "model/spans.h"

namespace xsp {

void BaselineFolderOption::AddTo(OptionSet& options) {
  options
      .Add("--dir", dir,
           "The folder of baselines; by default $XSP_BASELINES, else .xsp-baselines here")
      .Value("DIR")
      .Group("Baselines");
}

std::filesystem::path BaselineFolderOption::Folder() const {
  if (!dir.empty()) return dir;
  const char* set = std::getenv("XSP_BASELINES");
  return set != nullptr && *set != '\0' ? set : ".xsp-baselines";
}

RunFacts DescribeForBaseline(const Trace& trace) {
  RunFacts facts;
  facts.gpu = GpuWords(trace);
  const Steps steps = FindSteps(trace);
  const std::vector<std::uint32_t> counted = steps.Counted();
  facts.steps = counted.size();
  DurationNs sum = 0;
  for (std::uint32_t step : counted) sum += steps.steps[step].time.Length();
  if (!counted.empty()) facts.step_ns = static_cast<std::uint64_t>(sum) / counted.size();
  if (const auto span = GpuSpan(trace)) facts.span_ns = static_cast<std::uint64_t>(span->Length());
  return facts;
}

Baseline BaselineCalled(const std::filesystem::path& folder, const std::string& name) {
  Baseline baseline = AnyBaselineCalled(folder, name);
  if (baseline.damaged.empty()) return baseline;
  throw Error("baseline '" + name + "': " + baseline.damaged.front().string() +
                  " is damaged: not a stored trace",
              "xsp baseline save " + name + " TRACE... --replace makes it anew");
}

Baseline AnyBaselineCalled(const std::filesystem::path& folder, const std::string& name) {
  std::vector<std::string> names;
  for (Baseline& baseline : ListBaselines(folder, DescribeForBaseline)) {
    if (baseline.name == name) return std::move(baseline);
    names.push_back(baseline.name);
  }
  const std::string meant = DidYouMean(name, names);
  throw Error("no baseline is called '" + name + "' in " + folder.string(),
              meant.empty() ? "xsp baseline save " + name + " TRACE makes one" : meant);
}

}  // namespace xsp
