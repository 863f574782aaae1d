#include "cli/inputs/command_document.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/whole_file.h"
#include "cli/terminal/result_file.h"

namespace xsp {
namespace {

constexpr std::size_t kHead = 400;
constexpr std::size_t kDeepest = 64;  // Documents of commands are nested a few levels.
constexpr std::array<std::string_view, 2> kCommands = {"ranks", "trend"};

// Whether brackets are nested no deeper than in any document of ours; else what walks through it
// would run out of stack.
bool IsShallow(std::string_view text) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return false;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

// The names of hosts that a document tells: values of the key "host".
void CollectHosts(const Json& value, std::map<std::string, std::string>& names) {
  if (!value.is_structured()) return;
  for (const auto& item : value.items()) {
    const bool is_name = value.is_object() && item.key() == "host" && item.value().is_string();
    if (is_name && !item.value().get_ref<const std::string&>().empty()) {
      const std::string next = "host " + std::to_string(names.size() + 1);
      names.emplace(item.value().get<std::string>(), next);
    }
    CollectHosts(item.value(), names);
  }
}

bool IsInWord(char c) {
  return c == '-' || c == '_' || ('0' <= c && c <= '9') || ('a' <= c && c <= 'z') ||
         ('A' <= c && c <= 'Z');
}

// Whole words only: "node1" is no part of "node10".
std::string WithHostHidden(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool is_word =
        (at == 0 || !IsInWord(text[at - 1])) && (end == text.size() || !IsInWord(text[end]));
    if (is_word) text.replace(at, name.size(), by);
    at += is_word ? by.size() : name.size();
  }
  return text;
}

void ReplaceTexts(Json& value, const std::map<std::string, std::string>& names) {
  if (value.is_string()) {
    std::string text = value.get<std::string>();
    for (const auto& [name, by] : names) text = WithHostHidden(std::move(text), name, by);
    value = std::move(text);
  }
  if (!value.is_structured()) return;
  for (auto& item : value.items()) ReplaceTexts(item.value(), names);
}

}  // namespace

std::optional<Json> ReadCommandDocument(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string head(kHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const bool is_ours = std::any_of(kCommands.begin(), kCommands.end(), [&](std::string_view name) {
    return head.find("\"command\": \"" + std::string(name) + "\"") != std::string::npos;
  });
  if (!is_ours || head.find("\"schema_version\"") == std::string::npos) return std::nullopt;
  ProtectInput(path);
  const std::string text = ReadWholeFile(path);
  Json document = IsShallow(text) ? Json::parse(text, nullptr, false) : Json();
  const auto command = document.is_object() ? document.find("command") : document.end();
  const bool is_whole = command != document.end() && command->is_string() &&
                        std::find(kCommands.begin(), kCommands.end(),
                                  command->get_ref<const std::string&>()) != kCommands.end();
  if (!is_whole) throw Error(path + ": no document of xsp ranks or xsp trend", "write it again");
  return document;
}

void HideHosts(Json& document) {
  std::map<std::string, std::string> names;
  CollectHosts(document, names);
  ReplaceTexts(document, names);
}

}  // namespace xsp
