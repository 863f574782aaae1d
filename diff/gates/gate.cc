#include "diff/gates/gate.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "diff/gates/grammar_error.h"

namespace xsp {
namespace {

struct NamedSubject {
  std::string_view name;
  Subject subject;
};
constexpr std::array kSubjects = {
    NamedSubject{"step", Subject::kStep},
    NamedSubject{"step.median", Subject::kStepMedian},
    NamedSubject{"device", Subject::kDevice},
    NamedSubject{"idle", Subject::kIdle},
    NamedSubject{"host", Subject::kHost},
    NamedSubject{"launch", Subject::kLaunch},
    NamedSubject{"sync", Subject::kSync},
    NamedSubject{"copies", Subject::kCopies},
    NamedSubject{"communication", Subject::kCommunication},
    NamedSubject{"kernels", Subject::kKernels},
    NamedSubject{"kernels.added", Subject::kKernelsAdded},
    NamedSubject{"kernels.removed", Subject::kKernelsRemoved},
    NamedSubject{"kernels.renamed", Subject::kKernelsRenamed},
    NamedSubject{"launches", Subject::kLaunches},
    NamedSubject{"syncs", Subject::kSyncs},
    NamedSubject{"memory.peak", Subject::kMemoryPeak},
};

struct NamedPlace {
  std::string_view name;
  PlaceKind kind;
};
constexpr std::array kPlaces = {
    NamedPlace{"phase", PlaceKind::kPhase},   NamedPlace{"layer", PlaceKind::kLayer},
    NamedPlace{"op", PlaceKind::kOp},         NamedPlace{"range", PlaceKind::kRange},
    NamedPlace{"kernel", PlaceKind::kKernel}, NamedPlace{"class", PlaceKind::kClass},
};

struct NamedUnit {
  std::string_view name;
  LimitUnit unit;
  double factor;
};
constexpr std::array kUnits = {
    NamedUnit{"%", LimitUnit::kShare, 0.01},
    NamedUnit{"ns", LimitUnit::kNanoseconds, 1},
    NamedUnit{"us", LimitUnit::kNanoseconds, 1e3},
    NamedUnit{"µs", LimitUnit::kNanoseconds, 1e3},
    NamedUnit{"ms", LimitUnit::kNanoseconds, 1e6},
    NamedUnit{"s", LimitUnit::kNanoseconds, 1e9},
    NamedUnit{"B", LimitUnit::kBytes, 1},
    NamedUnit{"KiB", LimitUnit::kBytes, 1024.0},
    NamedUnit{"MiB", LimitUnit::kBytes, 1048576.0},
    NamedUnit{"GiB", LimitUnit::kBytes, 1073741824.0},
    NamedUnit{"", LimitUnit::kCount, 1},
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Reads one gate; knows where in the text its parts stand.
class GateReader {
 public:
  explicit GateReader(std::string_view text) : text_(Trimmed(text)) { gate_.text = text_; }

  Gate Read() {
    if (text_.empty()) throw GrammarError("a gate is empty: write it as 'step > 3%'", text_, 0, 0);
    const std::size_t sign = FindSign();
    ReadSubject(Trimmed(text_.substr(0, sign)));
    ReadLimit(Trimmed(text_.substr(sign + 1)));
    return std::move(gate_);
  }

 private:
  std::size_t PlaceOf(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  [[noreturn]] void Fail(const std::string& message, std::string_view part,
                         std::vector<std::string> candidates = {}) const {
    throw GrammarError(message, text_, PlaceOf(part), part.size(), std::move(candidates));
  }

  // The last '>' outside of quotes: names of kernels hold others.
  std::size_t FindSign() const {
    bool quoted = false;
    std::size_t sign = text_.npos;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '"') quoted = !quoted;
      if (text_[i] == '>' && !quoted) sign = i;
    }
    if (sign != text_.npos) return sign;
    const std::size_t other = text_.find_first_of("<=");
    if (other != text_.npos) {
      Fail("a gate says what fails: 'step > 3%'", text_.substr(other, 1));
    }
    Fail("'> LIMIT' is missing: write it as 'step > 3%'", text_.substr(text_.size()));
  }

  void ReadSubject(std::string_view subject) {
    if (subject.empty()) Fail("what the limit is for is missing", subject);
    gate_.subject = subject;
    const std::size_t colon = subject.find(':');
    if (colon != subject.npos) {
      ReadPlace(subject.substr(0, colon), subject.substr(colon + 1));
      return;
    }
    for (const NamedSubject& named : kSubjects) {
      if (named.name != subject) continue;
      gate_.what = named.subject;
      return;
    }
    std::vector<std::string> names = SubjectNames();
    for (const NamedPlace& place : kPlaces) names.push_back(std::string(place.name) + ":");
    Fail("'" + std::string(subject) + "' is nothing that can be limited", subject,
         std::move(names));
  }

  void ReadPlace(std::string_view level, std::string_view pattern) {
    gate_.what = Subject::kPlace;
    std::optional<PlaceKind> kind;
    std::vector<std::string> names;
    for (const NamedPlace& place : kPlaces) {
      names.emplace_back(place.name);
      if (place.name == level) kind = place.kind;
    }
    if (!kind) Fail("'" + std::string(level) + "' is no level", level, std::move(names));
    gate_.place = *kind;
    if (pattern.size() >= 2 && pattern.front() == '"' && pattern.back() == '"') {
      pattern = pattern.substr(1, pattern.size() - 2);
    } else if (pattern.find('"') != pattern.npos) {
      Fail("the quotes must hold the whole pattern", pattern);
    }
    if (pattern.empty()) Fail("the pattern is missing: '*' stands for all", pattern);
    gate_.pattern = pattern;
  }

  void ReadLimit(std::string_view limit) {
    if (limit.starts_with('='))
      Fail("a gate fails beyond its limit: write '>'", limit.substr(0, 1));
    if (limit.empty()) Fail("the limit is missing", limit);
    double number = 0;
    const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), number,
                                              std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number)) {
      Fail("the limit is no number: write it as 3%, 5ms or 0", limit);
    }
    if (std::signbit(number)) Fail("a limit is not negative", limit);
    const auto digits = static_cast<std::size_t>(end - limit.data());
    SetUnit(number, Trimmed(limit.substr(digits)));
    const bool fits = gate_.unit == LimitUnit::kShare || gate_.unit == AbsoluteUnitOf(gate_.what);
    if (!fits) {
      Fail("'" + gate_.subject + "' is limited in " + UnitsOf(gate_.what), limit);
    }
    if (gate_.unit == LimitUnit::kShare && !HasShare(gate_.what)) {
      Fail("'" + gate_.subject + "' counts what was not there before: its limit is a number",
           limit);
    }
  }

  void SetUnit(double number, std::string_view unit) {
    std::vector<std::string> names;
    for (const NamedUnit& named : kUnits) {
      if (named.name == unit) {
        gate_.unit = named.unit;
        gate_.limit = number * named.factor;
        return;
      }
      if (!named.name.empty()) names.emplace_back(named.name);
    }
    Fail("'" + std::string(unit) + "' is no unit", unit, std::move(names));
  }

  // Kernels that were added have nothing before them to be a share of.
  static bool HasShare(Subject subject) {
    return subject != Subject::kKernelsAdded && subject != Subject::kKernelsRemoved &&
           subject != Subject::kKernelsRenamed;
  }

  static std::string UnitsOf(Subject subject) {
    switch (AbsoluteUnitOf(subject)) {
      case LimitUnit::kBytes:
        return "% or bytes (B, KiB, MiB, GiB)";
      case LimitUnit::kCount:
        return HasShare(subject) ? "% or a plain number" : "a plain number";
      default:
        return "% or time (ns, us, ms, s)";
    }
  }

  std::string_view text_;
  Gate gate_;
};

}  // namespace

std::string_view NameOf(PlaceKind kind) {
  for (const NamedPlace& place : kPlaces) {
    if (place.kind == kind) return place.name;
  }
  return "";
}

LimitUnit AbsoluteUnitOf(Subject subject) {
  switch (subject) {
    case Subject::kKernels:
    case Subject::kKernelsAdded:
    case Subject::kKernelsRemoved:
    case Subject::kKernelsRenamed:
    case Subject::kLaunches:
    case Subject::kSyncs:
      return LimitUnit::kCount;
    case Subject::kMemoryPeak:
      return LimitUnit::kBytes;
    default:
      return LimitUnit::kNanoseconds;
  }
}

Gate ParseGate(std::string_view text) { return GateReader(text).Read(); }

std::string LimitWords(const Gate& gate) {
  auto in = [&](double factor, const char* unit) {
    return fmt::format("{:g}{}", gate.limit / factor, unit);
  };
  switch (gate.unit) {
    case LimitUnit::kShare:
      return in(0.01, " %");
    case LimitUnit::kBytes:
      if (gate.limit >= 1073741824.0) return in(1073741824.0, " GiB");
      if (gate.limit >= 1048576.0) return in(1048576.0, " MiB");
      return gate.limit >= 1024 ? in(1024, " KiB") : in(1, " B");
    case LimitUnit::kNanoseconds:
      if (gate.limit >= 1e9) return in(1e9, " s");
      if (gate.limit >= 1e6) return in(1e6, " ms");
      return gate.limit >= 1e3 ? in(1e3, " us") : in(1, " ns");
    case LimitUnit::kCount:
      break;
  }
  return in(1, "");
}

bool MatchesGlob(std::string_view pattern, std::string_view name) {
  // Goes back to the last '*' only: linear for one, at worst the product of both lengths.
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = pattern.npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> SubjectNames() {
  std::vector<std::string> names;
  for (const NamedSubject& named : kSubjects) names.emplace_back(named.name);
  return names;
}

}  // namespace xsp
