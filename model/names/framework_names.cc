#include "model/names/framework_names.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "model/names/framework_names_json.h"

namespace xsp {

// The files of names/frameworks/; see CMakeLists.txt.
extern const std::span<const std::string_view> kBuiltInFrameworkPacks;

namespace {

constexpr std::uint64_t kNotTold = kMissing<std::uint64_t>;
constexpr std::string_view kPackForm =
    "write it as {\"framework\": ..., \"texts\": [{\"id\": ..., \"match\": ..., \"role\": ...}]}; "
    "docs/frameworks.md says how";

std::vector<FrameworkPattern> BuiltInPatterns() {
  std::vector<FrameworkPattern> rows;
  for (std::string_view pack : kBuiltInFrameworkPacks) {
    for (FrameworkPattern& row :
         ParseFrameworkPack(UserJson::Parse(pack, "a built-in pack", kPackForm))) {
      row.built_in = true;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::uint64_t NumberIn(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  // A number that no program has is a text that somebody made up.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  return error == std::errc() && rest == end && value <= kMost ? value : kNotTold;
}

// Unknown where one of them is.
std::uint64_t SumIfTold(std::uint64_t a, std::uint64_t b) {
  return a == kNotTold || b == kNotTold ? kNotTold : a + b;
}

}  // namespace

// The expressions, found by the first byte of a text: most texts are looked at by none of them.
class FrameworkNames::Matcher {
 public:
  explicit Matcher(const std::vector<FrameworkPattern>& patterns) {
    for (const FrameworkPattern& pattern : patterns) {
      const auto index = static_cast<std::uint32_t>(expressions_.size());
      Expression& added = expressions_.emplace_back();
      added.code = std::make_unique<RE2>(pattern.match, Options());
      if (!added.code->ok()) {
        throw Error("text " + pattern.id + " of " + pattern.framework +
                    ": bad regular expression: " + added.code->error());
      }
      for (const auto& [name, group] : added.code->NamedCapturingGroups()) {
        added.parts.emplace_back(name, group);
      }
      AddToBuckets(pattern.match, index);
    }
  }

  // Calls f(pattern, parts) for the first expression that fits a whole text. `parts(name)` is what
  // stands there; empty where there is no such part.
  template <class F>
  bool First(std::string_view text, F f) const {
    if (text.empty()) return false;
    const re2::StringPiece piece(text.data(), text.size());
    for (std::uint32_t index : buckets_[static_cast<unsigned char>(text.front())]) {
      const Expression& expression = expressions_[index];
      std::array<re2::StringPiece, kMostGroups> groups;
      const int count = std::min<int>(expression.code->NumberOfCapturingGroups() + 1, kMostGroups);
      if (!expression.code->Match(piece, 0, piece.size(), RE2::ANCHOR_BOTH, groups.data(), count)) {
        continue;
      }
      f(index, [&](std::string_view name) -> std::string_view {
        for (const auto& [part, group] : expression.parts) {
          if (part != name || group >= count || groups[static_cast<std::size_t>(group)].empty()) {
            continue;
          }
          const re2::StringPiece& found = groups[static_cast<std::size_t>(group)];
          return {found.data(), found.size()};
        }
        return {};
      });
      return true;
    }
    return false;
  }

 private:
  static constexpr int kMostGroups = 32;

  struct Expression {
    std::unique_ptr<RE2> code;
    std::vector<std::pair<std::string, int>> parts;
  };

  static RE2::Options Options() {
    RE2::Options options(RE2::Quiet);
    options.set_encoding(RE2::Options::EncodingLatin1);  // Texts may be any bytes.
    options.set_dot_nl(true);
    return options;
  }

  // With which bytes a text that fits can begin.
  void AddToBuckets(const std::string& match, std::uint32_t index) {
    const RE2 anchored("^(?:" + match + ")", Options());
    std::string least, most;
    const bool is_known = anchored.ok() && anchored.PossibleMatchRange(&least, &most, 1) &&
                          !least.empty() && !most.empty();
    const unsigned first = is_known ? static_cast<unsigned char>(least.front()) : 0;
    const unsigned last = is_known ? static_cast<unsigned char>(most.front()) : 255;
    for (unsigned byte = first; byte <= last; ++byte) buckets_[byte].push_back(index);
  }

  std::vector<Expression> expressions_;
  std::array<std::vector<std::uint32_t>, 256> buckets_;  // By first byte: expressions, in order.
};

namespace {

template <class Parts>
std::optional<StepLengths> LengthsIn(const Parts& part) {
  StepLengths sum;
  bool is_told = false;
  for (const std::string prefix : {"context_", "generation_"}) {
    std::array<std::uint64_t, 4> values{};
    std::size_t at = 0;
    for (const char* name : {"sq", "sk", "sqsq", "sqsk"}) {
      values[at++] = NumberIn(part(prefix + name));
    }
    if (std::find(values.begin(), values.end(), kNotTold) != values.end()) continue;
    is_told = true;
    sum.sq += values[0];
    sum.sk += values[1];
    sum.sqsq += values[2];
    sum.sqsk += values[3];
  }
  return is_told ? std::optional(sum) : std::nullopt;
}

std::string KindByRequests(std::uint64_t context, std::uint64_t generation) {
  if (context == kNotTold || generation == kNotTold) return "";
  if (context > 0) return generation > 0 ? "mixed" : "prefill";
  return generation > 0 ? "decode" : "idle";
}

template <class Parts>
StepContent StepOf(const FrameworkPattern& pattern, const Parts& part) {
  StepContent step;
  step.iteration = NumberIn(part("iteration"));
  step.requests = NumberIn(part("requests"));
  step.tokens = NumberIn(part("tokens"));
  step.lengths = LengthsIn(part);
  step.kind = pattern.word;
  for (const auto& [mode, kind] : pattern.kinds) {
    if (mode == part("mode")) step.kind = kind;
  }
  const std::uint64_t context = NumberIn(part("context_requests"));
  const std::uint64_t generation = NumberIn(part("generation_requests"));
  if (context != kNotTold && generation != kNotTold) {
    if (step.kind.empty()) step.kind = KindByRequests(context, generation);
    if (step.requests == kNotTold) step.requests = context + generation;
    std::uint64_t of_context = NumberIn(part("context_tokens"));
    if (context == 0 && of_context == kNotTold) of_context = 0;
    std::uint64_t of_generation = NumberIn(part("generation_tokens"));
    if (of_generation == kNotTold && pattern.tokens_per_request > 0) {
      of_generation = generation * pattern.tokens_per_request;
    }
    if (step.tokens == kNotTold) step.tokens = SumIfTold(of_context, of_generation);
  } else if (step.tokens == kNotTold && step.requests != kNotTold && step.kind == "decode" &&
             pattern.tokens_per_request > 0) {
    step.tokens = step.requests * pattern.tokens_per_request;
  }
  return step;
}

}  // namespace

FrameworkNames::FrameworkNames(std::vector<FrameworkPattern> patterns)
    : patterns_(std::move(patterns)), matcher_(std::make_unique<Matcher>(patterns_)) {}

FrameworkNames::FrameworkNames(FrameworkNames&&) noexcept = default;
FrameworkNames& FrameworkNames::operator=(FrameworkNames&&) noexcept = default;
FrameworkNames::~FrameworkNames() = default;

const FrameworkNames& FrameworkNames::BuiltIn() {
  static const FrameworkNames names(BuiltInPatterns());
  return names;
}

FrameworkNames FrameworkNames::FromJson(std::string_view text, std::string_view source) {
  std::vector<FrameworkPattern> rows = ParseFrameworkPack(UserJson::Parse(text, source, kPackForm));
  for (FrameworkPattern& row : BuiltInPatterns()) rows.push_back(std::move(row));
  return FrameworkNames(std::move(rows));
}

FrameworkNames FrameworkNames::Load(const std::filesystem::path& file) {
  std::vector<FrameworkPattern> rows = ParseFrameworkPack(UserJson::Read(file, kPackForm));
  for (FrameworkPattern& row : BuiltInPatterns()) rows.push_back(std::move(row));
  return FrameworkNames(std::move(rows));
}

namespace {

std::optional<FrameworkNames>& OfTheUser() {
  static std::optional<FrameworkNames> names;
  return names;
}

}  // namespace

const FrameworkNames& FrameworkNames::InUse() {
  const std::optional<FrameworkNames>& users = OfTheUser();
  return users ? *users : BuiltIn();
}

void FrameworkNames::Use(FrameworkNames names) { OfTheUser() = std::move(names); }

std::optional<FrameworkText> FrameworkNames::Match(std::string_view text) const {
  std::optional<FrameworkText> found;
  matcher_->First(text.substr(0, kLongestText), [&](std::uint32_t index, const auto& part) {
    const FrameworkPattern& pattern = patterns_[index];
    FrameworkText& said = found.emplace();
    said.pattern = index;
    said.role = pattern.role;
    said.module = part("module");
    said.shapes = part("shapes");
    said.word = pattern.word;
    if (pattern.role == TextRole::kStep) said.step = StepOf(pattern, part);
  });
  return found;
}

}  // namespace xsp
