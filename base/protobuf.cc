#include "base/protobuf.h"

#include <bit>

#include "base/utf8.h"

namespace xsp {
namespace {

enum WireType : std::uint32_t { kVarint = 0, kEightBytes = 1, kLength = 2 };

void AppendTag(std::uint32_t field, WireType type, std::string& bytes) {
  AppendVarint(std::uint64_t{field} << 3 | type, bytes);
}

}  // namespace

void AppendVarint(std::uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

void ProtobufMessage::Number(std::uint32_t field, std::uint64_t value) {
  AppendTag(field, kVarint, bytes_);
  AppendVarint(value, bytes_);
}

void ProtobufMessage::Fixed64(std::uint32_t field, std::uint64_t value) {
  AppendTag(field, kEightBytes, bytes_);
  for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
}

void ProtobufMessage::Double(std::uint32_t field, double value) {
  Fixed64(field, std::bit_cast<std::uint64_t>(value));
}

void ProtobufMessage::Text(std::uint32_t field, std::string_view text) {
  if (IsUtf8(text)) {
    Bytes(field, text);
  } else {
    Bytes(field, ToUtf8(text));
  }
}

void ProtobufMessage::Message(std::uint32_t field, const ProtobufMessage& message) {
  Bytes(field, message.bytes_);
}

void ProtobufMessage::Packed(std::uint32_t field, std::span<const std::uint64_t> values) {
  if (values.empty()) return;
  std::string packed;
  for (const std::uint64_t value : values) AppendVarint(value, packed);
  Bytes(field, packed);
}

void ProtobufMessage::Bytes(std::uint32_t field, std::string_view bytes) {
  AppendTag(field, kLength, bytes_);
  AppendVarint(bytes.size(), bytes_);
  bytes_ += bytes;
}

}  // namespace xsp
