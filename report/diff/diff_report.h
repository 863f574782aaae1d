#pragma once

#include <string>
#include <vector>

#include "diff/comparison.h"
#include "diff/gates/outcome.h"
#include "report/tables/report.h"

namespace xsp {

// What a report on a comparison says besides the comparison.
struct DiffReportOptions {
  std::vector<TraceSource> base;
  std::vector<TraceSource> now;
  std::string base_name;  // What the base is called: a file, a baseline.
  std::string now_name;
  std::string command;  // How to run it again.
  std::string policy;   // The policy file; empty: none.
  OutcomeOptions outcome;
  std::size_t top = 8;                // Rows of tables for people; 0: all.
  std::vector<OutputFormat> formats;  // Which documents are made.
};

// The comparison for a terminal and as JSON, and as what CI systems read: a markdown comment,
// JUnit, SARIF, GitHub's annotations; these are made where `formats` asks for them.
Report MakeDiffReport(const Comparison& comparison, const DiffReportOptions& options);

// The tables that scripts get, the main one first.
std::vector<std::string> DiffTableNames();

// What is written in their places where nothing could be compared.
Report MakeDiffTroubleReport(const std::string& message, const std::vector<OutputFormat>& formats);

}  // namespace xsp
