#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/inputs/import_plan.h"
#include "model/job_facts.h"
#include "model/progress.h"
#include "model/trace.h"
#include "report/screens/import_report.h"
#include "store/stored_trace.h"

namespace xsp {

struct ImportSettings {
  bool force = false;    // Replace a stored trace, whatever it was made from.
  bool dry_run = false;  // Write nothing.
  bool salvage = false;  // Keep what a damaged file still gives.
  bool quiet = false;
  std::string graph_names;  // A file that names what CUDA graphs replay; empty: none.
};

// Turns files into stored traces. What it was given must outlive it.
class FileImporter {
 public:
  FileImporter(const ImportSettings& settings, Progress& progress)
      : settings_(settings), progress_(progress) {}

  // One file, one stored trace. Throws Error.
  ImportedFile Import(const ImportJob& job);

  // A file that was read and hashed, and what it says of its job.
  struct ReadFile {
    std::filesystem::path file;  // That of an nsys report is its export.
    Trace trace;
    SourceStamp stamp;
    JobFacts job;
  };
  ReadFile Read(const std::filesystem::path& file);

  // Several recordings of one run, or of the ranks of one job, become one stored trace. Throws
  // Error with the reason if they do not belong together.
  ImportedFile Merge(const std::vector<std::string>& files, const std::filesystem::path& stored);

 private:
  // The file that is read: that of an nsys report is its export.
  std::filesystem::path SourceFileOf(const std::filesystem::path& file) const;
  // Whether there is anything to do; throws Error if something else stands where it would go.
  bool IsUpToDate(const ImportJob& job, const std::string& sha256) const;
  // Reads the file while another thread hashes it, and makes sure that both saw the same file.
  Trace ReadAndHash(const std::filesystem::path& file, SourceStamp& stamp);
  void Store(const Trace& trace, const SourceStamp& stamp, const std::filesystem::path& stored,
             ImportedFile& result);

  const ImportSettings& settings_;
  Progress& progress_;
  std::vector<std::filesystem::path> readable_as_;  // What the trace being stored was read from.
  JobFacts job_;                                    // What it says of its job.
};

}  // namespace xsp
