#include "base/demangle.h"

#include <cxxabi.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "base/ascii.h"

namespace xsp {
namespace {

// Symbols of real traces have up to 2 kB, 15 references back and a source form of some kilobytes.
constexpr std::size_t kLongestSymbol = 4096;
constexpr double kLargestExpansion = 1 << 24;
constexpr std::size_t kLongestName = std::size_t{1} << 16;

// What lets the source form of a symbol grow beyond the symbol itself.
struct Growth {
  std::size_t references = 0;     // "S0_", "T_": a part that stood there before, once more.
  std::size_t expansions = 0;     // "DpT_": the elements of a pack, one by one.
  std::size_t repeated_text = 0;  // "Dp1AIT_E": some text for each element; these can be nested.
};

bool IsReference(std::string_view at) {
  if (at.size() < 2 || (at[0] != 'S' && at[0] != 'T')) return false;
  return IsDigit(at[1]) || (at[1] >= 'A' && at[1] <= 'Z') || at[1] == '_';
}

Growth GrowthOf(std::string_view symbol) {
  Growth growth;
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    const std::string_view at = symbol.substr(i);
    growth.references += IsReference(at);
    // Behind a digit that is the begin of a name: "5split".
    const bool is_expansion = at.starts_with("Dp") || at.starts_with("sp");
    if (!is_expansion || (i > 0 && IsDigit(symbol[i - 1]))) continue;
    const std::size_t pattern = at.find_first_not_of("ROPKV", 2);
    const bool is_plain = pattern != at.npos && at[pattern] == 'T';
    ++(is_plain ? growth.expansions : growth.repeated_text);
  }
  return growth;
}

// How long the source form can be at most, about. References multiply most in threes; a repeated
// text is at most as long as the symbol, and repeated at most as often.
double LargestExpansion(std::string_view symbol) {
  const Growth growth = GrowthOf(symbol);
  const std::size_t levels = growth.repeated_text == 0 ? 0  //
                             : growth.expansions == 0  ? growth.repeated_text
                                                       : growth.repeated_text + 1;
  return std::pow(static_cast<double>(symbol.size()), static_cast<double>(levels + 1)) *
         std::pow(3.0, static_cast<double>(growth.references) / 3);
}

}  // namespace

std::string Demangled(std::string_view name) {
  std::string symbol(name);
  if (!name.starts_with("_Z") || name.size() > kLongestSymbol ||
      LargestExpansion(name) > kLargestExpansion) {
    return symbol;
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) return symbol;
  std::string source = text.get();
  return source.size() <= kLongestName ? source : symbol;
}

}  // namespace xsp
