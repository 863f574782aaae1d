#pragma once

#include <string>

#include "diff/comparison.h"
#include "report/diff/diff_report.h"

// A comparison in the languages of CI systems. Names from traces stay inert in each of them.
namespace xsp {

// A comment on a pull request: the verdict, where the change comes from, the limits; the rest is
// folded. At most kMostMarkdown characters, which is what GitHub takes.
inline constexpr std::size_t kMostMarkdown = 65'536;
std::string DiffMarkdown(const Comparison& comparison, const DiffReportOptions& options);

// JUnit XML: a test case for the verdict, and one per limit, with all its places. What `outcome`
// lets pass is skipped, no error: CI systems fail a job by these.
std::string DiffJunit(const Comparison& comparison, const OutcomeOptions& outcome);

// SARIF 2.1.0: a result per limit that does not hold; of one on places, a result for each of them.
std::string DiffSarif(const Comparison& comparison, const DiffReportOptions& options);

// Workflow commands of GitHub Actions: an annotation per limit that does not hold, and one for the
// verdict.
std::string DiffAnnotations(const Comparison& comparison);

// The same where nothing could be compared: a file cannot be read, a limit makes no sense. What was
// there before must not be taken for the result.
std::string TroubleMarkdown(const std::string& message);
std::string TroubleJunit(const std::string& message);       // An <error>.
std::string TroubleSarif(const std::string& message);       // A notification of the run.
std::string TroubleAnnotation(const std::string& message);  // An error.

}  // namespace xsp
