#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace xsp {

// One option of a what-if: `--ddp=gpus=8,network=100Gbit`. The first one may be
// given without its name: `--ddp=8`.
struct WhatIfOption {
  std::string_view name;           // "gpus".
  std::string_view default_value;  // "2"; empty: none, the what-if finds out.
  std::string_view help;           // "how many GPUs in all".
};

// The values that a user gave for the options of one what-if, with the defaults
// of the others.
class WhatIfValues {
 public:
  WhatIfValues() = default;
  // `text` is what stands behind the "=" on the command line; may be empty.
  // Throws Error for an option that there is not, with the name of the what-if.
  WhatIfValues(std::string_view whatif, std::span<const WhatIfOption> options,
               std::string_view text);

  // Sets one, as --sweep does. Throws Error for an option that there is not.
  void Set(std::string_view name, std::string_view value);

  // Whether the user gave it.
  bool IsGiven(std::string_view name) const;
  const std::string& Text(std::string_view name) const;
  // Numbers throw Error for what is none, naming the option.
  double Number(std::string_view name) const;  // "2.5", "50%".
  std::uint32_t Count(std::string_view name) const;
  double Bytes(std::string_view name) const;        // "25MB", "1.5GiB", "4096".
  double Bandwidth(std::string_view name) const;    // Bytes per second: "100Gbit", "25GB".
  double Nanoseconds(std::string_view name) const;  // "12us", "1.5ms".
  // The same as on the command line, without what is at its default: "gpus=8";
  // may be empty.
  std::string GivenText() const;

 private:
  [[noreturn]] void Fail(std::string_view name, std::string_view expected) const;

  std::string whatif_;
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, bool, std::less<>> given_;
  std::string first_;  // The option that may be given without its name.
};

}  // namespace xsp
