#include "live/inject/writer.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "live/inject/recorder.h"

namespace xsp::inject {
namespace {

using namespace live;

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr long kTickMs = 100;  // Threads' events are written at least this often.
// CUPTI is asked for its buffers this often: a killed process loses at most so much of its records.
constexpr std::uint64_t kFlushNs = 1'000 * kNsPerMs;
// What was launched before recording was switched off gets so long to finish.
constexpr std::uint64_t kGraceNs = 1'000 * kNsPerMs;
constexpr int kMostSecondsAtEnd = 10;

// Waits for a semaphore, but not longer than this.
bool WaitFor(sem_t& semaphore, long ms) {
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += ms / 1000;
  until.tv_nsec += ms % 1000 * 1'000'000;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  int result = 0;
  do {
    result = sem_timedwait(&semaphore, &until);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// Whether all threads of the program have ended, the first one of them, too, without ending the
// process: then this one must not keep it alive. No file is opened for that: its number would be
// missed by the program. A first thread that has ended shows no program any more, and is counted
// for as long as there are others.
bool IsLastThread() {
  struct stat facts;
  if (stat("/proc/self/exe", &facts) == 0 || errno != ENOENT) return false;
  constexpr nlink_t kFolders = 2, kFirstAndOwn = 2;
  return stat("/proc/self/task", &facts) == 0 && facts.st_nlink == kFolders + kFirstAndOwn;
}

// With what the first thread has ended where it left without the C library; else 0. The process
// ends with what its last thread says.
int ExitCodeOfFirstThread() {
  char line[1024] = "";
  if (std::FILE* file = std::fopen("/proc/self/stat", "re")) {
    if (std::fgets(line, sizeof line, file) == nullptr) line[0] = '\0';
    std::fclose(file);
  }
  const char* last = std::strrchr(line, ' ');
  return last == nullptr ? 0 : (std::atoi(last) >> 8) & 0xff;
}

std::uint64_t RealtimeNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

int Writer::Begin(Recorder& recorder, std::uint32_t origin) {
  recorder_ = &recorder;
  if (!records_.Begin(spool_)) return ENOMEM;
  Region& region = *recorder.region();
  const int error = spool_.Open(recorder.settings(), program_invocation_short_name, region.spool,
                                recorder.session());
  if (error != 0) return error;
  counts_ = {};
  stop_ = false;
  delay_is_over_ = recorder.settings().delay_ns == 0;
  driver_written_ = false;
  device_off_at_ns_ = 0;
  awake_ = false;
  began_ns_ = flushed_ns_ = NowNs();
  sem_init(&work_, 0, 0);
  sem_init(&finished_, 0, 0);
  sem_init(&drained_, 0, 0);
  drain_ = false;
  WriteProcess(origin);
  WriteClock();
  spool_.Rest();

  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&thread_, nullptr, Run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  has_thread_ = failed == 0;
  if (!has_thread_) spool_.Close();
  return failed;
}

void Writer::Wake() {
  if (!awake_.exchange(true, std::memory_order_acq_rel)) sem_post(&work_);
}

void Writer::Finish() {
  if (!has_thread_) return;
  stop_.store(true, std::memory_order_release);
  Wake();
  if (WaitFor(finished_, kMostSecondsAtEnd * 1000L)) pthread_join(thread_, nullptr);
  has_thread_ = false;
}

void Writer::Drain() {
  if (!has_thread_) return;
  drain_.store(true, std::memory_order_release);
  Wake();
  WaitFor(drained_, kMostSecondsAtEnd * 1000L);
}

void Writer::ForgetAfterFork() {
  has_thread_ = false;
  spool_.Close();
}

void* Writer::Run(void* self) {
  static_cast<Writer*>(self)->Loop();
  return nullptr;
}

void Writer::Loop() {
  pthread_setname_np(pthread_self(), "xsp-live");
  HoldRegion();
  bool is_last = false;
  while (!stop_.load(std::memory_order_acquire)) {
    WaitFor(work_, kTickMs);
    awake_.store(false, std::memory_order_release);
    const bool waited_for = drain_.exchange(false, std::memory_order_acq_rel);
    WriteEverything();
    if (waited_for) sem_post(&drained_);
    if (!IsWanted()) {
      recorder_->GiveUp();
      break;
    }
    if (IsLastThread()) {
      is_last = true;
      has_thread_ = false;  // Nobody is left to wait for it.
      break;
    }
    WatchClock();
    spool_.Rest();
  }
  // Once more: what came between the last look and the stop.
  WriteEverything();
  WriteClock();
  WriteCounts(true);
  spool_.Close();
  if (drain_.exchange(false, std::memory_order_acq_rel)) sem_post(&drained_);
  const int code = is_last ? ExitCodeOfFirstThread() : 0;
  if (code != 0) _exit(code);
  sem_post(&finished_);
}

// Shows `xsp live` that this process is there, wherever it runs: see live::Region.
void Writer::HoldRegion() {
  Region& region = *recorder_->region();
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
  if (pthread_mutex_init(&region.alive, &shared) == 0 && pthread_mutex_lock(&region.alive) == 0) {
    region.is_held = 1;
  }
  pthread_mutexattr_destroy(&shared);
}

// Not once the spool was removed, or `xsp live` has taken what there is.
bool Writer::IsWanted() const {
  const SessionHead* session = recorder_->session();
  return !spool_.is_gone() && (session == nullptr || session->is_over == 0);
}

void Writer::WriteEverything() {
  WriteNotes();
  WriteDriver();
  WriteBuffers();
  WriteHostEvents();
}

// Everything that is to happen at a time.
void Writer::WatchClock() {
  const Settings& settings = recorder_->settings();
  const std::uint64_t now = NowNs();
  const bool by_time = settings.first_step == 0 && !settings.capture_range;
  if (by_time && !delay_is_over_ &&
      now - began_ns_ >= static_cast<std::uint64_t>(settings.delay_ns)) {
    delay_is_over_ = true;
    recorder_->SwitchOn();
  }
  const std::uint64_t since = recorder_->on_since_ns();
  // It may have been switched on just now, after the clock was read.
  if (settings.duration_ns > 0 && since != 0 && now > since &&
      now - since >= static_cast<std::uint64_t>(settings.duration_ns)) {
    recorder_->SwitchOff();
  }
  if (device_off_at_ns_ != 0 && now >= device_off_at_ns_) {
    device_off_at_ns_ = 0;
    recorder_->cuda().DisableRest();
  }
  if (now - flushed_ns_ < kFlushNs) return;
  flushed_ns_ = now;
  recorder_->cuda().Flush();
  WriteBuffers();
  WriteClock();
  WriteCounts(false);
}

void Writer::StopDeviceLater() { device_off_at_ns_ = NowNs() + kGraceNs; }

void Writer::KeepDevice() { device_off_at_ns_ = 0; }

void Writer::WriteProcess(std::uint32_t origin) {
  ProcessFront front = {};
  front.pid = static_cast<std::uint32_t>(getpid());
  front.parent = static_cast<std::uint32_t>(getppid());
  front.kinds = recorder_->settings().kinds;
  front.origin = origin;
  front.monotonic_ns = NowNs();
  front.realtime_ns = RealtimeNs();
  std::snprintf(front.program, sizeof front.program, "%s", program_invocation_short_name);
  utsname system;
  if (uname(&system) == 0) {
    std::snprintf(front.system, sizeof front.system, "%.20s %.40s", system.sysname, system.release);
  }
  spool_.Append(BlockType::kProcess, &front, sizeof front, nullptr, 0, SpoolFile::Worth::kVital);
}

// Several readings, of which the one with the shortest time between the host's clocks is kept.
void Writer::WriteClock() {
  constexpr int kTries = 5;
  const CudaTracer& cuda = recorder_->cuda();
  ClockReading best = {};
  for (int i = 0; i < kTries; ++i) {
    ClockReading reading = {};
    reading.before = NowNs();
    if (!cuda.running() || cuda.api().GetTimestamp(&reading.cupti) != kCuptiSuccess) {
      reading.cupti = 0;
    }
    reading.after = NowNs();
    reading.realtime = RealtimeNs();
    if (i == 0 || reading.after - reading.before < best.after - best.before) best = reading;
  }
  spool_.Append(BlockType::kClock, &best, sizeof best, nullptr, 0, SpoolFile::Worth::kVital);
}

void Writer::WriteNotes() {
  Notes::Note note;
  while (recorder_->notes().Next(&note)) {
    const std::size_t bytes = RoundUp8(note.front.text_bytes);
    spool_.Append(BlockType::kNote, &note.front, sizeof note.front, note.text, bytes,
                  SpoolFile::Worth::kVital);
  }
}

// Which CUPTI and which driver, once they are there.
void Writer::WriteDriver() {
  const CudaTracer& cuda = recorder_->cuda();
  if (driver_written_ || !cuda.running()) return;
  driver_written_ = true;
  const CuptiApi& api = cuda.api();
  records_.AddText(TextSpace::kCuptiPath, api.version, api.path, std::strlen(api.path));
  char line[256] = "";
  if (std::FILE* file = std::fopen("/proc/driver/nvidia/version", "re")) {
    if (std::fgets(line, sizeof line, file) == nullptr) line[0] = '\0';
    std::fclose(file);
  }
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  ...": the first number with a dot.
  const char* version = line;
  while (*version != '\0' && !(version[0] == ' ' && version[1] >= '0' && version[1] <= '9')) {
    ++version;
  }
  if (*version != '\0') ++version;
  const std::size_t length = std::strspn(version, "0123456789.");
  records_.AddText(TextSpace::kDriverVersion, static_cast<std::uint64_t>(DriverCudaVersion()),
                   version, length);
  records_.WriteTexts();
  WriteClock();
}

void Writer::WriteHostEvents() {
  recorder_->events().Drain(
      [this](const Chunk& chunk, std::uint32_t number, std::uint32_t begin, std::uint32_t end) {
        std::uint64_t graph_objects = 0, all = 0;
        for (std::uint32_t at = begin; at < end; ++all) {
          HostEventHead head;
          std::memcpy(&head, chunk.data + at, sizeof head);
          if (head.op >= HostOp::kGraphNode && head.op <= HostOp::kGraphExec) ++graph_objects;
          at += head.bytes;
        }
        records_.AddThread(chunk.thread);
        const HostEventsFront front = {chunk.thread, number, chunk.use, begin};
        const bool kept = spool_.Append(BlockType::kHostEvents, &front, sizeof front,
                                        chunk.data + begin, end - begin);
        auto& counts = kept ? counts_.kept : counts_.dropped;
        counts[kNvtxCount] += all - graph_objects;
        counts[kGraphObjectCount] += graph_objects;
        Tell(kept, all);
      });
  records_.WriteTexts();
}

void Writer::WriteBuffers() {
  BufferPool& pool = recorder_->cuda().pool();
  BufferPool::Completed done;
  while (pool.Next(&done)) {
    bool kept = false;
    const std::uint64_t count =
        records_.Write(recorder_->cuda().api(), done.buffer, done.valid, counts_, &kept);
    Tell(kept, count);
    pool.Give(done);
  }
}

// Keeps the figures that `xsp live` shows up to date.
void Writer::Tell(bool kept, std::uint64_t events) {
  SessionHead* session = recorder_->session();
  if (session == nullptr) return;
  (kept ? session->kept : session->dropped).fetch_add(events, std::memory_order_relaxed);
}

void Writer::WriteCounts(bool closed) {
  CudaTracer& cuda = recorder_->cuda();
  counts_.cupti_dropped += cuda.NewlyDropped();
  counts_.buffers_requested = cuda.pool().requested;
  counts_.buffers_completed = cuda.pool().completed;
  counts_.cut_texts = recorder_->events().cut_texts;
  counts_.closed = closed ? Closing::kClosed : Closing::kOpen;
  counts_.write_error = static_cast<std::uint32_t>(spool_.last_error());
  CountsFront front = counts_;
  front.dropped[kNvtxCount] += recorder_->events().dropped;
  for (std::size_t i = 0; i < kCuptiKinds; ++i) front.dropped[i] += recorder_->lost_records[i];
  spool_.Append(BlockType::kCounts, &front, sizeof front, nullptr, 0, SpoolFile::Worth::kVital);
  recorder_->region()->counts = front;
}

}  // namespace xsp::inject
