#include "report/diff/one_time_words.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "report/diff/diff_words.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Times of both sides, written in the unit that fits the whole.
class TimesInUnit {
 public:
  explicit TimesInUnit(const Comparison& c)
      : c_(c),
        unit_(FittingTimeUnit(std::max(c.base_ns(), c.now_ns()))),
        decimals_(FittingDecimals(std::max(c.unit.base, c.unit.now) /
                                  static_cast<double>(NanosecondsPer(unit_)))) {}

  std::string Pair(DurationNs before, DurationNs after) const {
    return FormatIn(before, unit_, decimals_) + " → " + FormatIn(after, unit_, decimals_) + " " +
           std::string(NameOf(unit_));
  }

  // What the change would be without these parts; nothing where they are all of it.
  std::string Without(const std::string& what, DurationNs base, DurationNs now) const {
    const DurationNs base_rest = c_.base_ns() - base, now_rest = c_.now_ns() - now;
    if (base_rest <= 0) return "";
    const double growth = static_cast<double>(now_rest) / static_cast<double>(base_rest) - 1;
    return what + GrowthWords(growth) + " (" + Pair(base_rest, now_rest) + ")";
  }

 private:
  const Comparison& c_;
  const TimeUnit unit_;
  const int decimals_;
};

}  // namespace

std::string OneTimeWords(const Comparison& c) {
  constexpr double kMentioned = 0.01;
  const auto is_mentioned = [&](double base, double now) {
    return base >= kMentioned * c.unit.base || now >= kMentioned * c.unit.now;
  };
  const double base = c.base->OneTime().Mean();
  const double now = c.now->OneTime().Mean();
  if (!is_mentioned(base, now)) return "";
  const TimesInUnit times(c);
  std::vector<std::string> reasons;
  OneTimeReason largest{};
  DurationNs most = -1;
  const OneTimeSums base_by = c.base->OneTimeBy(), now_by = c.now->OneTimeBy();
  for (std::size_t i = 0; i < kOneTimeReasonCount; ++i) {
    if (!is_mentioned(static_cast<double>(base_by[i]), static_cast<double>(now_by[i]))) continue;
    const auto reason = static_cast<OneTimeReason>(i);
    reasons.push_back(std::string(NameOf(reason)) + " " + times.Pair(base_by[i], now_by[i]));
    if (std::abs(now_by[i] - base_by[i]) <= most) continue;
    most = std::abs(now_by[i] - base_by[i]);
    largest = reason;
  }
  std::string words = times.Pair(std::llround(base), std::llround(now)) + " of it is one-time cost";
  if (reasons.size() > 1) words += " (" + Joined(reasons, ", ") + ")";
  if (reasons.size() == 1) words += ", " + std::string(NameOf(largest));
  words += times.Without("; without it ", std::llround(base), std::llround(now));
  if (reasons.size() < 2) return words;
  const auto at = static_cast<std::size_t>(largest);
  return words + times.Without("; without " + std::string(NameOf(largest)) + " alone ", base_by[at],
                               now_by[at]);
}

}  // namespace xsp
