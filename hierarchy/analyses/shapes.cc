#include "hierarchy/analyses/shapes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace xsp {
namespace {

constexpr std::string_view kMark = ", sizes = ";

double Product(const std::vector<std::uint64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0,
                         [](double a, std::uint64_t b) { return a * static_cast<double>(b); });
}

// "addmm" of "aten::addmm, seq = 5, ..."; empty for what is no operation of PyTorch.
std::string_view OperationOf(std::string_view range_name) {
  constexpr std::string_view kPrefix = "aten::";
  if (!range_name.starts_with(kPrefix)) return {};
  range_name.remove_prefix(kPrefix.size());
  std::string_view name = range_name.substr(0, range_name.find(','));
  if (name.starts_with("_") && name != "_convolution") name.remove_prefix(1);
  return name;
}

// A of sizes (batch x) M x K times B of (batch x) K x N.
std::optional<OperationCost> Multiply(const std::vector<std::uint64_t>& a,
                                      const std::vector<std::uint64_t>& b, std::size_t dimensions,
                                      bool adds) {
  if (a.size() != dimensions || b.size() != dimensions) return std::nullopt;
  if (a.back() != b[dimensions - 2] || (dimensions == 3 && a[0] != b[0])) return std::nullopt;
  const auto n = static_cast<double>(b.back());
  const double results = Product(a) / std::max<double>(1, static_cast<double>(a.back())) * n;
  return OperationCost{2 * Product(a) * n, Product(a) + Product(b) + (adds ? results : 0), results};
}

std::optional<OperationCost> TimesVector(const std::vector<std::uint64_t>& a,
                                         const std::vector<std::uint64_t>& b) {
  if (a.size() != 2 || b.size() != 1 || a[1] != b[0]) return std::nullopt;
  return OperationCost{2 * Product(a), Product(a) + Product(b), static_cast<double>(a[0])};
}

// Input (... x K), weight N x K.
std::optional<OperationCost> Linear(const std::vector<std::uint64_t>& input,
                                    const std::vector<std::uint64_t>& weight) {
  if (input.empty() || weight.size() != 2 || input.back() != weight[1]) return std::nullopt;
  const auto n = static_cast<double>(weight[0]);
  const double rows = Product(input) / std::max<double>(1, static_cast<double>(input.back()));
  return OperationCost{2 * Product(input) * n, Product(input) + Product(weight), rows * n};
}

}  // namespace

std::string_view SizesText(std::string_view range_name) {
  const std::size_t mark = range_name.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view text = range_name.substr(mark + kMark.size());
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && depth > 0 && --depth == 0) return text.substr(0, i + 1);
    if (depth == 0) return {};
  }
  return {};
}

OperandSizes RecordedSizes(std::string_view range_name) {
  OperandSizes sizes;
  const std::string_view text = SizesText(range_name);
  std::size_t depth = 0;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 48;  // No tensor is larger on a side.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' && ++depth == 2) sizes.emplace_back();
    if (text[i] == ']') --depth;
    if (depth != 2 || std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::uint64_t value = 0;
    for (; std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i) {
      value = std::min(kLargest, value * 10 + static_cast<std::uint64_t>(text[i] - '0'));
    }
    --i;
    sizes.back().push_back(value);
  }
  return sizes;
}

std::optional<OperationCost> MatrixProductCost(std::string_view range_name) {
  const std::string_view name = OperationOf(range_name);
  if (name.empty()) return std::nullopt;
  const OperandSizes sizes = RecordedSizes(range_name);
  const auto has = [&](std::size_t count) { return sizes.size() >= count; };
  if (name == "mm" && has(2)) return Multiply(sizes[0], sizes[1], 2, false);
  if (name == "addmm" && has(3)) return Multiply(sizes[1], sizes[2], 2, true);
  if (name == "addmm_activation" && has(3)) return Multiply(sizes[1], sizes[2], 2, true);
  if (name == "bmm" && has(2)) return Multiply(sizes[0], sizes[1], 3, false);
  if ((name == "baddbmm" || name == "baddbmm_") && has(3)) {
    return Multiply(sizes[1], sizes[2], 3, true);
  }
  if (name == "mv" && has(2)) return TimesVector(sizes[0], sizes[1]);
  if ((name == "addmv" || name == "addmv_") && has(3)) return TimesVector(sizes[1], sizes[2]);
  if (name == "linear" && has(2)) return Linear(sizes[0], sizes[1]);
  return std::nullopt;
}

std::optional<std::uint64_t> ConvolutionInnerSize(std::string_view range_name) {
  constexpr std::array<std::string_view, 6> kForward = {
      "conv1d", "conv2d", "conv3d", "convolution", "_convolution", "cudnn_convolution"};
  const std::string_view name = OperationOf(range_name);
  if (std::find(kForward.begin(), kForward.end(), name) == kForward.end()) return std::nullopt;
  const OperandSizes sizes = RecordedSizes(range_name);
  if (sizes.size() < 2 || sizes[1].size() < 3 || sizes[0].size() != sizes[1].size()) {
    return std::nullopt;
  }
  const std::vector<std::uint64_t> filter(sizes[1].begin() + 1, sizes[1].end());
  const double inner = Product(filter);
  constexpr double kMost = 1e15;
  if (inner < 1 || inner > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(inner);
}

}  // namespace xsp
