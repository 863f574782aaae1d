#include "model/names/framework_names_json.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "base/enum_names.h"

namespace xsp {
namespace {

constexpr EnumNames<TextRole::kCommunication> kRoles({"step", "phase", "layer", "operator", "host",
                                                      "communication"});

constexpr std::array<std::string_view, 18> kParts = {
    "requests",         "tokens",         "iteration",           "mode",
    "context_requests", "context_tokens", "generation_requests", "generation_tokens",
    "context_sq",       "context_sk",     "context_sqsq",        "context_sqsk",
    "generation_sq",    "generation_sk",  "generation_sqsq",     "generation_sqsk",
    "module",           "shapes"};

// "prefill", "target_verify": what --kind takes and scripts read.
const std::string& WordOf(const UserJson& said) {
  const std::string& word = said.Text();
  const bool is_word = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return IsLower(c) || IsDigit(c) || c == '_';
  });
  if (!is_word) said.Fail("is '" + word + "': write it in lower case, a-z, 0-9 and _");
  return word;
}

const std::string& TextOf(const UserJson& row, std::string_view key, const std::string& what) {
  const UserJson& said = row.At(key, what);
  if (said.Text().empty()) said.Fail("is empty: " + what);
  return said.Text();
}

std::set<std::string> PartsOf(const UserJson& match) {
  RE2::Options options(RE2::Quiet);
  options.set_encoding(RE2::Options::EncodingLatin1);
  const RE2 expression(match.Text(), options);
  if (!expression.ok()) {
    match.Fail("is no regular expression: " + expression.error() +
               " (the syntax is RE2's: no look-around, no back-references)");
  }
  std::set<std::string> parts;
  for (const auto& [name, index] : expression.NamedCapturingGroups()) {
    if (std::find(kParts.begin(), kParts.end(), name) == kParts.end()) {
      match.Fail("has the part '" + name + "', which means nothing here");
    }
    parts.insert(name);
  }
  return parts;
}

void ReadWord(const UserJson& row, FrameworkPattern& pattern) {
  const UserJson* const kind = row.Find("kind");
  if (kind == nullptr) return;
  if (pattern.role == TextRole::kPhase) {
    pattern.word = kind->Word({"data loading", "forward", "backward", "communication", "optimizer",
                               "pre-process", "predict", "post-process"});
  } else {
    pattern.word = WordOf(*kind);
  }
}

void ReadKinds(const UserJson& row, FrameworkPattern& pattern) {
  const UserJson* const kinds = row.Find("kinds");
  if (kinds == nullptr) return;
  for (const auto& [mode, kind] : kinds->Members()) {
    pattern.kinds.emplace_back(mode, WordOf(kind));
  }
}

// A step must say, in one way, of which kind it is.
void CheckStep(const UserJson& row, const FrameworkPattern& pattern,
               const std::set<std::string>& parts) {
  const bool by_requests =
      parts.contains("context_requests") && parts.contains("generation_requests");
  const int ways = (pattern.word.empty() ? 0 : 1) + (pattern.kinds.empty() ? 0 : 1);
  if (ways > 1) row.Fail("has both \"kind\" and \"kinds\"");
  if (!pattern.kinds.empty() && !parts.contains("mode")) {
    row.Fail("has \"kinds\", but no part (?P<mode>...) in \"match\" to choose among them");
  }
  if (ways == 0 && !by_requests) {
    row.Fail(
        "does not tell the kind of the step: give \"kind\", or \"kinds\" by (?P<mode>...), or the "
        "parts (?P<context_requests>...) and (?P<generation_requests>...)");
  }
}

FrameworkPattern ReadPattern(const UserJson& row, const std::string& framework) {
  row.OnlyKeys({"id", "match", "role", "kind", "kinds", "tokens_per_request", "weak"});
  FrameworkPattern pattern;
  pattern.built_in = false;
  pattern.framework = framework;
  pattern.id = TextOf(row, "id", "a name of its own");
  pattern.match = TextOf(row, "match", "an expression for whole texts");
  const std::set<std::string> parts = PartsOf(row.At("match", ""));
  const UserJson& role = row.At("role", "what such ranges stand for");
  pattern.role =
      *kRoles.Find(role.Word({"step", "phase", "layer", "operator", "host", "communication"}));
  ReadWord(row, pattern);
  ReadKinds(row, pattern);
  if (const UserJson* const tokens = row.Find("tokens_per_request")) {
    pattern.tokens_per_request = tokens->Count(1);
  }
  if (const UserJson* const weak = row.Find("weak")) pattern.is_weak = weak->Bool();
  if (pattern.role == TextRole::kStep) CheckStep(row, pattern, parts);
  if (pattern.role != TextRole::kStep && !pattern.kinds.empty()) {
    row.Fail("has \"kinds\", which only steps have");
  }
  if (pattern.role == TextRole::kPhase && pattern.word.empty()) {
    row.Fail("does not tell which phase: give \"kind\"");
  }
  return pattern;
}

}  // namespace

std::string_view NameOf(TextRole role) { return kRoles[role]; }

std::vector<FrameworkPattern> ParseFrameworkPack(const UserJson& document) {
  document.OnlyKeys({"about", "framework", "texts"});
  const std::string& framework = TextOf(document, "framework", "who writes these texts");
  std::vector<FrameworkPattern> patterns;
  std::set<std::string> ids;
  for (const UserJson& row : document.At("texts", "a list of texts").List()) {
    patterns.push_back(ReadPattern(row, framework));
    if (!ids.insert(patterns.back().id).second) row.At("id", "").Fail("is that of an earlier one");
  }
  return patterns;
}

}  // namespace xsp
