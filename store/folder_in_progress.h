#pragma once

#include <filesystem>

namespace xsp {

// A folder that is being written under a hidden name beside its final one. Unless it is published,
// it is removed with everything in it.
class FolderInProgress {
 public:
  // Makes the hidden folder. Throws Error if it cannot be made, or if something that may not be
  // replaced has the final name.
  explicit FolderInProgress(const std::filesystem::path& final_name);
  ~FolderInProgress();
  FolderInProgress(const FolderInProgress&) = delete;
  FolderInProgress& operator=(const FolderInProgress&) = delete;

  const std::filesystem::path& path() const { return hidden_; }

  // Gives the folder its final name; a stored trace that has it is replaced and removed.
  void Publish();

 private:
  std::filesystem::path final_name_;
  std::filesystem::path hidden_;
};

}  // namespace xsp
