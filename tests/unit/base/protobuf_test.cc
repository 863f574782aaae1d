#include "base/protobuf.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/byte_sink.h"

namespace xsp {
namespace {

std::string Varint(std::uint64_t value) {
  std::string bytes;
  AppendVarint(value, bytes);
  return bytes;
}

// The examples of the format's own description.
TEST_CASE("numbers are written seven bits a byte, low ones first") {
  CHECK(Varint(0) == std::string(1, '\0'));
  CHECK(Varint(1) == "\x01");
  CHECK(Varint(150) == "\x96\x01");
  CHECK(Varint(~std::uint64_t{0}) == "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST_CASE("fields carry their number and their kind") {
  ProtobufMessage inner;
  inner.Number(1, 150);
  CHECK(inner.bytes() == "\x08\x96\x01");
  ProtobufMessage outer;
  outer.Text(2, "testing");
  outer.Message(3, inner);
  CHECK(outer.bytes() == "\x12\x07testing\x1a\x03\x08\x96\x01");
  ProtobufMessage packed;
  packed.Packed(6, std::array<std::uint64_t, 3>{3, 270, 86942});
  CHECK(packed.bytes() == "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  packed.Clear();
  packed.Packed(6, {});
  CHECK(packed.bytes().empty());
}

TEST_CASE("negative numbers, doubles and large field numbers") {
  ProtobufMessage message;
  message.Signed(1, -2);
  CHECK(message.bytes() == std::string("\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
  message.Clear();
  message.Double(1, 1.0);
  CHECK(message.bytes() == std::string("\x09\0\0\0\0\0\0\xf0\x3f", 9));
  message.Clear();
  message.Number(3000, 1);
  CHECK(message.bytes() == "\xc0\xbb\x01\x01");
}

TEST_CASE("a text that is no UTF-8 does not spoil the file") {
  ProtobufMessage message;
  message.Text(1, "a\xff");
  CHECK(message.bytes() ==
        "\x0a\x04"
        "a\xef\xbf\xbd");
}

TEST_CASE("a buffered sink hands everything on, in order") {
  std::string all;
  int pieces = 0;
  BufferedSink sink([&](std::string_view piece) {
    all += piece;
    ++pieces;
  });
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    sink.Write(line);
    expected += line;
  }
  sink.Flush();
  CHECK(all == expected);
  CHECK(sink.written() == expected.size());
  CHECK(pieces < 10);
}

}  // namespace
}  // namespace xsp
