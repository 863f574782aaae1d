#include "report/tables/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/utf8.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

constexpr int kIndent = 2;

std::string Dump(const Json& value) {
  return EscapedJson(value.dump(kIndent, ' ', false, Json::error_handler_t::replace));
}

// Most names need no second look.
void AppendQuoted(std::string_view value, std::string& text) {
  const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
  if (is_plain) {
    text.append("\"").append(value).append("\"");
  } else {
    text += Dump(JsonText(value));
  }
}

}  // namespace

std::string EscapedJson(std::string text) {
  constexpr char32_t kPairs = 0x10000;
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
  if (is_plain) return text;
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    const auto c = static_cast<std::uint32_t>(point.value);
    if (!point.valid || c < 0x7F || !IsHarmful(point.value)) {
      escaped.append(text, at, point.bytes);
    } else if (c < kPairs) {
      escaped += fmt::format("\\u{:04x}", c);
    } else {
      escaped += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - kPairs) >> 10),
                             0xDC00 + ((c - kPairs) & 0x3FF));
    }
    at += point.bytes;
  }
  return escaped;
}

Json JsonText(std::string_view text) { return ToUtf8(text); }

Json TextsJson(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(JsonText(text));
  return list;
}

Cell JsonCell(Json value) { return Cell(std::make_shared<const Json>(std::move(value))); }

std::string DumpJson(const Json& document) { return Dump(document) + "\n"; }

JsonMembers::JsonMembers(char open, std::size_t indent, std::string& text)
    : is_object_(open == '{'), indent_(indent + kIndent), text_(text) {
  text_ += open;
}

void JsonMembers::Next() {
  text_ += is_empty_ ? "\n" : ",\n";
  text_.append(indent_, ' ');
  is_empty_ = false;
}

void JsonMembers::Next(std::string_view key) {
  Next();
  AppendQuoted(key, text_);
  text_ += ": ";
}

void JsonMembers::End() {
  if (!is_empty_) text_.append("\n").append(indent_ - kIndent, ' ');
  text_ += is_object_ ? '}' : ']';
}

void AppendJson(const Json& value, std::size_t indent, std::string& text) {
  for (char c : Dump(value)) {
    text += c;
    if (c == '\n') text.append(indent, ' ');
  }
}

void AppendJson(const Cell& cell, std::size_t indent, std::string& text) {
  if (cell.empty()) {
    text += "null";
  } else if (const std::string* words = cell.text()) {
    AppendQuoted(*words, text);
  } else if (const std::int64_t* number = cell.integer()) {
    text += std::to_string(*number);
  } else if (const bool* flag = cell.flag()) {
    text += *flag ? "true" : "false";
  } else if (const Json* parts = cell.parts()) {
    AppendJson(*parts, indent, text);
  } else {
    text += Dump(cell.AsDouble());
  }
}

}  // namespace xsp
