#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "live/spool/spool_reader.h"
#include "tests/unit/live/spool_maker.h"

namespace xsp::live {
namespace {

namespace fs = std::filesystem;
using test::SpoolMaker;
using test::TemporaryFolder;

std::string ReadFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteFile(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// How many whole blocks a spool has.
std::size_t CountBlocks(const fs::path& file) {
  SpoolReader reader(file);
  Block block;
  std::size_t count = 0;
  while (reader.Next(&block)) ++count;
  return count;
}

std::string Refusal(const fs::path& file) {
  try {
    SpoolReader reader(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("the checksum is XXH64 as published") {
  CHECK(Xxh64::Of("", 0, 0) == 0xEF46DB3751D8E999u);
  CHECK(Xxh64::Of("abc", 3, 0) == 0x44BC2CF5AD770999u);
  const std::string text = "Nobody inspects the spammish repetition";  // Longer than a stripe.
  CHECK(Xxh64::Of(text.data(), text.size(), 0) == 0xFBCEA83C8A378BF1u);
}

TEST_CASE("blocks are read as they were written") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 77, "seven");
  maker.Append(BlockType::kNote, std::string(16, '\1'), std::string(24, '\2'));
  SpoolReader reader(maker.file());
  Block block;
  REQUIRE(reader.Next(&block));
  CHECK(block.type == BlockType::kProcess);
  CHECK(block.FrontAs<ProcessFront>().pid == 100);
  REQUIRE(reader.Next(&block));
  CHECK(block.type == BlockType::kClock);
  REQUIRE(reader.Next(&block));
  CHECK(block.type == BlockType::kTexts);
  REQUIRE(reader.Next(&block));
  CHECK(block.front == std::string(16, '\1'));
  CHECK(block.body == std::string(24, '\2'));
  CHECK_FALSE(reader.Next(&block));
  CHECK(reader.torn_bytes() == 0);
}

TEST_CASE("a spool that ends anywhere gives the blocks that are whole") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 77, "seven");
  maker.Text(TextSpace::kPointer, 78, "eight");
  const std::string whole = ReadFile(maker.file());
  const fs::path cut = folder.path() / "cut.spool";
  std::size_t most = 0;
  for (std::size_t bytes = sizeof(FileHead); bytes <= whole.size(); ++bytes) {
    WriteFile(cut, whole.substr(0, bytes));
    SpoolReader reader(cut);
    Block block;
    std::size_t blocks = 0;
    while (reader.Next(&block)) ++blocks;
    REQUIRE(blocks >= most);
    REQUIRE(reader.sound_bytes() + reader.torn_bytes() == bytes);
    most = blocks;
  }
  CHECK(most == 4);
}

TEST_CASE("a byte that changed anywhere ends the spool there") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 77, "seven");
  const std::string whole = ReadFile(maker.file());
  const fs::path broken = folder.path() / "broken.spool";
  for (std::size_t at = sizeof(FileHead); at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    WriteFile(broken, bytes);
    REQUIRE(CountBlocks(broken) < 3);
  }
}

TEST_CASE("what is no spool or a newer one is refused") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a.spool";
  WriteFile(file, "");
  CHECK(Refusal(file).find("not a spool") != std::string::npos);
  WriteFile(file, "SQLite format 3 and more");
  CHECK(Refusal(file).find("not a spool") != std::string::npos);
  FileHead head = {{'X', 'S', 'P', 'S', 'P', 'O', 'O', 'L'}, kSpoolMajor + 1, 0, 0};
  WriteFile(file, std::string(reinterpret_cast<const char*>(&head), sizeof head));
  CHECK(Refusal(file).find("version 2") != std::string::npos);
  CHECK(Refusal(folder.path() / "none").find("No such file") != std::string::npos);
}

TEST_CASE("a spool is not written beyond its limit but says what is missing") {
  const TemporaryFolder folder;
  inject::Settings settings = {};
  std::snprintf(settings.folder, sizeof settings.folder, "%s", folder.path().c_str());
  settings.most_bytes = 4096;
  char name[120];
  inject::SpoolFile spool;
  REQUIRE(spool.Open(settings, "limited", name, nullptr) == 0);
  const std::string body(1024, 'x');
  int kept = 0;
  for (int i = 0; i < 10; ++i) {
    kept += spool.Append(BlockType::kTexts, nullptr, 0, body.data(), body.size()) ? 1 : 0;
  }
  CHECK(kept == 3);
  CHECK(spool.Append(BlockType::kCounts, body.data(), 64, nullptr, 0,
                     inject::SpoolFile::Worth::kVital));
  CHECK(CountBlocks(folder.path() / name) == 4);
}

}  // namespace
}  // namespace xsp::live
