#include "diff/gates/gate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/ascii.h"
#include "base/quantity.h"
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
    NamedSubject{"span", Subject::kSpan},
    NamedSubject{"wall", Subject::kWall},
    NamedSubject{"one_time", Subject::kOneTime},
};

struct NamedPlace {
  std::string_view name;
  PlaceKind kind;
};
constexpr std::array kPlaces = {
    NamedPlace{"phase", PlaceKind::kPhase},   NamedPlace{"layer", PlaceKind::kLayer},
    NamedPlace{"op", PlaceKind::kOp},         NamedPlace{"range", PlaceKind::kRange},
    NamedPlace{"kernel", PlaceKind::kKernel}, NamedPlace{"class", PlaceKind::kClass},
    NamedPlace{"nvtx", PlaceKind::kNvtx},
};

// What a limit in this unit counts in; nothing for what no gate looks at.
std::optional<LimitUnit> LimitUnitOf(Dimension dimension) {
  switch (dimension) {
    case Dimension::kShare:
      return LimitUnit::kShare;
    case Dimension::kTime:
      return LimitUnit::kNanoseconds;
    case Dimension::kBytes:
      return LimitUnit::kBytes;
    case Dimension::kCount:
      return LimitUnit::kCount;
    default:
      return std::nullopt;
  }
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
    const Quantity read = ReadQuantity(limit);
    if (read.fault == Quantity::Fault::kNoNumber) {
      Fail("the limit is no number: write it as 3%, 5ms or 0", limit);
    }
    if (std::signbit(read.value)) Fail("a limit is not negative", limit);
    if (read.fault == Quantity::Fault::kUnknownUnit) {
      Fail("'" + std::string(read.unit) + "' is no unit", read.unit, UnitNames());
    }
    gate_.limit = read.value;
    std::optional<LimitUnit> unit = LimitUnitOf(read.dimension);
    // "2G" of memory is 2 GB, as in every option that takes a size.
    const bool is_size = unit == LimitUnit::kCount && !read.unit.empty() &&
                         AbsoluteUnitOf(gate_.what) == LimitUnit::kBytes;
    if (is_size) unit = LimitUnit::kBytes;
    gate_.unit = unit.value_or(LimitUnit::kCount);
    const bool fits = unit == LimitUnit::kShare || unit == AbsoluteUnitOf(gate_.what);
    if (!fits) {
      Fail("'" + gate_.subject + "' is limited in " + UnitsOf(gate_.what), limit);
    }
    if (gate_.unit == LimitUnit::kShare && !HasShare(gate_.what)) {
      Fail("'" + gate_.subject + "' counts what was not there before: its limit is a number",
           limit);
    }
  }

  // Kernels that were added have nothing before them to be a share of.
  static bool HasShare(Subject subject) {
    return subject != Subject::kKernelsAdded && subject != Subject::kKernelsRemoved &&
           subject != Subject::kKernelsRenamed;
  }

  static std::string UnitsOf(Subject subject) {
    switch (AbsoluteUnitOf(subject)) {
      case LimitUnit::kBytes:
        return "% or bytes (B, KB, MB, GB, KiB, MiB, GiB)";
      case LimitUnit::kCount:
        return HasShare(subject) ? "% or a plain number" : "a plain number";
      default:
        return "% or time (ns, us, ms, s)";
    }
  }

  std::string_view text_;
  Gate gate_;
};

// "2 GB": in units that grow by `step`.
std::string SizeIn(double bytes, double step, std::string_view suffix) {
  constexpr std::string_view kPrefixes = "KMGT";
  std::size_t power = 0;
  for (; power < kPrefixes.size() && bytes >= step; ++power) bytes /= step;
  if (power == 0) return fmt::format("{:g} B", bytes);
  return fmt::format("{:g} {}{}", bytes, kPrefixes[power - 1], suffix);
}

// In the units that need fewer digits, which are those that the user wrote.
std::string SizeWords(double bytes) {
  const std::string binary = SizeIn(bytes, 1024, "iB");
  const std::string decimal = SizeIn(bytes, 1000, "B");
  return decimal.size() + 1 < binary.size() ? decimal : binary;
}

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
      return SizeWords(gate.limit);
    case LimitUnit::kNanoseconds:
      if (gate.limit >= 1e9) return in(1e9, " s");
      if (gate.limit >= 1e6) return in(1e6, " ms");
      return gate.limit >= 1e3 ? in(1e3, " us") : in(1, " ns");
    case LimitUnit::kCount:
      break;
  }
  return in(1, "");
}

std::vector<std::string> SubjectNames() {
  std::vector<std::string> names;
  for (const NamedSubject& named : kSubjects) names.emplace_back(named.name);
  return names;
}

}  // namespace xsp
