#include "report/html/page.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "report/html/front_end.h"
#include "report/html/packed.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

Facts Without(const Facts& facts, const std::vector<std::string_view>& keys) {
  std::vector<Fact> kept;
  for (const Fact& fact : facts.list()) {
    if (std::find(keys.begin(), keys.end(), fact.key) == keys.end()) kept.push_back(fact);
  }
  return Facts(std::move(kept));
}

// Cuts long lists and long texts. Documents of commands are a few levels deep.
void Shorten(Json& value, const std::string& where, std::size_t longest,
             std::vector<std::string>& cut) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kLongestText) value = CutText(text);
    return;
  }
  if (value.is_array() && value.size() > longest) {
    cut.push_back(where + ": " + std::to_string(longest) + " of " + std::to_string(value.size()) +
                  " rows");
    value.erase(value.begin() + static_cast<std::ptrdiff_t>(longest), value.end());
  }
  if (!value.is_structured()) return;
  for (auto& item : value.items()) {
    Shorten(item.value(), value.is_object() ? where + "." + item.key() : where, longest, cut);
  }
}

bool IsInName(char c) {
  return IsLetter(c) || IsDigit(c) ||
         std::string_view("_-.+@~").find(c) != std::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Where the folders of a path that begins at text[at] end: behind their last separator. `at` where
// no path begins there: it takes a separator with a name and another separator behind it.
std::size_t EndOfFolders(std::string_view text, std::size_t at) {
  const bool has_drive =
      at + 2 < text.size() && IsLetter(text[at]) && text[at + 1] == ':' && text[at + 2] == '\\';
  const char separator = has_drive ? '\\' : '/';
  std::size_t begin = at + (has_drive ? 2 : 0);
  if (text.substr(begin, 2) == "~/") ++begin;
  if (begin >= text.size() || text[begin] != separator) return at;
  std::size_t last = begin;
  std::size_t names = 0;
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == separator) {
      if (i == last + 1) return at;  // "//": no path of ours.
      last = i;
      ++names;
    } else if (!IsInName(text[i])) {
      break;
    }
  }
  return names > 0 || has_drive ? last + 1 : at;
}

// "default-src 'none'" and what the page itself needs: its own script and style, told by their
// hashes, so that nothing else can ever run.
std::string ContentPolicy() {
  auto source = [](std::string_view hexadecimal) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
    }
    return "'sha256-" + Base64(bytes) + "'";
  };
  return "default-src 'none'; script-src " + source(kPageScriptHash) + "; style-src " +
         source(kPageStyleHash) + "; img-src data:; base-uri 'none'; form-action 'none'";
}

std::string MarkupEscaped(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// JSON in which no tag can begin, and which a script element takes as it is.
std::string Island(const Json& data) {
  const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string BaseName(std::string_view path) {
  std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  const std::string base = name.filename().string();
  return base.empty() ? std::string(path) : base;
}

std::string WithoutFolders(std::string_view text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const bool may_begin = i == 0 || !(IsInName(text[i - 1]) || text[i - 1] == '/' ||
                                       text[i - 1] == '\\' || text[i - 1] == ':');
    const std::size_t end = may_begin ? EndOfFolders(text, i) : i;
    if (end > i) {
      i = end;
    } else {
      kept += text[i++];
    }
  }
  return kept;
}

void RemoveFolders(Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.find_first_of("/\\") != std::string::npos) value = WithoutFolders(text);
  }
  if (!value.is_structured()) return;
  for (auto& item : value.items()) RemoveFolders(item.value());
}

void RemoveFolderOf(std::string_view path, Json& value) {
  const std::size_t end = path.find_last_of('/', path.find_last_not_of('/'));
  if (end == std::string_view::npos) return;
  const std::string_view folder = path.substr(0, end + 1);
  if (folder.find_first_not_of("./") == std::string_view::npos) return;  // Tells nothing.
  if (value.is_string()) {
    std::string text = value.get<std::string>();
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) {
      const bool is_inside = at > 0 && (IsInName(text[at - 1]) || text[at - 1] == '/');
      if (is_inside) {
        ++at;
      } else {
        text.erase(at, folder.size());
      }
    }
    value = std::move(text);
  }
  if (!value.is_structured()) return;
  for (auto& item : value.items()) RemoveFolderOf(path, item.value());
}

Json DocumentOf(Report report, const std::vector<std::string_view>& without,
                std::vector<std::string>& cut, std::size_t longest_list) {
  for (std::vector<TraceSource>* sources : {&report.traces, &report.bases}) {
    for (TraceSource& source : *sources) source.path = BaseName(source.path);
  }
  report.fields = Without(report.fields, without);
  Json document = Json::parse(WriteReport(report, OutputFormat::kJson, {}));
  Shorten(document, report.command, longest_list, cut);
  return document;
}

void ShortenDocument(Json& document, std::vector<std::string>& cut) {
  Shorten(document, document.value("command", ""), kLongestList, cut);
}

std::size_t PageFrameBytes() {
  return kPageTemplate.size() + kPageStyle.size() + kPageScript.size() + ContentPolicy().size();
}

std::string WritePage(const std::string& title, const Json& data) {
  std::string page(kPageTemplate);
  // Each place once, the data last: what was put in is never looked at again.
  std::size_t at = 0;
  auto put = [&](std::string_view place, std::string_view text) {
    at = page.find(place, at);
    page.replace(at, place.size(), text);
    at += text.size();
  };
  put("{{policy}}", ContentPolicy());
  put("{{title}}", MarkupEscaped(title));
  put("{{style}}", kPageStyle);
  put("{{data}}", Island(data));
  put("{{script}}", kPageScript);
  return page;
}

Report MakePageReport(const std::string& file, std::size_t bytes,
                      const std::vector<std::string>& traces) {
  Report report;
  report.command = "report";
  for (const std::string& path : traces) {
    TraceSource source;
    source.path = path;
    report.traces.push_back(std::move(source));
  }
  report.window.text = "whole trace";
  report.Show("Wrote " + file + ", " + FormatBytes(bytes) + ".");
  report.fields["written"] = TextsJson({file});
  report.fields["bytes"] = bytes;
  return report;
}

}  // namespace xsp
