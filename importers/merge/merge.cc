#include "importers/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/enum_names.h"
#include "base/error.h"
#include "importers/kineto/kineto.h"
#include "importers/merge/rank_clock.h"
#include "importers/merge/same_run.h"
#include "importers/merge/trace_copy.h"
#include "importers/nsys/sqlite.h"

namespace xsp {
namespace {

std::string NameOf(const Recording& recording) { return recording.file.filename().string(); }

// What the profiler inside of the process has of the CUDA side, nsys has, too, and more of it.
std::set<EventKind> CudaKinds() {
  std::set<EventKind> kinds;
  for (EventKind kind : AllEventKinds()) {
    if (kind <= EventKind::kGraphObject || kind == EventKind::kOverhead) kinds.insert(kind);
  }
  return kinds;
}

// The log of both. What stayed behind repeats what the first has.
void MergeLog(const Trace& from, const std::set<EventKind>& left_out, ImportLog& log) {
  log.Merge(from.log());
  for (EventKind kind : left_out) {
    const std::uint32_t rows = from.OfKind(kind).size();
    if (rows == 0) continue;
    log.AddIssue("merged: " + std::string(NameOf(kind)), ImportReason::kDuplicate,
                 "recorded by both", rows);
  }
}

// The events of a recording, by whether they are of the kinds that stay behind.
JoinedRecording CountEvents(const Recording& recording, const std::set<EventKind>& left_out) {
  JoinedRecording joined;
  joined.file = recording.file;
  for (EventKind kind : AllEventKinds()) {
    const std::uint32_t rows = recording.trace.OfKind(kind).size();
    if (rows > 0) (left_out.contains(kind) ? joined.left_out : joined.taken)[kind] = rows;
  }
  return joined;
}

// A merged trace is as good as the sources that went into it.
void MergeInfo(const Recording& from, TraceInfo& info) {
  const TraceInfo& other = from.trace.info();
  info.source_name += " + " + other.source_name;
  info.source_bytes += other.source_bytes;
  if (other.partial && !info.partial) {
    info.partial = true;
    info.partial_reason = other.source_name + ": " + other.partial_reason;
  }
}

// What neither source has.
void KeepCommonlyMissing(const TraceInfo& other, TraceInfo& info) {
  std::erase_if(info.missing, [&](const MissingData& missing) {
    return std::none_of(other.missing.begin(), other.missing.end(),
                        [&](const MissingData& m) { return m.what == missing.what; });
  });
}

Trace WithLog(Trace trace, ImportLog log) {
  TraceTables tables = std::move(trace).Release();
  tables.log = std::move(log);
  return Trace(std::move(tables));
}

void AddNote(std::string note, TraceInfo& info, std::vector<std::string>& notes) {
  info.diagnostics.push_back({0, false, note});
  notes.push_back(std::move(note));
}

// Recordings of the same run: `first` is that of nsys.
MergedRecordings JoinRuns(Recording first, std::vector<Recording> others) {
  TraceBuilder builder;
  builder.ExpectNoOrder();
  TraceCopier copier(builder);
  TraceInfo info = first.trace.info();
  ImportLog log = first.trace.log();
  std::vector<std::string> notes;
  std::vector<JoinedRecording> joined = {CountEvents(first, {})};
  copier.Copy(first.trace, {});
  std::uint64_t number = 0;
  for (const Recording& other : others) {
    SameRun match;
    try {
      match = MatchRuns(first.trace, other.trace);
    } catch (const Error& error) {
      throw Error(NameOf(first) + " and " + NameOf(other) + ": " + error.what(), error.hint());
    }
    CopyOptions options;
    options.shift = match.clock.offset;
    options.process_ids[match.recorded] = first.trace.process(match.process).global_id;
    options.domain_offset = ++number << 40;
    options.left_out = CudaKinds();
    // Ranges that the program also gave to nsys (emit_nvtx) would stand there twice.
    const bool has_operators = !first.trace.operators().event.empty();
    if (has_operators) {
      options.left_out.insert({EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd});
    }
    copier.Copy(other.trace, options);
    joined.push_back(CountEvents(other, options.left_out));
    joined.back().by = match.by_correlation ? JoinedBy::kCorrelation : JoinedBy::kOrder;
    joined.back().moments = match.kernels;
    joined.back().matched = match.matched;
    joined.back().clock = match.clock;
    MergeInfo(other, info);
    MergeLog(other.trace, options.left_out, log);
    AddNote(fmt::format("{}: {} of {} kernels found in {} by {}; clock moved by {}", NameOf(other),
                        match.matched, match.kernels, NameOf(first),
                        match.by_correlation ? "correlation id" : "their order",
                        Describe(match.clock, "kernels")),
            info, notes);
    if (has_operators) {
      AddNote(NameOf(other) + ": ranges left out, " + NameOf(first) + " has the operators already",
              info, notes);
    }
  }
  info.format += "+" + std::string(kKinetoFormat);
  copier.Finish();
  builder.info() = std::move(info);
  return {WithLog(std::move(builder).Build(), std::move(log)), std::move(joined), std::move(notes)};
}

// The rank of a recording: what it says itself, else its place among the files.
std::vector<std::uint32_t> RanksOf(const std::vector<Recording>& recordings) {
  std::vector<std::uint32_t> ranks;
  std::map<std::uint32_t, std::string> taken;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    std::uint32_t rank = kMissing<std::uint32_t>;
    for (const Process& process : recordings[i].trace.processes()) {
      rank = std::min(rank, process.rank);
    }
    const bool is_known = rank != kMissing<std::uint32_t>;
    if (!is_known) rank = static_cast<std::uint32_t>(i);
    const auto [it, is_new] = taken.emplace(rank, NameOf(recordings[i]));
    if (!is_new) {
      throw Error(
          fmt::format("{} and {} are both of rank {}", it->second, NameOf(recordings[i]), rank),
          "give one file per rank");
    }
    ranks.push_back(rank);
  }
  return ranks;
}

std::optional<TimeRange> SpanOf(const Trace& trace) {
  if (trace.event_count() == 0) return std::nullopt;
  const Events& events = trace.events();
  return TimeRange{*std::min_element(events.begin.begin(), events.begin.end()),
                   *std::max_element(events.end.begin(), events.end.end())};
}

// Puts `other` on the clock of `first`: how, and a sentence on it.
std::string AlignRank(const Recording& first, const Recording& other, JoinedRecording& joined) {
  const auto& utc_first = first.trace.info().utc_start_ns;
  const auto& utc_other = other.trace.info().utc_start_ns;
  std::optional<DurationNs> by_day;
  if (utc_first && utc_other) by_day = *utc_other - *utc_first;
  if (const auto fit = FitRankClock(first.trace, other.trace, by_day)) {
    joined.by = JoinedBy::kCollectives;
    joined.matched = fit->moments;
    joined.moments = CountCollectives(other.trace);
    joined.clock = *fit;
    return NameOf(other) + ": clock moved by " + Describe(*fit, "collectives");
  }
  const std::string names = NameOf(first) + " and " + NameOf(other);
  constexpr const char* kHint = "--merge joins the ranks of one job, recorded at the same time";
  if (!by_day) {
    throw Error(names +
                    ": cannot be put on one clock: no collectives line up, and the time of day "
                    "is not in the files",
                kHint);
  }
  const std::optional<TimeRange> a = SpanOf(first.trace);
  const std::optional<TimeRange> b = SpanOf(other.trace);
  if (!a || !b || b->begin + *by_day >= a->end || b->end + *by_day <= a->begin) {
    throw Error(names +
                    ": are not ranks of one job: no collectives line up, and they were not "
                    "recorded at the same time",
                kHint);
  }
  joined.by = JoinedBy::kTimeOfDay;
  joined.clock.offset = *by_day;
  return NameOf(other) + ": no collectives line up with those of " + NameOf(first) +
         "; put on one clock by the time of day, which may be off by milliseconds";
}

MergedRecordings JoinRanks(std::vector<Recording> recordings) {
  const std::vector<std::uint32_t> ranks = RanksOf(recordings);
  TraceBuilder builder;
  builder.ExpectNoOrder();
  TraceCopier copier(builder);
  TraceInfo info = recordings.front().trace.info();
  ImportLog log;
  std::vector<std::string> notes;
  std::vector<JoinedRecording> joined;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const Recording& recording = recordings[i];
    joined.push_back(CountEvents(recording, {}));
    CopyOptions options;
    // Containers number their processes alike: the upper bits say which file one is of.
    for (std::uint32_t p = 0; p < recording.trace.processes().size(); ++p) {
      const std::uint64_t id = recording.trace.processes()[p].global_id & 0xFFFF'FFFF'FFFF;
      options.process_ids[ProcessId(p)] = id | static_cast<std::uint64_t>(i) << 48;
    }
    log.Merge(recording.trace.log());
    if (i > 0) {
      std::string note = AlignRank(recordings.front(), recording, joined.back());
      options.shift = joined.back().clock.offset;
      MergeInfo(recording, info);
      KeepCommonlyMissing(recording.trace.info(), info);
      AddNote(std::move(note), info, notes);
    }
    copier.Copy(recording.trace, options);
  }
  copier.Finish();
  builder.info() = std::move(info);
  TraceTables tables = std::move(builder).Build().Release();
  for (Process& process : tables.processes) {
    process.rank = ranks[static_cast<std::size_t>(process.global_id >> 48)];
  }
  tables.log = std::move(log);
  return {Trace(std::move(tables)), std::move(joined), std::move(notes)};
}

}  // namespace

std::string_view NameOf(JoinedBy by) {
  constexpr EnumNames<JoinedBy::kTimeOfDay> kNames(
      {"the first", "correlation id", "order of kernels", "collectives", "time of day"});
  return kNames[by];
}

MergedRecordings MergeRecordings(std::vector<Recording> recordings) {
  if (recordings.size() < 2) throw Error("--merge needs at least two files");
  const auto is_nsys = [](const Recording& r) { return r.trace.info().format == kNsysFormat; };
  const auto nsys = std::count_if(recordings.begin(), recordings.end(), is_nsys);
  if (nsys == 0 || nsys == static_cast<std::ptrdiff_t>(recordings.size())) {
    return JoinRanks(std::move(recordings));
  }
  if (nsys > 1) {
    throw Error("--merge joins one nsys export with PyTorch profiler traces of the same run, not " +
                    std::to_string(nsys) + " exports",
                "merge one export at a time");
  }
  std::stable_partition(recordings.begin(), recordings.end(), is_nsys);
  Recording first = std::move(recordings.front());
  recordings.erase(recordings.begin());
  return JoinRuns(std::move(first), std::move(recordings));
}

}  // namespace xsp
