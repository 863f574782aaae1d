#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/ascii.h"

// The words and brackets of C++ names.
namespace xsp {

// Whether a character can stand in an identifier or number. Bytes beyond ASCII can, and so can the
// dots of compilers' own names ("fusion.12").
bool IsNameChar(char c);

// The identifier or number that begins at `from`; empty where there is none.
std::string_view NameAt(std::string_view text, std::size_t from);

std::size_t SkipSpaces(std::string_view text, std::size_t from);

// How far the symbol of "operator" reaches; `from` is just behind the word. `from` itself for a
// conversion operator, which has none.
std::size_t EndOfOperator(std::string_view text, std::size_t from);

// "4" for "4ul"; a word that is no number stays as it is. `token` is not empty.
std::string_view WithoutSuffix(std::string_view token);

inline constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);

// For each character that opens a bracket of any kind: where it closes. kNoPartner for all others
// and for brackets that never close. Pairs are properly nested.
std::vector<std::size_t> MatchBrackets(std::string_view text);

}  // namespace xsp
