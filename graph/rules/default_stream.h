#pragma once

#include <cstdint>
#include <vector>

#include "graph/task_graph.h"

namespace xsp {

// The legacy default stream of one context: its operations wait for everything issued before on the
// blocking streams, and operations of blocking streams wait for it.
class DefaultStreamOrder {
 public:
  // The default stream's last operation, which an operation of a blocking stream must wait for.
  TaskId last() const { return last_; }

  // Streams with operations that the default stream has not waited for yet.
  const std::vector<std::uint32_t>& unseen() const { return unseen_; }

  void NoteDefault(TaskId op) {
    last_ = op;
    unseen_.clear();
    ++epoch_;
  }

  // `seen_epoch` is the stream's own memory of when it was last put on the list.
  void NoteBlocking(std::uint32_t stream, std::uint32_t& seen_epoch) {
    if (seen_epoch == epoch_) return;
    seen_epoch = epoch_;
    unseen_.push_back(stream);
  }

 private:
  TaskId last_;
  std::vector<std::uint32_t> unseen_;
  std::uint32_t epoch_ = 1;
};

}  // namespace xsp
