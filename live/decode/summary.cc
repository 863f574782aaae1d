#include "live/decode/summary.h"

#include <algorithm>
#include <cstring>

#include "live/spool/kinds.h"

namespace xsp::live {
namespace {

constexpr std::string_view kSpoolTable = "spool";

std::string NameOf(const SpoolFacts& spool) {
  return std::string(spool.process.program) + " (process " + std::to_string(spool.process.pid) +
         ")";
}

std::string CountName(std::size_t kind) {
  const std::string_view name = NameOfCount(kind);
  return name.empty() ? "kind " + std::to_string(kind) : std::string(name);
}

// "13.4 (130401)" or "(27)": up to 12.9 CUPTI counted its versions.
std::string CuptiVersionText(std::uint32_t version) {
  const std::string number = std::to_string(version);
  if (version < 100'000) return number;
  return std::to_string(version / 10'000) + "." + std::to_string(version / 100 % 100);
}

// Every process says the same: told once.
void AddOnce(std::vector<std::string>& messages, std::string text) {
  if (std::find(messages.begin(), messages.end(), text) == messages.end()) {
    messages.push_back(std::move(text));
  }
}

void TakeNote(const SpoolFacts::Note& note, RecordingSummary& summary) {
  if (note.front.kind == NoteKind::kMessage) {
    AddOnce(summary.messages, note.text);
    return;
  }
  Unavailable entry;
  entry.kind = note.front.subject == 0 ? "cuda" : CountName(note.front.subject);
  entry.why = note.text;
  if (note.front.kind == NoteKind::kOtherTool) {
    entry.why = note.text.empty() ? "another tool, or the program itself, uses CUPTI already"
                                  : "CUPTI is in use already, by " + note.text;
  }
  auto& all = summary.unavailable;
  if (std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(std::move(entry));
}

void TakeCounts(const SpoolFacts& spool, RecordingSummary& summary) {
  const CountsFront& counts = spool.counts;
  for (std::size_t kind = 0; kind < kCuptiKinds; ++kind) {
    if (counts.dropped[kind] > 0) summary.dropped[CountName(kind)] += counts.dropped[kind];
  }
  if (counts.cupti_dropped > 0) summary.dropped["inside CUPTI"] += counts.cupti_dropped;
  const bool has_cuda = spool.cupti_version != 0;
  if (counts.closed == Closing::kOpen || (counts.closed == Closing::kCollected && has_cuda)) {
    AddOnce(summary.messages,
            NameOf(spool) + " ended without notice (killed, _exit or exec) or still runs: what " +
                (has_cuda ? "CUPTI" : "it") + " had not delivered yet is missing");
  }
  const std::uint64_t kept_back = counts.buffers_requested - counts.buffers_completed;
  if (counts.closed == Closing::kClosed && kept_back > 0) {
    AddOnce(summary.messages, NameOf(spool) + ": CUPTI did not give back all its buffers (" +
                                  std::to_string(kept_back) + "): the records in them are missing");
  }
  if (counts.write_error != 0) {
    AddOnce(summary.messages, NameOf(spool) + ": writing the spool failed at times: " +
                                  std::strerror(static_cast<int>(counts.write_error)));
  }
}

void TakeDamage(const SpoolFacts& spool, RecordingSummary& summary) {
  const std::string file = spool.file.filename().string();
  if (spool.torn_bytes > 0) {
    AddOnce(summary.messages, file + ": the last " + std::to_string(spool.torn_bytes) +
                                  " bytes are no whole block: cut off");
  }
  if (spool.damaged_blocks > 0) {
    AddOnce(summary.messages, file + ": " + std::to_string(spool.damaged_blocks) +
                                  " blocks could only be read in part");
  }
  if (spool.clock.shift() != 0) {
    AddOnce(summary.messages,
            NameOf(spool) + ": the clocks of CUPTI and of the host moved against each other by " +
                std::to_string(spool.clock.shift() / 1000) +
                " us (was the time set?): times between are shifted in proportion");
  }
}

void FindMissing(const std::vector<SpoolFacts>& spools, const RecordingSummary& summary,
                 TraceInfo& info) {
  KindSet kinds = 0;
  for (const SpoolFacts& spool : spools) kinds |= spool.process.kinds;
  for (std::size_t i = 0; i < kRecordedKindCount; ++i) {
    const std::string_view name = kRecordedKinds[i].name;
    const bool asked = (kinds >> i & 1) != 0;
    if (name == "memory" && !asked) {
      info.missing.push_back({"GPU memory use", "--kinds default,memory,pool"});
    } else if (name == "unified" && !asked) {
      info.missing.push_back({"unified-memory migrations and faults", "--kinds default,unified"});
    } else if (name == "graph" && asked) {
      info.graph_trace_mode = "graph";
      info.missing.push_back({"kernels inside CUDA graphs", "--kinds without graph"});
    }
  }
  if (!info.graph_trace_mode && summary.has_cuda) info.graph_trace_mode = "node";
  if (!summary.has_cuda) {
    info.missing.push_back({"CUDA calls and GPU work", "a CUDA device, and libcupti"});
  }
}

}  // namespace

void Summarize(const std::vector<SpoolFacts>& spools, RecordingSummary& summary) {
  summary.processes = static_cast<std::uint32_t>(spools.size());
  for (const SpoolFacts& spool : spools) {
    summary.has_cuda |= spool.cupti_version != 0;
    for (const SpoolFacts::Note& note : spool.notes) TakeNote(note, summary);
    TakeCounts(spool, summary);
    TakeDamage(spool, summary);
  }
}

void FillInfo(const std::vector<SpoolFacts>& spools, const RecordingSummary& summary, TimeNs zero,
              TraceBuilder& builder) {
  TraceInfo& info = builder.info();
  info.format = kLiveFormat;
  const SpoolFacts& first = spools.front();
  info.os = first.process.system;
  const auto since_zero = ClockMap::HostTime(first.process.monotonic_ns) - zero;
  info.utc_start_ns = ClockMap::HostTime(first.process.realtime_ns) - since_zero;
  DurationNs last = 0;
  for (const SpoolFacts& spool : spools) {
    info.source_bytes += spool.bytes;
    for (const ClockReading& reading : spool.clock_readings) {
      last = std::max(last, ClockMap::HostTime(reading.after) - zero);
    }
    if (spool.cupti_version == 0) continue;
    info.tool_version = CuptiVersionText(spool.cupti_version);
    if (!spool.driver_version.empty()) info.driver_version = spool.driver_version;
    if (spool.cuda_version >= 1000) {
      info.cuda_version = std::to_string(spool.cuda_version / 1000) + "." +
                          std::to_string(spool.cuda_version % 1000 / 10);
    }
  }
  info.session_ns = last;
  FindMissing(spools, summary, info);
  for (const Unavailable& entry : summary.unavailable) {
    info.diagnostics.push_back({0, false, "not available: " + entry.kind + ": " + entry.why});
  }
  for (const std::string& message : summary.messages) {
    info.diagnostics.push_back({0, false, message});
  }
  for (const auto& [kind, count] : summary.dropped) {
    info.diagnostics.push_back(
        {0, false, "lost while recording: " + std::to_string(count) + " " + kind});
  }
  for (const SpoolFacts& spool : spools) {
    if (spool.torn_bytes == 0) continue;
    builder.log().AddIssue(kSpoolTable, ImportReason::kDamaged, spool.file.filename().string());
  }
}

}  // namespace xsp::live
