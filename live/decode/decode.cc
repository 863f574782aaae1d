#include "live/decode/decode.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "live/decode/device_work.h"
#include "live/decode/host_events.h"
#include "live/decode/host_records.h"
#include "live/decode/places.h"
#include "live/decode/process_context.h"
#include "live/decode/rows.h"
#include "live/decode/spool_facts.h"
#include "live/decode/summary.h"
#include "live/spool/kinds.h"

namespace xsp::live {
namespace fs = std::filesystem;
namespace {

// Spools that cannot be read at all do not keep the others from being read.
std::vector<SpoolFacts> ReadAllFacts(const std::vector<fs::path>& files, Progress& progress,
                                     RecordingSummary& summary) {
  std::vector<SpoolFacts> spools;
  std::string problem;
  for (const fs::path& file : files) {
    try {
      spools.push_back(ReadFacts(file));
      progress.Advance(spools.back().bytes);
    } catch (const Error& error) {
      if (problem.empty()) problem = error.what();
      summary.messages.emplace_back(error.what());
    }
  }
  if (spools.empty()) {
    throw Error(problem.empty() ? std::string("no spool to convert") : problem);
  }
  std::sort(spools.begin(), spools.end(), [](const SpoolFacts& a, const SpoolFacts& b) {
    return std::tuple(a.process.monotonic_ns, a.process.pid, a.file) <
           std::tuple(b.process.monotonic_ns, b.process.pid, b.file);
  });
  return spools;
}

// Forked processes know domains and strings from before the fork. Parents began earlier, so they
// have been completed themselves.
void InheritFromParents(std::vector<SpoolFacts>& spools) {
  for (std::size_t child = 0; child < spools.size(); ++child) {
    const std::uint32_t origin = spools[child].process.origin;
    if (origin == 0) continue;
    for (std::size_t parent = child; parent-- > 0;) {
      if (spools[parent].process.pid != origin) continue;
      spools[child].Inherit(spools[parent]);
      break;
    }
  }
}

// As nsys forms it: pid in bits 24 to 47, above it what tells apart processes of one pid. A process
// that calls exec goes on under its pid, with ids that begin anew: it counts as another one.
std::uint64_t GlobalId(const std::vector<SpoolFacts>& spools, std::size_t which) {
  std::uint64_t image = 1;
  for (std::size_t i = 0; i < which; ++i) {
    if (spools[i].process.pid == spools[which].process.pid) ++image;
  }
  return (image & 0xFF) << 48 | std::uint64_t{spools[which].process.pid & 0xFFFFFF} << 24;
}

bool IsFact(CuptiKind kind) {
  return kind == CuptiKind::kRuntime || kind == CuptiKind::kDriver || kind == CuptiKind::kDevice ||
         kind == CuptiKind::kContext || kind == CuptiKind::kStream;
}

// Reads the events of one process into the rows of the recording.
class ProcessReader {
 public:
  ProcessReader(ProcessContext& context, RecordingRows& rows, RecordingSummary& summary)
      : context_(context), rows_(rows), summary_(summary) {}

  void Read(Progress& progress) {
    TakeCalls(context_, rows_);
    SpoolReader spool(context_.facts().file);
    DeviceWork work(context_, rows_);
    Block block;
    std::uint64_t done = 0;
    while (spool.Next(&block)) {
      if (block.type == BlockType::kTexts) TakeTexts(block);
      if (block.type == BlockType::kRecords) TakeRecords(block, work);
      progress.Advance(spool.sound_bytes() - done);
      done = spool.sound_bytes();
    }
    HostEventReader(context_, rows_).Read(spool);
    TellCounts();
  }

 private:
  void TakeTexts(const Block& block) {
    ForEachText(block, [&](const TextHead& head, std::string_view text) {
      if (head.space == TextSpace::kPointer) context_.DefinePointer(head.key, text);
    });
  }

  void TakeRecords(const Block& block, DeviceWork& work) {
    ForEachRecord(block, [&](CuptiKind kind, const char* at, std::size_t bytes) {
      const auto number = static_cast<std::size_t>(kind);
      const std::string_view name = NameOfCount(number);
      ++summary_.records[name.empty() ? "kind " + std::to_string(number) : std::string(name)];
      if (IsFact(kind) || work.Take(kind, at, bytes) ||
          TakeHostRecord(context_, rows_, kind, at, bytes)) {
        return;
      }
      AddUnused(kind, name);
    });
  }

  void TellCounts() {
    const auto& process = context_.facts().process;
    const std::string who =
        std::string(process.program) + " (process " + std::to_string(process.pid) + "): ";
    if (context_.after_stop > 0) {
      summary_.messages.push_back(who + std::to_string(context_.after_stop) +
                                  " operations were launched after recording was switched off: "
                                  "left out");
    }
    if (context_.cut_texts > 0) {
      summary_.messages.push_back(who + std::to_string(context_.cut_texts) +
                                  " texts of NVTX were too long to be recorded whole: cut");
    }
  }

  // Recorded, but the model has no place for it.
  void AddUnused(CuptiKind kind, std::string_view name) {
    const std::string table = name.empty()
                                  ? "CUPTI kind " + std::to_string(static_cast<std::uint32_t>(kind))
                                  : "CUPTI " + std::string(name);
    std::vector<std::string>& unused = context_.builder().info().unused_tables;
    if (std::find(unused.begin(), unused.end(), table) == unused.end()) unused.push_back(table);
  }

  ProcessContext& context_;
  RecordingRows& rows_;
  RecordingSummary& summary_;
};

void CountHostRows(const RecordingRows& rows, RecordingSummary& summary) {
  const std::size_t nvtx = rows.push_pop.events.begin.size() + rows.start_end.events.begin.size() +
                           rows.marks.events.begin.size();
  if (nvtx > 0) summary.records["nvtx"] = nvtx;
  const std::size_t graphs = rows.graph_objects.events.begin.size();
  if (graphs > 0) summary.records["graph object"] = graphs;
}

}  // namespace

std::vector<fs::path> SpoolsIn(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) throw Error(path.string() + ": no such spool");
    return {path};
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".spool" && entry.is_regular_file(error)) {
      files.push_back(entry.path());
    }
  }
  if (error) throw Error(path.string() + ": " + error.message());
  if (files.empty()) throw Error(path.string() + ": no spool in this folder");
  std::sort(files.begin(), files.end());
  return files;
}

DecodedRecording DecodeSpools(const std::vector<fs::path>& files, const DecodeOptions& options) {
  NoProgress silent;
  Progress& progress = options.progress == nullptr ? silent : *options.progress;
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::path& file : files) bytes += fs::file_size(file, ignored);
  progress.Start("decoding", 2 * bytes, "bytes");

  RecordingSummary summary;
  std::vector<SpoolFacts> spools = ReadAllFacts(files, progress, summary);
  InheritFromParents(spools);
  const TimeNs zero = ClockMap::HostTime(spools.front().process.monotonic_ns);
  TraceBuilder builder;
  RecordingRows rows;
  std::vector<std::pair<ProcessId, const SpoolFacts*>> processes;
  for (std::size_t i = 0; i < spools.size(); ++i) {
    ProcessContext context(spools[i], GlobalId(spools, i), zero, options.namer, builder);
    ProcessReader(context, rows, summary).Read(progress);
    processes.emplace_back(context.process(), &spools[i]);
  }
  CountHostRows(rows, summary);
  if (const std::uint64_t open = CloseOpenRanges(rows)) {
    builder.log().AddIssue(kNvtxTable, ImportReason::kUnfinished, "at the end", open);
  }
  DescribePlaces(processes, builder);
  Summarize(spools, summary);
  FillInfo(spools, summary, zero, builder);
  rows.GiveTo(builder);
  return {std::move(builder).Build(), std::move(summary)};
}

}  // namespace xsp::live
