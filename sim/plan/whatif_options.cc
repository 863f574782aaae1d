#include "sim/plan/whatif_options.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"

namespace xsp {
namespace {

// Far above what any machine has; what is made of them still fits.
constexpr double kLargestNumber = 1e15;
constexpr double kLongestNs = 1e15;
constexpr double kMostBytes = 1e18;

bool InRange(double value, double most) { return value >= 0 && value <= most; }

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
                  "--" + whatif_ + " takes: " +
                      (options.empty() ? "none" : Joined(options, ", ", &WhatIfOption::name)));
    }
    Set(name, value);
  }
}

void WhatIfValues::Set(std::string_view name, std::string_view value) {
  const auto it = values_.find(name);
  if (it == values_.end()) {
    const std::string known = Joined(values_, ", ", [](const auto& value) { return value.first; });
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
  const Quantity read = ReadQuantity(Text(name));
  const bool fits =
      read.Is(Dimension::kCount) || read.Is(Dimension::kMultiple) || read.Is(Dimension::kShare);
  if (!fits || !InRange(read.value, kLargestNumber)) Fail(name, "a number from 0 to 1e15");
  return read.value;
}

std::uint32_t WhatIfValues::Count(std::string_view name) const {
  const Quantity read = ReadQuantity(Text(name));
  constexpr double kMost = 1e6;
  const bool is_whole = read.Is(Dimension::kCount) && read.value == std::floor(read.value);
  if (!is_whole || read.value < 1 || read.value > kMost) Fail(name, "a whole number above 0");
  return static_cast<std::uint32_t>(read.value);
}

double WhatIfValues::Bytes(std::string_view name) const {
  const auto value = ReadBytes(Text(name));
  if (!value || !InRange(static_cast<double>(*value), kMostBytes)) {
    Fail(name, "a size such as 25MB");
  }
  return static_cast<double>(*value);
}

double WhatIfValues::Bandwidth(std::string_view name) const {
  const auto value = ReadBandwidth(Text(name));
  if (!value || !InRange(*value, kMostBytes)) Fail(name, "a bandwidth such as 100Gbit or 25GB");
  return *value;
}

double WhatIfValues::Nanoseconds(std::string_view name) const {
  const Quantity read = ReadQuantity(Text(name));
  if (!read.Is(Dimension::kTime) || !InRange(read.value, kLongestNs)) {
    Fail(name, "a duration such as 12us");
  }
  return read.value;
}

std::string WhatIfValues::GivenText() const {
  std::string text;
  for (const auto& [name, unused] : given_) {
    text += (text.empty() ? "" : ",") + (given_.size() == 1 && name == first_ ? "" : name + "=") +
            Text(name);
  }
  return text;
}

}  // namespace xsp
