#include "live/inject/settings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "live/spool/environment.h"

namespace xsp::inject {
namespace {

using namespace live;

// False: it does not fit. What is left of a path would be another one.
template <std::size_t size>
bool CopyText(char (&to)[size], const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') value = otherwise;
  const bool fits = std::strlen(value) < size;
  std::snprintf(to, size, "%s", fits ? value : "");
  return fits;
}

std::uint64_t Number(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value < '0' || *value > '9') return otherwise;
  return std::strtoull(value, nullptr, 10);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool Settings::Read() {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  bool all_fit = CopyText(folder, kEnvSpool, "xsp.spool");
  all_fit &= CopyText(session, kEnvSession, "");
  all_fit &= CopyText(cupti, kEnvCupti, "");
  all_fit &= CopyText(step_range, kEnvStepRange, "");
  const char* list = std::getenv(kEnvKinds);
  std::string_view unknown;
  if (!ParseKinds(list == nullptr ? "" : list, &kinds, &unknown)) kinds = DefaultKinds();
  most_bytes = Number(kEnvMaxBytes, ~std::uint64_t{0});
  delay_ns = static_cast<std::int64_t>(Number(kEnvDelay, 0)) * kNsPerMs;
  duration_ns = static_cast<std::int64_t>(Number(kEnvDuration, 0)) * kNsPerMs;
  const char* capture = std::getenv(kEnvCapture);
  capture_range = capture != nullptr && std::strcmp(capture, "cudaProfilerApi") == 0;

  first_step = last_step = 0;
  const char* steps = std::getenv(kEnvSteps);
  if (steps != nullptr && step_range[0] != '\0') {
    if (std::sscanf(steps, "%u-%u", &first_step, &last_step) < 2) last_step = first_step;
  }
  return all_fit;
}

bool IsStepName(const char* pattern, const char* name, std::size_t name_bytes) {
  const char* const end = name + name_bytes;
  while (*pattern != '\0' && name < end) {
    const bool any_number = *pattern == '#';
    if ((any_number || IsDigit(*pattern)) && IsDigit(*name)) {
      pattern += any_number ? 1 : 0;
      while (IsDigit(*pattern)) ++pattern;
      while (name < end && IsDigit(*name)) ++name;
    } else if (*pattern++ != *name++) {
      return false;
    }
  }
  return *pattern == '\0' && name == end;
}

}  // namespace xsp::inject
