// One Parquet file of a stored trace, in a folder that is otherwise sound: the first byte says
// which one, and the manifest agrees with it.
#include "base/error.h"
#include "store/checksum.h"
#include "store/manifest_json.h"
#include "store/stored_trace.h"
#include "tests/fuzz/targets/input_file.h"
#include "tests/fuzz/targets/stored_sample.h"

namespace {

struct Sample {
  Sample() { xsp::fuzz::WriteStoredSample(folder.path() / "sample.xsp"); }

  xsp::fuzz::WorkFolder folder;
};

std::string ReadBytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Sample sample;
  static const std::filesystem::path folder = sample.folder.path() / "sample.xsp";
  static const xsp::StoredManifest sound = xsp::ReadManifest(folder);
  static const std::vector<std::string> tables = xsp::fuzz::TablesOf(folder);
  if (size == 0) return 0;

  const std::string& table = tables[data[0] % tables.size()];
  const std::string_view bytes = xsp::fuzz::TextOf(data + 1, size - 1);
  const std::filesystem::path file = folder / (table + ".parquet");
  const std::string before = ReadBytes(file);
  xsp::StoredManifest manifest = sound;
  manifest.tables[table].file = {bytes.size(), xsp::Sha256Of(bytes)};
  xsp::fuzz::WriteBytes(file, bytes);
  xsp::fuzz::WriteBytes(folder / xsp::kManifestFile, xsp::ManifestText(manifest));
  try {
    xsp::LoadStoredTrace(folder);
  } catch (const xsp::Error&) {
  }
  xsp::fuzz::WriteBytes(file, before);
  return 0;
}
