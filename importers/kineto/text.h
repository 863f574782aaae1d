#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/details.h"
#include "model/time.h"

// What the texts of a PyTorch profiler (Kineto) trace say: pure functions.
namespace xsp {

// "1712195495519689.047" microseconds as nanoseconds, exactly: a double keeps a quarter of a
// microsecond of a time since 1970. Digits beyond nanoseconds are cut off. Nothing for what is no
// number or does not fit.
std::optional<std::int64_t> MicrosecondsToNs(std::string_view text);

// A whole number, bare or in quotes ("9216", 9216, 9216.0).
std::optional<std::int64_t> WholeNumber(std::string_view token);

// "Memcpy HtoD (Pinned -> Device)": direction and kinds of memory.
struct CopyName {
  CopyKind kind = CopyKind::kUnknown;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind target = MemoryKind::kUnknown;
};
CopyName ParseCopyName(std::string_view name);

// "Memset (Device)".
MemoryKind ParseMemsetName(std::string_view name);

// "pt_autograd_0" of "thread 892 (pt_autograd_0)"; other names stay as they are.
std::string_view BareThreadName(std::string_view name);

// The place of the last '{' that begins an object behind another one of the same list, "}, {",
// and where the text of that other one ends; nothing where there is none. In valid JSON no string
// can hold that: its quote would be escaped.
struct ObjectBorder {
  std::size_t end = 0;    // Behind the '}'.
  std::size_t begin = 0;  // At the '{'.
};
std::optional<ObjectBorder> LastObjectBorder(std::string_view text);
// The same, the first one at or behind `from`.
std::optional<ObjectBorder> NextObjectBorder(std::string_view text, std::size_t from);

// Behind the last object of a list, "}" with a "]" behind it, the first one at or behind `from`.
std::optional<std::size_t> EndOfObjectList(std::string_view text, std::size_t from);

// Where the object that begins at text[0] ends (behind its '}'); nothing where the text ends first.
std::optional<std::size_t> EndOfObject(std::string_view text);

// The text of an object with the quotes inside of its strings escaped, as old versions of Kineto
// forgot to, and control characters and ill-formed UTF-8 replaced. A guess: a quote ends a string
// where a ',', ':', ']' or '}' follows.
std::string RepairObject(std::string_view text);

}  // namespace xsp
