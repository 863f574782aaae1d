#include <simdjson.h>

#include "importers/kineto/text.h"
#include "importers/kineto/top_level.h"

namespace xsp {
namespace {

std::optional<std::int64_t> NumberOf(const KinetoTopLevel& top, std::string_view key) {
  const auto it = top.values().find(key);
  return it == top.values().end() ? std::nullopt : WholeNumber(it->second);
}

// 12080 is CUDA 12.8.
std::optional<std::string> CudaVersion(std::optional<std::int64_t> number) {
  if (!number || *number < 1000 || *number > 999999) return std::nullopt;
  return std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10);
}

// The value of a key, if it is a number that fits.
template <class T>
void Read(const simdjson::dom::object& object, std::string_view key, T& to) {
  std::uint64_t number = 0;
  if (object[key].get(number) || number >= kMissing<T>) return;
  to = static_cast<T>(number);
}

KinetoGpu ReadGpu(const simdjson::dom::object& object) {
  KinetoGpu found;
  Gpu& gpu = found.gpu;
  std::string_view name;
  if (!object["name"].get(name)) found.name = name;
  Read(object, "id", gpu.source_id);
  gpu.cuda_ordinal = gpu.source_id;
  Read(object, "totalGlobalMem", gpu.memory_bytes);
  Read(object, "numSms", gpu.sm_count);
  Read(object, "computeMajor", gpu.compute_major);
  Read(object, "computeMinor", gpu.compute_minor);
  Read(object, "warpSize", gpu.threads_per_warp);
  Read(object, "maxThreadsPerBlock", gpu.max_threads_per_block);
  Read(object, "regsPerBlock", gpu.max_registers_per_block);
  Read(object, "regsPerMultiprocessor", gpu.max_registers_per_sm);
  Read(object, "sharedMemPerBlock", gpu.max_shared_per_block);
  Read(object, "sharedMemPerMultiprocessor", gpu.max_shared_per_sm);
  std::uint32_t threads = 0;
  Read(object, "maxThreadsPerMultiprocessor", threads);
  const bool has_warps =
      gpu.threads_per_warp != kMissing<std::uint32_t> && gpu.threads_per_warp > 0;
  if (threads > 0 && has_warps) gpu.max_warps_per_sm = threads / gpu.threads_per_warp;
  return found;
}

std::vector<KinetoGpu> ReadGpus(const std::string& text) {
  std::vector<KinetoGpu> gpus;
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  if (parser.parse(text).get(list)) return gpus;
  constexpr std::size_t kMost = 1024;
  for (const simdjson::dom::element element : list) {
    simdjson::dom::object object;
    if (element.get(object) || gpus.size() == kMost) break;
    gpus.push_back(ReadGpu(object));
  }
  return gpus;
}

std::optional<std::uint32_t> ReadRank(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(text).get(object)) return std::nullopt;
  std::uint32_t rank = kMissing<std::uint32_t>;
  Read(object, "rank", rank);
  return rank == kMissing<std::uint32_t> ? std::nullopt : std::optional(rank);
}

}  // namespace

KinetoFacts ReadKinetoFacts(const KinetoTopLevel& top) {
  KinetoFacts facts;
  facts.base_ns = NumberOf(top, "baseTimeNanoseconds");
  if (const auto version = NumberOf(top, "schemaVersion")) {
    facts.schema_version = std::to_string(*version);
  }
  facts.cuda_version = CudaVersion(NumberOf(top, "cuda_driver_version"));
  const auto& values = top.values();
  if (const auto it = values.find("deviceProperties"); it != values.end()) {
    facts.gpus = ReadGpus(it->second);
  }
  if (const auto it = values.find("distributedInfo"); it != values.end()) {
    facts.rank = ReadRank(it->second);
  }
  return facts;
}

}  // namespace xsp
