#pragma once

#include <cstddef>
#include <cstdint>

// Events of the host, as threads write them: NVTX calls, and CUDA graphs that come into being.
namespace xsp::live {

enum class HostOp : std::uint8_t {
  kPush = 1,
  kPop,
  kStart,
  kEnd,
  kMark,
  // What events refer to; recorded also while recording is switched off.
  kDomain,     // `domain` was made and is called `text`.
  kString,     // `text` was registered as string `id`.
  kCategory,   // Category `id` of `domain` is called `text`.
  kThread,     // Thread `id` is called `text`.
  kGraphNode,  // Node `id` was made from node `id2` (0: captured or added).
  kGraph,      // Graph `id` was made from graph `id2` (0: from nothing).
  kGraphExec,  // Graph `id` was instantiated as `id2`.
  kWindow,     // Recording was switched on (`id` 1) or off (0).
};

// Which parts follow the head, in this order.
enum HostPart : std::uint8_t {
  kPartId = 1,           // 8 bytes: a range, string, category, thread, node or graph.
  kPartId2 = 2,          // 8 bytes.
  kPartLook = 4,         // 4 bytes ARGB (0 if there is no colour), 4 bytes category (0: none).
  kPartPayload = 8,      // 8 bytes: type (PayloadType of the model); 8 bytes: the value.
  kPartRegistered = 16,  // 8 bytes: the message is this registered string.
  kPartText = 32,        // 4 bytes length, then UTF-8 text, filled up to a multiple of 8.
  kPartCut = 64,         // Nothing follows: the text was longer than can be kept.
};

struct HostEventHead {
  std::uint16_t bytes;  // Of the whole event; a multiple of 8.
  HostOp op;
  std::uint8_t parts;
  std::uint32_t domain;  // 0: the default domain.
  std::uint64_t time;    // CLOCK_MONOTONIC.
};

// Longer texts are cut: an event must fit into a buffer of a thread.
inline constexpr std::size_t kLongestText = 8 * 1024;

}  // namespace xsp::live
