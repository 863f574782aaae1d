#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/option_set.h"
#include "report/tables/report.h"

namespace xsp {

// --without RULE: waits and other effects that simulations do without.
class WithoutOption {
 public:
  void AddTo(OptionSet& options);
  // Bits 1 << Rule. Throws Error for what is no rule, or none that could be left out.
  std::uint32_t IgnoredRules() const;
  // Tells in the report what was left out: people and scripts.
  void SayIn(Report& report) const;

 private:
  std::vector<std::string> rules_;
};

}  // namespace xsp
