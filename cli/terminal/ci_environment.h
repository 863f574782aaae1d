#pragma once

#include <string>
#include <string_view>

#include "cli/inputs/nsys_report.h"
#include "diff/comparison.h"
#include "report/diff/diff_report.h"

namespace xsp {

// Tells the CI system in which the program runs, if it is one that listens: GitHub Actions get
// annotations (on standard error, so that standard output stays what was asked for) and, where
// $GITHUB_STEP_SUMMARY names a file, the markdown in the summary of the job.
// True if its log says now how it ended.
bool TellCi(const Comparison& comparison, const DiffReportOptions& options, const NoteSink& note);
// The same where nothing could be compared.
void TellCiOfTrouble(const std::string& message);

// A word as a POSIX shell reads it back.
std::string ShellQuoted(std::string_view word);

}  // namespace xsp
