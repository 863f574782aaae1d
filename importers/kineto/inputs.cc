#include "importers/kineto/inputs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace xsp {
namespace {

// The strings of a list of them; nothing is escaped in the name of a type.
std::vector<std::string> ReadTypes(std::string_view text) {
  std::vector<std::string> types;
  for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == text.npos) break;
    types.emplace_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return types;
}

// Walks "[[512, 28], [], [[2, 3], [4, 3]]]": lists at depth 2 are operands, those at depth 3
// tensors of an operand.
class SizeReader {
 public:
  std::vector<KinetoInput> Read(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') Open();
      if (text[i] == ']') Close();
      if (IsDigit(text[i])) i = Number(text, i) - 1;
    }
    return std::move(inputs_);
  }

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 48;

  void Open() {
    ++depth_;
    if (depth_ == 2) inputs_.push_back({.operand = operand_});
    if (depth_ != 3) return;
    KinetoInput& last = inputs_.back();
    const bool is_first = last.element == kMissing<std::uint32_t>;
    if (is_first) {
      last.element = 0;
    } else {
      inputs_.push_back({.operand = operand_, .element = last.element + 1});
    }
  }

  void Close() {
    if (depth_ == 0) return;
    --depth_;
    if (depth_ == 1) ++operand_;
  }

  std::size_t Number(std::string_view text, std::size_t at) {
    std::uint64_t value = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at) {
      value = std::min(kLargest, value * 10 + static_cast<std::uint64_t>(text[at] - '0'));
    }
    if (depth_ >= 2 && depth_ <= 3) inputs_.back().sizes.push_back(value);
    return at;
  }

  int depth_ = 0;
  std::uint32_t operand_ = 0;
  std::vector<KinetoInput> inputs_;
};

}  // namespace

std::vector<KinetoInput> ReadKinetoInputs(std::string_view sizes, std::string_view types) {
  std::vector<KinetoInput> inputs = SizeReader().Read(sizes);
  std::vector<std::string> names = ReadTypes(types);
  for (KinetoInput& input : inputs) {
    if (input.operand < names.size()) input.type = names[input.operand];
  }
  std::uint32_t next = inputs.empty() ? 0 : inputs.back().operand + 1;
  for (; next < names.size(); ++next) {
    inputs.push_back({.operand = next, .type = std::move(names[next])});
  }
  return inputs;
}

std::uint64_t MessageBytes(const KinetoEvent& event) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 20> kSizes = {{
      {"Float", 4},         {"Double", 8},      {"Half", 2},         {"BFloat16", 2},
      {"Int", 4},           {"Long", 8},        {"Short", 2},        {"Byte", 1},
      {"Char", 1},          {"Bool", 1},        {"float", 4},        {"c10::Half", 2},
      {"c10::BFloat16", 2}, {"double", 8},      {"int", 4},          {"long", 8},
      {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"ComplexFloat", 8}, {"ComplexDouble", 16},
  }};
  const auto known = std::find_if(kSizes.begin(), kSizes.end(), [&](const auto& entry) {
    return entry.first == event.element_type;
  });
  const std::int64_t elements = std::max(event.in_elements, event.out_elements);
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  if (known == kSizes.end() || elements < 0 || elements > kMost) return kMissing<std::uint64_t>;
  return static_cast<std::uint64_t>(elements) * known->second;
}

}  // namespace xsp
