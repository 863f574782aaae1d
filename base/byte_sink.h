#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace xsp {

// Takes the bytes of a document piece by piece, in order: a file, a string.
using ByteSink = std::function<void(std::string_view)>;

// Hands small pieces on as large ones, so that a document of any length needs one buffer.
class BufferedSink {
 public:
  explicit BufferedSink(ByteSink sink) : sink_(std::move(sink)) {}

  void Write(std::string_view bytes) {
    buffer_.append(bytes);
    if (buffer_.size() >= kPiece) Flush();
  }

  // The rest, too; to be called at the end.
  void Flush() {
    sink_(buffer_);
    written_ += buffer_.size();
    buffer_.clear();
  }

  std::uint64_t written() const { return written_; }  // Handed on so far.

 private:
  static constexpr std::size_t kPiece = 1 << 18;

  ByteSink sink_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace xsp
