#include "importers/ncu/csv.h"

#include "model/error.h"

namespace xsp {

std::optional<std::vector<std::string>> CsvReader::Next(const std::string& where) {
  if (at_ >= text_.size()) return std::nullopt;
  line_ = next_line_;
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++next_line_;
    if (is_quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        fields.back() += text_[++at_];
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at_;
      return fields;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (is_quoted) {
    throw Error(
        where + ": a quote that opens on line " + std::to_string(line_) + " is never closed",
        "the file is cut off: write it again");
  }
  return fields;
}

}  // namespace xsp
