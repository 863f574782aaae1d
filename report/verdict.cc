#include "report/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text.h"
#include "report/units.h"

namespace xsp {
namespace {

// Whole percents: a verdict is no table.
std::string Percent(double share) {
  if (share > 0 && share < 0.005) return "less than 1 %";
  return FormatNumber(100 * share, 0) + " %";
}

std::string Percent(DurationNs part, DurationNs whole) { return Percent(ShareOf(part, whole)); }

double IdleShare(const FirstLook& look) { return ShareOf(look.idle, look.length); }
double WorkShare(const FirstLook& look, WorkKind kind) {
  return ShareOf(look.SumOf(kind), look.WorkSum());
}

std::string WholeWords(const FirstLook& look) { return look.is_step ? "the step" : "the time"; }

// What it means for the program that a device mostly waits for this, and when it waits.
struct CauseSentence {
  std::string_view label;
  std::string_view when;
};

constexpr std::array<CauseSentence, kIdleCauseCount> kCauseSentences = {{
    {"Host-bound", "while the host does something between two CUDA calls"},
    {"Host off the CPU", "while the host's thread is not running, between two CUDA calls"},
    {"Input-bound", "while data is loaded"},
    {"Launch-bound", "while the host is in calls that launch work"},
    {"Host-bound", "while the host is in other CUDA calls"},
    {"Allocation decides", "while the host allocates, frees or loads modules"},
    {"Latency decides", "while work is on its way to the device"},
    {"Synchronization decides", "until synchronizing calls return and the next launch follows"},
    {"Synchronization decides", "until blocking copies return and the next launch follows"},
    {"Small kernels", "between operations that are queued already"},
    {"Streams wait for each other", "until another stream is done"},
    {"Allocation decides", "while the device maps memory that was just allocated"},
    {"Graphics decides", "while a graphics API has the device"},
    {"Copies wait for each other", "until the copy engine is free"},
    {"GPUs wait for each other", "until another GPU is done"},
    {"Threads wait for each other", "while one thread wakes up another"},
    {"Cause not recorded", "for something that was not recorded"},
    {"Unequal shares", "because it has nothing more to do"},
    {"Cause unknown", "because work begins at times that no row of the trace explains"},
}};

std::string IdleSentence(const FirstLook& look) {
  const auto& [cause, ns] = look.causes.front();
  const CauseSentence& words = kCauseSentences[static_cast<std::size_t>(cause)];
  std::string text = std::string(words.label) + ": the GPU" +
                     (look.devices > 1 ? "s are idle " : " is idle ") + Percent(IdleShare(look)) +
                     " of " + WholeWords(look) + ", ";
  const double share = ShareOf(ns, look.idle);
  return text +
         (share > 0.95  ? ""
          : share > 0.5 ? "mostly "
                        : "above all ") +
         std::string(words.when) + ".";
}

// The part of all work that a kind has, with the largest row of it.
std::string LargestOf(const FirstLook& look, WorkKind kind) {
  for (const WorkRow& row : look.work) {
    if (row.kind != kind) continue;
    const std::size_t colon = row.what.find(": ");
    return colon == std::string::npos ? row.what : row.what.substr(colon + 2);
  }
  return "";
}

std::string CopySentence(const FirstLook& look) {
  return "Copies decide: " + Percent(WorkShare(look, WorkKind::kCopies)) +
         " of device time, mostly " + LargestOf(look, WorkKind::kCopies) + ".";
}

std::string MigrationSentence(const FirstLook& look) {
  return "Page migrations decide: " + Percent(WorkShare(look, WorkKind::kMigrations)) +
         " of device time moves unified memory, mostly " + LargestOf(look, WorkKind::kMigrations) +
         ".";
}

double CollectiveShare(const FirstLook& look) {
  return WorkShare(look, WorkKind::kTransfer) + WorkShare(look, WorkKind::kWaiting) +
         WorkShare(look, WorkKind::kCollectives);
}

std::string CollectiveSentence(const FirstLook& look) {
  std::string text =
      "Communication decides: " + Percent(CollectiveShare(look)) + " of device time is collectives";
  const double waiting = WorkShare(look, WorkKind::kWaiting);
  if (waiting >= 0.01) text += ", " + Percent(waiting) + " waiting for other ranks";
  return text + ".";
}

std::string GraphSentence(const FirstLook& look) {
  std::uint64_t launches = 0;
  for (const WorkRow& row : look.work) launches += row.kind == WorkKind::kGraphs ? row.count : 0;
  return FormatCount(static_cast<std::int64_t>(launches)) +
         (launches == 1 ? " graph launch" : " graph launches") + ", opaque, " +
         (launches == 1 ? "is " : "are ") + Percent(WorkShare(look, WorkKind::kGraphs)) +
         " of device time: record with --cuda-graph-trace=node.";
}

std::string TinySentence(const FirstLook& look) {
  const bool is_one = look.operations == 1;
  return FormatCount(static_cast<std::int64_t>(look.operations)) +
         (is_one ? " operation of " : " operations, together ") + FormatDuration(look.busy) +
         ", in " + FormatDuration(look.program) + ": there is little to see on the GPU.";
}

constexpr std::size_t kNameWidth = 44;  // With the rest of its sentence one line.

std::string KernelSentence(const FirstLook& look) {
  return "One kernel decides: " + CutMiddle(SafeText(look.top_kernel), kNameWidth) + ", " +
         Percent(look.top_kernel_ns, look.WorkSum()) + " of device time.";
}

// "kernels: gemm" is "gemm kernels" in a sentence.
std::string ShareWords(const FirstLook& look, const WorkRow& row) {
  constexpr std::string_view kKernels = "kernels: ";
  std::string words = row.what;
  if (words.starts_with(kKernels)) words = words.substr(kKernels.size()) + " kernels";
  return words + " " + Percent(row.ns, look.WorkSum());
}

// The three largest, but nothing that hardly counts.
std::string MixSentence(const FirstLook& look) {
  std::string text = "Device time: ";
  for (std::size_t i = 0; i < look.work.size() && i < 3; ++i) {
    if (i > 0 && ShareOf(look.work[i].ns, look.WorkSum()) < 0.05) break;
    text += (i == 0 ? "" : ", ") + ShareWords(look, look.work[i]);
  }
  return text + ".";
}

struct Rule {
  bool (*applies)(const FirstLook&);
  std::string (*sentence)(const FirstLook&);
};

// What the device time is: the first that applies.
constexpr Rule kWorkRules[] = {
    {[](const FirstLook& l) { return WorkShare(l, WorkKind::kGraphs) >= 0.5; }, GraphSentence},
    {[](const FirstLook& l) { return WorkShare(l, WorkKind::kMigrations) >= 0.4; },
     MigrationSentence},
    {[](const FirstLook& l) { return WorkShare(l, WorkKind::kCopies) >= 0.5; }, CopySentence},
    {[](const FirstLook& l) { return CollectiveShare(l) >= 0.3; }, CollectiveSentence},
    {[](const FirstLook& l) { return ShareOf(l.top_kernel_ns, l.WorkSum()) >= 0.5; },
     KernelSentence},
    {[](const FirstLook&) { return true; }, MixSentence},
};

std::string WorkSentence(const FirstLook& look) {
  for (const Rule& rule : kWorkRules) {
    if (rule.applies(look)) return rule.sentence(look);
  }
  return "";
}

// Less than a thousandth of the run, and less than a millisecond.
bool IsTiny(const FirstLook& look) {
  return !look.is_step && look.busy < 1'000'000 && look.busy * 1000 < look.program;
}

constexpr double kMuchIdle = 0.5;    // The wait is the first thing to say,
constexpr double kSomeIdle = 0.1;    // is worth a sentence,
constexpr double kWorthAStep = 0.2;  // is worth a command.

bool IsWorthAStep(double share) { return share >= kWorthAStep; }

}  // namespace

DurationNs FirstLook::WorkSum() const {
  DurationNs sum = 0;
  for (const WorkRow& row : work) sum += row.ns;
  return sum;
}

DurationNs FirstLook::SumOf(WorkKind kind) const {
  DurationNs sum = 0;
  for (const WorkRow& row : work) sum += row.kind == kind ? row.ns : 0;
  return sum;
}

std::vector<std::pair<IdleCause, DurationNs>> CausesOf(const IdleReport& idle) {
  std::vector<std::pair<IdleCause, DurationNs>> causes;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    DurationNs ns = 0;
    for (const DeviceIdle& device : idle.devices) ns += device.causes[i].ns;
    if (ns > 0) causes.emplace_back(static_cast<IdleCause>(i), ns);
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return causes;
}

FirstLook LookAt(const IdleReport& idle, const std::vector<DeviceWork>& work) {
  FirstLook look;
  look.devices = idle.devices.size();
  for (const DeviceIdle& device : idle.devices) {
    look.busy += device.busy;
    look.idle += device.idle;
  }
  look.length = look.busy + look.idle;
  look.causes = CausesOf(idle);
  for (const DeviceWork& device : work) {
    for (const WorkRow& row : device.rows) {
      look.operations += row.count;
      auto it = std::find_if(look.work.begin(), look.work.end(),
                             [&](const WorkRow& sum) { return sum.what == row.what; });
      if (it == look.work.end()) {
        look.work.push_back(row);
        continue;
      }
      it->ns += row.ns;
      it->count += row.count;
      it->bytes += row.bytes;
    }
  }
  std::stable_sort(look.work.begin(), look.work.end(),
                   [](const WorkRow& a, const WorkRow& b) { return a.ns > b.ns; });
  return look;
}

std::string VerdictOn(const FirstLook& look) {
  if (look.busy == 0) return "No work of a GPU was recorded here.";
  if (IsTiny(look)) return TinySentence(look);
  const double idle = IdleShare(look);
  if (idle >= kMuchIdle) return IdleSentence(look) + " " + WorkSentence(look);
  if (idle >= kSomeIdle) return WorkSentence(look) + " " + IdleSentence(look);
  return WorkSentence(look) + (look.devices > 1 ? " The GPUs are busy " : " The GPU is busy ") +
         Percent(1 - idle) + " of " + WholeWords(look) + ".";
}

std::vector<NextStep> NextSteps(const FirstLook& look, const std::string& trace) {
  std::vector<NextStep> steps;
  if (look.busy == 0) return {{"xsp info " + trace, "what was recorded, and what was not"}};
  if (WorkShare(look, WorkKind::kGraphs) >= 0.1) {
    steps.push_back({"nsys profile --cuda-graph-trace=node …", "what the graphs hold"});
  }
  if (IsWorthAStep(IdleShare(look))) {
    steps.push_back({"xsp idle " + trace, "each gap, and what the host did meanwhile"});
  }
  const double moved = WorkShare(look, WorkKind::kCopies) + WorkShare(look, WorkKind::kMigrations);
  if (IsWorthAStep(moved)) {
    steps.push_back({"xsp leverage " + trace, "what faster or fewer copies would gain"});
  }
  if (IsWorthAStep(CollectiveShare(look))) {
    steps.push_back({"xsp critical-path " + trace, "which communication is waited for"});
  }
  steps.push_back({"xsp tree " + trace, "where the time went, down to kernels"});
  steps.push_back({"xsp advise " + trace, "what would help, and by how much"});
  steps.push_back({"xsp critical-path " + trace, "what decided how long it took"});
  std::vector<NextStep> first;
  for (const NextStep& step : steps) {
    const bool is_new = std::none_of(first.begin(), first.end(), [&](const NextStep& other) {
      return other.command == step.command;
    });
    if (is_new && first.size() < 3) first.push_back(step);
  }
  return first;
}

}  // namespace xsp
