#include "cli/datasets/open_job.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "cli/datasets/open_ranks.h"
#include "cli/inputs/open_trace.h"
#include "cli/terminal/result_file.h"
#include "store/dataset/dataset.h"
#include "store/parquet/operations_file.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

void CheckPaths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    CheckExists(path);
    if (paths.size() > 1 && IsParquetFile(path)) {
      throw Error(path + ": a table of operations holds a whole job: give it alone",
                  "xsp ranks " + path);
    }
    if (IsDataset(path) && !IsRun(path)) {
      throw Error(path + ": holds runs: say which", "xsp runs " + path + " lists them");
    }
  }
}

std::string NameOfJob(const std::vector<std::string>& paths) {
  fs::path path = fs::path(paths.front()).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  if (const auto name = RunOfFolder(path.filename().string())) return *name;
  return paths.size() == 1 ? path.stem().string() : path.parent_path().filename().string();
}

TraceSource SourceOf(const std::string& path, const char* format) {
  TraceSource source;
  source.path = path;
  source.format = format;
  return source;
}

OpenedJob OpenOperations(const std::string& path, const JobWhatIfs& whatifs) {
  ProtectInput(path);
  OpenedJob job;
  job.view.sources = {SourceOf(path, "operations")};
  job.analysis = AnalyzeOperations(ReadOperationsFile(path), whatifs);
  return job;
}

OpenedJob OpenTraces(const std::vector<std::string>& paths, const JobWhatIfs& whatifs,
                     Progress* progress, const NoteSink& note) {
  OpenedRanks opened = OpenRanks(paths, progress, note);
  if (opened.ranks.size() < 2) {
    throw Error(paths.front() + ": one rank: there is nobody to wait for",
                "give the traces of all ranks of the job, or a run of a dataset");
  }
  OpenedJob job;
  for (const std::string& path : paths) {
    job.view.sources.push_back(SourceOf(path, IsRun(path) ? "run" : "trace"));
  }
  job.view.oddities = std::move(opened.oddities);
  job.analysis = AnalyzeRanks(opened.ranks, whatifs);
  job.ranks = std::move(opened.ranks);
  return job;
}

}  // namespace

OpenedJob OpenJob(const std::vector<std::string>& paths, const JobWhatIfs& whatifs,
                  Progress* progress, const NoteSink& note) {
  CheckPaths(paths);
  OpenedJob job = IsParquetFile(paths.front()) ? OpenOperations(paths.front(), whatifs)
                                               : OpenTraces(paths, whatifs, progress, note);
  job.view.run = NameOfJob(paths);
  return job;
}

}  // namespace xsp
