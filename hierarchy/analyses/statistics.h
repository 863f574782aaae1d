#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace xsp {

// How the values of several runs become one.
enum class Statistic : std::uint8_t {
  kTrimmed,  // The mean without the extremes; see TrimmedMean.
  kMean,
  kMedian,
};
std::string_view NameOf(Statistic statistic);  // "trimmed", "mean", "median".

// XSP's trimmed mean. Fewer than 3 values: their mean; 3: the median; else the mean without the
// lowest fifth (rounded down) and as many, but at least one, of the highest.
double TrimmedMean(std::vector<double> values);
double Mean(const std::vector<double>& values);
double Median(std::vector<double> values);

// There must be a value.
double Summarize(std::vector<double> values, Statistic statistic);

// Nothing where one of the runs does not know the value.
std::optional<double> Summarize(const std::vector<std::optional<double>>& values,
                                Statistic statistic);

}  // namespace xsp
