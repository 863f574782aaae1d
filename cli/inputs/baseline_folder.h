#pragma once

#include <filesystem>
#include <string>

#include "cli/options/option_set.h"
#include "store/baselines/baselines.h"

namespace xsp {

// --dir: where baselines are kept; else $XSP_BASELINES, else .xsp-baselines in the current folder.
struct BaselineFolderOption {
  std::string dir;

  void AddTo(OptionSet& options);
  std::filesystem::path Folder() const;
};

// What the list of baselines shows of a run: its GPUs and the number of its counted steps.
RunFacts DescribeForBaseline(const Trace& trace);

// Throws Error, with a suggestion, if there is none of that name; and where one of its runs is
// damaged: the others alone would be another baseline, and a comparison with them another one.
Baseline BaselineCalled(const std::filesystem::path& folder, const std::string& name);
// The same, whatever has become of its runs.
Baseline AnyBaselineCalled(const std::filesystem::path& folder, const std::string& name);

}  // namespace xsp
