#include "model/names/framework_names.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
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

// The expressions. Most texts fit none of them, which one look at all of them together tells.
class FrameworkNames::Matcher {
 public:
  explicit Matcher(const std::vector<FrameworkPattern>& patterns)
      : any_(Options(), RE2::ANCHOR_BOTH) {
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
      any_.Add(pattern.match, nullptr);
    }
    any_.Compile();
  }

  // Calls f(pattern, parts) for the first expression that fits a whole text. `parts(name)` is what
  // stands there; empty where there is no such part.
  template <class F>
  bool First(std::string_view text, F f) const {
    if (text.empty()) return false;
    const re2::StringPiece piece(text.data(), text.size());
    const auto& bucket = buckets_[static_cast<unsigned char>(text.front())];
    if (bucket.empty() || !MayFitAny(piece)) return false;
    for (std::uint32_t index : bucket) {
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

  // A look that ran out of memory tells nothing.
  bool MayFitAny(const re2::StringPiece& text) const {
    RE2::Set::ErrorInfo error{};
    return any_.Match(text, nullptr, &error) || error.kind != RE2::Set::kNoError;
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
  RE2::Set any_;
  std::array<std::vector<std::uint32_t>, 256> buckets_;  // By first byte: expressions, in order.
};

namespace {

// `tokens`: of the whole batch, where they are told; the sum of query lengths is that, and some
// texts leave it out.
template <class Parts>
std::optional<StepLengths> LengthsIn(const Parts& part, std::uint64_t tokens) {
  StepLengths sum;
  int told = 0;
  bool lacks_sq = false;
  for (const std::string prefix : {"context_", "generation_"}) {
    const std::uint64_t sq = NumberIn(part(prefix + "sq"));
    const std::uint64_t sk = NumberIn(part(prefix + "sk"));
    const std::uint64_t sqsq = NumberIn(part(prefix + "sqsq"));
    const std::uint64_t sqsk = NumberIn(part(prefix + "sqsk"));
    if (sk == kNotTold || sqsq == kNotTold || sqsk == kNotTold) continue;
    ++told;
    lacks_sq |= sq == kNotTold;
    sum.sq += sq == kNotTold ? 0 : sq;
    sum.sk += sk;
    sum.sqsq += sqsq;
    sum.sqsk += sqsk;
  }
  if (lacks_sq) sum.sq = tokens;
  if (told == 0 || sum.sq == kNotTold) return std::nullopt;
  return sum;
}

std::string KindByRequests(std::uint64_t context, std::uint64_t generation) {
  if (context == kNotTold || generation == kNotTold) return "";
  if (context > 0) return generation > 0 ? "mixed" : "prefill";
  return generation > 0 ? "decode" : "idle";
}

// The kind of a mode: what the pack says; of "DRAFT_EXTEND_V2", which it does not know, that of
// "DRAFT_EXTEND"; and a mode that is like none of them is a kind of its own.
std::string KindByMode(const FrameworkPattern& pattern, std::string_view mode) {
  if (pattern.kinds.empty() || mode.empty()) return "";
  for (std::string_view known = mode; !known.empty();
       known = known.substr(0, known.rfind('_') == known.npos ? 0 : known.rfind('_'))) {
    const auto it = std::find_if(pattern.kinds.begin(), pattern.kinds.end(),
                                 [&](const auto& kind) { return kind.first == known; });
    if (it != pattern.kinds.end()) return it->second;
  }
  std::string own;
  for (char c : mode) own += IsLetter(c) || IsDigit(c) ? LowerCase(c) : '_';
  return own;
}

// The tokens of a batch as the parts of a text add up to them.
template <class Parts>
std::uint64_t TokensOf(const FrameworkPattern& pattern, const StepContent& step,
                       std::uint64_t context, std::uint64_t generation, const Parts& part) {
  if (step.lengths) return step.lengths->sq;
  if (step.requests == 0) return 0;
  const std::uint64_t each = pattern.tokens_per_request;
  if (context == kNotTold || generation == kNotTold) {
    const bool decodes = step.kind == "decode" && step.requests != kNotTold && each > 0;
    return decodes ? step.requests * each : kNotTold;
  }
  std::uint64_t of_context = NumberIn(part("context_tokens"));
  if (context == 0 && of_context == kNotTold) of_context = 0;
  std::uint64_t of_generation = NumberIn(part("generation_tokens"));
  if (of_generation == kNotTold && each > 0) of_generation = generation * each;
  return SumIfTold(of_context, of_generation);
}

template <class Parts>
StepContent StepOf(const FrameworkPattern& pattern, const Parts& part) {
  StepContent step;
  step.iteration = NumberIn(part("iteration"));
  step.requests = NumberIn(part("requests"));
  step.tokens = NumberIn(part("tokens"));
  step.lengths = LengthsIn(part, step.tokens);
  const std::uint64_t context = NumberIn(part("context_requests"));
  const std::uint64_t generation = NumberIn(part("generation_requests"));
  step.kind = pattern.word.empty() ? KindByMode(pattern, part("mode")) : pattern.word;
  if (step.kind.empty()) step.kind = KindByRequests(context, generation);
  if (step.requests == kNotTold) step.requests = SumIfTold(context, generation);
  if (step.tokens == kNotTold) step.tokens = TokensOf(pattern, step, context, generation, part);
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
