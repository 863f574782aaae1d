#include "hierarchy/hardware/gpu_specs.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/ascii.h"

namespace xsp {
namespace {

// Multiprocessors by generation. Plain rates: the CUDA programming guide's table of instruction
// throughput. Tensor rates: from the data sheets, rate / (multiprocessors * clock).
constexpr SmRates kRates[] = {
    // capability, fp32, fp16, then tensor cores: fp16, bf16, tf32, fp8, int8
    {30, 384, 0, 0, 0, 0, 0, 0},
    {35, 384, 0, 0, 0, 0, 0, 0},
    {37, 384, 0, 0, 0, 0, 0, 0},
    {50, 256, 0, 0, 0, 0, 0, 0},
    {52, 256, 0, 0, 0, 0, 0, 0},
    {53, 256, 512, 0, 0, 0, 0, 0},
    {60, 128, 256, 0, 0, 0, 0, 0},
    {61, 256, 0, 0, 0, 0, 0, 0},
    {62, 256, 512, 0, 0, 0, 0, 0},
    {70, 128, 256, 1024, 0, 0, 0, 0},
    {72, 128, 256, 1024, 0, 0, 0, 2048},
    {75, 128, 256, 1024, 0, 0, 0, 2048},
    {80, 128, 512, 2048, 2048, 1024, 0, 4096},
    {86, 256, 256, 1024, 1024, 512, 0, 2048},
    {87, 256, 256, 2048, 2048, 1024, 0, 4096},
    {89, 256, 256, 1024, 1024, 512, 2048, 2048},
    {90, 256, 512, 4096, 4096, 2048, 8192, 8192},
    {100, 256, 512, 8192, 8192, 4096, 16384, 16384},
    {103, 256, 512, 8192, 8192, 4096, 16384, 512},
    {120, 256, 256, 1024, 1024, 512, 2048, 2048},
    {1088, 128, 256, 1024, 512, 256, 0, 1024},
    {1090, 128, 256, 1024, 1024, 256, 0, 1024},
    {1094, 256, 256, 2048, 2048, 1024, 4096, 4096},
    {1095, 256, 256, 4096, 4096, 0, 8192, 8192},
};
constexpr std::uint32_t kAmd = 1000;
constexpr std::uint32_t kFirstBlackwell = 100;

template <class T>
bool IsKnown(T value) {
  return value != kMissing<T> && value != 0;
}

// What is newer than the table is at least what came before.
const SmRates* RatesOf(std::uint32_t capability) {
  const SmRates* latest = nullptr;
  for (const SmRates& rates : kRates) {
    if (rates.capability == capability) return &rates;
    if (rates.capability < kAmd) latest = &rates;
  }
  return kFirstBlackwell <= capability && capability < kAmd ? latest : nullptr;
}

// Lower case; everything else than letters, digits and dots parts words: "a100", "sxm4", "80gb".
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (IsLetter(c) || IsDigit(c) || c == '.') {
      words.back() += LowerCase(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool HasRun(const std::vector<std::string>& words, const std::vector<std::string>& run) {
  return std::search(words.begin(), words.end(), run.begin(), run.end()) != words.end();
}

// How many words of a hint begin one of the name's ("sxm" is in "sxm4").
std::size_t HintsIn(const std::vector<std::string>& words, std::string_view hint) {
  std::size_t count = 0;
  for (const std::string& part : WordsOf(hint)) {
    count += static_cast<std::size_t>(std::count_if(
        words.begin(), words.end(), [&](const auto& w) { return w.starts_with(part); }));
  }
  return count;
}

// How far a row is from what the trace measured: the sum of relative differences.
double Distance(const GpuSpec& spec, const Gpu& gpu) {
  double sum = 0;
  auto add = [&](double stated, double known) { sum += std::abs(std::log(stated / known)); };
  if (IsKnown(gpu.sm_count)) add(spec.sm_count, gpu.sm_count);
  if (IsKnown(gpu.memory_bytes)) add(spec.memory_gb * 1e9, static_cast<double>(gpu.memory_bytes));
  if (IsKnown(gpu.memory_bandwidth)) {
    add(spec.memory_gb_per_s * 1e9, static_cast<double>(gpu.memory_bandwidth));
  }
  return sum;
}

// AMD's cards say gfx versions where others state a compute capability.
std::uint32_t CapabilityOf(const Gpu& gpu) {
  if (!IsKnown(gpu.compute_major) || gpu.compute_minor == kMissing<std::uint32_t>) return 0;
  constexpr std::uint32_t kAmdWarp = 64;
  return gpu.compute_major * 10 + gpu.compute_minor + (gpu.threads_per_warp == kAmdWarp ? kAmd : 0);
}

void FillFromTable(const GpuSpec& spec, GpuPeaks& peaks) {
  auto fill = [&](std::optional<double>& field, double value) {
    if (field || value == 0) return;
    field = value;
    peaks.from_table = true;
  };
  if (peaks.capability == 0) peaks.capability = spec.capability;
  if (spec.capability > kAmd) peaks.capability = spec.capability;
  if (peaks.sm_count == 0) peaks.sm_count = spec.sm_count;
  fill(peaks.clock_hz, spec.clock_mhz * 1e6);
  fill(peaks.bytes_per_s, spec.memory_gb_per_s * 1e9);
  fill(peaks.memory_bytes, spec.memory_gb * 1e9);
  if (spec.link_gb_per_s != 0) peaks.link_bytes_per_s = spec.link_gb_per_s * 1e9;
  if (spec.pcie_gb_per_s != 0) peaks.host_bytes_per_s = spec.pcie_gb_per_s * 1e9;
}

// Small Turing chips lack tensor cores though their capability is that of the large ones.
bool LacksTensorCores(std::string_view name) {
  const std::vector<std::string> words = WordsOf(name);
  auto is_small = [](const std::string& word) {
    return word == "gtx" || word == "mx450" || word == "mx550" || word == "t1000" ||
           word == "t1200" || word == "t2000" || word == "t400" || word == "t500" || word == "t600";
  };
  return std::any_of(words.begin(), words.end(), is_small);
}

// GeForce cards that the table does not name are halved as those it names.
bool IsHalved(const GpuSpec* spec, std::string_view name) {
  if (spec != nullptr) return spec->halved;
  return HasRun(WordsOf(name), {"geforce"});
}

void SetRates(const GpuSpec* spec, GpuPeaks& peaks) {
  const SmRates* rates = RatesOf(peaks.capability);
  if (rates == nullptr || !peaks.clock_hz || peaks.sm_count == 0) return;
  auto at = [&](double per_cycle) -> std::optional<double> {
    if (per_cycle == 0) return std::nullopt;
    return per_cycle * peaks.sm_count * *peaks.clock_hz;
  };
  peaks.fp32 = at(rates->fp32);
  peaks.fp16 = at(rates->fp16);
  if (rates->tensor_fp16 == 0 || LacksTensorCores(peaks.name)) return;
  peaks.has_tensor_cores = true;
  const double slower = spec != nullptr && spec->tensor_clock_mhz != 0
                            ? static_cast<double>(spec->tensor_clock_mhz) / spec->clock_mhz
                            : 1.0;
  const double share = slower * (IsHalved(spec, peaks.name) ? 0.5 : 1.0);
  peaks.fp16 = at(rates->tensor_fp16 * share);
  peaks.bf16 = at(rates->tensor_bf16 * share);
  peaks.tf32 = at(rates->tensor_tf32 * share);
  peaks.fp8 = at(rates->tensor_fp8 * share);
  peaks.int8 = at(rates->tensor_int8 * slower);
}

}  // namespace

std::optional<double> GpuPeaks::Of(Precision precision) const {
  switch (precision) {
    case Precision::kFp32:
      return fp32;
    case Precision::kTf32:
      return tf32;
    case Precision::kFp16:
      return fp16;
    case Precision::kBf16:
      return bf16;
    case Precision::kFp8:
      return fp8;
    case Precision::kInt8:
      return int8;
    default:
      return std::nullopt;
  }
}

std::optional<double> GpuPeaks::IdealIntensity() const {
  if (!fp32 || !bytes_per_s || *bytes_per_s <= 0) return std::nullopt;
  return *fp32 / *bytes_per_s;
}

const GpuSpec* FindGpuSpec(std::string_view name, const Gpu& gpu) {
  const std::vector<std::string> words = WordsOf(name);
  const GpuSpec* best = nullptr;
  std::tuple<std::size_t, double, std::size_t> best_rank;  // Words, nearness, hints.
  for (const GpuSpec& spec : KnownGpus()) {
    const std::vector<std::string> model = WordsOf(spec.model);
    if (!HasRun(words, model)) continue;
    // Hints tell variants apart by name; where they do not, the trace's own figures do.
    const std::size_t hints = HintsIn(words, spec.hint);
    const std::tuple rank(model.size(), static_cast<double>(hints) - Distance(spec, gpu), hints);
    if (best == nullptr || rank > best_rank) {
      best = &spec;
      best_rank = rank;
    }
  }
  return best;
}

GpuPeaks PeaksOf(const Gpu& gpu, std::string_view name) {
  GpuPeaks peaks;
  peaks.name = name;
  peaks.capability = CapabilityOf(gpu);
  if (IsKnown(gpu.sm_count)) peaks.sm_count = gpu.sm_count;
  if (IsKnown(gpu.clock_hz)) peaks.clock_hz = static_cast<double>(gpu.clock_hz);
  if (IsKnown(gpu.memory_bandwidth)) peaks.bytes_per_s = static_cast<double>(gpu.memory_bandwidth);
  if (IsKnown(gpu.memory_bytes)) peaks.memory_bytes = static_cast<double>(gpu.memory_bytes);
  const GpuSpec* spec = FindGpuSpec(name, gpu);
  if (spec != nullptr) FillFromTable(*spec, peaks);
  SetRates(spec, peaks);
  return peaks;
}

std::optional<GpuPeaks> PeaksOfNamed(std::string_view name) {
  const GpuSpec* spec = FindGpuSpec(name);
  // "4090" for "RTX 4090".
  for (const GpuSpec& known : KnownGpus()) {
    if (spec == nullptr && !name.empty() && HasRun(WordsOf(known.name), WordsOf(name))) {
      spec = &known;
    }
  }
  if (spec == nullptr) return std::nullopt;
  GpuPeaks peaks;
  peaks.name = spec->name;
  FillFromTable(*spec, peaks);
  SetRates(spec, peaks);
  return peaks;
}

}  // namespace xsp
