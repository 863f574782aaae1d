#include "model/names/kernel_rules.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>

#include "base/error.h"
#include "model/names/kernel_names.h"
#include "model/names/kernel_rules_json.h"

namespace xsp {

// kernel_rules.json; see CMakeLists.txt.
extern const std::string_view kBuiltInKernelRules;

namespace {

// Memory for an automaton. Far more than the built-in rows take; rows of the user's that need more
// are matched one by one.
constexpr std::int64_t kAutomatonBytes = 16 << 20;

RE2::Options Options() {
  RE2::Options options(RE2::Quiet);
  options.set_encoding(RE2::Options::EncodingLatin1);  // Names may be any bytes.
  options.set_max_mem(kAutomatonBytes);
  return options;
}

constexpr std::string_view kForm = "write it as {\"rules\": [{\"id\": ..., \"match\": ...}]}";

std::vector<KernelRule> BuiltInRows() {
  std::vector<KernelRule> rules =
      ParseKernelRules(UserJson::Parse(kBuiltInKernelRules, "the built-in rules", kForm));
  for (KernelRule& rule : rules) rule.built_in = true;
  return rules;
}

}  // namespace

// All expressions on one text (name or parameters). They are matched in a few passes, each by one
// automaton for a group of them.
class KernelRules::Matcher {
 public:
  Matcher(const std::vector<KernelRule>& rules, KernelRule::Text text) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].text != text) continue;
      if (groups_.empty() || groups_.back().members.size() == kGroupSize) groups_.emplace_back();
      groups_.back().Add(rules[i], static_cast<std::uint32_t>(i));
    }
    for (Group& group : groups_) {
      if (!group.set.Compile()) throw Error("the kernel rules are too large to compile");
    }
  }

  // Appends the indices of the rules that match.
  void Match(std::string_view text, std::vector<std::uint32_t>& found) const {
    for (const Group& group : groups_) group.Match(text, found);
  }

 private:
  // An automaton remembers which of its expressions it has met, so its states multiply with their
  // number: several small ones are built faster, name by name, than a large one.
  static constexpr std::size_t kGroupSize = 4;

  struct Group {
    RE2::Set set{Options(), RE2::UNANCHORED};
    std::vector<std::pair<std::uint32_t, std::string>> members;  // Rule and expression.

    void Add(const KernelRule& rule, std::uint32_t index) {
      std::string fault;
      if (set.Add(rule.match, &fault) < 0) {
        throw Error("kernel rule " + rule.id + ": bad regular expression: " + fault,
                    "the syntax is RE2's: no look-around, no back-references");
      }
      members.emplace_back(index, rule.match);
    }

    void Match(std::string_view text, std::vector<std::uint32_t>& found) const {
      const re2::StringPiece piece(text.data(), text.size());
      std::vector<int> hits;
      RE2::Set::ErrorInfo error{};
      if (set.Match(piece, &hits, &error)) {
        for (int hit : hits) found.push_back(members[static_cast<std::size_t>(hit)].first);
      } else if (error.kind != RE2::Set::kNoError) {  // Out of memory: one by one.
        for (const auto& [index, expression] : members) {
          if (RE2::PartialMatch(piece, RE2(expression, Options()))) found.push_back(index);
        }
      }
    }
  };

  std::vector<Group> groups_;
};

KernelRules::KernelRules(std::vector<KernelRule> rules)
    : rules_(std::move(rules)),
      names_(std::make_unique<Matcher>(rules_, KernelRule::Text::kName)),
      parameters_(std::make_unique<Matcher>(rules_, KernelRule::Text::kParameters)) {}

KernelRules::KernelRules(KernelRules&&) noexcept = default;
KernelRules& KernelRules::operator=(KernelRules&&) noexcept = default;
KernelRules::~KernelRules() = default;

const KernelRules& KernelRules::BuiltIn() {
  static const KernelRules rules(BuiltInRows());
  return rules;
}

KernelRules KernelRules::Load(const std::filesystem::path& file) {
  return FromJson(UserJson::Read(file, kForm));
}

KernelRules KernelRules::FromJson(std::string_view text, std::string_view source) {
  return FromJson(UserJson::Parse(text, source, kForm));
}

KernelRules KernelRules::FromJson(const UserJson& document) {
  std::vector<KernelRule> rules = ParseKernelRules(document);
  for (KernelRule& rule : BuiltInRows()) rules.push_back(std::move(rule));
  return KernelRules(std::move(rules));
}

KernelKind KernelRules::Classify(std::string_view kernel_name) const {
  const CanonicalName name = ReadKernelName(kernel_name);
  std::vector<std::uint32_t> found;
  names_->Match(name.name, found);
  parameters_->Match(name.parameters, found);
  std::sort(found.begin(), found.end());

  KernelKind kind;
  for (std::uint32_t i : found) {
    if (!rules_[i].kernel_class) continue;
    kind.kernel_class = *rules_[i].kernel_class;
    kind.class_rule = i;
    break;
  }
  for (std::uint32_t i : found) {
    const KernelRule& rule = rules_[i];
    if (!rule.when.empty() &&
        std::find(rule.when.begin(), rule.when.end(), kind.kernel_class) == rule.when.end()) {
      continue;
    }
    if (rule.precision && kind.precision_rule == KernelKind::kNoRule) {
      kind.precision = *rule.precision;
      kind.precision_rule = i;
    }
    if (rule.tensor_cores && kind.tensor_cores_rule == KernelKind::kNoRule) {
      kind.tensor_cores = *rule.tensor_cores;
      kind.tensor_cores_rule = i;
    }
  }
  return kind;
}

}  // namespace xsp
