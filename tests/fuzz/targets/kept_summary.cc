// What is kept of the first look: shown in every form where it is taken for a summary.
#include "report/summary/summary_report.h"
#include "report/summary/summary_text.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto summary = xsp::SummaryFromText(xsp::fuzz::TextOf(data, size));
  if (!summary) return 0;
  const xsp::Report report = xsp::MakeSummaryReport(*summary, {}, {.path = "t.xsp"});
  for (auto format : {xsp::OutputFormat::kTable, xsp::OutputFormat::kJson, xsp::OutputFormat::kCsv,
                      xsp::OutputFormat::kMarkdown}) {
    xsp::WriteReport(report, format, {});
  }
  if (!xsp::TextOf(*summary)) std::abort();  // What was read can be kept again.
  return 0;
}
