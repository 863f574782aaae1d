#include "diff/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/hash.h"
#include "diff/statistics/statistics.h"

namespace xsp {
namespace {

constexpr std::size_t kDraws = 2000;
constexpr std::size_t kTailDraws = 25;  // At least so many ratios lie beyond an end.
constexpr std::size_t kMostDraws = 20000;

// splitmix64: small, fast, and the same on every machine.
class Dice {
 public:
  // Below `bound`, by multiplication: no division, and a bias of less than bound / 2^32.
  std::size_t Below(std::size_t bound) {
    state_ += kHashFactor;
    return static_cast<std::size_t>(((MixedBits(state_) >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_ = 20200520;
};

double LagOneCorrelation(const std::vector<double>& run) {
  const double mean = MeanOf(run);
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    square += (run[i] - mean) * (run[i] - mean);
    if (i > 0) product += (run[i] - mean) * (run[i - 1] - mean);
  }
  return square > 0 ? product / square : 0;
}

// How long a stretch is drawn at a time: the length that serves an AR(1) process of the same
// correlation best, but never more than a quarter of the run.
std::size_t StretchLength(const std::vector<double>& run) {
  const double r = std::min(LagOneCorrelation(run), 0.97);
  if (r <= 0) return 1;
  const auto n = static_cast<double>(run.size());
  const double best = std::pow(std::sqrt(6.0) * r / (1 - r * r), 2.0 / 3) * std::cbrt(n);
  const std::size_t most = std::max<std::size_t>(1, run.size() / 4);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(best)), 1, most);
}

// One run, ready to be drawn from: sums of stretches come from sums of beginnings.
class Urn {
 public:
  explicit Urn(const std::vector<double>& run) : length_(StretchLength(run)), sums_{0} {
    for (double v : run) sums_.push_back(sums_.back() + v);
  }

  std::size_t size() const { return sums_.size() - 1; }
  // How many stretches make up the run: what it holds of independent values.
  double stretches() const { return static_cast<double>(size()) / static_cast<double>(length_); }

  // The sum of as many values as the run has, drawn in stretches; the last one may be cut short.
  double Draw(Dice& dice) const {
    double sum = 0;
    for (std::size_t left = size(); left > 0;) {
      const std::size_t take = std::min(left, length_);
      const std::size_t from = dice.Below(size() - length_ + 1);
      sum += sums_[from + take] - sums_[from];
      left -= take;
    }
    return sum;
  }

 private:
  std::size_t length_;
  std::vector<double> sums_;
};

struct UrnsOfSide {
  std::vector<Urn> urns;
  double values = 0;
  double stretches = 0;

  explicit UrnsOfSide(const Series& side) {
    for (const std::vector<double>& run : side.runs) {
      if (run.empty()) continue;
      urns.emplace_back(run);
      values += static_cast<double>(run.size());
      stretches += urns.back().stretches();
    }
  }

  double DrawMean(Dice& dice) const {
    double sum = 0;
    for (const Urn& urn : urns) sum += urn.Draw(dice);
    return sum / values;
  }
};

// How much wider the interval must be than the draws say: a mean of n values scatters more around
// the truth than redrawn means scatter around it, and its own scatter is not known exactly.
double Expansion(double stretches, double tail) {
  const double n = std::max(2.0, stretches);
  constexpr double kManyDegrees = 1e6;
  return std::sqrt(n / (n - 1)) * StudentQuantile(1 - tail, n - 1) /
         StudentQuantile(1 - tail, kManyDegrees);
}

// Few values that scatter widely would put the lower end below 0, where no ratio can be. From half
// of the ratio downwards it comes ever nearer to 0 instead.
double LowerEnd(double ratio, double distance) {
  const double half = ratio / 2;
  return distance <= half ? ratio - distance : half * std::exp(-(distance - half) / half);
}

}  // namespace

Interval BootstrapRatio(const Series& base, const Series& now, double confidence) {
  const UrnsOfSide base_urns(base);
  const UrnsOfSide now_urns(now);
  const double tail = (1 - confidence) / 2;
  const std::size_t draws = std::clamp(
      static_cast<std::size_t>(static_cast<double>(kTailDraws) / tail), kDraws, kMostDraws);
  Dice dice;
  std::vector<double> ratios;
  ratios.reserve(draws);
  for (std::size_t i = 0; i < draws; ++i) {
    const double of_base = base_urns.DrawMean(dice);
    const double of_now = now_urns.DrawMean(dice);
    if (of_base > 0) ratios.push_back(of_now / of_base);
  }
  std::sort(ratios.begin(), ratios.end());
  const double ratio = now.Mean() / base.Mean();
  if (ratios.empty()) return {ratio, ratio};
  const auto place = static_cast<std::size_t>(tail * static_cast<double>(ratios.size() - 1));
  const double wider =
      Expansion(std::min(base_urns.stretches, now_urns.stretches), std::max(tail, 1e-12));
  return {LowerEnd(ratio, (ratio - ratios[place]) * wider),
          ratio + (ratios[ratios.size() - 1 - place] - ratio) * wider};
}

}  // namespace xsp
