// The pending happenings of a run, by time; those of one time in the order they were scheduled.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace xsp::samples {

enum class Happening : uint8_t { kThread, kStream, kKernelEnd, kCopyEnd, kEngine };

// Something that will happen: to which thread, stream, running kernel or copy engine.
struct Pending {
  int64_t time = 0;
  int64_t order = 0;
  Happening what = Happening::kThread;
  int32_t index = 0;
  int64_t ticket = 0;  // lets the receiver tell a happening that was overtaken
};

class EventLoop {
 public:
  int64_t now() const { return now_; }
  bool empty() const { return heap_.empty(); }

  void At(int64_t time, Happening what, int32_t index, int64_t ticket = 0) {
    heap_.push({time, next_order_++, what, index, ticket});
  }

  Pending Next() {
    const Pending next = heap_.top();
    heap_.pop();
    now_ = next.time;
    return next;
  }

 private:
  struct Later {
    bool operator()(const Pending& a, const Pending& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  std::priority_queue<Pending, std::vector<Pending>, Later> heap_;
  int64_t next_order_ = 0;
  int64_t now_ = 0;
};

}  // namespace xsp::samples
