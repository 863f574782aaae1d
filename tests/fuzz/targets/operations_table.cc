// A job as a table of operations, which other tracers write: as a Parquet file, or (the first byte
// is odd) as rows that such a file could hold.
#include <array>

#include "base/error.h"
#include "sim/ranks/ranks_analysis.h"
#include "store/parquet/operations_file.h"
#include "tests/fuzz/targets/input_file.h"

namespace {

constexpr std::array kTypes = {
    "forward-compute",   "backward-compute",     "forward-send",
    "forward-recv",      "backward-send",        "backward-recv",
    "params-all-gather", "grads-reduce-scatter", "layernorm-grads-all-reduce",
    "optimizer",         "x-all-reduce",         "other"};

constexpr std::size_t kColumns = 10;  // Bytes of a row.

// Mostly small numbers, of which some are equal; and the largest that the reader lets pass.
std::int64_t Number(std::uint8_t byte) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  constexpr std::int64_t kOdd[] = {-1, 1'000'000, std::int64_t{1} << 32, kMost, -kMost};
  return byte < 250 ? byte % 16 : kOdd[byte % 5];
}

// Times that the reader lets pass, also as a sum.
std::int64_t Time(std::uint8_t byte) {
  constexpr std::int64_t kOdd[] = {0, 1'000'000'000, 400'000'000'000'000};
  return byte < 250 ? byte * 1000 : kOdd[byte % 3];
}

xsp::OperationsTable TableOf(std::string_view bytes) {
  constexpr std::size_t kMostRows = 2000;
  xsp::OperationsTable table;
  table.types.assign(kTypes.begin(), kTypes.end());
  table.hosts = {"a", "b"};
  const std::size_t rows = std::min(bytes.size() / kColumns, kMostRows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto* cell = reinterpret_cast<const std::uint8_t*>(bytes.data()) + row * kColumns;
    table.type.push_back(cell[0] % kTypes.size());
    table.host.push_back(cell[0] / 128);
    table.rank.push_back(Number(cell[1]));
    table.step.push_back(Number(cell[2]));
    table.begin.push_back(cell[3] % 2 == 0 ? Time(cell[4]) : -Time(cell[4]));
    table.duration.push_back(Time(cell[5]));
    table.stage.push_back(Number(cell[6]));
    table.data_parallel.push_back(Number(cell[7]));
    table.sequence.push_back(Number(cell[8]));
    table.micro_batch.push_back(Number(cell[9]));
    table.chunk.push_back(cell[3] / 16 - 1);
  }
  return table;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kOneRow = 1 + kColumns;  // A file has one at least.
  if (size < kOneRow) return 0;
  const std::string_view bytes = xsp::fuzz::TextOf(data + 1, size - 1);
  xsp::JobWhatIfs whatifs;
  whatifs.without_stragglers = true;
  whatifs.like_peers = {1};
  whatifs.network = 2;
  whatifs.buckets = 4;
  try {
    const bool is_file = data[0] % 2 == 0;
    xsp::AnalyzeOperations(
        is_file ? xsp::ReadOperationsFile(xsp::fuzz::InputFile(bytes)) : TableOf(bytes), whatifs);
  } catch (const xsp::Error&) {
  }
  return 0;
}
