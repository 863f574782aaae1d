#include "sim/plan/whatif_options.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "model/error.h"

namespace xsp {
namespace {

std::string Listed(std::span<const WhatIfOption> options) {
  std::string text;
  for (const WhatIfOption& option : options) {
    text += (text.empty() ? "" : ", ") + std::string(option.name);
  }
  return text.empty() ? "none" : text;
}

std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    text = at == text.npos ? std::string_view() : text.substr(at + 1);
  }
  return parts;
}

bool SameLetters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

}  // namespace

WhatIfValues::WhatIfValues(std::string_view whatif, std::span<const WhatIfOption> options,
                           std::string_view text)
    : whatif_(whatif) {
  for (const WhatIfOption& option : options) {
    values_[std::string(option.name)] = option.default_value;
    if (first_.empty()) first_ = option.name;
  }
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = equals == part.npos ? first_ : part.substr(0, equals);
    const std::string_view value = equals == part.npos ? part : part.substr(equals + 1);
    if (values_.find(name) == values_.end()) {
      throw Error("--" + whatif_ + "=" + std::string(text) + ": there is no option " +
                      (name.empty() ? "that takes a value" : "'" + std::string(name) + "'"),
                  "--" + whatif_ + " takes: " + Listed(options));
    }
    Set(name, value);
  }
}

void WhatIfValues::Set(std::string_view name, std::string_view value) {
  const auto it = values_.find(name);
  if (it == values_.end()) {
    std::string known;
    for (const auto& [key, unused] : values_) known += (known.empty() ? "" : ", ") + key;
    throw Error("the what-if " + whatif_ + " has no option '" + std::string(name) + "'",
                known.empty() ? "it has none" : "it has: " + known);
  }
  it->second = value;
  given_[std::string(name)] = true;
}

bool WhatIfValues::IsGiven(std::string_view name) const {
  return given_.count(std::string(name)) > 0;
}

const std::string& WhatIfValues::Text(std::string_view name) const {
  return values_.find(name)->second;
}

void WhatIfValues::Fail(std::string_view name, std::string_view expected) const {
  throw Error("--" + whatif_ + ": " + std::string(name) + "=" + Text(name) + " is not " +
                  std::string(expected),
              "xsp whatif --list says what " + whatif_ + " takes");
}

double WhatIfValues::Number(std::string_view name) const {
  constexpr NumberSuffix kSuffixes[] = {{"", 1}, {"x", 1}, {"%", 0.01}};
  const auto value = ReadNumber(Text(name), kSuffixes);
  if (!value) Fail(name, "a number");
  return *value;
}

std::uint32_t WhatIfValues::Count(std::string_view name) const {
  const auto value = ReadNumber(Text(name), {{{"", 1}}});
  constexpr double kMost = 1e6;
  if (!value || *value < 1 || *value > kMost || *value != std::floor(*value)) {
    Fail(name, "a whole number above 0");
  }
  return static_cast<std::uint32_t>(*value);
}

double WhatIfValues::Bytes(std::string_view name) const {
  const auto value = ReadBytes(Text(name));
  if (!value) Fail(name, "a size such as 25MB");
  return *value;
}

double WhatIfValues::Bandwidth(std::string_view name) const {
  const auto value = ReadBandwidth(Text(name));
  if (!value) Fail(name, "a bandwidth such as 100Gbit or 25GB");
  return *value;
}

double WhatIfValues::Nanoseconds(std::string_view name) const {
  const auto value = ReadDurationNs(Text(name));
  if (!value) Fail(name, "a duration such as 12us");
  return *value;
}

std::string WhatIfValues::GivenText() const {
  std::string text;
  for (const auto& [name, unused] : given_) {
    text += (text.empty() ? "" : ",") + (given_.size() == 1 && name == first_ ? "" : name + "=") +
            Text(name);
  }
  return text;
}

std::optional<double> ReadNumber(std::string_view text, std::span<const NumberSuffix> suffixes) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const NumberSuffix& suffix : suffixes) {
    if (SameLetters(rest, suffix.text)) return value * suffix.factor;
  }
  return std::nullopt;
}

std::optional<double> ReadDurationNs(std::string_view text) {
  constexpr NumberSuffix kSuffixes[] = {
      {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  return ReadNumber(text, kSuffixes);
}

std::optional<double> ReadBandwidth(std::string_view text) {
  constexpr NumberSuffix kSuffixes[] = {
      {"Gbit", 1e9 / 8}, {"Gbit/s", 1e9 / 8}, {"Gbps", 1e9 / 8}, {"Mbit", 1e6 / 8}, {"GB", 1e9},
      {"GB/s", 1e9},     {"TB", 1e12},        {"TB/s", 1e12},    {"MB", 1e6},       {"MB/s", 1e6}};
  return ReadNumber(text, kSuffixes);
}

std::optional<double> ReadBytes(std::string_view text) {
  constexpr NumberSuffix kSuffixes[] = {{"", 1},          {"B", 1},           {"KB", 1e3},
                                        {"MB", 1e6},      {"GB", 1e9},        {"KiB", 1024},
                                        {"MiB", 1048576}, {"GiB", 1073741824}};
  return ReadNumber(text, kSuffixes);
}

}  // namespace xsp
