#pragma once

#include <string>
#include <string_view>

namespace xsp {

// The source form of a C++ symbol ("_Z..."). What is no symbol stays as it is, and so does one
// whose source form would be out of all proportion: a symbol can refer back to its own parts, so
// that a few hundred bytes stand for gigabytes. Bounded in time and memory whatever the name;
// whoever meets the same name again and again keeps the answer.
std::string Demangled(std::string_view name);

}  // namespace xsp
