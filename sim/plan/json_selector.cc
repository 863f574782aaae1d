#include "sim/plan/json_selector.h"

#include <algorithm>
#include <cmath>

#include "model/error.h"

namespace xsp {
namespace {

using Json = nlohmann::json;

std::string Joined(const auto& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::optional<Phase> PhaseFromName(std::string_view name) {
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    if (NameOf(static_cast<Phase>(i)) == name) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

std::optional<TaskKind> KindFromName(std::string_view name) {
  constexpr std::pair<std::string_view, TaskKind> kKinds[] = {
      {"call", TaskKind::kCall},     {"load", TaskKind::kLoad},
      {"kernel", TaskKind::kKernel}, {"memcpy", TaskKind::kMemcpy},
      {"memset", TaskKind::kMemset}, {"graph", TaskKind::kGraphSpan}};
  for (const auto& [word, kind] : kKinds) {
    if (word == name) return kind;
  }
  return std::nullopt;
}

}  // namespace

void JsonPlace::Fail(const std::string& path, const std::string& what) const {
  throw Error(source_ + ": " + (path.empty() ? "" : path + ": ") + what,
              "docs/whatif.md describes the format");
}

void JsonPlace::Expect(const Json& value, const std::string& path, Json::value_t type) const {
  if (value.type() == type) return;
  Fail(path, std::string("is ") + value.type_name() + ", not " + Json(type).type_name());
}

void JsonPlace::OnlyKeys(const Json& object, const std::string& path,
                         const std::set<std::string>& allowed) const {
  for (const auto& [key, unused] : object.items()) {
    if (allowed.count(key) > 0) continue;
    Fail(path.empty() ? key : path + "." + key, "is not known here; there is " + Joined(allowed));
  }
}

std::optional<std::string> JsonPlace::Text(const Json& object, const std::string& path,
                                           const std::string& key) const {
  if (!object.contains(key)) return std::nullopt;
  if (!object[key].is_string()) Fail(path.empty() ? key : path + "." + key, "is not a text");
  return object[key].get<std::string>();
}

std::string JsonPlace::Word(const Json& object, const std::string& path, const std::string& key,
                            std::initializer_list<std::string_view> words) const {
  const std::string word = Text(object, path, key).value_or("");
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    Fail(path + "." + key, "is '" + word + "', not one of " + Joined(words));
  }
  return word;
}

std::string JsonPlace::WordOr(const Json& object, const std::string& path, const std::string& key,
                              std::initializer_list<std::string_view> words) const {
  return object.contains(key) ? Word(object, path, key, words) : std::string(*words.begin());
}

KernelClass JsonPlace::ClassOr(const Json& object, const std::string& path,
                               KernelClass otherwise) const {
  const auto text = Text(object, path, "class");
  if (!text) return otherwise;
  const auto of = KernelClassFromName(*text);
  if (!of) Fail(path + ".class", "there is no class '" + *text + "'");
  return *of;
}

double JsonPlace::Number(const Json& value, const std::string& path) const {
  if (!value.is_number()) Fail(path, "is not a number");
  const double number = value.get<double>();
  constexpr double kMost = 1e12;
  if (!std::isfinite(number) || number < 0 || number > kMost) Fail(path, "must be at least 0");
  return number;
}

Selector JsonPlace::ReadSelector(const Json& select, const std::string& path) const {
  return ReadSelector(select, path, 0);
}

Selector JsonPlace::ReadSelector(const Json& select, const std::string& path, int depth) const {
  constexpr int kDeepest = 16;
  Expect(select, path, Json::value_t::object);
  if (select.empty()) Fail(path, "is empty: which work is meant?");
  if (depth > kDeepest) Fail(path, "is nested too deep");
  std::optional<Selector> all;
  for (const auto& [key, value] : select.items()) {
    const Selector one = ReadCondition(key, value, path + "." + key, depth);
    all = all ? *all && one : one;
  }
  return *all;
}

Selector JsonPlace::ReadList(const Json& list, const std::string& path, bool all, int depth) const {
  Expect(list, path, Json::value_t::array);
  if (list.empty()) Fail(path, "is empty");
  std::optional<Selector> joined;
  std::size_t i = 0;
  for (const Json& entry : list) {
    const Selector one = ReadSelector(entry, path + "[" + std::to_string(i++) + "]", depth + 1);
    if (!joined) {
      joined = one;
    } else {
      joined = all ? *joined && one : *joined || one;
    }
  }
  return *joined;
}

Selector JsonPlace::ReadCondition(const std::string& key, const Json& value,
                                  const std::string& path, int depth) const {
  if (key == "all" || key == "any") return ReadList(value, path, key == "all", depth);
  if (key == "not") return !ReadSelector(value, path, depth + 1);
  if (key == "critical_path" || key == "tensor_cores") {
    Expect(value, path, Json::value_t::boolean);
    const Selector one =
        key == "critical_path" ? Selector::OnCriticalPath() : Selector::OnTensorCores();
    return value.get<bool>() ? one : !one;
  }
  if (key == "stream" || key == "thread" || key == "step") {
    const auto number = static_cast<std::uint32_t>(Number(value, path));
    if (key == "stream") return Selector::Stream(number);
    if (key == "thread") return Selector::Thread(number);
    if (number == 0) Fail(path, "steps count from 1");
    return Selector::InStep(number - 1);
  }
  Expect(value, path, Json::value_t::string);
  const std::string text = value.get<std::string>();
  auto known = [&](const auto& found, std::string_view what) {
    if (!found) Fail(path, "there is no " + std::string(what) + " '" + text + "'");
    return *found;
  };
  if (key == "name") return Selector::Name(text);
  if (key == "layer") return Selector::Layer(text);
  if (key == "operation") return Selector::Operation(text);
  if (key == "class") return Selector::Class(known(KernelClassFromName(text), "class"));
  if (key == "precision") return Selector::OfPrecision(known(PrecisionFromName(text), "precision"));
  if (key == "phase") return Selector::InPhase(known(PhaseFromName(text), "phase"));
  if (key == "kind") return Selector::Kind(known(KindFromName(text), "kind"));
  if (key == "on" && text == "device") return Selector::Device();
  if (key == "on" && text == "host") return Selector::Host();
  if (key == "on") Fail(path, "is '" + text + "', not device or host");
  Fail(path,
       "is not known here; there is on, kind, class, precision, tensor_cores, "
       "phase, step, "
       "name, layer, operation, stream, thread, critical_path, all, any, not");
}

}  // namespace xsp
