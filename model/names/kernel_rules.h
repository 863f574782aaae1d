#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/names/kernel_class.h"

namespace xsp {

class UserJson;

// One row of the rule table: which names it is about, and what it says of them. It may say any of
// class, precision and tensor cores.
struct KernelRule {
  enum class Text : std::uint8_t {
    kName,        // The function with its template arguments, as CanonicalName gives it.
    kParameters,  // Its parameter list.
  };

  std::string id;     // Unique, such as "gemm.cutlass"; what --explain prints.
  std::string match;  // A regular expression (RE2) that the text must contain.
  Text text = Text::kName;
  std::vector<KernelClass> when;  // Only kernels of these classes; empty: of any.
  std::optional<KernelClass> kernel_class;
  std::optional<Precision> precision;
  std::optional<TensorCores> tensor_cores;
  bool built_in = true;
};

// The rule table. For each of class, precision and tensor cores the first row wins that matches
// and says something about it; the class is settled first, then rows with `when` apply.
//
// Rows are data: JSON, {"rules": [{"id": ..., "match": ..., "in": "name" or "parameters",
// "when": [classes], "class": ..., "precision": ..., "tensor_cores": "yes", "no" or "unknown"}]}.
// Matching takes time in proportion to the name, whatever the name and the expressions.
class KernelRules {
 public:
  // The rows that come with xsp (kernel_rules.json).
  static const KernelRules& BuiltIn();

  // The rows of a JSON file, then the built-in ones. Throws Error.
  static KernelRules Load(const std::filesystem::path& file);

  // The same from text; `source` names it in errors.
  static KernelRules FromJson(std::string_view text, std::string_view source);

  KernelRules(KernelRules&&) noexcept;
  KernelRules& operator=(KernelRules&&) noexcept;
  ~KernelRules();

  // What the rules say of a kernel. May be called from several threads at once.
  KernelKind Classify(std::string_view kernel_name) const;

  std::span<const KernelRule> rules() const { return rules_; }

 private:
  class Matcher;

  static KernelRules FromJson(const UserJson& document);

  explicit KernelRules(std::vector<KernelRule> rules);

  std::vector<KernelRule> rules_;
  std::unique_ptr<Matcher> names_;
  std::unique_ptr<Matcher> parameters_;
};

}  // namespace xsp
