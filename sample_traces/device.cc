// Issue, order and completion: queues, places, waits. What runs how fast: device_run.cc.
#include "sample_traces/device.h"

#include <algorithm>
#include <utility>

#include "sample_traces/noise.h"

namespace xsp::samples {

DeviceModel::DeviceModel(const Program& program, const MachineConfig& config, EventLoop& loop,
                         Recorder& recorder)
    : program_(program),
      config_(config),
      loop_(loop),
      clocks_(config.clocks),
      streams_(program.streams.size()),
      contexts_(program.contexts.size()),
      queues_(config.queue_kind == QueueKind::kPerStream ? program.streams.size()
                                                         : program.contexts.size()),
      context_streams_(program.contexts.size()),
      engines_(2 * static_cast<size_t>(program.DeviceCount())),
      active_(static_cast<size_t>(program.DeviceCount())),
      communicators_(program.communicators.size()),
      thread_unmet_(program.threads.size(), 0),
      graphs_(static_cast<size_t>(program.graphs)),
      kernel_log_(recorder, loop),
      copy_log_(recorder, loop),
      memset_log_(recorder, loop),
      span_log_(recorder, loop) {
  for (size_t i = 0; i < program.streams.size(); ++i) {
    context_streams_[program.streams[i].context].push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < communicators_.size(); ++i) {
    communicators_[i].next_of_rank.assign(program.communicators[i].contexts.size(), 0);
  }
  for (size_t device = clocks_.size(); device < active_.size(); ++device) {
    const uint64_t bits = Noise(config.seed, device, 0, Purpose::kSkew);
    clocks_.push_back(
        {static_cast<int64_t>(bits % 801) - 400, static_cast<int64_t>((bits >> 20) % 301) - 150});
  }
}

int32_t DeviceModel::DeviceOf(int32_t stream) const {
  return program_.contexts[program_.streams[stream].context].device;
}

int64_t DeviceModel::Skewed(int32_t stream, int64_t time) const {
  const DeviceClock& clock = clocks_[DeviceOf(stream)];
  return time + clock.offset_ns + time / 1'000'000 * clock.drift_ppb / 1'000;
}

DeviceModel::LaunchQueue& DeviceModel::QueueOf(int32_t stream) {
  const bool per_stream = config_.queue_kind == QueueKind::kPerStream;
  return queues_[per_stream ? stream : program_.streams[stream].context];
}

bool DeviceModel::IsFull(const LaunchQueue& queue) const {
  int32_t taken = static_cast<int32_t>(queue.outstanding.size()) + queue.reserved;
  if (config_.queue_kind != QueueKind::kRing) taken -= queue.finished;
  return taken >= config_.queue_depth;
}

bool DeviceModel::AcquirePlace(int32_t stream, int32_t thread) {
  LaunchQueue& queue = QueueOf(stream);
  if (IsFull(queue)) {
    queue.waiting_threads.push_back(thread);
    return false;
  }
  ++queue.reserved;
  return true;
}

void DeviceModel::Issue(int32_t stream, Command command) {
  const Stream& spec = program_.streams[stream];
  StreamState& state = streams_[stream];
  LaunchQueue& queue = QueueOf(stream);
  auto wait_for_stream = [&](int32_t other) {
    const StreamState& there = streams_[other];
    if (there.issued > there.finished) command.waits_for.push_back({other, there.issued});
  };
  if (spec.is_default) {
    for (int32_t other : context_streams_[spec.context]) {
      if (other != stream && program_.streams[other].blocking) wait_for_stream(other);
    }
  } else if (spec.blocking) {
    wait_for_stream(program_.contexts[spec.context].default_stream);
  }
  command.waits_for.insert(command.waits_for.end(), state.held.begin(), state.held.end());
  state.held.clear();
  ++state.issued;
  --queue.reserved;
  state.places.push_back(queue.first_place + static_cast<int64_t>(queue.outstanding.size()));
  queue.outstanding.push_back(false);
  state.queue.push_back(std::move(command));
  if (state.queue.size() == 1) TryStart(stream);
}

std::vector<Point> DeviceModel::StreamPoints(int32_t stream) const {
  const Stream& spec = program_.streams[stream];
  std::vector<Point> points = streams_[stream].held;
  points.push_back({stream, streams_[stream].issued});
  if (!spec.is_default) return points;
  for (int32_t other : context_streams_[spec.context]) {
    if (other != stream && program_.streams[other].blocking) {
      points.push_back({other, streams_[other].issued});
    }
  }
  return points;
}

std::vector<Point> DeviceModel::ContextPoints(int32_t context) const {
  std::vector<Point> points;
  for (int32_t stream : context_streams_[context]) {
    points.push_back({stream, streams_[stream].issued});
  }
  return points;
}

void DeviceModel::Hold(int32_t stream, const std::vector<Point>& points) {
  for (const Point& point : points) {
    if (point.stream != stream && streams_[point.stream].finished < point.count) {
      streams_[stream].held.push_back(point);
    }
  }
}

bool DeviceModel::WaitFor(int32_t thread, const std::vector<Point>& points) {
  for (const Point& point : points) {
    if (streams_[point.stream].finished >= point.count) continue;
    streams_[point.stream].waiters.push_back({point.count, true, thread});
    ++thread_unmet_[thread];
  }
  return thread_unmet_[thread] == 0;
}

bool DeviceModel::Reached(const std::vector<Point>& points) const {
  return std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return streams_[point.stream].finished >= point.count;
  });
}

// Registers the first command with everything it still waits for. True when there is nothing.
bool DeviceModel::ResolveWaits(int32_t stream) {
  StreamState& state = streams_[stream];
  std::vector<Point> points = std::exchange(state.queue.front().waits_for, {});
  for (const Point& point : points) {
    if (streams_[point.stream].finished >= point.count) continue;
    streams_[point.stream].waiters.push_back({point.count, false, stream});
    ++state.unmet;
  }
  return state.unmet == 0;
}

void DeviceModel::TryStart(int32_t stream) {
  StreamState& state = streams_[stream];
  if (state.busy || state.queue.empty() || state.unmet > 0 || !ResolveWaits(stream)) return;
  state.busy = true;
  const int64_t start = std::max(
      {loop_.now(), state.queue.front().ready, state.last_end + Gap(state), state.released});
  loop_.At(start, Happening::kStream, stream);
}

int64_t DeviceModel::Gap(int32_t stream, int64_t ns) const {
  return SkewedJitter(ns, config_.gap_jitter, config_.outliers,
                      Mix(streams_[stream].queue.front().noise));
}

int64_t DeviceModel::Gap(const StreamState& state) const {
  return SkewedJitter(config_.stream_gap_ns, 90, config_.outliers, state.queue.front().noise >> 7);
}

void DeviceModel::EndCommand(int32_t stream) {
  StreamState& state = streams_[stream];
  ++state.finished;
  state.last_end = loop_.now();
  last_end_ = std::max(last_end_, loop_.now());
  state.busy = false;
  state.queue.pop_front();
  const int64_t place = state.places.front();
  state.places.pop_front();
  Retire(stream, place);
  Notify(stream);
  TryStart(stream);
}

// Makes room for threads that wait for a place.
void DeviceModel::Retire(int32_t stream, int64_t place) {
  LaunchQueue& queue = QueueOf(stream);
  queue.outstanding[static_cast<size_t>(place - queue.first_place)] = true;
  ++queue.finished;
  while (!queue.outstanding.empty() && queue.outstanding.front()) {
    queue.outstanding.pop_front();
    ++queue.first_place;
    --queue.finished;
  }
  while (!queue.waiting_threads.empty() && !IsFull(queue)) {
    ++queue.reserved;
    loop_.At(loop_.now(), Happening::kThread, queue.waiting_threads.front());
    queue.waiting_threads.pop_front();
  }
}

void DeviceModel::Notify(int32_t stream) {
  StreamState& state = streams_[stream];
  if (state.waiters.empty()) return;
  std::vector<Waiter> reached;
  std::erase_if(state.waiters, [&](const Waiter& waiter) {
    if (waiter.count > state.finished) return false;
    reached.push_back(waiter);
    return true;
  });
  for (const Waiter& waiter : reached) {
    if (waiter.is_thread) {
      if (--thread_unmet_[waiter.index] == 0) {
        loop_.At(loop_.now(), Happening::kThread, waiter.index);
      }
    } else if (--streams_[waiter.index].unmet == 0) {
      streams_[waiter.index].released = loop_.now() + Gap(waiter.index, config_.event_gap_ns);
      TryStart(waiter.index);
    }
  }
}

void DeviceModel::Finish() {
  kernel_log_.Finish();
  copy_log_.Finish();
  memset_log_.Finish();
  span_log_.Finish();
}

}  // namespace xsp::samples
