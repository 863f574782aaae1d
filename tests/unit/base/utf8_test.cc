#include "base/utf8.h"

#include <catch2/catch.hpp>
#include <string>

namespace xsp {

TEST_CASE("well-formed text stays as it is") {
  for (const std::string text :
       {"", "plain", "grüße", "漢字", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK(IsUtf8(text));
    CHECK(ToUtf8(text) == text);
  }
  const std::string zero("a\0b", 3);
  CHECK(IsUtf8(zero));
  CHECK(ToUtf8(zero) == zero);
}

TEST_CASE("ill-formed bytes are replaced one by one, the rest stays") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(ToUtf8("\xF5\x80\x80\x80") == bad + bad + bad + bad);
  CHECK(ToUtf8("a\xFFz") == "a" + bad + "z");
  CHECK(ToUtf8("\xC3") == bad);                                // Cut off.
  CHECK(ToUtf8("\xC0\x80") == bad + bad);                      // Overlong.
  CHECK(ToUtf8("\xE0\x80\x80") == bad + bad + bad);            // Overlong.
  CHECK(ToUtf8("\xED\xA0\x80") == bad + bad + bad);            // A surrogate.
  CHECK(ToUtf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // Above U+10FFFF.
  CHECK(ToUtf8("\xE6\xBCx") == bad + bad + "x");
  CHECK_FALSE(IsUtf8("\x80"));
}

TEST_CASE("characters are read one by one") {
  const std::string text = "a\u00e9\u6f22\U0001F600\xff";
  std::u32string read;
  std::size_t at = 0;
  while (at < text.size() && DecodeUtf8(text, at).valid) {
    read += DecodeUtf8(text, at).value;
    at += DecodeUtf8(text, at).bytes;
  }
  CHECK((read == U"a\u00e9\u6f22\U0001F600"));
  CHECK(at == text.size() - 1);
}

}  // namespace xsp
