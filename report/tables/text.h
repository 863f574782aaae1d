#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of any origin, made fit for a terminal. Names in a trace are whatever a program passed to
// the profiler: they may hold escape sequences, line breaks and bytes that are no UTF-8.
namespace xsp {

// Valid UTF-8 without anything a terminal would obey: control characters are shown as \n, \t,
// \x1b..., and so are the characters that turn the direction of writing.
std::string SafeText(std::string_view text);

// Whether a terminal would obey the character, or nobody would see it: controls, marks of
// direction, breaks of lines, hidden ones.
bool IsHarmful(char32_t c);

// How many columns valid UTF-8 takes on a terminal: 0 for combining marks, 2 for wide characters.
std::size_t DisplayWidth(std::string_view text);

// At most `width` columns: what is too long loses its middle, where names differ least
// ("void gemm_kernel…<float, 128>"). Expects safe text.
std::string CutMiddle(std::string_view text, std::size_t width);

std::string PadLeft(std::string_view text, std::size_t width);   // Text at the right edge.
std::string PadRight(std::string_view text, std::size_t width);  // Text at the left edge.

// A line of parts between " · ", at most `width` columns long where the first part, a file's name,
// can be cut so far; where it cannot, in several lines.
std::string FitFirstPart(std::string_view line, std::size_t width);

// The text in lines of at most `width` columns, broken where it is and at spaces, but not between a
// number and its unit; all but the first begin with `indent` spaces, and the first is taken to
// begin after as many columns.
std::string Wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// A thin bar for a share from 0 to 1 of `width` columns, without padding.
std::string Bar(double share, std::size_t width);

}  // namespace xsp
