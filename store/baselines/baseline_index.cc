#include "store/baselines/baseline_index.h"

#include "base/file_in_progress.h"
#include "base/whole_file.h"
#include "store/json_fields.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexFile = "index.json";
constexpr std::string_view kIndexVersionField = "xsp_baselines";
constexpr std::uint64_t kIndexVersion = 1;

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
  file.Write(text);
  file.Publish();
}

}  // namespace xsp
