#pragma once

#include <string>
#include <vector>

#include "report/tables/report.h"

namespace xsp {

enum class SelfTestVerdict { kRight, kWrong, kNotChecked };

// One thing that must be so in the recording of a known program.
struct SelfCheck {
  std::string what;
  std::string expected;
  std::string found;  // Of a thing that was not checked: why.
  SelfTestVerdict verdict = SelfTestVerdict::kNotChecked;
};

struct SelfTest {
  std::vector<SelfCheck> checks;   // In the order in which they were made.
  std::vector<std::string> facts;  // What is no right or wrong: device, versions, costs.

  // Whether everything was checked and right.
  bool passed() const;
};

Report MakeSelfTestReport(const SelfTest& test);

}  // namespace xsp
