#include "live/inject/recorder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "live/inject/record_walk.h"
#include "live/spool/environment.h"

namespace xsp::inject {
namespace {

using namespace live;

constinit Recorder the_recorder;

// Part of the session's file, shared with `xsp live`; null if that cannot be had.
void* MapShared(const char* file, off_t offset, std::size_t bytes) {
  const int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  close(fd);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

Recorder& Recorder::Get() { return the_recorder; }

bool Recorder::EnsureRunning() {
  const State now = state_.load(std::memory_order_acquire);
  if (now == State::kRunning) return true;
  if (now == State::kOff) return false;
  pthread_mutex_lock(&start_mutex_);
  const State state = state_.load(std::memory_order_relaxed);
  if (state == State::kIdle || state == State::kForked) {
    state_.store(Start() ? State::kRunning : State::kOff, std::memory_order_release);
  }
  pthread_mutex_unlock(&start_mutex_);
  return state_.load(std::memory_order_relaxed) == State::kRunning;
}

bool Recorder::Start() {
  if (!hooks_installed_) {
    hooks_installed_ = true;
    settings_fit_ = settings_.Read();
    std::atexit(AtExit);
    pthread_atfork(BeforeFork, nullptr, AfterForkInChild);
  }
  OpenSession();
  if (!settings_fit_) {
    SayThatNothingIsRecorded(ENAMETOOLONG);
    return false;
  }
  if (IsTooLate()) return false;
  if (!OpenRegion()) {
    SayThatNothingIsRecorded(ENOMEM);
    return false;
  }
  events_.Begin(region_);
  const std::uint32_t origin = own_pid_;
  if (const int error = writer_.Begin(*this, origin)) {
    SayThatNothingIsRecorded(error);
    region_->owner = 0;
    return false;
  }
  own_pid_ = static_cast<std::uint32_t>(getpid());
  if (session_ != nullptr) session_->processes.fetch_add(1);
  steps_.Begin(settings_);
  const bool at_once =
      settings_.first_step == 0 && !settings_.capture_range && settings_.delay_ns == 0;
  on_since_ns_ = at_once ? NowNs() : 0;
  recording_ = at_once;
  return true;
}

// Whether `xsp live` has ended, for which this process was to be recorded: a program can leave
// others behind, and these start others.
bool Recorder::IsTooLate() const {
  if (settings_.session[0] == '\0') return false;
  if (session_ != nullptr) return session_->is_over != 0;
  char ended[kLongestPath + 16];
  std::snprintf(ended, sizeof ended, "%s/%s", settings_.folder, kEndedFile);
  return access(settings_.folder, F_OK) != 0 || access(ended, F_OK) == 0;
}

void Recorder::OpenSession() {
  if (session_ != nullptr || settings_.session[0] == '\0') return;
  auto* head = static_cast<SessionHead*>(MapShared(settings_.session, 0, sizeof(SessionHead)));
  if (head == nullptr) return;
  if (head->magic == kSessionMagic && head->region_bytes == sizeof(Region)) {
    session_ = head;
  } else {
    munmap(head, sizeof(SessionHead));
  }
}

// A region of the session that no other process has, or memory of our own.
bool Recorder::OpenRegion() {
  region_ = nullptr;
  for (std::uint32_t i = 0; session_ != nullptr && i < session_->regions && region_ == nullptr;
       ++i) {
    const auto offset = static_cast<off_t>(offsetof(Session, regions) + i * sizeof(Region));
    auto* region = static_cast<Region*>(MapShared(settings_.session, offset, sizeof(Region)));
    if (region == nullptr) break;
    std::uint32_t nobody = 0;
    if (region->owner.compare_exchange_strong(nobody, static_cast<std::uint32_t>(getpid()))) {
      region->ever_used = 1;
      region->pid_namespace = OwnPidNamespace();
      region_ = region;
    } else {
      munmap(region, sizeof(Region));
    }
  }
  if (region_ == nullptr) {
    void* memory = mmap(nullptr, sizeof(Region), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    region_ = static_cast<Region*>(memory);
  }
  return true;
}

// `xsp live` tells its user; without it there is only the program's own stderr.
void Recorder::SayThatNothingIsRecorded(int error) {
  if (session_ != nullptr) {
    session_->failed = static_cast<std::uint32_t>(error);
  } else {
    std::fprintf(stderr, "xsp live: cannot write to %s: %s: nothing is recorded\n",
                 settings_.folder, std::strerror(error));
  }
}

void Recorder::Add(HostEvent event) {
  event.time = NowNs();
  if (events_.Add(event)) writer_.Wake();
}

void Recorder::SwitchOn() {
  pthread_mutex_lock(&switch_mutex_);
  if (!recording_.load(std::memory_order_relaxed)) {
    writer_.KeepDevice();
    cuda_.Enable(*this);
    on_since_ns_ = NowNs();
    Add({.op = HostOp::kWindow, .id = 1});
    recording_.store(true, std::memory_order_release);
  }
  pthread_mutex_unlock(&switch_mutex_);
}

void Recorder::SwitchOff() {
  pthread_mutex_lock(&switch_mutex_);
  if (recording_.load(std::memory_order_relaxed)) {
    recording_.store(false, std::memory_order_release);
    Add({.op = HostOp::kWindow});
    on_since_ns_ = 0;
    cuda_.DisableHost();
    writer_.StopDeviceLater();
  }
  pthread_mutex_unlock(&switch_mutex_);
}

void Recorder::GiveUp() {
  SwitchOff();
  cuda_.DisableRest();
  state_ = State::kOff;
}

void Recorder::StartCuda() {
  if (!EnsureRunning()) return;
  if ((settings_.kinds & ~kNvtxBit) == 0) return;
  if (cuda_.running()) return;
  cuda_.Start(*this);
  if (!cuda_.running()) return;
  pthread_mutex_lock(&switch_mutex_);
  if (recording_.load(std::memory_order_relaxed)) cuda_.Enable(*this);
  pthread_mutex_unlock(&switch_mutex_);
  // Registered after CUPTI's and the driver's own, so it runs before them.
  std::atexit(AtExitOfCuda);
  writer_.Wake();
}

void Recorder::CountLost(std::uint8_t* buffer, std::size_t valid) {
  std::uint64_t lost = 0;
  WalkRecords(cuda_.api(), buffer, valid,
              [&](const std::uint8_t*, std::uint32_t kind, std::size_t, bool) {
                lost_records[kind < kCuptiKinds ? kind : 0].fetch_add(1, std::memory_order_relaxed);
                ++lost;
              });
  if (session_ != nullptr) session_->dropped.fetch_add(lost, std::memory_order_relaxed);
}

void Recorder::AtExitOfCuda() {
  if (the_recorder.state_.load() != State::kRunning) return;
  the_recorder.cuda_.FlushForced();
  // As long as CUPTI is there to be asked for names: it goes away after this.
  the_recorder.writer_.Drain();
}

void Recorder::AtExit() {
  Recorder& recorder = the_recorder;
  if (recorder.state_.exchange(State::kOff) != State::kRunning) return;
  recorder.recording_ = false;
  recorder.writer_.Finish();
}

// NVTX knows that its first call is over only a moment after that has left the library. A thread
// that forks while it begins itself waits in vain, but not for long.
void Recorder::BeforeFork() {
  constexpr timespec kMoment = {0, 1'000'000};
  constexpr int kMost = 200;
  for (int i = 0; i < kMost && the_recorder.beginning_.load() > 0; ++i) {
    nanosleep(&kMoment, nullptr);
    if (the_recorder.beginning_.load() == 0) nanosleep(&kMoment, nullptr);
  }
}

// The child of a fork has the memory of its parent, but none of its other threads. It starts to
// record anew, with a spool of its own, when it has something to record.
void Recorder::AfterForkInChild() {
  Recorder& recorder = the_recorder;
  recorder.beginning_ = 0;
  pthread_mutex_init(&recorder.start_mutex_, nullptr);
  pthread_mutex_init(&recorder.switch_mutex_, nullptr);
  recorder.notes_.Reset();
  recorder.writer_.ForgetAfterFork();
  recorder.cuda_.ForgetAfterFork();
  recorder.events_.ForgetAfterFork();
  for (auto& lost : recorder.lost_records) lost = 0;
  // The parent goes on writing to its region: here it must not even be looked at.
  if (recorder.region_ != nullptr) munmap(recorder.region_, sizeof(Region));
  recorder.region_ = nullptr;
  if (recorder.state_.load() == State::kRunning) recorder.state_ = State::kForked;
}

}  // namespace xsp::inject
