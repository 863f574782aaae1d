#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "sim/ranks/job/job_operations.h"

namespace xsp {

// Types and kinds of operations by what they stand for: adds what is new to the job, which must
// outlive it.
class JobKinds {
 public:
  explicit JobKinds(JobOperations& job) : job_(job) {}

  std::uint16_t Type(const std::string& name, bool is_communication);
  std::uint32_t Kind(std::uint16_t type, std::uint64_t place, std::uint64_t ordinal);

 private:
  JobOperations& job_;
  std::unordered_map<std::string, std::uint16_t> types_;
  std::unordered_map<std::uint64_t, std::uint32_t> kinds_;
};

}  // namespace xsp
