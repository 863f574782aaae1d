#include "diff/trend/trend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/quantity.h"
#include "diff/gates/grammar_error.h"
#include "diff/statistics/estimate.h"
#include "diff/statistics/statistics.h"

namespace xsp {
namespace {

constexpr double kWithin95 = 1.96;
// Descriptions of runs are never better than that: no two runs agree more closely.
constexpr double kLeastNoise = 0.0005;
// A level has so many runs at least: a single odd one is no change.
constexpr std::size_t kRunsOfALevel = 2;
constexpr std::size_t kMostChanges = 12;

const std::array<std::string_view, 3> kSubjects = {"drift", "change", "last"};

// Sums of values and their squares, to be asked for any stretch.
class Prefix {
 public:
  explicit Prefix(const std::vector<TrendPoint>& points) : sums_(1, 0), squares_(1, 0) {
    for (const TrendPoint& point : points) {
      sums_.push_back(sums_.back() + point.value);
      squares_.push_back(squares_.back() + point.value * point.value);
    }
  }
  double Mean(std::size_t begin, std::size_t end) const {
    return (sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }
  // Squared distances from the mean of the stretch.
  double Squares(std::size_t begin, std::size_t end) const {
    const double sum = sums_[end] - sums_[begin];
    return std::max(0.0,
                    squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin));
  }

 private:
  std::vector<double> sums_, squares_;
};

struct Line {
  double start = 0, slope = 0, squares = 0;
};
Line FitLine(const std::vector<TrendPoint>& points) {
  const auto n = static_cast<double>(points.size());
  const double middle = (n - 1) / 2;
  double mean = 0, xx = 0, xy = 0;
  for (const TrendPoint& point : points) mean += point.value / n;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    xx += x * x;
    xy += x * (points[i].value - mean);
  }
  Line line;
  line.slope = xx > 0 ? xy / xx : 0;
  line.start = mean - line.slope * middle;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double off = points[i].value - line.start - line.slope * static_cast<double>(i);
    line.squares += off * off;
  }
  return line;
}

// How well a description fits, the fewer parameters the better; smaller is better.
double Misfit(double squares, double parameters, double n, double mean) {
  const double least = kLeastNoise * mean;
  return n * std::log(squares / n + least * least) + parameters * std::log(n);
}

// Levels: where each begins, the first at 0. Splits whatever makes the fit better, while it does.
std::vector<std::size_t> FindLevels(const Prefix& prefix, std::size_t n, double mean) {
  std::vector<std::size_t> begins = {0};
  double squares = prefix.Squares(0, n);
  const auto parameters = [&](std::size_t levels) { return 2.0 * static_cast<double>(levels); };
  while (begins.size() <= kMostChanges) {
    double best = squares;
    std::size_t at = 0;
    for (std::size_t level = 0; level < begins.size(); ++level) {
      const std::size_t begin = begins[level];
      const std::size_t end = level + 1 < begins.size() ? begins[level + 1] : n;
      for (std::size_t i = begin + kRunsOfALevel; i + kRunsOfALevel <= end; ++i) {
        const double split = squares - prefix.Squares(begin, end) + prefix.Squares(begin, i) +
                             prefix.Squares(i, end);
        const double step = std::abs(prefix.Mean(i, end) / prefix.Mean(begin, i) - 1);
        if (split >= best || step < kLeastEffect) continue;
        best = split;
        at = i;
      }
    }
    const auto count = static_cast<double>(n);
    if (at == 0 || Misfit(best, parameters(begins.size() + 1), count, mean) >=
                       Misfit(squares, parameters(begins.size()), count, mean)) {
      break;
    }
    squares = best;
    begins.insert(std::upper_bound(begins.begin(), begins.end(), at), at);
  }
  return begins;
}

// Each run as the middle one of itself and its neighbours: levels stay where they are, single odd
// runs go.
std::vector<TrendPoint> WithoutOddOnes(const std::vector<TrendPoint>& points) {
  std::vector<TrendPoint> even = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t first = std::clamp<std::size_t>(i, 1, points.size() - 2) - 1;
    std::array<double, 3> three = {points[first].value, points[first + 1].value,
                                   points[first + 2].value};
    std::sort(three.begin(), three.end());
    even[i].value = three[1];
  }
  return even;
}

double SquaresOf(const std::vector<std::size_t>& begins, const Prefix& prefix, std::size_t n) {
  double squares = 0;
  for (std::size_t level = 0; level < begins.size(); ++level) {
    squares += prefix.Squares(begins[level], level + 1 < begins.size() ? begins[level + 1] : n);
  }
  return squares;
}

void DescribeByLine(const Line& line, double noise, Trend& trend) {
  const auto n = static_cast<double>(trend.points.size());
  if (line.start <= 0) return;
  trend.drift = line.slope * (n - 1) / line.start;
  // The standard error of a slope over evenly spaced runs.
  trend.drift_error = noise * (n - 1) * std::sqrt(12 / (n * (n * n - 1)));
}

void DescribeByLevels(const std::vector<std::size_t>& begins, const Prefix& prefix, double noise,
                      Trend& trend) {
  const std::size_t n = trend.points.size();
  const auto end_of = [&](std::size_t level) {
    return level + 1 < begins.size() ? begins[level + 1] : n;
  };
  for (std::size_t level = 1; level < begins.size(); ++level) {
    trend.changes.push_back({begins[level], prefix.Mean(begins[level - 1], begins[level]),
                             prefix.Mean(begins[level], end_of(level))});
  }
  const double first = prefix.Mean(0, end_of(0));
  const double last = prefix.Mean(begins.back(), n);
  if (first <= 0) return;
  trend.drift = last / first - 1;
  trend.drift_error = noise * std::sqrt(1 / static_cast<double>(end_of(0)) +
                                        1 / static_cast<double>(n - begins.back()));
}

}  // namespace

double TrendPoint::Low() const { return value - kWithin95 * error.value_or(0); }
double TrendPoint::High() const { return value + kWithin95 * error.value_or(0); }

bool Trend::Drifts() const {
  constexpr double kChance = 0.01;
  if (!drift || !changes.empty()) return false;
  if (drift_error <= 0) return *drift != 0;
  const auto freedom = static_cast<double>(points.size() - 2);
  return StudentTwoSided(*drift / drift_error, freedom) < kChance;
}

Trend FindTrend(std::vector<TrendPoint> points) {
  Trend trend;
  trend.points = std::move(points);
  const std::size_t n = trend.points.size();
  if (n < kRunsForTrend) return trend;
  const Prefix prefix(trend.points);
  const double mean = prefix.Mean(0, n);
  if (mean <= 0) return trend;
  const Line line = FitLine(trend.points);
  const std::vector<std::size_t> begins = FindLevels(Prefix(WithoutOddOnes(trend.points)), n, mean);
  const double squares = SquaresOf(begins, prefix, n);
  const auto count = static_cast<double>(n);
  const double by_line = Misfit(line.squares, 2, count, mean);
  const double by_levels = Misfit(squares, 2.0 * static_cast<double>(begins.size()), count, mean);
  const bool has_changes = begins.size() > 1 && by_levels < by_line;
  const double parameters = has_changes ? static_cast<double>(begins.size()) : 2;
  trend.noise = std::max(
      kLeastNoise,
      std::sqrt((has_changes ? squares : line.squares) / std::max(1.0, count - parameters)) / mean);
  if (has_changes) {
    DescribeByLevels(begins, prefix, trend.noise, trend);
  } else {
    DescribeByLine(line, trend.noise, trend);
  }
  return trend;
}

std::vector<std::string> TrendSubjects() { return {kSubjects.begin(), kSubjects.end()}; }

TrendGate ParseTrendGate(std::string_view text) {
  const std::size_t sign = text.find('>');
  if (sign == text.npos) {
    throw GrammarError("a limit is written as 'drift > 3%'", text, text.size(), 0);
  }
  const auto trimmed = [](std::string_view part) {
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == part.npos) return std::string_view();
    return part.substr(begin, part.find_last_not_of(' ') - begin + 1);
  };
  TrendGate gate;
  gate.text = trimmed(text);
  gate.subject = trimmed(text.substr(0, sign));
  if (std::find(kSubjects.begin(), kSubjects.end(), gate.subject) == kSubjects.end()) {
    const std::size_t at = std::min(text.find_first_not_of(' '), sign);
    throw GrammarError("unknown subject of a limit", text, at, gate.subject.size(),
                       TrendSubjects());
  }
  const auto limit = ReadShare(trimmed(text.substr(sign + 1)));
  if (!limit) {
    throw GrammarError("not a share, such as 3%", text, sign + 1, text.size() - sign - 1);
  }
  gate.limit = *limit;
  return gate;
}

TrendGateResult CheckTrendGate(const Trend& trend, const TrendGate& gate) {
  TrendGateResult result;
  result.gate = gate;
  if (!trend.drift) return result;
  double error = trend.drift_error;
  if (gate.subject == "drift") {
    result.value = trend.drift;
  } else if (gate.subject == "change") {
    result.value = 0;
    for (const TrendChange& change : trend.changes) {
      result.value = std::max(*result.value, change.Share());
    }
    error = trend.noise;
  } else {
    double before = 0;
    const auto others = static_cast<double>(trend.points.size() - 1);
    for (std::size_t i = 0; i + 1 < trend.points.size(); ++i) before += trend.points[i].value;
    result.value = trend.points.back().value / (before / others) - 1;
    error = trend.noise * std::sqrt(1 + 1 / others);
  }
  const double unseen = kWithin95 * error;
  if (*result.value > gate.limit) {
    result.state = *result.value > unseen ? GateState::kFails : GateState::kUndecided;
  } else {
    result.state = unseen > std::max(gate.limit, 0.0) ? GateState::kUndecided : GateState::kHolds;
  }
  return result;
}

}  // namespace xsp
