#include "sample_traces/jobs/rank_exports.h"

#include <utility>

namespace xsp::samples {

// The process as a program of its own, and what is written of it.
struct RankExports::Rank {
  Program program;
  std::unique_ptr<NsysWriter> writer;
};

RankExports::RankExports(const Program& program, const ExportOptions& options,
                         std::vector<RankRecording> recordings)
    : program_(program), recordings_(std::move(recordings)) {
  std::vector<Program> parts(program.processes.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    parts[p].strings = program.strings;
    parts[p].kernels = program.kernels;
    parts[p].processes = {program.processes[p]};
  }
  for (const Thread& thread : program.threads) {
    std::vector<Thread>& of = parts[static_cast<size_t>(thread.process)].threads;
    threads_.push_back({thread.process, static_cast<int32_t>(of.size())});
    of.push_back({0, thread.tid, thread.name, thread.start_ns, {}});
  }
  for (const Context& context : program.contexts) {
    std::vector<Context>& of = parts[static_cast<size_t>(context.process)].contexts;
    contexts_.push_back({context.process, static_cast<int32_t>(of.size())});
    of.push_back({0, recordings_[static_cast<size_t>(context.process)].device,
                  static_cast<int32_t>(of.size()) + 1, -1});
  }
  for (const Stream& stream : program.streams) {
    const Place context = contexts_[static_cast<size_t>(stream.context)];
    Program& part = parts[static_cast<size_t>(context.process)];
    const auto number = static_cast<int32_t>(part.streams.size());
    streams_.push_back({context.process, number});
    Stream own = stream;
    own.context = context.number;
    part.streams.push_back(own);
    if (stream.is_default) {
      part.contexts[static_cast<size_t>(context.number)].default_stream = number;
    }
  }
  for (const Event& event : program.events) {
    const Place context = contexts_[static_cast<size_t>(event.context)];
    std::vector<Event>& of = parts[static_cast<size_t>(context.process)].events;
    events_.push_back({context.process, static_cast<int32_t>(of.size())});
    of.push_back({context.number, static_cast<int32_t>(of.size()) + 1});
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    ranks_.emplace_back();
    const RankRecording& recording = recordings_[p];
    if (recording.path.empty()) continue;
    ranks_.back() = std::make_unique<Rank>(Rank{std::move(parts[p]), nullptr});
    ExportOptions own = options;
    own.host_name = recording.host;
    // Read off the same clock, which drifts before the recording begins as well.
    const double drifted =
        static_cast<double>(recording.started_ns) * 1e-9 * static_cast<double>(recording.drift_ppb);
    own.session_start_utc_ns +=
        recording.started_ns + recording.clock_ahead_ns + static_cast<int64_t>(drifted);
    own.mpi_rank = recording.mpi_rank;
    ranks_.back()->writer =
        std::make_unique<NsysWriter>(recording.path, ranks_.back()->program, own);
  }
}

RankExports::~RankExports() = default;

int64_t RankExports::OnClock(int32_t process, int64_t time) const {
  if (time < 0) return time;
  const RankRecording& recording = recordings_[static_cast<size_t>(process)];
  const int64_t since = time - recording.started_ns;
  return since + static_cast<int64_t>(static_cast<double>(since) * 1e-9 *
                                      static_cast<double>(recording.drift_ppb));
}

template <typename Record>
void RankExports::Forward(int32_t process, Record record) {
  Rank* const rank = ranks_[static_cast<size_t>(process)].get();
  if (rank == nullptr) return;
  record.start = OnClock(process, record.start);
  if constexpr (requires { record.end; }) record.end = OnClock(process, record.end);
  rank->writer->Add(record);
}

void RankExports::Add(const CallRecord& record) {
  const Place thread = threads_[static_cast<size_t>(record.thread)];
  CallRecord own = record;
  own.thread = thread.number;
  Forward(thread.process, own);
}

void RankExports::Add(const KernelRecord& record) {
  const Place stream = streams_[static_cast<size_t>(record.stream)];
  KernelRecord own = record;
  own.stream = stream.number;
  Forward(stream.process, own);
}

void RankExports::Add(const SyncRecord& record) {
  const Place context = contexts_[static_cast<size_t>(record.context)];
  SyncRecord own = record;
  own.context = context.number;
  if (own.stream >= 0) own.stream = streams_[static_cast<size_t>(record.stream)].number;
  if (own.event >= 0) own.event = events_[static_cast<size_t>(record.event)].number;
  Forward(context.process, own);
}

void RankExports::Add(const EventRecord& record) {
  const Place stream = streams_[static_cast<size_t>(record.stream)];
  EventRecord own = record;
  own.stream = stream.number;
  own.event = events_[static_cast<size_t>(record.event)].number;
  Forward(stream.process, own);
}

void RankExports::Add(const NvtxRecord& record) {
  const Place thread = threads_[static_cast<size_t>(record.thread)];
  NvtxRecord own = record;
  own.thread = thread.number;
  Forward(thread.process, std::move(own));
}

void RankExports::Add(const MpiRecord& record) {
  const Place thread = threads_[static_cast<size_t>(record.thread)];
  MpiRecord own = record;
  own.thread = thread.number;
  Forward(thread.process, own);
}

void RankExports::Add(const MemoryRecord& record) {
  const Place context = contexts_[static_cast<size_t>(record.context)];
  MemoryRecord own = record;
  own.context = context.number;
  Forward(context.process, own);
}

void RankExports::Finish(const RunSummary& summary) {
  for (const std::unique_ptr<Rank>& rank : ranks_) {
    if (rank) rank->writer->Finish(summary);
  }
}

}  // namespace xsp::samples
