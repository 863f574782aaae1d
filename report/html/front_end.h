#pragma once

#include <string_view>

// The files of report/html/ that browsers read, put into the program by the build.
namespace xsp {

extern const std::string_view kPageTemplate;  // page.html
extern const std::string_view kPageStyle;     // style.css
extern const std::string_view kPageScript;    // All modules, one after the other.
// SHA-256 of the two, in hexadecimal digits.
extern const std::string_view kPageStyleHash;
extern const std::string_view kPageScriptHash;

}  // namespace xsp
