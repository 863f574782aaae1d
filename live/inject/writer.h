#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/inject/record_blocks.h"
#include "live/inject/spool_file.h"
#include "live/spool/format.h"

namespace xsp::inject {

class Recorder;

// The one thread of the library: takes what CUPTI and the program's threads left in their buffers,
// writes it to the spool, and watches the clock. All signals are blocked in it: they are the
// program's.
class Writer {
 public:
  // Opens the spool and starts the thread. 0, or errno. `origin`: see live::ProcessFront.
  int Begin(Recorder& recorder, std::uint32_t origin);

  // [any thread] There is something to write.
  void Wake();

  // Writes everything that is there and closes the spool. Waits for that, but not for ever: a disk
  // that hangs must not hang the program.
  void Finish();
  // Waits until everything that is complete by now was written; again, not for ever.
  void Drain();

  // [any thread] Device work is collected for another moment, or until further notice.
  void StopDeviceLater();
  void KeepDevice();

  // In a forked child, which has no such thread.
  void ForgetAfterFork();

 private:
  static void* Run(void* self);
  void Loop();
  void WriteEverything();
  void WriteProcess(std::uint32_t origin);
  void WriteClock();
  void WriteNotes();
  void WriteDriver();
  void WriteHostEvents();
  void WriteBuffers();
  void WriteCounts(bool closed);
  void WatchClock();
  void HoldRegion();
  bool IsWanted() const;
  void Tell(bool kept, std::uint64_t events);

  Recorder* recorder_ = nullptr;
  SpoolFile spool_;
  RecordBlocks records_;
  pthread_t thread_ = {};
  bool has_thread_ = false;
  sem_t work_ = {};
  sem_t finished_ = {};
  sem_t drained_ = {};
  std::atomic<bool> drain_ = false;  // Somebody waits for drained_.
  std::atomic<bool> awake_ = false;  // It was woken and has not looked yet.
  std::atomic<bool> stop_ = false;
  live::CountsFront counts_ = {};
  std::uint64_t began_ns_ = 0;
  std::uint64_t flushed_ns_ = 0;  // When CUPTI was last asked for its buffers.
  // When to stop collecting device work; 0: not at all.
  std::atomic<std::uint64_t> device_off_at_ns_ = 0;
  bool delay_is_over_ = false;
  bool driver_written_ = false;
};

}  // namespace xsp::inject
