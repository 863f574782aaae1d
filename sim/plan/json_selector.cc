#include "sim/plan/json_selector.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <vector>

#include "base/quantity.h"
#include "model/duration.h"

namespace xsp {
namespace {

constexpr int kDeepest = 16;

constexpr std::array<std::string_view, 25> kConditions = {
    "on",        "kind",  "class",     "precision", "tensor_cores", "phase",         "step",
    "name",      "layer", "operation", "stream",    "thread",       "critical_path", "bytes",
    "direction", "range", "device",    "process",   "time",         "first",         "last",
    "every",     "all",   "any",       "not"};

// What picks among the tasks that fit: not a condition on one of them.
constexpr std::string_view kPicks[] = {"first", "last", "every"};
bool IsPick(std::string_view key) {
  return std::find(std::begin(kPicks), std::end(kPicks), key) != std::end(kPicks);
}
constexpr double kMostCount = std::numeric_limits<std::uint32_t>::max();

Selector ReadNested(const UserJson& select, int depth);

Selector ReadList(const UserJson& list, bool all, int depth) {
  std::vector<Selector> parts;
  for (const UserJson& entry : list.List()) parts.push_back(ReadNested(entry, depth + 1));
  if (parts.empty()) list.Fail("is empty");
  return all ? Selector::All(parts) : Selector::Any(parts);
}

// A name of which `found` was made.
template <class T>
T Known(const std::optional<T>& found, const UserJson& value, std::string_view what) {
  if (!found) value.Fail("there is no " + std::string(what) + " '" + value.Text() + "'");
  return *found;
}

// A number, a text with a unit ("64KB"), or {"least": ..., "most": ...}.
std::uint64_t ReadByteCount(const UserJson& value) {
  if (value.kind() != UserJson::Kind::kText) return value.Count(0);
  const std::optional<std::uint64_t> bytes = ReadBytes(value.Text());
  if (!bytes) value.Fail("is no size: 64KB, 1.5MiB or a number");
  return *bytes;
}

Selector ReadBytesCondition(const UserJson& value) {
  if (value.kind() != UserJson::Kind::kObject) {
    const std::uint64_t bytes = ReadByteCount(value);
    return Selector::Bytes(bytes, bytes);
  }
  value.OnlyKeys({"least", "most"});
  const UserJson* const least = value.Find("least");
  const UserJson* const most = value.Find("most");
  if (least == nullptr && most == nullptr) value.Fail("needs least, most or both");
  return Selector::Bytes(least != nullptr ? ReadByteCount(*least) : 0,
                         most != nullptr ? ReadByteCount(*most) : UINT64_MAX);
}

// {"from": "1.2s", "to": "3.4s"}, on the clock of --time; one of them may be missing.
Selector ReadTimeCondition(const UserJson& value) {
  value.OnlyKeys({"from", "to"});
  const auto read = [&](std::string_view key, TimeNs missing) {
    const UserJson* const text = value.Find(key);
    if (text == nullptr) return missing;
    const std::optional<DurationNs> time = ParseDuration(text->Text());
    if (!time) text->Fail("is no time: 1.2s, 350ms");
    return *time;
  };
  const TimeRange time = {read("from", std::numeric_limits<TimeNs>::min()),
                          read("to", std::numeric_limits<TimeNs>::max())};
  if (time.end <= time.begin) value.Fail("ends before it begins");
  return Selector::InTime(time);
}

Selector ReadDirection(const UserJson& value) {
  const std::string& word = value.Word({"HtoD", "DtoH", "DtoD"});
  return Selector::Direction(word == "HtoD"   ? OpClass::kHtoD
                             : word == "DtoH" ? OpClass::kDtoH
                                              : OpClass::kDtoD);
}

Selector ReadWord(const std::string& key, const UserJson& value) {
  const std::string& text = value.Text();
  if (key == "name") return Selector::Name(text);
  if (key == "layer") return Selector::Layer(text);
  if (key == "operation") return Selector::Operation(text);
  if (key == "range") return Selector::Range(text);
  if (key == "class") return Selector::Class(Known(KernelClassFromName(text), value, key));
  if (key == "precision") return Selector::OfPrecision(Known(PrecisionFromName(text), value, key));
  if (key == "phase") return Selector::InPhase(Known(PhaseFromName(text), value, key));
  if (key == "kind") return Selector::Kind(Known(TaskKindFromName(text), value, key));
  if (key == "on") {
    return value.Word({"device", "host"}) == "device" ? Selector::Device() : Selector::Host();
  }
  value.Unknown(kConditions);
}

Selector ReadCondition(const std::string& key, const UserJson& value, int depth) {
  if (key == "all" || key == "any") return ReadList(value, key == "all", depth);
  if (key == "not") return !ReadNested(value, depth + 1);
  if (key == "critical_path" || key == "tensor_cores") {
    const Selector one =
        key == "critical_path" ? Selector::OnCriticalPath() : Selector::OnTensorCores();
    return value.Bool() ? one : !one;
  }
  if (key == "bytes") return ReadBytesCondition(value);
  if (key == "direction") return ReadDirection(value);
  if (key == "time") return ReadTimeCondition(value);
  if (IsPick(key)) value.Fail("stands beside the conditions of a change, not inside of others");
  if (key == "device" || key == "process") {
    const auto number = static_cast<std::uint32_t>(value.Number(0, kMostCount));
    return key == "device" ? Selector::OnDevice(number) : Selector::OfProcess(number);
  }
  if (key == "step") {  // They count from 1.
    return Selector::InStep(static_cast<std::uint32_t>(value.Number(1, kMostCount)) - 1);
  }
  if (key == "stream" || key == "thread") {
    const auto number = static_cast<std::uint32_t>(value.Number(0, kMostCount));
    return key == "stream" ? Selector::Stream(number) : Selector::Thread(number);
  }
  return ReadWord(key, value);
}

Selector ReadNested(const UserJson& select, int depth) {
  if (depth > kDeepest) select.Fail("is nested too deep");
  std::vector<Selector> parts;
  for (const auto& [key, value] : select.Members()) {
    if (depth == 0 && IsPick(key)) continue;
    parts.push_back(ReadCondition(key, value, depth));
  }
  if (parts.empty()) select.Fail("is empty: which work is meant?");
  return Selector::All(parts);
}

}  // namespace

Selector ReadSelector(const UserJson& select) {
  for (const std::string_view key : kPicks) {
    const UserJson* const pick = select.Find(key);
    if (pick != nullptr) pick->Fail("is for changes, which are not about what follows each other");
  }
  return ReadNested(select, 0);
}

UserSelection ReadSelection(const UserJson& select) {
  UserSelection selection{ReadNested(select, 0)};
  for (const std::string_view key : kPicks) {
    const UserJson* const number = select.Find(key);
    if (number == nullptr) continue;
    if (selection.pick != UserSelection::Pick::kAll)
      select.Fail("has more than one of first, last, every");
    selection.pick = key == "first"  ? UserSelection::Pick::kFirst
                     : key == "last" ? UserSelection::Pick::kLast
                                     : UserSelection::Pick::kEvery;
    selection.number = static_cast<std::uint32_t>(number->Number(1, kMostCount));
    selection.text = ", " + std::string(key) + " " + std::to_string(selection.number);
  }
  selection.text = selection.selector.text() + selection.text;
  return selection;
}

std::vector<TaskId> UserSelection::Of(const Plan& plan) const {
  std::vector<TaskId> tasks = plan.Select(selector);
  if (pick == Pick::kAll) return tasks;
  std::stable_sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) {
    return plan.graph().measured_begin[a] < plan.graph().measured_begin[b];
  });
  std::vector<TaskId> picked;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const bool is_picked = pick == Pick::kFirst  ? i < number
                           : pick == Pick::kLast ? i + number >= tasks.size()
                                                 : (i + 1) % number == 0;
    if (is_picked) picked.push_back(tasks[i]);
  }
  std::sort(picked.begin(), picked.end());
  return picked;
}

KernelClass ClassOf(const UserJson& object) {
  const UserJson* const name = object.Find("class");
  return name == nullptr ? KernelClass::kOther
                         : Known(KernelClassFromName(name->Text()), *name, "class");
}

}  // namespace xsp
