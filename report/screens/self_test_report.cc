#include "report/screens/self_test_report.h"

#include <algorithm>

#include "report/tables/text.h"

namespace xsp {
namespace {

std::string_view WordOf(SelfTestVerdict verdict) {
  switch (verdict) {
    case SelfTestVerdict::kRight:
      return "right";
    case SelfTestVerdict::kWrong:
      return "WRONG";
    case SelfTestVerdict::kNotChecked:
      break;
  }
  return "not checked";
}

std::string Conclusion(const SelfTest& test) {
  auto count = [&](SelfTestVerdict verdict) {
    return std::count_if(test.checks.begin(), test.checks.end(),
                         [&](const SelfCheck& check) { return check.verdict == verdict; });
  };
  const auto wrong = count(SelfTestVerdict::kWrong), left = count(SelfTestVerdict::kNotChecked);
  if (wrong > 0)
    return std::to_string(wrong) +
           " checks failed: recordings of this machine are not to be trusted";
  if (left > 0) return std::to_string(left) + " checks could not be made; all others are right";
  return "all " + std::to_string(test.checks.size()) + " checks are right";
}

}  // namespace

bool SelfTest::passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const SelfCheck& check) {
    return check.verdict == SelfTestVerdict::kRight;
  });
}

Report MakeSelfTestReport(const SelfTest& test) {
  Report report;
  report.command = "live";
  Table table("Self-test", {{"verdict", "", ColumnKind::kText, kAlways, 0, Readers::kPeople},
                            {"what", "what", ColumnKind::kText, kAlways},
                            {"expected", "expected", ColumnKind::kText, kAlways},
                            {"found", "found", ColumnKind::kText, kAlways},
                            {"right", "right", ColumnKind::kText, 0, 0, Readers::kScripts}});
  for (const SelfCheck& check : test.checks) {
    const bool was_checked = check.verdict != SelfTestVerdict::kNotChecked;
    table.AddRow({WordOf(check.verdict), check.what, check.expected, check.found,
                  was_checked ? Cell(check.verdict == SelfTestVerdict::kRight) : Cell()});
  }
  for (const std::string& fact : test.facts) report.Show(SafeText(fact));
  report.fields["passed"] = test.passed();
  report.Add("checks", std::move(table));
  report.fields["facts"] = TextsJson(test.facts);
  report.Show(Conclusion(test));
  return report;
}

}  // namespace xsp
