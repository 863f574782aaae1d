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

std::string Percent(DurationNs part, DurationNs whole) { return Percent(ShareOf(part, whole)); }

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
         (launches == 1 ? " graph launch" : " graph launches") + ", opaque, " +
         (launches == 1 ? "is " : "are ") + Percent(look.WorkShare(WorkKind::kGraphs)) +
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

constexpr std::string_view kOtherKernels = "kernels: other";

// Kernels that nobody knows a class of are called by their names, where some stand out.
std::string OtherKernels(const FirstLook& look, DurationNs of_class) {
  constexpr double kStandsOut = 0.2;
  constexpr std::size_t kNames = 2, kShortName = 30;
  std::string text;
  double largest = 0, of_named = 0;
  std::size_t named = 0;
  for (const TopKernel& kernel : look.kernels) {
    if (!kernel.is_other || named == kNames) continue;
    const double share = ShareOf(kernel.ns, look.WorkSum());
    largest = std::max(largest, share);
    if (share < kStandsOut) break;
    of_named += share;
    text += (named++ == 0 ? "" : ", ") + CutMiddle(SafeText(kernel.name), kShortName) + " " +
            Percent(share);
  }
  if (of_named * 3 >= 2 * ShareOf(of_class, look.WorkSum())) return text;
  return "other kernels " + Percent(of_class, look.WorkSum()) + " (none above " + Percent(largest) +
         ")";
}

// "kernels: gemm" is "gemm kernels" in a sentence.
std::string ShareWords(const FirstLook& look, const WorkRow& row) {
  constexpr std::string_view kKernels = "kernels: ";
  if (row.what == kOtherKernels && !look.kernels.empty()) return OtherKernels(look, row.ns);
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
    {[](const FirstLook&) { return true; }, MixSentence},
};

std::string WorkSentence(const FirstLook& look) {
  for (const WorkRule& rule : kWorkRules) {
    if (rule.applies(look)) return rule.sentence(look);
  }
  return "";
}

// Less than a thousandth of the run, and less than a millisecond.
bool IsTiny(const FirstLook& look) {
  return !look.is_step && look.busy < 1'000'000 && look.busy * 1000 < look.program;
}

}  // namespace

std::string VerdictOn(const FirstLook& look, const Diagnosis& diagnosis) {
  if (look.busy == 0) return "No work of a GPU was recorded here.";
  if (IsTiny(look)) return TinySentence(look);
  // That it is collectives has been said, unless others are waited for in them.
  const bool is_said = diagnosis.what == Resource::kCommunication &&
                       look.WorkShare(WorkKind::kWaiting) < kWorthSaying;
  return is_said ? diagnosis.text : diagnosis.text + " " + WorkSentence(look);
}

}  // namespace xsp
