#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/summary/summary_text.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

// Bounds of what is read: no sum of times overflows, and no list takes long to show.
constexpr DurationNs kMostTime = DurationNs{1} << 61;  // All times together.
constexpr double kMostNumber = 1e30;
constexpr std::size_t kMostWorkRows = 10'000;  // Of all devices.
constexpr std::size_t kMostKernels = 100'000;
constexpr std::size_t kMostStepNumbers = 1'000'000;
constexpr int kDeepest = 8;

// Read with a sorted map: the one that keeps the order of keys takes a hostile million of them
// one by one.
using Parsed = nlohmann::json;

// Reads the parts of one summary. Throws std::runtime_error, or what the JSON library throws.
class SummaryReader {
 public:
  Summary Read(const Parsed& json) {
    Summary summary;
    summary.gpus = Text(json.at("gpus"));
    summary.program = OptionalTime(json.at("program_ns"));
    summary.gpu_span = OptionalTime(json.at("gpu_span_ns"));
    summary.multiprocessors = Count<std::uint32_t>(json.at("multiprocessors"));
    summary.format = Text(json.at("format"));
    if (const Parsed& missing = json.at("missing"); !missing.is_null()) {
      summary.missing = MissingData{Text(missing.at(0)), Text(missing.at(1))};
    }
    ReadWindow(json.at("window"), summary.window);
    ReadUnit(json.at("unit"), summary.unit);
    for (const Parsed& item : List(json.at("device_work"))) summary.work.push_back(ReadWork(item));
    summary.idle.length = Time(json.at("length_ns"));
    for (const Parsed& item : List(json.at("idle"))) summary.idle.devices.push_back(ReadIdle(item));
    Expect(summary.work.size() == summary.idle.devices.size());
    Expect(List(json.at("kernels")).size() <= kMostKernels);
    for (const Parsed& item : json.at("kernels")) summary.kernels.push_back(ReadKernel(item));
    Expect(List(json.at("habits")).size() <= AllHabitRules().size());
    for (const Parsed& item : json.at("habits")) summary.habits.push_back(ReadHabit(item));
    return summary;
  }

 private:
  static void Expect(bool holds) {
    if (!holds) throw std::runtime_error("no summary");
  }
  static const std::string& Text(const Parsed& json) { return json.get_ref<const std::string&>(); }
  // Words of our own, which nobody makes safe before they are shown.
  static const std::string& Words(const Parsed& json) {
    Expect(SafeText(Text(json)) == Text(json));
    return Text(json);
  }
  static const Parsed& List(const Parsed& json) {
    Expect(json.is_array());
    return json;
  }
  template <class T>
  static T Count(const Parsed& json) {
    Expect(json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<T>::max());
    return json.get<T>();
  }
  static double Number(const Parsed& json) {
    Expect(json.is_number() && std::abs(json.get<double>()) <= kMostNumber);
    return json.get<double>();
  }
  static std::optional<double> OptionalNumber(const Parsed& json) {
    return json.is_null() ? std::nullopt : std::optional(Number(json));
  }
  DurationNs Time(const Parsed& json) {
    Expect(json.is_number_unsigned() &&
           json.get<std::uint64_t>() < static_cast<std::uint64_t>(kMostTime - total_));
    total_ += json.get<DurationNs>();
    return json.get<DurationNs>();
  }
  std::optional<DurationNs> OptionalTime(const Parsed& json) {
    return json.is_null() ? std::nullopt : std::optional(Time(json));
  }
  template <class T>
  static T Known(const std::optional<T>& value) {
    Expect(value.has_value());
    return *value;
  }

  static void ReadWindow(const Parsed& json, Window& window) {
    window.text = Text(json.at("text"));
    const Parsed& time = json.at("time");
    if (time.is_null()) return;
    Expect(time.at(0).is_number_integer() && time.at(1).is_number_integer());
    window.time = TimeRange{time.at(0).get<TimeNs>(), time.at(1).get<TimeNs>()};
  }
  void ReadUnit(const Parsed& json, Unit& unit) {
    unit.is_step = json.at("is_step").get<bool>();
    unit.first_step = Count<std::uint32_t>(json.at("first_step"));
    unit.step_count = Count<std::uint32_t>(json.at("step_count"));
    unit.period = Count<std::uint32_t>(json.at("period"));
    unit.measured = Time(json.at("measured_ns"));
    ReadSteps(json.at("steps"), unit.steps);
    Expect(!unit.is_step || !unit.steps.empty());
  }
  static std::vector<std::uint32_t> ReadNumbers(const Parsed& json) {
    Expect(List(json).size() <= kMostStepNumbers);
    std::vector<std::uint32_t> numbers;
    for (const Parsed& number : json) numbers.push_back(Count<std::uint32_t>(number));
    return numbers;
  }
  void ReadSteps(const Parsed& json, CountedSteps& steps) {
    steps.found = Count<std::uint32_t>(json.at("found"));
    steps.counted = ReadNumbers(json.at("counted"));
    steps.cold = ReadNumbers(json.at("cold"));
    steps.outliers = ReadNumbers(json.at("outliers"));
    steps.late_one_time = ReadNumbers(json.at("late_one_time"));
    Expect(List(json.at("left_out")).size() <= kMostStepNumbers);
    for (const Parsed& item : json.at("left_out")) {
      const auto reason = Count<std::uint8_t>(item.at(1));
      Expect(reason <= static_cast<std::uint8_t>(LeftOut::kNotAskedFor));
      steps.left_out.emplace_back(Count<std::uint32_t>(item.at(0)), static_cast<LeftOut>(reason));
    }
    steps.two_speeds = json.at("two_speeds").get<bool>();
    steps.typical = Time(json.at("typical_ns"));
    steps.warm_mean = Time(json.at("warm_mean_ns"));
    steps.spread = Number(json.at("spread"));
    steps.cold_ns = Time(json.at("cold_ns"));
    steps.outlier_ns = Time(json.at("outlier_ns"));
  }
  DeviceWork ReadWork(const Parsed& json) {
    DeviceWork device{Count<std::uint32_t>(json.at("number")), Text(json.at("name")), {}};
    for (const Parsed& item : List(json.at("rows"))) {
      const auto kind = Count<std::uint8_t>(item.at(0));
      Expect(kind <= static_cast<std::uint8_t>(WorkKind::kElsewhere));
      Expect(++work_rows_ <= kMostWorkRows);
      device.rows.push_back({static_cast<WorkKind>(kind), Words(item.at(1)), Time(item.at(2)),
                             Count<std::uint32_t>(item.at(3)), Count<std::uint64_t>(item.at(4))});
    }
    return device;
  }
  DeviceIdle ReadIdle(const Parsed& json) {
    DeviceIdle device;
    device.number = Count<std::uint32_t>(json.at("number"));
    device.busy = Time(json.at("busy_ns"));
    device.idle = Time(json.at("idle_ns"));
    const Parsed& causes = List(json.at("causes"));
    Expect(causes.size() == device.causes.size());
    DurationNs sum = 0;
    for (std::size_t i = 0; i < causes.size(); ++i) {
      device.causes[i] = {Time(causes[i].at(0)), Count<std::uint32_t>(causes[i].at(1))};
      sum += device.causes[i].ns;
    }
    Expect(sum == device.idle);
    return device;
  }
  SummaryKernel ReadKernel(const Parsed& json) {
    SummaryKernel row;
    row.device = Count<std::uint32_t>(json.at(0));
    row.name = Text(json.at(1));
    row.count = Count<std::uint32_t>(json.at(2));
    row.total_ns = Time(json.at(3));
    row.mean_ns = Time(json.at(4));
    row.longest_ns = Time(json.at(5));
    row.full_name = Text(json.at(6));
    row.blocks = Count<std::uint64_t>(json.at(7));
    row.kernel_class = Known(KernelClassFromName(Text(json.at(8))));
    row.precision = Known(PrecisionFromName(Text(json.at(9))));
    row.flops = OptionalNumber(json.at(10));
    row.peak_flop_rate = OptionalNumber(json.at(11));
    return row;
  }
  Habit ReadHabit(const Parsed& json) {
    const auto rules = AllHabitRules();
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const HabitRule& known) {
      return known.name == Text(json.at(0));
    });
    Expect(rule != rules.end());
    return {&*rule, Count<std::uint32_t>(json.at(1)), Time(json.at(2)), OptionalNumber(json.at(3))};
  }

  DurationNs total_ = 0;
  std::size_t work_rows_ = 0;
};

// Nested deeper than a summary is: a parser would hold each level.
bool IsDeep(std::string_view text) {
  int depth = 0;
  bool is_name = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') ++i;
    if (c == '"') is_name = !is_name;
    if (is_name) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

}  // namespace

std::optional<Summary> SummaryFromText(std::string_view text) {
  if (IsDeep(text)) return std::nullopt;
  try {
    return SummaryReader().Read(Parsed::parse(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace xsp
