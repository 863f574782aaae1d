// What is kept of the first look: shown in every form where it is taken for a report.
#include "report/tables/stored_report.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto report = xsp::ReportFromText(xsp::fuzz::TextOf(data, size));
  if (!report) return 0;
  for (auto format : {xsp::OutputFormat::kTable, xsp::OutputFormat::kJson, xsp::OutputFormat::kCsv,
                      xsp::OutputFormat::kMarkdown}) {
    xsp::WriteReport(*report, format, {});
  }
  xsp::TextOf(*report);
  return 0;
}
