#include "sim/diagnosis/diagnosis_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/duration.h"
#include "model/names/call_names.h"

namespace xsp {
namespace {

struct ResourceWords {
  std::string_view words;  // In a table: "A step waits for".
  std::string_view label;  // The diagnosis in a word.
};

constexpr std::array<ResourceWords, kResourceCount> kWords = {{
    {"the GPU", "GPU-bound"},
    {"the host", "Host-bound"},
    {"launches", "Launch-bound"},
    {"communication", "Communication-bound"},
    {"data loading", "Input-bound"},
    {"copies", "Copy-bound"},
    {"allocation", "Allocation-bound"},
    {"another rank", "Ranks wait for each other"},
    {"one-time costs", "One-time costs"},
    {"nothing that is known", "Cause unknown"},
}};

constexpr double kMentioned = 0.01;  // Of the unit.

std::string Percent(double share) {
  if (share > 0 && share < 0.005) return "less than 1 %";
  return std::to_string(std::lround(100 * share)) + " %";
}

// "14.4 of 26.3 ms": in the unit of the whole.
std::string PartWords(DurationNs part, DurationNs whole) {
  const TimeUnit unit = FittingTimeUnit(whole);
  const auto per = static_cast<double>(NanosecondsPer(unit));
  const int decimals = FittingDecimals(static_cast<double>(whole) / per);
  char text[96];
  std::snprintf(text, sizeof text, "%.*f of %.*f ", decimals, static_cast<double>(part) / per,
                decimals, static_cast<double>(whole) / per);
  return text + std::string(NameOf(unit));
}

const PathPart* LargestPart(const DiagnosisFacts& facts, Resource what) {
  for (const PathPart& part : facts.parts) {
    if (ResourceOf(part.kind) == what && part.ns > 0) return &part;
  }
  return nullptr;
}

std::string Mostly(const DiagnosisFacts& facts, Resource what, std::string_view before) {
  const std::string name = MostOf(facts, what);
  return name.empty() ? "" : std::string(before) + name;
}

std::string HostWords(const DiagnosisFacts& facts) {
  const PathPart* part = LargestPart(facts, Resource::kHost);
  if (part == nullptr) return "waits for the program";
  switch (part->kind) {
    case PathKind::kOffCpu:
      return "passes while the program's thread is not running";
    case PathKind::kSyncTail:
      return "waits for synchronizing calls to return, mostly " + part->name;
    case PathKind::kThreadHandoff:
      return "waits for one thread to wake up another";
    case PathKind::kThreadWait:
      return "waits for another thread of the program";
    case PathKind::kTimer:
      return "waits for a timer: it goes on at fixed times, however fast the rest is";
    case PathKind::kOsWait:
      return "passes in system calls that sleep or wait, nothing tells for what";
    case PathKind::kCall:
      return "waits for the program in its calls, mostly " + part->name;
    default:
      return "waits for the program between its CUDA calls";
  }
}

std::string_view LabelWith(const DiagnosisFacts& facts, Resource what) {
  const PathPart* part = what == Resource::kHost ? LargestPart(facts, what) : nullptr;
  const bool is_timer = part != nullptr && part->kind == PathKind::kTimer;
  return is_timer ? "Paced by a timer" : LabelOf(what);
}

std::string LaunchWords(const DiagnosisFacts& facts) {
  DurationNs ns = 0;
  std::uint32_t calls = 0;
  for (const PathPart& part : facts.parts) {
    if (part.kind != PathKind::kLaunch) continue;
    ns += part.ns;
    calls += part.pieces;
  }
  if (calls == 0) return "waits for work on its way to the GPU";
  return "waits for launches (" + std::to_string(calls) + " of them, " +
         FormatDuration(ns / calls) + " each)";
}

// ", mostly gemm kernels"; nothing for those of no known class.
std::string KernelWords(const DiagnosisFacts& facts) {
  const std::string name = MostOf(facts, Resource::kGpu);
  return name.empty() || name == "other" ? "" : ", mostly " + name + " kernels";
}

std::string CopyWords(const DiagnosisFacts& facts) {
  const std::string name = MostOf(facts, Resource::kCopies);
  if (name == "htod") return ", mostly from host to device";
  if (name == "dtoh") return ", mostly from device to host";
  return name.empty() ? "" : ", mostly " + name;
}

// What the time waits for, as the rest of a sentence.
std::string WaitWords(const DiagnosisFacts& facts, Resource what) {
  switch (what) {
    case Resource::kGpu:
      return "waits for the GPU" + KernelWords(facts);
    case Resource::kHost:
      return HostWords(facts);
    case Resource::kLaunches:
      return LaunchWords(facts);
    case Resource::kCommunication:
      return "waits for collectives" +
             (facts.late_device ? ", for GPU " + std::to_string(*facts.late_device) + " longest"
                                : std::string());
    case Resource::kInput:
      return "waits for data to be loaded" + Mostly(facts, what, ": ");
    case Resource::kCopies:
      return "waits for copies" + CopyWords(facts);
    case Resource::kAllocation:
      return "waits for memory to be allocated or released" + Mostly(facts, what, ", mostly ");
    case Resource::kOtherRank:
      return "passes in collectives that wait for GPU " + std::to_string(*facts.late_device);
    case Resource::kOneTime:
    case Resource::kUnknown:
      break;
  }
  return "";
}

std::string UnknownWords(const TaskGraph& graph, const DiagnosisFacts& facts,
                         const Diagnosis& diagnosis) {
  if (!facts.unexplained.valid()) {
    return PartWords(diagnosis.ns, diagnosis.unit) +
           " pass before work begins, and nothing that was recorded tells why";
  }
  const EventId event = graph.event[facts.unexplained];
  const std::string call = event.valid() ? std::string(CallName(graph.trace->name(event))) : "call";
  const DurationNs length = std::min(graph.measured(facts.unexplained), diagnosis.unit);
  return PartWords(length, diagnosis.unit) + " the host is inside one " + call +
         ", and nothing that was recorded tells what it waits for";
}

// "47.8 ms of it in first launches".
std::string OneTimeReasons(const Unit& unit) {
  const auto largest = std::max_element(unit.one_time_by.begin(), unit.one_time_by.end());
  const auto reason = static_cast<OneTimeReason>(largest - unit.one_time_by.begin());
  return "mostly " + std::string(NameOf(reason));
}

std::string BusyWords(const Diagnosis& diagnosis) {
  return std::string(diagnosis.devices > 1 ? "a GPU works " : "the GPU works ") +
         PartWords(diagnosis.busy, diagnosis.unit);
}

// The program is slow to launch: what its code does there was not recorded.
bool WaitsBetweenCalls(const DiagnosisFacts& facts, const Diagnosis& diagnosis) {
  const PathPart* part = LargestPart(facts, Resource::kHost);
  return diagnosis.what == Resource::kHost && part != nullptr && part->kind == PathKind::kHostGap;
}

// " (704 a step, 37.3 us each)": how often something is launched.
std::string PaceWords(const Diagnosis& diagnosis) {
  const std::uint64_t each = diagnosis.operations / std::max<std::size_t>(1, diagnosis.devices);
  if (each < 2) return "";
  return " (" + std::to_string(each) + (diagnosis.is_step ? " a step, " : ", ") +
         FormatDuration(diagnosis.unit / static_cast<DurationNs>(each)) + " each)";
}

}  // namespace

std::string_view WordsOf(Resource resource) {
  return kWords[static_cast<std::size_t>(resource)].words;
}

std::string_view LabelOf(Resource what) { return kWords[static_cast<std::size_t>(what)].label; }

std::string MostOf(const DiagnosisFacts& facts, Resource what) {
  const PathPart* largest = nullptr;
  for (const PathPart& part : facts.parts) {
    if (ResourceOf(part.kind) != what || part.name.empty()) continue;
    if (largest == nullptr || part.ns > largest->ns) largest = &part;
  }
  return largest == nullptr ? "" : largest->name;
}

std::string TextOf(const TaskGraph& graph, const Unit& unit, const DiagnosisFacts& facts,
                   const Diagnosis& diagnosis) {
  const std::string whole = diagnosis.is_step ? "the step" : "the time";
  const std::string label(LabelWith(facts, diagnosis.what));
  std::string text = label + ": ";
  const DurationNs one_time = unit.OneTime();
  if (diagnosis.what == Resource::kUnknown) {
    text += UnknownWords(graph, facts, diagnosis) + "; " + BusyWords(diagnosis) + ".";
  } else if (diagnosis.what == Resource::kOneTime) {
    text += PartWords(one_time, diagnosis.unit) + " pass in what happens only once, " +
            OneTimeReasons(unit) + ".";
    const std::string waits = WaitWords(facts, facts.recurring);
    if (!waits.empty()) text += " What recurs " + waits + "; " + BusyWords(diagnosis) + ".";
  } else if (WaitsBetweenCalls(facts, diagnosis)) {
    text += BusyWords(diagnosis) + " and waits for the program between launches" +
            PaceWords(diagnosis) + ".";
  } else {
    text += Percent(diagnosis.share) + " of " + whole + " " + WaitWords(facts, diagnosis.what) +
            "; " + BusyWords(diagnosis) + ".";
  }
  const bool says_one_time =
      diagnosis.what != Resource::kOneTime &&
      static_cast<double>(one_time) > kMentioned * static_cast<double>(diagnosis.unit);
  if (says_one_time) {
    text += " " + PartWords(one_time, diagnosis.unit) + " is one-time cost, " +
            OneTimeReasons(unit) + ".";
  }
  if (facts.begins_in_the_middle) {
    text += " The recording begins in the middle.";
  }
  return text;
}

}  // namespace xsp
