#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/datasets/rank_splitter.h"
#include "cli/inputs/file_importer.h"
#include "cli/terminal/progress_bar.h"
#include "report/screens/import_report.h"
#include "store/dataset/dataset.h"

namespace xsp {

struct DatasetSettings {
  std::string dataset;  // Its folder.
  std::string run;
  std::string rank_regex;  // Empty: none.
  std::size_t jobs = 1;    // Files at once, as far as memory allows.
};

// Puts recordings into a run of a dataset, one folder per rank. The same file twice, in this
// process or in others on any machine, is one rank; each appears as a whole. What it was given must
// outlive it.
class DatasetImporter {
 public:
  // Throws Error for settings that make no sense.
  DatasetImporter(const DatasetSettings& settings, const ImportSettings& import,
                  ProgressBar& progress);

  // What became of each file; what failed is said at once. Throws Error before anything is written
  // where there is no room for it. After Ctrl-C the ranks that are there are whole.
  std::vector<ImportedRank> Run(const std::vector<std::string>& files);

 private:
  void SayWhatItTakes(const std::vector<std::string>& files) const;
  std::vector<ImportedRank> ImportOne(const std::string& file);
  // The rank that was made from this file as it lies there, if there is one.
  std::optional<ImportedRank> KnownRank(const std::string& file) const;
  // Two files of one command cannot be the same rank. Throws Error.
  void Claim(const RecordedRank& rank, const SourceStamp& stamp);
  ImportedRank Store(const FileImporter::ReadFile& read, const RecordedRank& rank);
  bool IsThere(const std::filesystem::path& stored, const SourceStamp& stamp,
               std::uint32_t rank) const;

  const DatasetSettings& settings_;
  const ImportSettings& import_;
  ProgressBar& progress_;
  std::optional<RankPattern> pattern_;
  std::optional<std::uint32_t> default_rank_;
  std::filesystem::path run_folder_;
  std::multimap<std::string, std::filesystem::path> known_;  // Ranks that are there, by source.
  std::mutex mutex_;
  std::map<std::uint32_t, SourceStamp> claimed_;  // Ranks of the files so far: under mutex_.
};

}  // namespace xsp
