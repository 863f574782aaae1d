#pragma once

#include <filesystem>

#include "base/interrupt.h"

namespace xsp {

// A folder (or its parent) that this process has locked against other writers, until destroyed.
// Where the file system knows no locks, nothing is locked.
class FolderLock {
 public:
  enum class Wait { kYes, kNo };

  FolderLock() = default;
  FolderLock(const std::filesystem::path& folder, Wait wait);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

  bool held() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Removes a stored trace, or what is left of one. Throws Error where somebody put something else
// into the folder: it is left alone, then.
void RemoveStoredTrace(const std::filesystem::path& folder);

// A folder that is being written under a hidden name beside its final one. Unless it is published,
// it is removed with everything in it.
class FolderInProgress {
 public:
  // Makes the hidden folder, and removes those of the same name that a killed process left. Throws
  // Error if it cannot be made, or if something that may not be replaced has the final name.
  explicit FolderInProgress(const std::filesystem::path& final_name);
  ~FolderInProgress();
  FolderInProgress(const FolderInProgress&) = delete;
  FolderInProgress& operator=(const FolderInProgress&) = delete;

  const std::filesystem::path& path() const { return hidden_; }

  // Gives the folder its final name; a stored trace that has it is replaced and removed.
  void Publish();

 private:
  UnfinishedWork unfinished_;
  std::filesystem::path final_name_;
  std::filesystem::path hidden_;
  FolderLock lock_;  // Of the hidden folder: shows others that its writer lives.
};

}  // namespace xsp
