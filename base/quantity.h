#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Quantities as users write them, in options, gates and policies alike: "2GB", "512 MiB", "3ms",
// "100Gbit/s", "15.7T", "3 %". Who asks says what an unreadable one means; it knows the option.
namespace xsp {

enum class Dimension : std::uint8_t {
  kCount,      // "5", "2k": a bare number, or one with a letter for thousands, millions and so on.
  kShare,      // "3%" is 0.03.
  kMultiple,   // "2x".
  kTime,       // Nanoseconds.
  kBytes,      // KB and MB are decimal, KiB and MiB are not.
  kBandwidth,  // Bytes per second.
  kFlops,      // Floating-point operations per second.
};

struct Quantity {
  enum class Fault : std::uint8_t { kNone, kNoNumber, kUnknownUnit };

  Fault fault = Fault::kNone;
  double value = 0;  // Finite, in the unit of its dimension; may be negative.
  Dimension dimension = Dimension::kCount;
  std::string_view unit = {};  // As written; empty for a bare number.

  bool Is(Dimension wanted) const { return fault == Fault::kNone && dimension == wanted; }
};

// A number and a unit, with spaces around them or not. Units can be written as they should be or
// all in small letters; "Gb", which may be bits or bytes, is none.
Quantity ReadQuantity(std::string_view text);

// All units, for suggestions.
std::vector<std::string> UnitNames();

// Quantities of one kind, none of them negative. Empty where the text is none.
std::optional<std::uint64_t> ReadBytes(std::string_view text);  // "2GB", "2G", "1000000".
std::optional<double> ReadShare(std::string_view text);         // "2%", "0.02"; may be above 1.
// Bytes per second: "25GB", "25GB/s", "200Gbit". A bare number or "25G" could be bits as well.
std::optional<double> ReadBandwidth(std::string_view text);
std::optional<double> ReadFlops(std::string_view text);  // Per second: "19.5T", "19.5 TFLOPS".

}  // namespace xsp
