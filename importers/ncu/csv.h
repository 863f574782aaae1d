#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// Reads comma-separated values (RFC 4180) record by record: quoted fields may hold commas, line
// breaks and doubled quotes. Keeps a view of the text.
class CsvReader {
 public:
  // `line` is the number of the first line, for messages.
  explicit CsvReader(std::string_view text, std::size_t line = 1) : text_(text), next_line_(line) {}

  // The next record; nothing at the end. Throws Error for a quote that is never closed; the message
  // begins with `where`.
  std::optional<std::vector<std::string>> Next(const std::string& where);

  // The line on which the last record began.
  std::size_t line() const { return line_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t next_line_;
};

}  // namespace xsp
