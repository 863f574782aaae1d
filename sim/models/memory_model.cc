#include "sim/models/memory_model.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "model/names/kernel_names.h"

namespace xsp {
namespace {

// Streaming kernels reach 0.75 to 0.93 of the data sheet (T4 0.75-0.85, V100 0.82, 2080 Ti 0.85,
// 3070 Ti 0.89-0.93).
constexpr double kUsualShare = 0.82;
constexpr double kHighestShare = 0.97;
constexpr double kLowestShare = 0.5;

// The number behind `mark`: 4 of "vectorized_elementwise_kernel<4, ...". 0 for none.
std::uint32_t NumberBehind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return 0;
  const char* first = text.data() + at + mark.size();
  std::uint32_t value = 0;
  std::from_chars(first, text.data() + text.size(), value);
  return value;
}

// "std::array<char*, 3ul>", "at::detail::Array<char*, 3>": pointers to results and operands.
std::uint32_t OperandsIn(std::string_view name) {
  for (std::string_view mark : {"rray<char*, ", "rray<char *, "}) {
    const std::uint32_t count = NumberBehind(name, mark);
    if (count > 0 && count < 16) return count;
  }
  return 0;
}

}  // namespace

std::optional<Elementwise> ElementwiseOf(std::string_view kernel_name) {
  // Demanglers write template arguments in different ways: "(int)4", "4".
  const std::string name = ReadKernelName(kernel_name).name;
  Elementwise result;
  result.operands = OperandsIn(name);
  if (name.find("vectorized_elementwise_kernel<") != name.npos) return result;
  constexpr std::uint32_t kUnrolled = 4;
  if (name.find("unrolled_elementwise_kernel<") != name.npos) {
    result.per_thread = kUnrolled;
    return result;
  }
  // elementwise_kernel<128, 4, ...>: threads of a block, elements of a thread.
  const std::size_t at = name.find("elementwise_kernel<");
  if (at == name.npos) return std::nullopt;
  const std::string_view arguments = std::string_view(name).substr(at);
  const std::size_t comma = arguments.find(", ");
  if (comma == arguments.npos) return std::nullopt;
  result.per_thread = NumberBehind(arguments.substr(comma), ", ");
  if (result.per_thread == 0 || result.per_thread > 64) return std::nullopt;
  return result;
}

double MemoryMachine::ElementsOf(const Elementwise& kind, double threads) const {
  return threads * (kind.per_thread != 0 ? kind.per_thread : per_thread);
}

double MemoryMachine::StreamNs(double bytes) const {
  if (bytes_per_s <= 0) return fixed_ns;
  return std::max(fixed_ns, bytes / bytes_per_s * 1e9);
}

MemoryMachine CalibrateMemory(const std::vector<ElementwiseSample>& samples, const GpuPeaks& peaks,
                              double l2_bytes, double fixed_ns) {
  MemoryMachine machine;
  machine.fixed_ns = fixed_ns;
  const double sheet = peaks.bytes_per_s.value_or(0);
  machine.bytes_per_s = sheet * kUsualShare;
  constexpr double kOutOfCache = 4;
  constexpr double kUnknownCache = 8e6;
  const double least = kOutOfCache * (l2_bytes > 0 ? l2_bytes : kUnknownCache);
  // What the large kernels reach if a thread of a vectorized one handles `per_thread` elements.
  auto rates = [&](std::uint32_t per_thread) {
    std::vector<double> reached;
    for (const ElementwiseSample& sample : samples) {
      if (sample.kind.operands == 0 || sample.ns <= 0) continue;
      MemoryMachine with = machine;
      with.per_thread = per_thread;
      const double bytes = with.ElementsOf(sample.kind, sample.threads) * sample.kind.operands *
                           sample.bytes_per_element;
      if (bytes >= least) reached.push_back(bytes / sample.ns * 1e9);
    }
    std::sort(reached.begin(), reached.end());
    return reached;
  };
  constexpr std::size_t kFew = 3;
  for (const std::uint32_t per_thread : {8u, 4u}) {
    const std::vector<double> reached = rates(per_thread);
    if (reached.size() < kFew) continue;
    const double high = reached[reached.size() * 9 / 10];
    const bool possible = sheet == 0 || high <= sheet * kHighestShare;
    if (!possible && per_thread != 4) continue;
    machine.per_thread = per_thread;
    const double middle = reached[reached.size() / 2];
    machine.calibrated = true;
    machine.bytes_per_s =
        sheet == 0 ? middle : std::clamp(middle, kLowestShare * sheet, kHighestShare * sheet);
    return machine;
  }
  return machine;
}

double FixedKernelNs(std::vector<double>& kernel_ns) {
  if (kernel_ns.empty()) return 0;
  std::sort(kernel_ns.begin(), kernel_ns.end());
  constexpr double kMost = 4000;  // A trace of long kernels only does not show it.
  return std::min(kMost, kernel_ns[kernel_ns.size() / 20]);
}

}  // namespace xsp
