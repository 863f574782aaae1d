// What lies beside a stored trace of a dataset: the first byte says which small table, or that the
// rest is the text that says they are whole. Both are sealed, as anybody could.
#include "base/error.h"
#include "store/checksum.h"
#include "store/dataset/rank_store.h"
#include "store/json_fields.h"
#include "store/kept_result.h"
#include "tests/fuzz/targets/input_file.h"
#include "tests/fuzz/targets/stored_sample.h"

namespace {

namespace fs = std::filesystem;

struct Sample {
  Sample() { xsp::fuzz::WriteStoredRank(folder()); }
  fs::path folder() const { return work.path() / "global_rank=00003"; }

  xsp::fuzz::WorkFolder work;
};

std::string ReadBytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Sample sample;
  static const fs::path folder = sample.folder();
  static const std::vector<xsp::TableSchema> tables = xsp::RankTablesSchema();
  static const xsp::KeptResult kept = xsp::fuzz::KeptRankIndex(folder);
  static const std::string sound = kept.Read().value();
  if (size == 0) return 0;

  const std::string_view bytes = xsp::fuzz::TextOf(data + 1, size - 1);
  const std::size_t which = data[0] % (tables.size() + 1);
  if (which == tables.size()) {
    kept.Write(bytes);
    xsp::ReadRankTables(folder);
    kept.Write(sound);
    return 0;
  }
  const fs::path file = folder / tables[which].FileName();
  const std::string before = ReadBytes(file);
  xsp::Json index = xsp::Json::parse(sound);
  xsp::Json& entry = index[std::string(tables[which].name)];
  entry["bytes"] = bytes.size();
  entry["sha256"] = xsp::Sha256Of(bytes);
  xsp::fuzz::WriteBytes(file, bytes);
  // As many rows as there were, or whatever the file itself says.
  for (const std::uint64_t rows : {entry["rows"].get<std::uint64_t>(), std::uint64_t{data[0]}}) {
    entry["rows"] = rows;
    kept.Write(index.dump());
    xsp::ReadRankTables(folder);
  }
  kept.Write(sound);
  xsp::fuzz::WriteBytes(file, before);
  return 0;
}
