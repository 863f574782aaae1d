#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/comparison.h"

namespace xsp {

// A metric of one run.
struct TrendPoint {
  std::string run;
  double value = 0;
  // The standard error of the value, by what the run shows of itself; none: it shows nothing.
  std::optional<double> error;

  double Low() const;  // 95 of 100 such runs lie between.
  double High() const;
};

// From this run on the metric has another level.
struct TrendChange {
  std::size_t point = 0;
  double from = 0;
  double to = 0;

  double Share() const { return from > 0 ? to / from - 1 : 0; }
};

// What becomes of a metric over runs. One of three descriptions fits best (by their residuals and
// the number of their parameters): it stays, it drifts along a line, or it changes at some runs.
struct Trend {
  std::vector<TrendPoint> points;  // The oldest first.
  std::vector<TrendChange> changes;
  // From the first to the last run, as a share, by the description that fits: +8 % for 20 runs that
  // each add 0.4 %. None for fewer than three runs.
  std::optional<double> drift;
  double drift_error = 0;  // Its standard error.
  double noise = 0;        // How far runs lie from the description, as a share: one deviation.

  // Whether runs that stay the same hardly ever (Student, 1 %) seem to drift so far.
  bool Drifts() const;
};

inline constexpr std::size_t kRunsForTrend = 3;

Trend FindTrend(std::vector<TrendPoint> points);

// "drift > 3%", "change > 2%", "last > 5%": the drift, the largest change upwards, the last run
// against the mean of those before.
struct TrendGate {
  std::string text;
  std::string subject;
  double limit = 0;
};
TrendGate ParseTrendGate(std::string_view text);  // Throws GrammarError.

struct TrendGateResult {
  TrendGate gate;
  std::optional<double> value;
  GateState state = GateState::kNoData;
};
// Fails where the value exceeds the limit by more than noise; undecided where noise may have made
// it so, or might hide it.
TrendGateResult CheckTrendGate(const Trend& trend, const TrendGate& gate);

// The words that can be limited.
std::vector<std::string> TrendSubjects();

}  // namespace xsp
