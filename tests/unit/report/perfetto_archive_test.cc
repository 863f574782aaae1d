#include "report/exports/perfetto_archive.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "report/tables/json.h"

namespace xsp {
namespace {

TEST_CASE("a header of a TAR is as POSIX has it") {
  const std::string header = TarHeader("rank0.pftrace", 1234);
  REQUIRE(header.size() == 512);
  CHECK(header.substr(0, 14) == std::string("rank0.pftrace\0", 14));
  CHECK(header.substr(124, 12) == std::string("00000002322\0", 12));
  CHECK(header.substr(257, 8) == std::string("ustar\00000", 8));
  // The checksum counts itself as blanks.
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  CHECK(std::stoul(header.substr(148, 6), nullptr, 8) == sum);
  CHECK(header.substr(154, 2) == std::string("\0 ", 2));
  CHECK(TarPadding(1234).size() == 302);
  CHECK(TarPadding(1024).empty());
  CHECK(TarEnd().size() == 1024);
  // Beyond 8 GiB the size is binary.
  const std::string large = TarHeader("a", std::uint64_t{1} << 34).substr(124, 12);
  CHECK(large == std::string("\x80\0\0\0\0\0\0\x04\0\0\0\0", 12));
  CHECK_THROWS_AS(TarHeader(std::string(101, 'a'), 1), Error);
}

TEST_CASE("the manifest says how far ranks lie from the first") {
  const Json manifest = Json::parse(PerfettoManifest(
      {{"rank0.pftrace", "rank 0", 0}, {"rank1.pftrace", "rank 1", -1234}}))["perfetto_manifest"];
  CHECK(manifest["version"] == 1);
  CHECK_FALSE(manifest["files"][0].contains("clocks"));
  CHECK(manifest["files"][1]["machine"]["name"] == "rank 1");
  CHECK(manifest["files"][1]["clocks"]["sync_to"]["file"] == "rank0.pftrace");
  CHECK(manifest["files"][1]["clocks"]["offset_ns"] == -1234);
}

}  // namespace
}  // namespace xsp
