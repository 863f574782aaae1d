#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "live/inject/cuda_tracer.h"
#include "live/inject/notes.h"
#include "live/inject/settings.h"
#include "live/inject/spool_file.h"
#include "live/inject/step_window.h"
#include "live/inject/thread_events.h"
#include "live/inject/writer.h"
#include "live/spool/session.h"

namespace xsp::inject {

// Everything that the library does in a process. There is one, it has no constructor to run and is
// never destroyed. What fails makes it record less; nothing that it does fails for the program.
class Recorder {
 public:
  static Recorder& Get();

  // Around what the program's first call of CUDA, and of each copy of NVTX, does in here.
  void EnterBeginning() { beginning_.fetch_add(1); }
  void LeaveBeginning() { beginning_.fetch_sub(1); }

  // Starts to record, if that was not done yet in this process. False: it cannot.
  bool EnsureRunning();

  // Whether events and records are wanted just now.
  bool recording() const { return recording_.load(std::memory_order_relaxed); }
  void SwitchOn();
  void SwitchOff();
  // [writer] Nobody wants it any more: from now on the program runs as if there were no recorder.
  void GiveUp();
  // When it was switched on (CLOCK_MONOTONIC); 0: it is off.
  std::uint64_t on_since_ns() const { return on_since_ns_.load(std::memory_order_relaxed); }

  // Writes an event of this thread down, at the present time.
  void Add(HostEvent event);

  // What the program's own NVTX ranges mean for the steps that are to be recorded.
  StepWindow& steps() { return steps_; }

  // Called by the CUDA driver.
  void StartCuda();
  // Called by CUPTI for a buffer that is none of the pool's: its records are lost.
  void CountLost(std::uint8_t* buffer, std::size_t valid);

  const Settings& settings() const { return settings_; }
  CudaTracer& cuda() { return cuda_; }
  ThreadEvents& events() { return events_; }
  Writer& writer() { return writer_; }
  Notes& notes() { return notes_; }
  live::SessionHead* session() { return session_; }
  live::Region* region() { return region_; }
  std::atomic<std::uint64_t> lost_records[live::kCuptiKinds] = {};

 private:
  enum class State : int { kIdle, kRunning, kForked, kOff };

  bool Start();
  bool IsTooLate() const;
  void OpenSession();
  bool OpenRegion();
  void SayThatNothingIsRecorded(int error);
  static void AtExit();
  static void AtExitOfCuda();
  static void BeforeFork();
  static void AfterForkInChild();

  std::atomic<State> state_ = State::kIdle;
  std::atomic<int> beginning_ = 0;  // Threads that are.
  std::atomic<bool> recording_ = false;
  std::atomic<std::uint64_t> on_since_ns_ = 0;
  bool hooks_installed_ = false;
  bool settings_fit_ = false;
  std::uint32_t own_pid_ = 0;  // Of the process that last started to record here, or in its parent.
  pthread_mutex_t start_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t switch_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Settings settings_ = {};
  live::SessionHead* session_ = nullptr;
  live::Region* region_ = nullptr;
  CudaTracer cuda_;
  ThreadEvents events_;
  StepWindow steps_;
  Notes notes_;
  Writer writer_;
};

}  // namespace xsp::inject
