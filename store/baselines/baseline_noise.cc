#include "store/baselines/baseline_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>

#include "base/file_in_progress.h"
#include "store/baselines/baselines.h"
#include "store/json_fields.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNoiseVersionField = "xsp_noise";
constexpr std::uint64_t kNoiseVersion = 1;
constexpr std::size_t kMostBytes = 4096;
// More would hardly make noise any better known, and a machine that got worse would go unnoticed.
constexpr double kMostDegrees = 30;

ScatterOfRuns ScatterOf(const std::vector<RunFacts>& runs, std::uint64_t RunFacts::*figure) {
  std::vector<double> values;
  for (const RunFacts& run : runs) {
    if (run.*figure > 0) values.push_back(static_cast<double>(run.*figure));
  }
  if (values.size() < 2) return {};
  double mean = 0;
  for (double value : values) mean += value / static_cast<double>(values.size());
  ScatterOfRuns scatter{0, static_cast<double>(values.size() - 1)};
  for (double value : values) scatter.squares += (value / mean - 1) * (value / mean - 1);
  return scatter;
}

ScatterOfRuns Together(const ScatterOfRuns& old, const ScatterOfRuns& fresh) {
  // As many degrees as there is room for beside the new ones.
  const double room = std::max(0.0, kMostDegrees - fresh.degrees);
  const double keep = old.degrees > room ? room / old.degrees : 1;
  return {keep * old.squares + fresh.squares, keep * old.degrees + fresh.degrees};
}

double AmountField(const Json& object, std::string_view name) {
  const double amount = FieldOf(object, name).get<double>();
  return std::isfinite(amount) && amount >= 0 ? amount : throw std::out_of_range("no amount");
}

// Only what RememberNoise can have written: nothing, or the scatter of two runs and more.
ScatterOfRuns ScatterField(const Json& document, std::string_view name) {
  constexpr double kMostRuns = 1e6, kWidest = 100;  // A hundred times the mean apart.
  const Json& object = ObjectField(document, name);
  const ScatterOfRuns scatter{AmountField(object, "squares"), AmountField(object, "degrees")};
  const bool is_nothing = scatter == ScatterOfRuns{};
  const bool is_sound = scatter.degrees >= 1 && scatter.degrees <= kMostRuns &&
                        scatter.squares <= kWidest * scatter.degrees;
  return is_nothing || is_sound ? scatter : throw std::out_of_range("no scatter");
}

Json ScatterJson(const ScatterOfRuns& scatter) {
  return {{"squares", scatter.squares}, {"degrees", scatter.degrees}};
}

}  // namespace

BaselineNoise NoiseOf(const std::vector<RunFacts>& runs) {
  return {ScatterOf(runs, &RunFacts::step_ns), ScatterOf(runs, &RunFacts::span_ns)};
}

BaselineNoise ReadNoise(const fs::path& baseline) {
  std::ifstream in(baseline / kNoiseFile, std::ios::binary);
  std::array<char, kMostBytes> bytes{};
  in.read(bytes.data(), bytes.size());
  const std::string_view text(bytes.data(), static_cast<std::size_t>(in.gcount()));
  try {
    const Json document = Json::parse(text);
    if (CountField(document, kNoiseVersionField) != kNoiseVersion) return {};
    return {ScatterField(document, "step"), ScatterField(document, "span")};
  } catch (const std::exception&) {
    return {};  // Runs are compared without it, too.
  }
}

void RememberNoise(const fs::path& baseline, const std::vector<RunFacts>& runs) {
  const BaselineNoise fresh = NoiseOf(runs);
  if (fresh == BaselineNoise{}) return;
  const BaselineNoise old = ReadNoise(baseline);
  const Json document = {{std::string(kNoiseVersionField), kNoiseVersion},
                         {"step", ScatterJson(Together(old.step, fresh.step))},
                         {"span", ScatterJson(Together(old.span, fresh.span))}};
  FileInProgress file(baseline / kNoiseFile);
  file.Write(document.dump(1) + "\n");
  file.Publish();
}

}  // namespace xsp
