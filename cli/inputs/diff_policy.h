#pragma once

#include <string>
#include <vector>

#include "cli/inputs/nsys_report.h"
#include "cli/options/option_set.h"
#include "diff/comparison.h"

namespace xsp {

// Limits of a comparison: --fail-on, --policy, --strict, --noise; and --accept, --accept-only,
// --until, by which changes beyond them are recorded in the policy.
class DiffPolicy {
 public:
  void AddTo(OptionSet& options);

  // What the options and the policy file say. Throws Error or GrammarError.
  CompareOptions Read();

  // With --accept: records the limits that are exceeded (without limits, a regression) in the
  // policy file, and judges the comparison anew.
  void Accept(Comparison& comparison, CompareOptions& options, const NoteSink& note) const;

  const std::string& file() const { return file_; }
  // The options as words of a command line.
  std::vector<std::string> Words() const;

 private:
  std::vector<std::string> fail_on_;
  std::vector<std::string> accept_only_;
  std::string file_, noise_, accept_, until_;
  bool strict_ = false;
  std::string today_;
};

}  // namespace xsp
