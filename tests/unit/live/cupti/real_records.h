#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xsp::live::test {

// A buffer as CUPTI would fill it: two records of each kind that xsp reads, laid out by NVIDIA's
// own header. Times count from `start`.
struct RealRecords {
  std::vector<std::uint64_t> buffer;
  std::size_t bytes = 0;           // Without the room behind the last record.
  std::vector<std::size_t> sizes;  // Of each record, as the header has it.
};

// One for each version of CUPTI whose header was there when the tests were built.
RealRecords MakeRecords118(std::uint64_t start);
RealRecords MakeRecords129(std::uint64_t start);
RealRecords MakeRecords130(std::uint64_t start);
RealRecords MakeRecords134(std::uint64_t start);

}  // namespace xsp::live::test
