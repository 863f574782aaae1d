#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/byte_sink.h"

namespace xsp {

// Writes all of it or throws: BrokenPipe where the reader has gone, else Error with `name` in it.
void WriteAll(int fd, std::string_view text, const std::string& name);

// Notes a file, or a folder of files, that the command reads: no result may take its place.
void ProtectInput(const std::filesystem::path& file);

// A file that appears as a whole or not at all: Commit writes it under a temporary name beside its
// own. What is no ordinary file (a device, a pipe) is written to directly. No two at a time may be
// one file.
class ResultFile {
 public:
  // Throws Error where it could not be written: better now than after the work.
  explicit ResultFile(std::filesystem::path file);
  ~ResultFile();
  ResultFile(ResultFile&& other) noexcept;
  ResultFile& operator=(ResultFile&&) = delete;

  // Writes the content and gives the file its name. Throws Error, also where that would replace
  // what the command has read.
  void Commit(std::string_view content);
  // The same for content that is written piece by piece.
  void CommitPieces(const std::function<void(const ByteSink&)>& write);
  // The same as Commit for a file that is read in order to be changed.
  void Replace(std::string_view content);

 private:
  void CheckIsNoInput() const;
  void WritePieces(const std::function<void(const ByteSink&)>& write);

  std::filesystem::path file_;
  std::filesystem::path claimed_;  // Its only name, while nobody else may write it.
  int fd_ = -1;                    // Of what is no ordinary file.
};

}  // namespace xsp
