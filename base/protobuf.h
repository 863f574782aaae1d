#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace xsp {

// A message of Protocol Buffers, written field by field in the order of the calls. Knows the wire
// format and no schema: whoever writes a message knows its field numbers and types.
class ProtobufMessage {
 public:
  void Number(std::uint32_t field, std::uint64_t value);  // Any integer, enum or bool of proto.
  void Signed(std::uint32_t field, std::int64_t value) {  // int32 and int64, not sint.
    Number(field, static_cast<std::uint64_t>(value));
  }
  void Fixed64(std::uint32_t field, std::uint64_t value);
  void Double(std::uint32_t field, double value);
  // What is no UTF-8 is replaced: readers refuse a whole file for one bad byte.
  void Text(std::uint32_t field, std::string_view text);
  void Message(std::uint32_t field, const ProtobufMessage& message);
  void Append(const ProtobufMessage& more) { bytes_ += more.bytes_; }       // Fields of this one.
  void Packed(std::uint32_t field, std::span<const std::uint64_t> values);  // Nothing for none.

  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  void Bytes(std::uint32_t field, std::string_view bytes);

  std::string bytes_;
};

// Appends a number as Protocol Buffers writes lengths and integers: seven bits a byte, low first.
void AppendVarint(std::uint64_t value, std::string& bytes);

}  // namespace xsp
