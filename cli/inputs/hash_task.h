#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <string>

#include "model/progress.h"

namespace xsp {

// Hashes a file in a thread of its own, beside whatever else reads it. Going out of scope stops it.
class HashTask {
 public:
  explicit HashTask(const std::filesystem::path& file);
  ~HashTask() { stop_.wanted = true; }
  HashTask(const HashTask&) = delete;
  HashTask& operator=(const HashTask&) = delete;

  // The SHA-256, as 64 hex digits. Throws what hashing threw.
  std::string Wait() { return result_.get(); }

 private:
  // Hears both of Ctrl-C and of the end of this object.
  class StopSwitch final : public Progress {
   public:
    void Start(std::string_view, std::uint64_t, std::string_view) override {}
    void Advance(std::uint64_t) override;
    std::atomic<bool> wanted = false;
  };

  StopSwitch stop_;
  std::future<std::string> result_;  // Last: its destructor waits for the thread.
};

}  // namespace xsp
