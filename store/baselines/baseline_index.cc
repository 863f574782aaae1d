#include "store/baselines/baseline_index.h"

#include <sys/stat.h>

#include "base/file_in_progress.h"
#include "base/whole_file.h"
#include "store/json_fields.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexFile = "index.json";
constexpr std::string_view kIndexVersionField = "xsp_baselines";
constexpr std::uint64_t kIndexVersion = 1;

// What nobody else may read because nobody else may read a run.
mode_t HiddenAsRuns(const fs::path& folder, const BaselineIndex& index) {
  mode_t hidden = 0;
  for (const auto& [key, entry] : index) {
    struct stat facts = {};
    const fs::path run = folder / FolderOfBaseline(key.first) / (key.second + ".xsp");
    if (stat(run.c_str(), &facts) != 0) continue;
    if ((facts.st_mode & S_IRGRP) == 0) hidden |= S_IRWXG;
    if ((facts.st_mode & S_IROTH) == 0) hidden |= S_IRWXO;
  }
  return hidden;
}

}  // namespace

BaselineIndex ReadIndex(const fs::path& folder) {
  constexpr std::size_t kMost = 64 << 20;
  BaselineIndex index;
  try {
    const Json document = Json::parse(ReadWholeFile(folder / kIndexFile, kMost));
    if (CountField(document, kIndexVersionField) != kIndexVersion) return {};
    for (const Json& run : ListField(document, "runs")) {
      const std::string baseline = TextField(run, "baseline");
      FolderOfBaseline(baseline);  // Throws for what is no name.
      IndexEntry& entry = index[{baseline, TextField(run, "run")}];
      entry.source = TextField(run, "source");
      entry.facts.gpu = TextField(run, "gpu");
      entry.facts.steps = CountField(run, "steps");
      entry.facts.step_ns = CountField(run, "step_ns");
      entry.facts.span_ns = CountField(run, "span_ns");
    }
  } catch (const std::exception&) {
    return {};  // It holds nothing that is not in the runs themselves.
  }
  return index;
}

void WriteIndex(const fs::path& folder, const BaselineIndex& index) {
  Json runs = Json::array();
  for (const auto& [key, entry] : index) {
    runs.push_back({{"baseline", key.first},
                    {"run", key.second},
                    {"source", entry.source},
                    {"gpu", entry.facts.gpu},
                    {"steps", entry.facts.steps},
                    {"step_ns", entry.facts.step_ns},
                    {"span_ns", entry.facts.span_ns}});
  }
  const Json document = {{std::string(kIndexVersionField), kIndexVersion},
                         {"runs", std::move(runs)}};
  const std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  FileInProgress file(folder / kIndexFile);
  struct stat facts = {};
  if (fstat(file.fd(), &facts) == 0) {
    fchmod(file.fd(), facts.st_mode & 07777 & ~HiddenAsRuns(folder, index));
  }
  file.Write(text);
  file.Publish();
}

}  // namespace xsp
