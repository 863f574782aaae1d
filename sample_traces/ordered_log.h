// Hands records on in the order in which they began, though they end in another.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "sample_traces/event_loop.h"
#include "sample_traces/recording.h"

namespace xsp::samples {

// Records of one kind. One that stays open while many thousand others pass is handed on late, out
// of order, rather than holding all of them back: memory is bounded.
template <typename Record>
class OrderedLog {
 public:
  OrderedLog(Recorder& recorder, const EventLoop& loop) : recorder_(recorder), loop_(loop) {}

  // Begins a record; the handle is valid until Close.
  int64_t Open(Record record) {
    if (free_.empty()) {
      free_.push_back(static_cast<int64_t>(entries_.size()));
      entries_.emplace_back();
    }
    const int64_t handle = free_.back();
    free_.pop_back();
    order_.push({record.start, next_order_++, handle});
    entries_[static_cast<size_t>(handle)] = {std::move(record), State::kOpen};
    return handle;
  }

  Record& At(int64_t handle) { return entries_[static_cast<size_t>(handle)].record; }

  void Close(int64_t handle) {
    Entry& entry = entries_[static_cast<size_t>(handle)];
    if (entry.state == State::kSetAside) {
      HandOn(handle);
    } else {
      entry.state = State::kClosed;
    }
    HandOnWhatIsFinal();
  }

  void Add(Record record) { Close(Open(std::move(record))); }

  // Hands on everything, closed or not.
  void Finish() {
    for (; !order_.empty(); order_.pop()) HandOn(std::get<2>(order_.top()));
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].state == State::kSetAside) HandOn(static_cast<int64_t>(i));
    }
  }

 private:
  enum class State : uint8_t { kFree, kOpen, kClosed, kSetAside };
  struct Entry {
    Record record;
    State state = State::kFree;
  };
  static constexpr size_t kMostHeldBack = 100'000;
  // Device clocks run early by less than this, and threads begin nothing in the past.
  static constexpr int64_t kMargin = 10'000;

  void HandOn(int64_t handle) {
    Entry& entry = entries_[static_cast<size_t>(handle)];
    recorder_.Add(std::as_const(entry.record));
    entry.state = State::kFree;
    free_.push_back(handle);
  }

  void HandOnWhatIsFinal() {
    while (!order_.empty()) {
      const auto [start, order, handle] = order_.top();
      Entry& entry = entries_[static_cast<size_t>(handle)];
      if (entry.state == State::kClosed) {
        if (start > loop_.now() - kMargin) return;
        HandOn(handle);
      } else {
        if (order_.size() < kMostHeldBack) return;
        entry.state = State::kSetAside;
      }
      order_.pop();
    }
  }

  using Place = std::tuple<int64_t, int64_t, int64_t>;  // start, order of opening, handle
  Recorder& recorder_;
  const EventLoop& loop_;
  std::vector<Entry> entries_;
  std::vector<int64_t> free_;
  std::priority_queue<Place, std::vector<Place>, std::greater<>> order_;
  int64_t next_order_ = 0;
};

}  // namespace xsp::samples
