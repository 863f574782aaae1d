#include "sim/plan/json_selector.h"

#include <array>
#include <limits>
#include <vector>

namespace xsp {
namespace {

constexpr int kDeepest = 16;

constexpr std::array<std::string_view, 16> kConditions = {
    "on",    "kind",      "class",  "precision", "tensor_cores",  "phase", "step", "name",
    "layer", "operation", "stream", "thread",    "critical_path", "all",   "any",  "not"};

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

Selector ReadWord(const std::string& key, const UserJson& value) {
  const std::string& text = value.Text();
  if (key == "name") return Selector::Name(text);
  if (key == "layer") return Selector::Layer(text);
  if (key == "operation") return Selector::Operation(text);
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
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  if (key == "step") {  // They count from 1.
    return Selector::InStep(static_cast<std::uint32_t>(value.Number(1, kMost)) - 1);
  }
  if (key == "stream" || key == "thread") {
    const auto number = static_cast<std::uint32_t>(value.Number(0, kMost));
    return key == "stream" ? Selector::Stream(number) : Selector::Thread(number);
  }
  return ReadWord(key, value);
}

Selector ReadNested(const UserJson& select, int depth) {
  if (depth > kDeepest) select.Fail("is nested too deep");
  std::vector<Selector> parts;
  for (const auto& [key, value] : select.Members()) {
    parts.push_back(ReadCondition(key, value, depth));
  }
  if (parts.empty()) select.Fail("is empty: which work is meant?");
  return Selector::All(parts);
}

}  // namespace

Selector ReadSelector(const UserJson& select) { return ReadNested(select, 0); }

KernelClass ClassOf(const UserJson& object) {
  const UserJson* const name = object.Find("class");
  return name == nullptr ? KernelClass::kOther
                         : Known(KernelClassFromName(name->Text()), *name, "class");
}

}  // namespace xsp
