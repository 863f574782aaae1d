#include "hierarchy/leveled/leveled_match.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"

namespace xsp {
namespace {

constexpr std::size_t kExamples = 3;
// Libraries may pick other kernels from run to run, and with them a few more or less.
constexpr double kSameOperations = 0.05;

[[noreturn]] void Refuse(const RunProfile& a, const RunProfile& b, const std::string& what) {
  throw Error(a.run + " and " + b.run + " are no runs of the same program: " + what,
              "record the same program on the same GPU, with other profilers only");
}

using Counts = std::map<std::pair<Level, std::string>, std::uint64_t>;

Counts CountsOf(const RunProfile& run, const LevelSet& levels) {
  Counts counts;
  for (const RunNode& node : run.nodes) {
    if (node.count == 0 || node.level >= Level::kApi) continue;
    if (levels[static_cast<std::size_t>(node.level)]) counts[{node.level, node.path}] = node.count;
  }
  return counts;
}

// What the first has more often than the second, in words.
void AddExcess(const RunProfile& a, const Counts& in_a, const RunProfile& b, const Counts& in_b,
               std::vector<std::string>& words) {
  for (const auto& [place, count] : in_a) {
    const auto other = in_b.find(place);
    if (other == in_b.end()) {
      words.push_back("'" + place.second + "' is in " + a.run + " only");
    } else if (count > other->second) {
      words.push_back("'" + place.second + "' comes " + std::to_string(count) + " times in " +
                      a.run + ", " + std::to_string(other->second) + " times in " + b.run);
    }
  }
}

void CheckRanges(const RunProfile& shallow, const RunProfile& deep) {
  const Counts in_shallow = CountsOf(shallow, shallow.levels);
  const Counts in_deep = CountsOf(deep, shallow.levels);
  std::vector<std::string> words;
  AddExcess(shallow, in_shallow, deep, in_deep, words);
  AddExcess(deep, in_deep, shallow, in_shallow, words);
  if (words.empty()) return;
  std::string what;
  for (std::size_t i = 0; i < std::min(words.size(), kExamples); ++i) {
    what += (i == 0 ? "" : "; ") + words[i];
  }
  if (words.size() > kExamples) {
    what += "; and " + std::to_string(words.size() - kExamples) + " more differences";
  }
  Refuse(shallow, deep, what);
}

std::string UnitWords(StepSource unit) {
  switch (unit) {
    case StepSource::kRange:
      return "steps that ranges tell";
    case StepSource::kRepetition:
      return "steps found in repeated kernels";
    case StepSource::kNone:
      break;
  }
  return "no steps";
}

}  // namespace

void CheckSameUnit(const RunProfile& a, const RunProfile& b) {
  if (a.unit == b.unit) return;
  Refuse(a, b, "the one has " + UnitWords(a.unit) + ", the other " + UnitWords(b.unit));
}

void CheckSameProgram(const RunProfile& shallow, const RunProfile& deep) {
  if (!shallow.gpus.empty() && !deep.gpus.empty() && shallow.gpus != deep.gpus) {
    Refuse(shallow, deep, "the one ran on " + shallow.gpus + ", the other on " + deep.gpus);
  }
  CheckRanges(shallow, deep);
  if (!shallow.HasDeviceWork() || !deep.HasDeviceWork()) return;
  const double more = std::max(shallow.device_operations, deep.device_operations);
  if (std::abs(shallow.device_operations - deep.device_operations) > more * kSameOperations) {
    Refuse(shallow, deep,
           "a step has " + std::to_string(std::llround(shallow.device_operations)) +
               " device operations in the one, " +
               std::to_string(std::llround(deep.device_operations)) + " in the other");
  }
}

}  // namespace xsp
