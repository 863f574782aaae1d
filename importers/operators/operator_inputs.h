#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "importers/operators/operator_text.h"
#include "model/details.h"
#include "model/string_pool.h"

namespace xsp {

// Distinct lists of operator inputs, numbered in the order in which they were first seen. Told
// apart by their text in the source, so each is taken apart once.
class Signatures {
 public:
  // The list with this text; none where it is new or says nothing. New lists: Begin, Add..., End.
  bool Find(std::string_view text, SignatureId* found) const;

  void Begin(std::string_view text);
  // One input, or one tensor of an input that is a list of tensors (`element`).
  void Add(std::uint32_t operand, std::uint32_t element, StringId type,
           std::span<const std::uint64_t> sizes);
  SignatureId End();

  Operands Take() && { return std::move(rows_); }

 private:
  std::unordered_map<std::string, SignatureId> ids_;
  Operands rows_;
  std::string text_;         // Of the list that is being filled.
  std::size_t first_ = 0;    // Its first row.
  std::uint32_t count_ = 0;  // Lists with rows.
};

// The list of inputs as written in one of the forms above; types go to `strings`.
SignatureId ReadInputs(std::string_view text, InputsForm form, Signatures& signatures,
                       StringPool& strings);

}  // namespace xsp
