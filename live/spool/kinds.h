#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "live/spool/cupti_records.h"

// What can be recorded, by the names that users give (--kinds) and see.
namespace xsp::live {

struct RecordedKind {
  std::string_view name;
  CuptiKind cupti[2];  // Which records of CUPTI it is; 0: none.
  bool by_default;     // Whether it is recorded if the user does not say.
};

// The order is that of the bits in a KindSet.
//  - "graph" takes the place of kernels: with it, CUPTI traces a launched graph as one piece.
//  - Memory, pools and unified memory cost more than the rest, and CUPTI's unified-memory counters
//    can change how a program's managed memory moves: only on request.
inline constexpr RecordedKind kRecordedKinds[] = {
    {"nvtx", {}, true},
    {"runtime", {CuptiKind::kRuntime}, true},
    {"driver", {CuptiKind::kDriver}, true},
    {"kernel", {CuptiKind::kConcurrentKernel}, true},
    {"memcpy", {CuptiKind::kMemcpy, CuptiKind::kMemcpyPeer}, true},
    {"memset", {CuptiKind::kMemset}, true},
    {"sync", {CuptiKind::kSynchronization}, true},
    {"event", {CuptiKind::kCudaEvent}, true},
    {"overhead", {CuptiKind::kOverhead}, true},
    {"external", {CuptiKind::kExternalCorrelation}, true},
    {"memory", {CuptiKind::kMemory}, false},
    {"pool", {CuptiKind::kMemoryPool}, false},
    {"unified", {CuptiKind::kUnifiedMemory}, false},
    {"graph", {CuptiKind::kGraphTrace}, false},
};
inline constexpr std::size_t kRecordedKindCount = sizeof(kRecordedKinds) / sizeof(*kRecordedKinds);

// Bit i: kRecordedKinds[i].
using KindSet = std::uint32_t;

inline constexpr KindSet kNvtxBit = 1;

constexpr KindSet DefaultKinds() {
  KindSet set = 0;
  for (std::size_t i = 0; i < kRecordedKindCount; ++i) {
    if (kRecordedKinds[i].by_default) set |= KindSet{1} << i;
  }
  return set;
}

// Reads a list such as "default,memory,-driver": names of kinds, "default" and "all", each added,
// or taken away with a minus. Nothing at all means the default. False if a word is unknown;
// `unknown` then is that word.
constexpr bool ParseKinds(std::string_view list, KindSet* set, std::string_view* unknown);

// Everything but "graph", which excludes the kernels that graphs launch.
constexpr KindSet AllKinds() { return (KindSet{1} << (kRecordedKindCount - 1)) - 1; }

// What tells which device, context and stream the rest happened on: recorded with any kind of CUDA.
inline constexpr CuptiKind kPlaces[] = {CuptiKind::kDevice, CuptiKind::kContext,
                                        CuptiKind::kStream};

// Where things are counted that are no records of CUPTI: a place in an array of kCuptiKinds.
inline constexpr std::size_t kNvtxCount = kCuptiKinds - 1;
inline constexpr std::size_t kGraphObjectCount = kCuptiKinds - 2;

// The name under which records of a kind are counted for users: "kernel", or "kind 43".
constexpr std::string_view NameOfCount(std::size_t kind) {
  if (kind == kNvtxCount) return "nvtx";
  if (kind == kGraphObjectCount) return "graph object";
  if (kind == static_cast<std::size_t>(CuptiKind::kDevice)) return "device";
  if (kind == static_cast<std::size_t>(CuptiKind::kContext)) return "context";
  if (kind == static_cast<std::size_t>(CuptiKind::kStream)) return "stream";
  if (kind == static_cast<std::size_t>(CuptiKind::kKernel)) return "kernel";
  for (const RecordedKind& known : kRecordedKinds) {
    for (CuptiKind cupti : known.cupti) {
      if (cupti != CuptiKind{} && static_cast<std::size_t>(cupti) == kind) return known.name;
    }
  }
  return "";
}

constexpr bool ParseKinds(std::string_view list, KindSet* set, std::string_view* unknown) {
  *set = list.empty() ? DefaultKinds() : 0;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view word = list.substr(0, comma);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
    const bool remove = word.starts_with('-');
    if (remove) word.remove_prefix(1);
    KindSet named = 0;
    if (word == "default") named = DefaultKinds();
    if (word == "all") named = AllKinds();
    for (std::size_t i = 0; i < kRecordedKindCount; ++i) {
      if (word == kRecordedKinds[i].name) named = KindSet{1} << i;
    }
    if (named == 0) {
      *unknown = word;
      return false;
    }
    *set = remove ? *set & ~named : *set | named;
  }
  return true;
}

}  // namespace xsp::live
