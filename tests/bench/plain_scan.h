#pragma once

#include <cstdint>
#include <filesystem>

namespace xsp::bench {

// What a plain scan saw.
struct ScanTotals {
  std::uint64_t rows = 0;
  std::uint64_t values = 0;
};

// The yardstick of the import benchmark: reads, with the SQLite C library and one thread, the very
// columns that the nsys importer reads into plain vectors of numbers (text into one string), and
// does nothing with them.
ScanTotals PlainScan(const std::filesystem::path& file);

}  // namespace xsp::bench
