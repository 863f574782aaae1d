#include "importers/operators/operator_inputs.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"

namespace xsp {
namespace {

constexpr std::uint32_t kNoElement = kMissing<std::uint32_t>;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 48;  // No tensor is larger on a side.

// The numbers of a text, whatever stands between them.
std::vector<std::uint64_t> NumbersIn(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsDigit(text[i])) continue;
    std::uint64_t value = 0;
    for (; i < text.size() && IsDigit(text[i]); ++i) {
      value = std::min(kLargest, value * 10 + static_cast<std::uint64_t>(text[i] - '0'));
    }
    numbers.push_back(value);
  }
  return numbers;
}

// "[[64], [32, 128], []]": a list per operand.
void ReadSizes(std::string_view text, Signatures& to) {
  std::uint32_t operand = 0;
  std::size_t at = text.find('[', 1);
  while (at != std::string_view::npos) {
    const std::size_t end = text.find(']', at);
    if (end == std::string_view::npos) return;
    to.Add(operand++, kNoElement, {}, NumbersIn(text.substr(at, end - at)));
    at = text.find('[', end);
  }
}

// A quoted text behind 'key', or one in parentheses.
std::string_view FieldOf(std::string_view dictionary, std::string_view key, char open, char close) {
  std::size_t at = dictionary.find(key);
  if (at == std::string_view::npos) return {};
  at = dictionary.find(open, at + key.size());
  if (at == std::string_view::npos) return {};
  const std::size_t end = dictionary.find(close, at + 1);
  return end == std::string_view::npos ? std::string_view{}
                                       : dictionary.substr(at + 1, end - at - 1);
}

// "[{'name': '', 'type': 'tensor', 'shape': (6, 3), 'dtype': 'float32'}, ...]"; scalars have no
// shape, and their 'type' is that of the number.
void ReadDictionaries(std::string_view text, Signatures& to, StringPool& strings) {
  std::uint32_t operand = 0;
  std::size_t at = text.find('{');
  while (at != std::string_view::npos) {
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) return;
    const std::string_view one = text.substr(at, end - at);
    std::string_view type = FieldOf(one, "'dtype':", '\'', '\'');
    if (type.empty()) type = FieldOf(one, "'type':", '\'', '\'');
    const std::string_view shape = FieldOf(one, "'shape':", '(', ')');
    to.Add(operand++, kNoElement, type.empty() ? StringId() : strings.Intern(type),
           NumbersIn(shape));
    at = text.find('{', end);
  }
}

// "(float[32,784];int32[])".
void ReadTyped(std::string_view text, Signatures& to, StringPool& strings) {
  std::uint32_t operand = 0;
  if (text.starts_with('(')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t bracket = std::min(one.find('['), one.size());
    const std::string_view type = one.substr(0, bracket);
    to.Add(operand++, kNoElement, type.empty() ? StringId() : strings.Intern(type),
           NumbersIn(one.substr(bracket)));
  }
}

}  // namespace

bool Signatures::Find(std::string_view text, SignatureId* found) const {
  const auto it = ids_.find(std::string(text));
  if (it == ids_.end()) return false;
  *found = it->second;
  return true;
}

void Signatures::Begin(std::string_view text) {
  text_ = text;
  first_ = rows_.signature.size();
}

void Signatures::Add(std::uint32_t operand, std::uint32_t element, StringId type,
                     std::span<const std::uint64_t> sizes) {
  Operands::Row row;
  row.signature = SignatureId(count_);
  row.operand = operand;
  row.element = element;
  row.type = type;
  if (sizes.empty()) rows_.Add(row);
  for (row.dimension = 0; row.dimension < sizes.size(); ++row.dimension) {
    row.size = sizes[row.dimension];
    rows_.Add(row);
  }
}

SignatureId Signatures::End() {
  const SignatureId id = rows_.signature.size() > first_ ? SignatureId(count_++) : SignatureId();
  ids_.emplace(std::move(text_), id);
  return id;
}

SignatureId ReadInputs(std::string_view text, InputsForm form, Signatures& signatures,
                       StringPool& strings) {
  SignatureId id;
  if (form == InputsForm::kNone || signatures.Find(text, &id)) return id;
  signatures.Begin(text);
  if (form == InputsForm::kSizes) ReadSizes(text, signatures);
  if (form == InputsForm::kDictionary) ReadDictionaries(text, signatures, strings);
  if (form == InputsForm::kTyped) ReadTyped(text, signatures, strings);
  return signatures.End();
}

}  // namespace xsp
