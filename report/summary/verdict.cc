#include "report/summary/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Whole percents: a verdict is no table.
std::string Percent(double share) {
  if (share > 0 && share < 0.005) return "less than 1 %";
  return FormatNumber(100 * share, 0) + " %";
}

constexpr double kWorthSaying = 0.01;

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
  return "Copies are " + Percent(look.WorkShare(WorkKind::kCopies)) + " of device time, mostly " +
         LargestOf(look, WorkKind::kCopies) + ".";
}

std::string MigrationSentence(const FirstLook& look) {
  return Percent(look.WorkShare(WorkKind::kMigrations)) +
         " of device time moves unified memory, mostly " + LargestOf(look, WorkKind::kMigrations) +
         ".";
}

std::string CollectiveSentence(const FirstLook& look) {
  std::string text = Percent(look.CollectiveShare()) + " of device time is collectives";
  const double waiting = look.WorkShare(WorkKind::kWaiting);
  if (waiting >= kWorthSaying) text += ", " + Percent(waiting) + " waiting for other ranks";
  return text + ".";
}

std::string GraphSentence(const FirstLook& look) {
  std::uint64_t launches = 0;
  for (const WorkRow& row : look.work) launches += row.kind == WorkKind::kGraphs ? row.count : 0;
  return FormatCount(static_cast<std::int64_t>(launches)) +
         (launches == 1 ? " graph launch, recorded as one piece, is "
                        : " graph launches, recorded as one piece each, are ") +
         Percent(look.WorkShare(WorkKind::kGraphs)) +
         " of device time: record with --cuda-graph-trace=node.";
}

std::string TinySentence(const FirstLook& look) {
  const bool is_one = look.operations == 1;
  return FormatCount(static_cast<std::int64_t>(look.operations)) +
         (is_one ? " operation of " : " operations, together ") + FormatDuration(look.busy) +
         ", in " + FormatDuration(look.program) + ": there is little to see on the GPU.";
}

constexpr std::size_t kNameWidth = 44;  // With the rest of its sentence one line.

double KernelShare(const FirstLook& look, std::size_t place) {
  return place < look.kernels.size() ? ShareOf(look.kernels[place].ns, look.WorkSum()) : 0;
}

// One that takes half of the time, and no other one takes nearly as much.
bool OneKernelDecides(const FirstLook& look) {
  return KernelShare(look, 0) >= 0.5 && KernelShare(look, 1) * 2 <= KernelShare(look, 0);
}

std::string KernelSentence(const FirstLook& look) {
  const TopKernel& top = look.kernels.front();
  const std::string name = CutMiddle(SafeText(top.name), kNameWidth);
  const std::string share = Percent(KernelShare(look, 0)) + " of device time";
  std::string text = "One kernel, " + name + ", is " + share;
  // Too few blocks leave most of the device without work, whatever the kernel does.
  if (top.blocks > 0 && top.blocks * 2 <= look.multiprocessors) {
    text += ", with " + FormatCount(static_cast<std::int64_t>(top.blocks)) +
            (top.blocks == 1 ? " block on " : " blocks on ") +
            std::to_string(look.multiprocessors) + " multiprocessors";
  }
  return text + ".";
}

struct WorkRule {
  bool (*applies)(const FirstLook&);
  std::string (*sentence)(const FirstLook&);
};

// What the device time is: the first that applies.
constexpr WorkRule kWorkRules[] = {
    {[](const FirstLook& l) { return l.WorkShare(WorkKind::kGraphs) >= 0.5; }, GraphSentence},
    {[](const FirstLook& l) { return l.WorkShare(WorkKind::kMigrations) >= 0.4; },
     MigrationSentence},
    {[](const FirstLook& l) { return l.WorkShare(WorkKind::kCopies) >= 0.5; }, CopySentence},
    {[](const FirstLook& l) { return l.CollectiveShare() >= 0.3; }, CollectiveSentence},
    {OneKernelDecides, KernelSentence},
};

std::string WorkSentence(const FirstLook& look) {
  for (const WorkRule& rule : kWorkRules) {
    if (rule.applies(look)) return rule.sentence(look);
  }
  return "";
}

constexpr double kMuchInFp32 = 0.3;

// The one line of code that people look for: matrix work that tensor cores could do.
std::string PrecisionSentence(const Diagnosis& diagnosis, const UnitFacts& facts) {
  const bool is_name = facts.matrix_name.find(' ') == std::string::npos;
  return "GPU-bound, and in fp32: " + Percent(facts.fp32_matrix) + " of " +
         (diagnosis.is_step ? "the step" : "the time") + " is " + (is_name ? "" : "fp32 ") +
         facts.matrix_name +
         (is_name ? ", which uses no tensor cores." : ", which use no tensor cores.");
}

// A text without its first sentence.
std::string RestOf(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? "" : text.substr(end + 1);
}

// "CUDA calls: 14,450, together 3.2 s, most of it in cudaLaunchKernel."
std::string LongestSentence(std::string_view what, const std::vector<HostSum>& sums) {
  std::uint64_t count = 0;
  DurationNs ns = 0;
  for (const HostSum& sum : sums) {
    count += sum.count;
    ns += sum.ns;
  }
  const std::string name = CutMiddle(SafeText(sums.front().name), kNameWidth);
  return FormatCount(static_cast<std::int64_t>(count)) + " " + std::string(what) + ", together " +
         FormatDuration(ns) + ", the longest of them " + name + ": " +
         FormatDuration(sums.front().ns) + ".";
}

}  // namespace

std::string VerdictOn(const FirstLook& look, const Diagnosis& diagnosis, const UnitFacts& facts) {
  if (look.busy == 0) return "No work of a GPU was recorded here.";
  if (IsTiny(look)) return TinySentence(look);
  std::string text = diagnosis.text;
  if (diagnosis.what == Resource::kGpu && facts.fp32_matrix >= kMuchInFp32) {
    return PrecisionSentence(diagnosis, facts) + RestOf(text);
  }
  // That it is collectives has been said, unless others are waited for in them.
  const bool is_said = diagnosis.what == Resource::kCommunication &&
                       look.WorkShare(WorkKind::kWaiting) < kWorthSaying;
  const std::string more = is_said ? "" : WorkSentence(look);
  return more.empty() ? text : text + " " + more;
}

std::string VerdictOnHost(const HostLook& host) {
  if (host.launches > 0) {
    const bool is_one = host.launches == 1;
    return FormatCount(static_cast<std::int64_t>(host.launches)) +
           (is_one ? " launch" : " launches") +
           ", no kernel rows: device activity was lost (WSL2, driver, permission). " +
           LongestSentence("CUDA calls", host.calls);
  }
  if (!host.calls.empty()) {
    return "No work of a GPU was recorded here, and no launch. " +
           LongestSentence("CUDA calls", host.calls);
  }
  if (!host.mpi.empty()) {
    return "No CUDA was recorded here, only the host. " + LongestSentence("MPI calls", host.mpi);
  }
  if (!host.ranges.empty()) {
    return "No CUDA was recorded here, only ranges. " + LongestSentence("ranges", host.ranges);
  }
  return "No work of a GPU was recorded here.";
}

}  // namespace xsp
