#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "diff/runs/series.h"
#include "diff/statistics/bootstrap.h"
#include "diff/statistics/noise.h"

namespace xsp {

enum class Verdict : std::uint8_t { kSame = 0, kRegression, kImprovement, kCannotTell };
std::string_view NameOf(Verdict verdict);  // "same", "regression", "improvement", "cannot_tell".

// From fewer values (on either side) no noise within a run can be seen.
inline constexpr std::size_t kSamplesForInterval = 3;
// By how much runs whose steps show their noise differ besides, as a deviation, where a single
// difference between two runs is all that is known of it.
inline constexpr double kAssumedRunNoise = 0.005;
// What one value a side may differ by where nothing at all is known of its noise: single runs of
// programs whose steps are not known differ by several per cent for no reason.
inline constexpr double kUnknownNoise = 0.10;
// A change of this share is one that people care about.
inline constexpr double kMattersByDefault = 0.02;
// A change of less than this share is the same: no two runs of a program agree better than that.
inline constexpr double kLeastEffect = 0.005;

// By what a verdict is given.
struct DecisionOptions {
  double noise = kUnknownNoise;  // Where nothing shows noise: what counts as none, as a share.
  // A change of this share must be seen if it is there; else the verdict is kCannotTell.
  double matters = kMattersByDefault;
  // What is known of noise between runs besides: of earlier runs of the same thing.
  std::optional<RunNoise> remembered;
  double confidence = 0.95;
};

// One quantity on both sides: what changed, how sure that is, and what it is called.
//
// With at least three values a side, or where it is known how far runs differ, a regression is a
// growth that
//   - the interval of the ratio leaves no doubt about (its lower end is above 1),
//   - the ranks of the values confirm, and
//   - exceeds what the sides differ from themselves (`floor`).
// What only one side has is told by the ranks alone: it is no share of anything. Where nothing is
// known of noise, it is a growth beyond what is assumed. Otherwise it is the same
// if a change that matters would have been seen, and else nobody can tell.
struct Estimate {
  double base = 0;  // Means.
  double now = 0;
  double base_median = 0;
  double now_median = 0;
  std::size_t base_count = 0;
  std::size_t now_count = 0;
  std::optional<double> ratio;       // now / base; none where base is 0.
  std::optional<Interval> interval;  // Of the ratio, at the confidence asked for; none: too few.
  std::optional<double> rank_p;      // Of the rank test.
  std::optional<double> base_noise;  // NoiseWithin.
  std::optional<double> now_noise;
  std::optional<double> run_noise;  // NoiseBetween and what is remembered: the deviation.
  bool run_noise_decides =
      false;  // Noise between runs is what makes the interval as wide as it is.
  // Smaller changes cannot be told from noise, as shares.
  double floor = kLeastEffect;
  double resolution = kLeastEffect;  // The larger of the floor and half the interval.
  bool identical = false;            // Value for value.
  Verdict verdict = Verdict::kSame;
  // kCannotTell: with so many values a side a change that matters would be seen, if the noise is
  // chance and no drift.
  std::size_t wanted = 0;

  double change() const { return now - base; }
  // Growth as a share: 0.03 is 3 % more. Infinite where there was nothing before.
  double growth() const;
  // The lower end of the growth: what a limit is held against. The growth itself where there are
  // too few values for an interval.
  double low_growth() const;
  double high_growth() const;
};

Estimate EstimateChange(const Series& base, const Series& now, const DecisionOptions& options);

// The two-sided p-value of Welch's t-test on the means of up to eight stretches a side: what rows
// that are tested by the hundred go by. 1 where it cannot be told.
double QuickP(const Series& base, const Series& now);

// Which of many rows differ by more than noise: QuickP of each, corrected for there being many.
// Rows of less than kRowShare of the unit are not worth a test.
inline constexpr double kRowShare = 0.001;
std::vector<bool> AreSignificant(const std::vector<double>& p);

}  // namespace xsp
