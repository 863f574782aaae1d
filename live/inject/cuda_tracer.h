#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "live/inject/buffer_pool.h"
#include "live/inject/cupti_api.h"
#include "live/spool/kinds.h"

namespace xsp::inject {

class Recorder;

// CUPTI in this process: which kinds of records it is to collect, and its buffers. What CUPTI
// refuses becomes a note, and the rest goes on.
class CudaTracer {
 public:
  // Loads CUPTI and subscribes. Called by the CUDA driver when the program initialises CUDA; does
  // nothing if that was done already.
  void Start(Recorder& recorder);
  // Whether CUPTI collects records for us.
  bool running() const { return running_.load(std::memory_order_acquire); }

  // Begins and ends the collection of the chosen kinds. Both may be called by any thread; calls of
  // CUPTI's API must not be in progress in it, other than those it told us about.
  void Enable(Recorder& recorder);
  // Calls of the host stop at once; what they had launched is still collected, until DisableRest.
  void DisableHost();
  void DisableRest();

  // [writer] Asks CUPTI for all buffers whose records are complete.
  void Flush();
  // At the end of the process: all buffers, complete or not.
  void FlushForced();
  // How many records CUPTI itself lost since the last call.
  std::uint64_t NewlyDropped();

  const CuptiApi& api() const { return api_; }
  BufferPool& pool() { return pool_; }

  // In a forked child, where CUPTI's state is the parent's: nothing of it may be touched.
  void ForgetAfterFork();

 private:
  bool Subscribe(Recorder& recorder);
  void ChooseCallbacks(Recorder& recorder);
  void EnableKind(Recorder& recorder, live::CuptiKind kind);
  void Disable(bool host);
  void NoteRefusal(Recorder& recorder, live::CuptiKind kind, CuptiResult result);
  void ConfigureUnified(Recorder& recorder);

  CuptiApi api_ = {};
  BufferPool pool_;
  void* subscriber_ = nullptr;
  std::atomic<bool> running_ = false;
  bool started_ = false;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // Of the kinds below.
  std::uint64_t enabled_ = 0;                          // Bit k: CUPTI collects kind k.
  std::uint64_t refused_ = 0;                          // Noted already.
  std::atomic<bool> flushing_ = false;
};

}  // namespace xsp::inject
