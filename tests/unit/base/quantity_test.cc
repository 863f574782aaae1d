#include "base/quantity.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("a quantity has a number, a unit and what it measures") {
  const Quantity size = ReadQuantity(" 512 MiB ");
  CHECK(size.Is(Dimension::kBytes));
  CHECK(size.value == 512 * 1024.0 * 1024.0);
  CHECK(size.unit == "MiB");
  CHECK(ReadQuantity("3%").Is(Dimension::kShare));
  CHECK(ReadQuantity("3 %").value == Approx(0.03));
  CHECK(ReadQuantity("1.5ms").value == 1.5e6);
  CHECK(ReadQuantity("3\u00b5s").value == 3e3);
  CHECK(ReadQuantity("3\u03bcs").value == 3e3);
  CHECK(ReadQuantity("-7ns").value == -7);
  CHECK(ReadQuantity("2x").Is(Dimension::kMultiple));
  CHECK(ReadQuantity("5").Is(Dimension::kCount));
  CHECK(ReadQuantity("5").unit.empty());
  CHECK(ReadQuantity("2k").value == 2000);
  CHECK(ReadQuantity("1e3").value == 1000);
}

TEST_CASE("units may be written in small letters, unless that is another unit") {
  CHECK(ReadQuantity("2gb").value == 2e9);
  CHECK(ReadQuantity("2gib").value == 2 * 0x1p30);
  CHECK(ReadQuantity("100gbit").Is(Dimension::kBandwidth));
  CHECK(ReadQuantity("3m").fault == Quantity::Fault::kUnknownUnit);
  CHECK(ReadQuantity("100Gb").fault == Quantity::Fault::kUnknownUnit);  // Bits or bytes?
}

TEST_CASE("what is no quantity says why") {
  for (const char* text : {"", "GB", "much", "nan", "inf ms", "1e999", "1e308TB", "ms1"}) {
    CAPTURE(text);
    CHECK(ReadQuantity(text).fault == Quantity::Fault::kNoNumber);
  }
  for (const char* text : {"3 parsecs", "2 GBs", "1 2", "1 ms s", "5%%"}) {
    CAPTURE(text);
    CHECK(ReadQuantity(text).fault == Quantity::Fault::kUnknownUnit);
  }
  CHECK(ReadQuantity("3 parsecs").unit == "parsecs");
}

TEST_CASE("sizes have decimal and binary units and nothing else") {
  CHECK(ReadBytes("1000000") == 1'000'000);
  CHECK(ReadBytes("2GB") == 2'000'000'000);
  CHECK(ReadBytes("1.5 MB") == 1'500'000);
  CHECK(ReadBytes("500K") == 500'000);
  CHECK(ReadBytes("64MiB") == 67'108'864);
  CHECK(ReadBytes("1.5GiB") == 1'610'612'736);
  CHECK(ReadBytes("0") == 0);
  for (const char* wrong : {"", "GB", "-1", "2 GBs", "1e30", "nan", "inf", "2Gb", "1 2", "2ms"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ReadBytes(wrong));
  }
}

TEST_CASE("a bandwidth says whether it counts bits or bytes") {
  CHECK(*ReadBandwidth("25GB/s") == 25e9);
  CHECK(*ReadBandwidth("25GB") == 25e9);
  CHECK(*ReadBandwidth("200Gbit") == 25e9);
  CHECK(*ReadBandwidth("200 Gbps") == 25e9);
  for (const char* wrong : {"nan", "100", "100G", "-1GB", "3ms"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ReadBandwidth(wrong));
  }
}

TEST_CASE("shares and rates") {
  CHECK(*ReadShare("2%") == Approx(0.02));
  CHECK(*ReadShare("0.02") == 0.02);
  CHECK_FALSE(ReadShare("-2%"));
  CHECK_FALSE(ReadShare("2ms"));
  CHECK_FALSE(ReadShare("2k"));
  CHECK(*ReadFlops("19.5T") == 19.5e12);
  CHECK(*ReadFlops("312 TFLOPS") == 312e12);
  CHECK(*ReadFlops("989e12") == 989e12);
  CHECK_FALSE(ReadFlops("312GB"));
}

}  // namespace
}  // namespace xsp
