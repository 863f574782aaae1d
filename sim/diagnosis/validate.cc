#include "sim/diagnosis/validate.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace xsp {
namespace {

double Off(DurationNs forecast, DurationNs truth) {
  return truth == 0 ? 0 : static_cast<double>(forecast) / static_cast<double>(truth) - 1;
}

}  // namespace

double Validation::Error() const { return Off(forecast.forecast, after); }
double Validation::NaiveError() const { return Off(forecast.naive, after); }
double Validation::DeviceError() const { return Off(forecast.device_after, device_after); }

MeasuredRun Measure(const Workbench& workbench) {
  const Forecast unchanged = workbench.Run({});
  return {workbench.unit().is_step, unchanged.measured, unchanged.classes};
}

Validation Validate(const Workbench& before, std::span<const ChosenWhatIf> whatifs,
                    const MeasuredRun& after) {
  Validation result;
  result.forecast = before.Run(whatifs);
  result.is_step = after.is_step;
  result.after = after.unit;
  std::array<ClassError, kKernelClassCount> classes{};
  for (const ClassTime& time : result.forecast.classes) {
    ClassError& row = classes[static_cast<std::size_t>(time.kernel_class)];
    row.before = time.before;
    row.forecast = time.after;
  }
  for (const ClassTime& time : after.classes) {
    classes[static_cast<std::size_t>(time.kernel_class)].after = time.before;
    result.device_after += time.before;
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    classes[i].kernel_class = static_cast<KernelClass>(i);
    if (classes[i].before + classes[i].forecast + classes[i].after == 0) continue;
    result.classes.push_back(classes[i]);
  }
  std::stable_sort(result.classes.begin(), result.classes.end(),
                   [](const ClassError& a, const ClassError& b) {
                     return std::abs(a.Off()) > std::abs(b.Off());
                   });
  return result;
}

}  // namespace xsp
